"""English words whose forms no stemmer brings together, each a word and its other forms."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

_FORMS: Final = """
    arise arose arisen / awake awoke awoken / bear bore borne / beat beaten / become became / begin began begun
    bend bent / bind bound / bite bit bitten / blow blew blown / break broke broken / breed bred / bring brought
    build built / burn burnt / buy bought / catch caught / choose chose chosen / cling clung / come came
    creep crept / deal dealt / dig dug / draw drew drawn / dream dreamt / drink drank drunk / drive drove driven
    eat ate eaten / fall fell fallen / feed fed / feel felt / fight fought / find found / flee fled
    fly flew flown / forbid forbade / forget forgot forgotten / forgive forgave forgiven / freeze froze frozen
    give gave given / go went gone / grow grew grown / hang hung / hear heard / hide hid hidden / hold held
    keep kept / know knew known / lay laid / lead led / lean leant / learn learnt / leave left / lend lent
    lie lain / light lit / lose lost / make made / mean meant / meet met / mistake mistook mistaken / pay paid
    prove proven / ride rode ridden / ring rang rung / rise rose risen / run ran / say said / see saw seen
    seek sought / sell sold / send sent / sew sewn / shake shook shaken / shine shone / shoot shot / show shown
    shrink shrank shrunk / sing sang sung / sink sank sunk / sit sat / sleep slept / slide slid
    speak spoke spoken / spell spelt / spend spent / spill spilt / spin spun / spring sprang sprung / stand stood
    steal stole stolen / stick stuck / strike struck / swear swore sworn / sweep swept / swim swam swum
    swing swung / take took taken / teach taught / tear tore torn / tell told / think thought / throw threw thrown
    undergo underwent / understand understood / wake woke woken / wear wore worn / weave wove / win won
    withdraw withdrew / write wrote written / child children / foot feet / goose geese / half halves
    knife knives / loaf loaves / man men / mouse mice / person people / shelf shelves
    tooth teeth / wife wives / wolf wolves / woman women / favorite favourite / color colour
    mom mum mother mommy mummy / dad father daddy / organize organise / child kid kids / tv television
    photo photograph picture / bike bicycle / fridge refrigerator / phone telephone
    tyre tire / grey gray / centre center / theatre theater / neighbour neighbor / licence license / jewellery jewelry
    tyre tires / neighbour neighbors / centre centers / kilometre kilometer / litre liter / bday birthday
"""


def base(word: str) -> str:
    """The form that others of the word are brought to; the word itself when it is regular."""
    return _bases().get(word, word)


@lru_cache(maxsize=1)
def _bases() -> dict[str, str]:
    bases: dict[str, str] = {}
    for line in _FORMS.strip().replace("\n", "/").split("/"):
        first, *others = line.split()
        bases.update(dict.fromkeys(others, first))
    return bases
