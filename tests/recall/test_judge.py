from __future__ import annotations

from datetime import date

import pytest

from geniffy_server.domain.memory import OWNER, Spoken
from geniffy_server.models.minilm import MiniLM
from geniffy_server.recall.judge import bearing
from geniffy_server.recall.recall import ShardRecall
from tests.recall.space_in_memory import SpaceInMemory
from tests.recall.told import found, memory

NOTES = [
    ("Kim works at Acme as CFO.", "Kim"),
    ("Kim administers Acme's GitHub.", "Kim"),
    ("Ana lives in Porto.", "Ana"),
    ("My sister Lea studies law.", "Lea"),
    ("My name is Zoe.", OWNER),
    ("I prefer WhatsApp, never email.", OWNER),
    ("Maria's manager is Joe.", "Maria"),
    ("Joe's manager is Ann.", "Joe"),
    ("Mia plays the violin.", "Mia"),
    ("Leo plays chess.", "Leo"),
    ("Tom broke his arm last Friday.", "Tom"),
    ("Backups run nightly on host db-3.", "Backups"),
    ("李雷住在北京。", "李雷"),
    ("Priya prefers WhatsApp to email.", "Priya"),
    ("Nora is allergic to nuts.", "Nora"),
    ("At work I found a letter for Mira.", OWNER),
    ("The Acme renewal is now due in June.", "Acme renewal"),
    ("Omar told Ines about the leak.", "Omar"),
    ("Kai Park prefers calls.", "Kai Park"),
    ("Lucía vive en Sevilla.", "Lucía"),
    ("राहुल दिल्ली में रहता है।", "राहुल"),
    ("Error E4012 means the licence expired.", "Error E4012"),
    ("Ana moved to Porto in May.", "Ana"),
]


@pytest.fixture
def notes(space: SpaceInMemory) -> SpaceInMemory:
    for text, about in NOTES:
        space.add(text, about, kind="pref" if "prefer" in text else "detail", first_person=about == OWNER)
    return space


def what_bears(recall: ShardRecall, space: SpaceInMemory, question: str) -> list[str]:
    ranked = recall.search(space, space.space, question, limit=24)
    return [one.memory.text for one in bearing(question, ranked, "normal")]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where does Kim work?", "Kim works at Acme as CFO."),
        ("What is Kim's job?", "Kim works at Acme as CFO."),
        ("Where does Ana live?", "Ana lives in Porto."),
        ("What does my sister study?", "My sister Lea studies law."),
        ("How do I want to be contacted?", "I prefer WhatsApp, never email."),
        ("Who is Joe's manager?", "Joe's manager is Ann."),
        ("What does Leo play?", "Leo plays chess."),
        ("When did Tom break his arm?", "Tom broke his arm last Friday."),
        ("On which host do backups run?", "Backups run nightly on host db-3."),
        ("李雷住在哪里？", "李雷住在北京。"),
        ("How should I write to Priya?", "Priya prefers WhatsApp to email."),
        ("Can Nora eat a walnut cake?", "Nora is allergic to nuts."),
        ("Who told Ines about the leak?", "Omar told Ines about the leak."),
        ("¿Dónde vive Lucía?", "Lucía vive en Sevilla."),
        ("Where does Lucía live?", "Lucía vive en Sevilla."),
        ("राहुल कहाँ रहता है?", "राहुल दिल्ली में रहता है।"),
        ("What does E4012 mean?", "Error E4012 means the licence expired."),
        ("When did Ana move to Porto?", "Ana moved to Porto in May."),
    ],
)
def test_what_was_said_bears_on_its_question(
    recall: ShardRecall, notes: SpaceInMemory, question: str, expected: str
) -> None:
    assert expected in what_bears(recall, notes, question)


@pytest.mark.parametrize(
    "question",
    [
        "Where does Ben live?",  # nobody of that name
        "Where does Mia live?",  # known, but not that of her
        "What is Ana's job?",
        "Does Mia play chess?",  # said of another
        "Who is Ann's manager?",  # named, but the other way round
        "When did Tom break his leg?",
        "What is my home address?",
        "How does Ana want to be contacted?",
        "What is the capital of France?",
        "王芳住在哪里？",
        "Where does Mira work?",  # she is in it, and works, but not she
        "Who signs the Acme renewal?",  # nobody is in it
        "Who told Omar about the leak?",  # he told it
        "When did Kai call?",  # a liking has no time
        "How should I contact Kai Novak?",  # another of that first name
        "What is the budget of the Acme renewal?",
        "¿Dónde trabaja Lucía?",
        "When did Ana move to Cuba?",  # to another place
        "What does E4013 mean?",
        "अमित कहाँ रहता है?",
    ],
)
def test_nothing_bears_on_what_was_not_said(recall: ShardRecall, notes: SpaceInMemory, question: str) -> None:
    assert what_bears(recall, notes, question) == []


@pytest.mark.parametrize("said", ["The Acme audit: June.", "The Acme audit slipped to the 14th.", "Acme audit 2027."])
def test_a_time_that_no_date_was_read_of_answers_when(recall: ShardRecall, notes: SpaceInMemory, said: str) -> None:
    notes.add(said, "Acme audit")

    assert what_bears(recall, notes, "When is the Acme audit?") == [said]


def test_a_person_called_as_a_month_is_no_time(recall: ShardRecall, notes: SpaceInMemory) -> None:
    notes.add("April audits Borealis and may join.", "April")

    assert what_bears(recall, notes, "When does April audit Borealis?") == []


def test_what_another_participant_said_does_not_answer_for_one(recall: ShardRecall, embedder: MiniLM) -> None:
    talk = SpaceInMemory(embedder)
    for at, (name, text) in enumerate(
        [
            ("Ana", "I adopted a puppy from the shelter last week."),
            ("Ben", "I started a pottery class on Mondays."),
            ("Ana", "I ran the marathon in Porto in under four hours."),
            ("Ben", "I cooked dinner for my parents yesterday."),
            ("Ana", "I work as a nurse at the city hospital."),
            ("Ben", "I repaired the old bike of my brother."),
        ]
    ):
        talk.add(f"{name}: {text}", name, quote=text, first_person=True, said_by=name, source="talk", position=at)

    assert what_bears(recall, talk, "Where did Ana run a marathon?") != []
    assert what_bears(recall, talk, "Where did Ben run a marathon?") == []


def test_certainty_decides_how_much_is_enough() -> None:
    middling = [found(memory("Kim rides to work.", "Kim"), coverage=0.35, cosine=0.3, subject=1.0)]

    assert bearing("What does Kim ride?", middling, "strict") == []
    assert bearing("What does Kim ride?", middling, "lenient") == middling


def test_the_order_of_the_ranking_is_kept() -> None:
    ranked = [found(memory(text, "Kim"), subject=1.0) for text in ("Kim likes tea.", "Kim likes ramen.")]

    assert bearing("What does Kim like?", ranked, "normal") == ranked


def test_nothing_found_bears_on_nothing() -> None:
    assert bearing("What does Kim like?", [], "lenient") == []


@pytest.mark.parametrize("question", ["What happened on 4 October?", "What happened on October 4, 2026?"])
def test_a_day_alone_asks_for_all_that_was_on_it(recall: ShardRecall, notes: SpaceInMemory, question: str) -> None:
    day = date(2026, 10, 4)
    notes.add("Uma called yesterday.", "Uma", spoken=Spoken(day, day, "day"))

    assert what_bears(recall, notes, question) == ["Uma called yesterday."]
    assert what_bears(recall, notes, question.replace("4", "14", 1)) == []
