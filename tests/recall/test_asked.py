from __future__ import annotations

import pytest

from geniffy_server.recall.asked import Asked


@pytest.mark.parametrize(
    ("question", "language", "wanted"),
    [
        ("Who told Omar about the leak?", "en", "who"),
        ("Can you tell me where Kim lives?", "en", "where"),
        ("On which days do we deploy?", "en", "when"),
        ("How often does the cat eat?", "en", "amount"),
        ("What are my kids' names?", "en", "name"),
        ("Does Kim eat fish?", "en", "polar"),
        ("What does Kim like?", "en", "what"),
        ("¿Dónde vive Lucía?", "es", "where"),
        ("¿Puedo comer marisco?", "es", "polar"),
        ("Quand est la réunion ?", "fr", "when"),
        ("Wie alt ist Jonas?", "de", "amount"),
        ("Chi è il mio medico?", "it", "who"),
        ("Где живёт Ольга?", "ru", "where"),
        ("下次会议是什么时候？", "zh", "when"),
        ("田中さんはどこに住んでいますか？", "ja", "where"),
        ("회의는 언제예요?", "ko", "when"),
        ("राहुल कहाँ रहता है?", "hi", "where"),
        ("أين تعيش ليلى؟", "ar", "where"),
        ("איפה גרה דנה?", "he", "where"),
    ],
)
def test_a_question_tells_its_language_and_the_kind_of_answer_it_wants(
    question: str, language: str, wanted: str
) -> None:
    asked = Asked.read(question)

    assert (asked.language, asked.wanted) == (language, wanted)


@pytest.mark.parametrize(
    ("question", "doer", "verb", "done_to"),
    [
        ("How much does Felix owe me?", "Felix", "owe", ()),
        ("Where do I keep the key?", "I", "keep", ()),
        ("Who told Omar about the leak?", None, "told", ["Omar"]),
        ("What do Kim and Omar like?", None, None, ()),
        ("Where is the key?", None, None, ()),
    ],
)
def test_a_question_tells_who_does_it_and_to_whom(
    question: str, doer: str | None, verb: str | None, done_to: list[str]
) -> None:
    asked = Asked.read(question)

    assert (asked.doer, asked.verb, asked.done_to) == (doer, verb, done_to)


@pytest.mark.parametrize(
    ("question", "counted", "kind", "thing"),
    [
        ("How many pet cats does Kim have?", "pet cats", None, None),
        ("Which instrument does Rui play?", None, "instrument", None),
        ("What kind of car does Ana have?", None, "car", None),
        ("What is the budget of Orion?", None, None, "budget"),
        ("What is Priya's phone number?", None, None, "number"),
        ("Which is it?", None, None, None),
    ],
)
def test_a_question_tells_what_is_to_be_counted_or_named(
    question: str, counted: str | None, kind: str | None, thing: str | None
) -> None:
    asked = Asked.read(question)

    assert (asked.counted, asked.kind, asked.thing) == (counted, kind, thing)


@pytest.mark.parametrize(
    ("question", "is_list"),
    [
        ("What does Kim like?", True),
        ("What are Kim's hobbies?", True),
        ("Which languages does Kim speak?", True),
        ("Tell me about Kim.", True),
        ("¿Qué le gusta a Lucía?", True),
        ("What is Kim's status?", False),
        ("What did Kim say?", False),
        ("Where does Kim like to eat?", False),
    ],
)
def test_a_question_tells_whether_many_things_may_be_asked_for(question: str, is_list: bool) -> None:
    assert Asked.read(question).is_list == is_list
