"""Words that people ask with, and words that answer them: `job` is answered by `works at`, `contact` by `email`.

Set by hand, in English, for what questions of everyday and working life ask for. Each line: words that ask for one
thing, a bar, and further words that answer them. What answers does not ask: a question for chess is not answered by
`plays`, but one for a game is answered by `chess`. Only stems count (`tokens.keys`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from geniffy_server.recall.tokens import keys

_GROUPS: Final = """
    live home address residence reside based city town country hometown | house apartment flat move moved relocate
    move relocate | live moved
    job role work position occupation profession career title employer company employ | join joined hire hired \
        designer tester engineer developer manager director lawyer teacher nurse doctor cfo ceo cto analyst consultant
    join start | joined started
    contact reach message | email mail phone call text whatsapp telegram signal sms number
    phone number | phone mobile telephone
    age old | year turned born birthday
    born birthday | born birthday
    marry married wedding spouse | wife husband engaged fiance fiancee bride groom married
    partner relationship dating | boyfriend girlfriend wife husband married single divorced engaged
    pet animal | dog puppy cat kitten hamster rabbit fish parrot bird turtle guinea
    child son daughter baby | kid boy girl son daughter
    sibling | sister brother
    parent | mother father
    family relative | wife husband child son daughter sister brother mother father cousin
    cost price pay spend spent fee rent salary earn expensive | budget money $ € £ pay paid spent
    buy bought purchase order get acquire | bought got ordered
    sell | sold sale
    eat food meal dish cuisine cook | dinner lunch breakfast restaurant recipe snack cook ate
    drink beverage | tea coffee water juice wine beer
    like love enjoy prefer favourite | fond fan keen love enjoy prefer
    dislike hate avoid | hate stand avoid
    hobby interest activity pastime leisure relax unwind fun passion | enjoy love like playing painting reading running
    sport exercise workout | run swim yoga hike gym tennis football basketball soccer climb
    hike outdoors nature | trail mountain walk camping camp
    travel trip journey vacation holiday tour | visit flew train roadtrip abroad went
    visit | travel went saw trip
    car vehicle | drive van truck automobile
    study school university college degree education | course class graduate major student learn
    book read novel | reading author story
    movie film watch | cinema show series
    music song concert | band singer album listen artist playlist
    instrument | play violin piano guitar drum flute cello clarinet
    paint art artist draw | painting drawing picture sketch
    write | writing author poem blog journal
    game | play chess video console
    sick ill illness disease health condition | hospital doctor injury injured hurt pain broke surgery diagnosed
    injury injure hurt | broke broken sprained
    heal recover recovery better | heal recover
    doctor | physician clinic dr
    diet | vegetarian vegan
    begin start launch open | began started opened
    end finish stop quit complete close | finished stopped ended
    meet meeting appointment | met gather meeting
    talk discuss mention conversation chat speak | said told talked
    opinion believe view | think feel
    feel emotion mood | happy sad proud excited nervous
    help support volunteer charity | assist donate community
    teach teacher lesson | class mentor tutor coach
    plan intend goal hope dream aim ambition | want going
    deadline due | until by
    gift present | gave given
    celebrate | party birthday anniversary festival
    event | conference workshop meetup parade fair show concert party
    create make build | made built designed
    win award prize | won trophy medal
    die death | passed funeral
    language | speak fluent english german french spanish italian chinese japanese russian arabic hindi python \
        javascript typescript java rust
    wear clothes outfit | dress shirt shoes
    colour | red blue green yellow black white purple orange pink
    computer | laptop pc mac
    software app tool program framework library stack | use
    database | postgresql postgres mysql sqlite mongodb redis
    server host machine | server host
    operating system os | linux windows macos debian ubuntu
    error bug failure problem | issue failed crash
    release version ship | launch deploy shipped version
    manager boss supervisor | reports manager lead
    report | manager boss
    leader head chief | ceo boss director lead
    customer | client
    invoice bill | payment
    sign | signed signature
    weather | rain snow sunny temperature
    garden plant | flower grow
    smoke | cigarette smoking
    religion religious faith | church god pray
    nationality citizen | passport country
    reason why | because since
    allergy allergic | allergic
    attend participate join | went attended joined took
    go travel | went
"""


def answers(word: int) -> frozenset[int]:
    """The search keys of words that may answer a question's word, given as its key; none for most words."""
    return _answers().get(word, frozenset())


def further_words(words: Iterable[int]) -> list[int]:
    """The search keys that answer any of these words and are none of them, each once."""
    asked = list(words)
    return list(dict.fromkeys(one for word in asked for one in answers(word) if one not in asked))


@lru_cache(maxsize=1)
def _answers() -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = {}
    for line in _GROUPS.strip().splitlines():
        asking, _, answering = line.partition("|")
        asked = set(keys(asking))
        for word in asked:
            found.setdefault(word, set()).update((asked | set(keys(answering))) - {word})
    return {word: frozenset(others) for word, others in found.items()}
