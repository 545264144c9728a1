from __future__ import annotations

from datetime import UTC, datetime

import pytest

from geniffy_server.domain.memory import Fact
from geniffy_server.learn.answers import answered
from geniffy_server.learn.learn import Reading, facts_of


def said_in(*turns: tuple[str | None, str]) -> list[Fact]:
    at = datetime(2026, 10, 5, 12, tzinfo=UTC)
    readings = [
        Reading(words, at, kind="turn", speaker=who if who != "agent" else None, is_agent=who == "agent")
        for who, words in turns
    ]
    return [fact for facts in facts_of(readings, owner=None) for fact in facts]


@pytest.mark.parametrize(
    ("question", "answer", "language", "told"),
    [
        ("When is the party?", "On 3 March.", "en", "The party is on 3 March."),
        ("Who wrote the song?", "My aunt Rosa.", "en", "My aunt Rosa wrote the song."),
        ("Oh, and where do you live now?", "In Lisbon.", "en", "I live now in Lisbon."),
        ("Where does Kim work?", "At the harbour.", "en", "Kim works at the harbour."),
        ("How many eggs did you buy?", "Six.", "en", "I bought six eggs."),
        ("Who is coming?", "Omar and Lena.", "en", "Omar and Lena are coming."),
        ("Who is the plumber?", "Omar.", "en", "The plumber is Omar."),
        ("What did you see there?", "Two old westerns.", "en", "I saw two old westerns there."),
        ("When does the night train leave?", "At 9:40.", "en", "The night train leaves at 9:40."),
        ("Who do you live with?", "My aunt.", "en", "I live with my aunt."),
        ("¿Cuándo es la fiesta?", "El 3 de marzo.", "es", "La fiesta es el 3 de marzo."),
        ("¿Quién escribió la canción?", "Mi tía Rosa.", "es", "Mi tía Rosa escribió la canción."),
        ("C'est quand, la réunion ?", "Mardi.", "fr", "La réunion est mardi."),
        ("Où habites-tu ?", "À Lyon.", "fr", "J'habite à Lyon."),
        ("Wann findet die Prüfung statt?", "Am Montag.", "de", "Die Prüfung findet am Montag statt."),
        ("Chi ha scritto la canzone?", "Mia zia Rosa.", "it", "Mia zia Rosa ha scritto la canzone."),
        ("聚会是什么时候？", "3月3号。", "zh", "聚会是3月3号。"),
        ("你住在哪里？", "在里斯本。", "zh", "我住在里斯本。"),
        ("誰が書いたの？", "おばのローザ。", "ja", "おばのローザが書いた。"),
        ("पार्टी कब है?", "3 मार्च को।", "hi", "पार्टी 3 मार्च को है।"),
        ("متى الحفلة؟", "في 3 مارس.", "ar", "الحفلة في 3 مارس."),
        ("מתי המסיבה?", "ב-3 במרץ.", "he", "המסיבה ב-3 במרץ."),
        ("Any pets?", "Two cats.", "en", "Any pets? Two cats."),
        ("Product or engineering?", "Product.", "en", "Product or engineering? Product."),
        ("Why did you quit?", "Burnout", "en", "Why did you quit? Burnout."),
        ("Where do you live?", "Leeds", "en", "I live in Leeds."),
        ("Where did you go on holiday?", "Crete", "en", "I went on holiday to Crete."),
        ("Where are you from originally?", "Ghana", "en", "I am from Ghana originally."),
        ("Where is the party?", "The baker's.", "en", "Where is the party? The baker's."),
        ("Have you been to Japan?", "Never", "en", "Have you been to Japan? Never."),
        ("What kind of shoes did you get?", "Brooks.", "en", "What kind of shoes did you get? Brooks."),
        ("Who taught you?", "My grandfather.", "en", "My grandfather taught me."),
        ("How old are you?", "34", "en", "I am 34."),
        ("Where was the wedding?", "It was in a greenhouse.", "en", "The wedding was in a greenhouse."),
        ("How did your interview go?", "It went well.", "en", "My interview went well."),
    ],
)
def test_a_bare_answer_is_told_with_the_words_of_its_question(
    question: str, answer: str, language: str, told: str
) -> None:
    found = answered(question, answer, language)

    assert found is not None
    assert found.text == told


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where did Kim leave the key?", "The key is with the baker."),
        ("Who fixed the roof?", "Omar fixed it on Friday."),
        ("Who drinks tea?", "Kim drinks tea."),
        ("Where is my bag?", "On the sofa."),  # whose, the answer alone does not say
        ("What do you think?", "A bit too long."),
        ("How are you?", "Fine."),
        ("How's the new flat?", "The balcony gets sun all morning."),
        ("Do you like to paint?", "Painting's great for expressing myself."),
        ("Do you know anyone?", "A friend of mine adopted last year."),
        ("Where was the wedding?", "It rained all day."),
        ("Where does Kim live?", "It is far."),
        ("How's Bristol treating you?", "Pretty good."),
        ("How's your week been?", "Ouch, sorry about the knee."),
    ],
)
def test_an_answer_that_speaks_for_itself_or_whose_question_tells_nothing_stays_as_it_is(
    question: str, answer: str
) -> None:
    assert answered(question, answer, "en") is None


def test_an_answer_is_about_what_its_question_asks_and_keeps_its_quote() -> None:
    party = said_in(("agent", "When is the party?"), (None, "On 3 March."))[0]
    home = said_in(("Ana", "Wo wohnst du jetzt?"), ("Ben", "In Graz."))[0]
    song = said_in(("Ana", "I love that song. Who wrote it?"), ("Ben", "My aunt Rosa."))[1]

    assert (party.text, party.quote, party.about, party.kind) == (
        "The party is on 3 March.", "On 3 March.", "party", "plan",
    )  # fmt: skip
    assert (home.text, home.quote, home.about) == ("Ben: Ich wohne in Graz.", "In Graz.", "Ben")
    assert (song.text, song.about) == ("Ben: My aunt Rosa wrote the song.", "Rosa")


def test_what_is_wanted_of_an_offer_is_no_fact_and_a_number_is_an_answer() -> None:
    assert said_in(("agent", "What can I help you with today?"), (None, "My printer")) == []
    assert [fact.text for fact in said_in(("agent", "Wie alt bist du?"), (None, "41"))] == ["Ich bin 41."]
