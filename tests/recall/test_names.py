from __future__ import annotations

import pytest

from geniffy_server.recall.names import NONE, UNKNOWN, Names, are_named_together, as_speaker, asks_of_owner, names_in


def meant(question: str, *subjects: str) -> set[str]:
    names = Names()
    for subject in subjects:
        names.code(subject)
    return {names.name(code) for code in names.named_in(question)}


@pytest.mark.parametrize(
    ("question", "subjects", "expected"),
    [
        ("Where does Kim work?", ["Kim Park", "Ana"], {"Kim Park"}),
        ("What did Park say?", ["Kim Park", "Ana"], {"Kim Park"}),
        ("What did Kim Park say?", ["Kim Park", "Kim Lee"], {"Kim Park"}),
        ("What did Kim say?", ["Kim Park", "Kim Lee"], {"Kim Park", "Kim Lee"}),
        ("where does kim live", ["Kim"], {"Kim"}),
        ("What is Ana's job?", ["Ana"], {"Ana"}),
        ("Who are James' friends?", ["James"], {"James"}),
        ("What does the Atlas team use?", ["the Atlas team", "the Borealis team"], {"the Atlas team"}),
        ("Which team is best?", ["the Atlas team"], set()),
        ("Will it rain?", ["Will"], set()),
        ("Where does Will live?", ["Will"], {"Will"}),
        ("李雷住在哪里？", ["李雷", "王芳"], {"李雷"}),
        ("Wo wohnt Zoe?", ["Zoë"], {"Zoë"}),
        ("Where do they live?", ["Kim", "Ana"], set()),
        ("What are Kim's pets called?", ["Kim", "Pets"], {"Kim"}),
        ("what are the pets called", ["Pets"], {"Pets"}),
    ],
)
def test_a_question_means_the_subjects_it_names(question: str, subjects: list[str], expected: set[str]) -> None:
    assert meant(question, *subjects) == expected


def test_a_subject_keeps_its_code_in_any_spelling() -> None:
    names = Names()

    code = names.code("Kim  Park")

    assert names.code("kim park") == names.known("KIM PARK") == code
    assert (names.code(None), names.known(None), names.known("Ana")) == (NONE, NONE, UNKNOWN)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Caroline research?", ["Caroline"]),
        ("When did Ana and Leo Ferreira meet in May?", ["Ana", "Leo Ferreira"]),
        ("Ana's job?", ["Ana"]),
        ("Where do I live?", []),
        ("Tell me about LGBTQ on Friday", []),
        ("¿Dónde vive Lucía?", ["Lucía"]),
        ("where does kim live", []),
        ("", []),
    ],
)
def test_the_names_of_a_question_are_its_capitalised_words(question: str, expected: list[str]) -> None:
    assert names_in(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Caroline research?", "What did I research?"),
        ("What is Caroline's job?", "What is my job?"),
        ("Where does Caroline live?", "Where do I live?"),
        ("Is Caroline married?", "am I married?"),
        ("Who wrote to Caroline?", "Who wrote to me?"),
    ],
)
def test_a_question_is_put_as_its_subject_would_hear_it(question: str, expected: str) -> None:
    assert as_speaker(question, ["Caroline"]) == expected


@pytest.mark.parametrize(
    "question", ["Where do I live?", "my address", "What does the user like?", "¿Dónde está mi llave?", "我住在哪里？"]
)
def test_i_and_my_ask_of_the_owner(question: str) -> None:
    assert asks_of_owner(question)


@pytest.mark.parametrize("question", ["Where does Kim live?", "Which US office?", "What is in the Miro board?", ""])
def test_other_questions_do_not_ask_of_the_owner(question: str) -> None:
    assert not asks_of_owner(question)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do Ana and Ben both like?", "What do we both like?"),
        ("What did Chris give to Ana and Ben?", "What did Chris give to us?"),
        ("Where is Ana and Ben's boat?", "Where is our boat?"),
    ],
)
def test_two_who_are_named_together_are_we(question: str, expected: str) -> None:
    assert as_speaker(question, ["Ana", "Ben"]) == expected


def test_names_are_together_only_side_by_side() -> None:
    assert are_named_together("What do Ana and Ben like?", "Ana", "Ben")
    assert are_named_together("Qué comen Ana y Ben?", "Ana", "Ben")
    assert not are_named_together("What did Ana give to Ben?", "Ana", "Ben")


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Dov'è la macchina?", []),
        ("Qual è il codice?", []),
        ("Cosa fa Marco?", ["Marco"]),
        ("D'où vient Léa ?", ["Léa"]),
        ("Quels sont les loisirs de Léa ?", ["Léa"]),
        ("¿Tiene Pablo hijos?", ["Pablo"]),
        ("¿Desde cuándo no fuma Pablo?", ["Pablo"]),
        ("Womit fährt Uwe?", ["Uwe"]),
        ("Wann schließt das Büro am Freitag?", []),
        ("Wie heißt der Hund von Uwe?", ["Uwe"]),
        ("Чем занимается Аня?", ["Аня"]),
        ("Where does Per live?", ["Per"]),
        ("What happened on 12 March?", []),
        ("What did May do on 21st May?", ["May"]),
    ],
)
def test_words_of_asking_and_german_nouns_are_no_names(question: str, names: list[str]) -> None:
    assert names_in(question) == names


@pytest.mark.parametrize("question", ["Wann hat Birgit Geburtstag?", "Was ist Birgit von Beruf?"])
def test_a_thing_right_behind_a_german_name_is_no_part_of_it(question: str) -> None:
    assert names_in(question) == ["Birgit"]


@pytest.mark.parametrize(
    "question", ["¿Dónde vivo?", "Où est-ce que j'habite ?", "ما اسمي؟", "מה העבודה שלי?", "मुझे किससे एलर्जी है?"]
)
def test_a_question_in_the_first_person_is_of_the_owner(question: str) -> None:
    assert asks_of_owner(question)
