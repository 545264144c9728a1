from __future__ import annotations

import pytest

from geniffy_server.domain.memory import MemoryId
from geniffy_server.recall.relatives import named_from_the_other_side
from tests.recall.told import memory


def related(question: str, *told: str) -> list[int]:
    memories = [memory(text, id=MemoryId(at)) for at, text in enumerate(told, 1)]
    return sorted(named_from_the_other_side(question, memories))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is Tilly's mum?", "My sister Ros has a new baby, Tilly."),
        ("Who is Tilly's mother?", "My sister Ros has a daughter called Tilly."),
        ("What is Tilly's mother called?", "Her aunt Ros has two children, Bee and Tilly."),
        ("Who is the uncle of Tilly?", "My brother Jon's niece Tilly paints."),
        ("Who is Ray's wife?", "Ros's husband is Ray."),
        ("Who are Tilly's parents?", "Ros has a little girl named Tilly."),
        ("Who is Ros's husband?", "Ray: I'm cooking with my wife Ros tonight."),
        ("¿Quién es la madre de Bruno?", "Mi hermana Inés tiene dos hijos, Leo y Bruno."),
        ("Qui est la mère de Basile ?", "Ma cousine Lise a un fils qui s'appelle Basile."),
        ("Wer ist Karls Frau?", "Silkes Mann ist Karl."),
        ("Wer ist die Mutter von Lena?", "Meine Schwester Silke hat eine kleine Tochter, Lena."),
        (
            "Chi è il padre di Furio?",
            "Mio fratello Ugo ha avuto un figlio, Furio.",
        ),
        ("मोहन के पिता कौन हैं?", "मेरे भाई रवि का एक बेटा है, मोहन।"),
        ("翔の父は誰ですか？", "弟の健一には息子の翔がいます。"),
        ("小明的爸爸是谁？", "我哥哥李刚有一个儿子，叫小明。"),
        ("من هي أم ليان؟", "أختي هدى لديها ابنة اسمها ليان."),
        ("מי האבא של יעל?", "לאחי עומר יש בת, יעל."),
        ("민수의 어머니는 누구예요?", "누나 지영에게는 아들 민수가 있어요."),
    ],
)
def test_a_relative_is_known_by_what_the_other_is_to_them(question: str, told: str) -> None:
    assert related(question, told) == [1]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is Tilly's father?", "My sister Ros has a daughter called Tilly."),  # she is no father
        ("Who is Tilly's mother?", "Alex has a daughter called Tilly."),  # nothing tells whether Alex is one
        ("Who is Tilly's sister?", "My sister Ros has a daughter called Tilly."),
        ("Who is Tilly's mother?", "My sister Ros has a daughter, and Tilly is her friend."),
        ("Who is Tilly's mother?", "My sister Ros has a daughter called Tillyanne."),
        ("Who is Tilly's mother?", "My sister met my daughter Tilly."),
        ("Who is Ray's wife?", "Ros's former husband is Ray."),
        ("Who is Ray's wife?", "Ros's ex-husband Ray called."),
        ("Who is Ray's husband?", "Ros's husband is Ray."),
        ("Who is Ray's wife?", "She has a husband, Ray."),
        ("What does Tilly's mother do?", "My sister Ros has a daughter called Tilly."),  # it is asked for more
        ("Who is Tilly's mother's boss?", "My sister Ros has a daughter called Tilly."),
        ("Who is Tilly's mother?", "Tom: My daughter Tilly paints."),
        ("¿Quién es el padre de Bruno?", "Mi hermana Inés tiene dos hijos, Leo y Bruno."),
        ("Wer ist Karls Mann?", "Silkes Mann ist Karl."),
        ("翔の母は誰ですか？", "弟の健一には息子の翔がいます。"),
        ("小明的妈妈是谁？", "我哥哥李刚有一个儿子，叫小明。"),
        ("מי האמא של יעל?", "לאחי עומר יש בת, יעל."),
    ],
)
def test_nobody_is_taken_for_a_relative_by_less(question: str, told: str) -> None:
    assert related(question, told) == []


def test_another_memory_may_tell_whether_it_is_a_woman() -> None:
    assert related("Who is Joy's sister?", "Val's brother Joy runs.", "My mum Val is away.") == [1]
    assert related("Who is Joy's sister?", "Val's brother Joy runs.", "My dad Val is away.") == []
    assert related("Who is Joy's sister?", "Val's brother Joy runs.", "My dad Val is out.", "My mum Val is in.") == []
