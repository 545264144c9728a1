"""What somebody does is told by what they are to others; who somebody is by whatever is held of them."""

from __future__ import annotations

import pytest

from geniffy_server.recall.judge import bearing
from geniffy_server.recall.occupations import asks_for_one, tells_one
from geniffy_server.recall.recall import ShardRecall
from tests.recall.space_in_memory import SpaceInMemory

NOTES = [
    ("Tamsin Rook is our auditor.", "Tamsin Rook"),
    ("Olga is the treasurer of the choir.", "Olga"),
    ("Karim is Halden's site engineer.", "Karim"),
    ("Rita is a goldsmith.", "Rita"),
    ("Bo is a vegetarian.", "Bo"),
    ("Liv is our neighbour.", "Liv"),
    ("Paul lives in Bern.", "Paul"),
    ("Camille est dentiste.", "Camille"),
    ("Anke ist Tierärztin.", "Anke"),
    ("Lucía es periodista.", "Lucía"),
    ("Giulia è farmacista.", "Giulia"),
    ("Our staging cluster is called heron.", None),
    ("La macchina è parcheggiata in via Mazzini 12.", "macchina"),
    ("मुझे अदरक वाली चाय पसंद है।", "OWNER"),
]


@pytest.fixture
def notes(space: SpaceInMemory) -> SpaceInMemory:
    for text, about in NOTES:
        space.add(text, about)
    return space


def what_bears(recall: ShardRecall, space: SpaceInMemory, question: str) -> list[str]:
    ranked = recall.search(space, space.space, question, limit=24)
    return [one.memory.text for one in bearing(question, ranked, "normal")]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does Tamsin Rook do?", "Tamsin Rook is our auditor."),
        ("What is Tamsin's role?", "Tamsin Rook is our auditor."),
        ("What's Olga's job?", "Olga is the treasurer of the choir."),
        ("What does Karim do at Halden?", "Karim is Halden's site engineer."),
        ("What does Rita do for a living?", "Rita is a goldsmith."),
        ("Que fait Camille ?", "Camille est dentiste."),
        ("Was macht Anke beruflich?", "Anke ist Tierärztin."),
        ("¿A qué se dedica Lucía?", "Lucía es periodista."),
        ("Che lavoro fa Giulia?", "Giulia è farmacista."),
        ("Who is Tamsin?", "Tamsin Rook is our auditor."),
        ("Who is Bo?", "Bo is a vegetarian."),
        ("Wer ist Anke?", "Anke ist Tierärztin."),
        ("What do you know about Tamsin?", "Tamsin Rook is our auditor."),
        ("Tell me everything you know about Bo.", "Bo is a vegetarian."),
        ("What is our staging cluster called?", "Our staging cluster is called heron."),
        ("मुझे कौन सी चाय पसंद है?", "मुझे अदरक वाली चाय पसंद है।"),
        ("Dov'è la macchina?", "La macchina è parcheggiata in via Mazzini 12."),
    ],
)
def test_what_somebody_is_answers_what_they_do_and_who_they_are(
    recall: ShardRecall, notes: SpaceInMemory, question: str, expected: str
) -> None:
    assert what_bears(recall, notes, question) == [expected]


@pytest.mark.parametrize(
    "question",
    [
        "What does Bo do?",
        "What does Liv do for a living?",
        "What is Paul's job?",
        "What does Zoltan do?",
        "Who is Zoltan?",
        "What do you know about Zoltan?",
        "What do you know about the garden?",
        "What is the production cluster called?",
        "Dov'è la bici?",
    ],
)
def test_what_is_no_occupation_answers_none_and_nobody_else_is_told_of(
    recall: ShardRecall, notes: SpaceInMemory, question: str
) -> None:
    assert what_bears(recall, notes, question) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mina is the beekeeper at Hollow Farm.", True),
        ("Uwe ist Gärtner bei der Stadt.", True),
        ("王芳是一名会计师。", True),
        ("田中さんは看護師です。", True),
        ("Аня — стоматолог.", True),
        ("Ann is our daughter.", False),
        ("Ann is a heavy smoker.", False),
        ("Jan ist Vegetarier.", False),
        ("Pablo es soltero.", False),
    ],
)
def test_an_occupation_is_told_by_its_form(text: str, expected: bool) -> None:
    assert tells_one(text) is expected


def test_what_somebody_did_on_a_day_asks_for_no_occupation() -> None:
    assert asks_for_one("What does Kim do?", "en")
    assert not asks_for_one("What did Kim do on Sunday?", "en")
    assert not asks_for_one("What does Kim eat?", "en")
