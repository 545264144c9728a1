from __future__ import annotations

import pytest

from geniffy_server.domain.memory import MemoryId, SourceRef
from geniffy_server.domain.source import SourceId
from geniffy_server.recall.aliases import Said, also_meant
from geniffy_server.recall.tokens import keys
from tests.recall.told import memory


def said(at: int, text: str, about: str | None, *, by_them: bool = True, source: str = "s") -> Said:
    ref = SourceRef(SourceId(source), "conversation", "A talk", False, {})
    return Said(memory(text, about, id=MemoryId(at), source=ref), by_them, by_them)


@pytest.mark.parametrize(
    ("question", "names", "naming"),
    [
        ("What did the dog of Kim eat?", ["Kim"], "At night my dog Pixel wakes me."),
        ("What did Kim's dog eat?", ["Kim"], "Our dog is called Pixel."),
        ("What did Kim's dog eat?", ["Kim"], "Kim's dog, Pixel, is two."),
        ("What did my dog eat?", [], "My dog's name is Pixel."),
        ("Was hat Kims Hund gefressen?", ["Kim"], "Mein Hund heißt Pixel."),
        ("¿Qué comió el perro de Kim?", ["Kim"], "Mi perro se llama Pixel."),
        ("Qu'a mangé le chien de Kim ?", ["Kim"], "Mon chien Pixel dort."),
        ("Cosa ha mangiato il cane di Kim?", ["Kim"], "Il mio cane si chiama Pixel."),
        ("Что съела собака Kim?", ["Kim"], "Мою собаку зовут Pixel, собака Pixel спит."),
    ],
)
def test_who_is_named_once_is_meant_by_whose_they_are(question: str, names: list[str], naming: str) -> None:
    held = [said(1, naming, "Kim"), said(5, "Pixel ate a baguette.", "Pixel", by_them=False, source="later")]

    assert list(also_meant(question, names, held)) == [5]


@pytest.mark.parametrize(
    ("question", "names", "naming"),
    [
        ("What did Kim's cat eat?", ["Kim"], "My dog Pixel wakes me."),  # another pet
        ("What did Kim's dog eat?", ["Kim"], "Lea's dog Pixel wakes me."),  # another owner
        ("What did Kim's dog eat?", ["Kim"], "Is your dog Pixel well?"),
        ("What did dogs eat?", [], "My dog Pixel wakes me."),  # nobody's
    ],
)
def test_nobody_is_meant_by_what_another_has(question: str, names: list[str], naming: str) -> None:
    held = [said(1, naming, "Kim"), said(5, "Pixel ate a baguette.", "Pixel")]

    assert also_meant(question, names, held) == {}


def test_who_opens_the_next_sentence_may_be_the_one_just_spoken_of() -> None:
    cat, ginger = said(1, "My cat would do that too.", "Kim"), said(2, "Ginger is fourteen.", "Ginger")
    by_another = said(2, "Ginger is fourteen.", "Ginger", by_them=False)

    assert list(also_meant("How old is Kim's cat?", ["Kim"], [cat, ginger])) == [2]
    assert also_meant("How old is Kim's cat?", ["Kim"], [cat, by_another]) == {}


def test_a_name_given_behind_belongs_to_what_was_told_before() -> None:
    born, named = said(1, "Emil had a baby girl on 29 March.", "Emil"), said(2, "Her name is Alma.", "Alma")

    found = also_meant("When was Alma born?", ["Alma"], [born, named])

    assert set(keys("alma born")) <= found[MemoryId(1)]
    assert also_meant("When was Emil born?", ["Emil"], [born, named]) == {}
