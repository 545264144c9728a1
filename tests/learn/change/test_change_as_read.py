"""What becomes of a statement when another one comes, with the subjects that learning finds in both."""

from __future__ import annotations

import pytest

from geniffy_server.learn.change.reconcile import decide
from tests.learn.labels import learned


def decided(held: str, new: str) -> str:
    (one,), (other,) = learned(held), learned(new)
    return decide(
        one.text,
        other.text,
        held_about=one.about,
        new_about=other.about,
        held_how=one.how,
        new_how=other.how,
    )


@pytest.mark.parametrize(
    ("held", "new"),
    [
        ("My favourite band is Radiohead.", "These days my favourite band is Khruangbin."),
        ("My favourite band is Radiohead.", "Nowadays my favourite band is Khruangbin."),
        ("Il mio cantante preferito è Mina.", "Adesso il mio cantante preferito è Vasco."),
        ("Ma couleur préférée est le bleu.", "Maintenant ma couleur préférée est le vert."),
        ("Мой любимый цвет — синий.", "Теперь мой любимый цвет — зелёный."),
        ("Ravi enjoys opera.", "Ravi can't stand opera anymore."),
        ("I love jazz.", "I don't like jazz any more."),
        ("I love jazz.", "I no longer like jazz."),
        ("Elif is on the payments team.", "Elif moved to the search team."),
        ("The gym costs 30 euros a month.", "The gym now costs 35 euros a month."),
        ("The gym opens at 9.", "The gym now opens at 8."),
        ("I work at Siemens.", "I quit Siemens and joined Bosch."),
        ("I work at Siemens.", "I left Siemens for Bosch."),
        ("J'habite à Lyon.", "J'ai déménagé à Lille."),
    ],
)
def test_what_is_so_now_takes_the_place_of_what_was(held: str, new: str) -> None:
    assert decided(held, new) == "replaces"


@pytest.mark.parametrize(
    ("held", "new"),
    [
        ("I love jazz.", "I can't stand waiting rooms."),
        ("I love jazz.", "I can't stand jazz on Mondays."),
        ("I love sushi.", "I no longer love running."),
        ("My favourite band is Muse.", "These days my favourite song is Hurt."),
        ("Elif is on the payments team.", "Elif is on the search team."),
        ("Elif is on the payments team.", "Elif is captain of the chess team."),
        ("Elif is on the payments team.", "Elif moved to the coast."),
        ("I work at Siemens.", "My brother left Siemens and joined Bosch."),
        ("I work at Siemens.", "I left Siemens at noon."),
        ("The gym costs 30 euros a month.", "The gym also costs 5 euros for towels."),
    ],
)
def test_what_leaves_the_other_true_leaves_it_current(held: str, new: str) -> None:
    assert decided(held, new) == "both"


@pytest.mark.parametrize(
    ("told", "subjects"),
    [
        ("His wife Anke is a vet.", ["Anke"]),
        ("Seine Frau Anke ist Tierärztin.", ["Anke"]),
        ("Sa femme Léa est pilote.", ["Léa"]),
        ("Su hermana Eva vive en Vigo.", ["Eva"]),
        ("El cumpleaños de Lucía es el 14 de marzo. No come gluten.", ["cumpleaños", "Lucía"]),
        ("王芳下个月搬到成都。她的女儿叫小雨，今年五岁。", ["王芳", "王芳"]),
        ("أختي سارة تعمل معلمة في عمّان. عندي اجتماع مع خالد يوم الأحد.", ["سارة", "OWNER"]),
        ("J'ai acheté un vélo.", ["OWNER"]),
        ("La mia macchina è rossa.", ["OWNER"]),
        ("The gym now costs 35 euros.", ["gym"]),
    ],
)
def test_whom_a_statement_is_about(told: str, subjects: list[str]) -> None:
    assert [fact.about for fact in learned(told)] == subjects
