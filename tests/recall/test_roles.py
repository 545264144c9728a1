from __future__ import annotations

from dataclasses import replace

import pytest

from geniffy_server.recall.asked import Asked
from geniffy_server.recall.roles import is_of_a_relative, is_of_another_owner, is_of_who_follows, is_turned_round
from tests.recall.told import memory


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Who told Omar about the leak?", "Omar told Ana about the leak.", True),
        ("Who told Ana about the leak?", "Omar told Ana about the leak.", False),
        ("Who told Omar about the leak?", "Omar was told about the leak by Ana.", False),
        ("Whom did Omar tell?", "Ana told Omar.", True),
        ("How much does Felix owe me?", "I owe Felix 60 euros.", True),
        ("How much do I owe Felix?", "I owe Felix 60 euros.", False),
        ("How much do I owe Felix?", "Felix owes me 60 euros.", True),
        ("Who borrowed Ana's drill?", "Ana borrowed my drill.", True),
        ("Who borrowed Ana's drill?", "Omar borrowed Ana's drill.", False),
        ("Who runs the club?", "Ana chairs the club.", False),
    ],
)
def test_a_statement_is_turned_round_when_its_doer_is_the_one_it_is_done_to(
    question: str, text: str, expected: bool
) -> None:
    assert is_turned_round(Asked.read(question), memory(text)) == expected


@pytest.mark.parametrize(
    ("words", "expected"), [("My brother Emil lends me his van.", False), ("I lend my brother Emil my van.", True)]
)
def test_a_speaker_does_what_they_say_that_i_do_and_it_is_done_to_them_where_they_say_me(
    words: str, expected: bool
) -> None:
    told = replace(memory(f"Mira: {words}"), quote=words)

    assert is_turned_round(Asked.read("Who lends Mira a van?"), told) == expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What does Mira sell?", "Mira's cousin Jude sells used bikes.", True),
        ("What does Mira's cousin sell?", "Mira's cousin Jude sells used bikes.", False),
        ("Who is Mira married to?", "Mira's husband Jude sells bikes.", False),
        ("When was Mira born?", "Mira's birthday is on 12 March.", False),
        ("王芳住在哪里？", "王芳的弟弟住在深圳。", True),
    ],
)
def test_what_a_relative_does_is_not_what_one_does(question: str, text: str, expected: bool) -> None:
    about = "王芳" if "王芳" in text else "Mira"

    assert is_of_a_relative(Asked.read(question), memory(text, about)) == expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What is Hugo's parrot called?", "Hugo minds Lorna's parrot.", True),
        ("What is Hugo's parrot called?", "Hugo's parrot knows Lorna's parrot.", False),
        ("What is Hugo's parrot called?", "Hugo minds Lorna's dog.", False),
        ("When is Kim Park's birthday?", "Kim Park's birthday is on 5 May.", False),
        ("When is Kim Park's birthday?", "Kim's birthday is on 5 May, says Kim Park.", False),
        ("When is Kim Park's birthday?", "Kim Park knows Lee Moon's birthday.", True),
    ],
)
def test_what_another_has_is_not_what_one_has(question: str, text: str, expected: bool) -> None:
    assert is_of_another_owner(Asked.read(question), text) is expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Is Ana allergic to anything?", "My sister Ana has a son, Ollie, who is allergic to nuts.", True),
        ("Is Ollie allergic to anything?", "My sister Ana has a son, Ollie, who is allergic to nuts.", False),
        ("How old is Ana?", "My sister Ana has a son who's 6.", True),
        ("How old is Ana?", "Ana, who's 36, has a son.", False),
        ("Is Ana allergic to anything?", "Ana, who has a son, is allergic to nuts.", False),
        ("Quel instrument joue Irène ?", "Irène a un fils, Bastien, qui joue du cor.", True),
        ("¿A qué es alérgica Rosa?", "Rosa tiene una hija, Paula, que es alérgica al huevo.", True),
        ("¿A qué es alérgica Paula?", "Rosa tiene una hija, Paula, que es alérgica al huevo.", False),
    ],
)
def test_what_is_told_behind_who_is_of_the_one_before_it(question: str, text: str, expected: bool) -> None:
    assert is_of_who_follows(Asked.read(question), text) is expected
