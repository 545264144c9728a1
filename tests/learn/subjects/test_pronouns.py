"""Whom the pronouns of a talk stand for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.learn import Reading, facts_of

NOW = datetime(2026, 10, 5, 12, tzinfo=UTC)
USER, ASSISTANT = None, "assistant"


def abouts(*turns: tuple[str | None, str]) -> list[str | None]:
    """Whom each fact of a talk is about, in order; a turn is who says it, and what."""
    readings = [
        Reading(text, NOW, kind="turn", speaker=None if who == ASSISTANT else who, is_agent=who == ASSISTANT)
        for who, text in turns
    ]
    return [fact.about for facts in facts_of(readings, owner=None) for fact in facts]


def test_what_a_participant_says_they_are_doing_is_theirs() -> None:
    turns = (("Omar", "Reporting to Katrin now."), ("Omar", "Running is fun."), ("Jo", "Still unpacking, sorry."))
    assert abouts(*turns) == ["Omar", "Running", "Jo"]


def test_in_the_next_turn_too_she_is_the_manager_and_the_one_who_was_asked_for() -> None:
    assert abouts((USER, "My manager is Priya."), (USER, "She moved our meeting to Friday.")) == ["my manager", "Priya"]
    assert abouts((USER, "My niece Ruby is into space."), (USER, "Her birthday is on the 22nd.")) == ["Ruby", "Ruby"]
    asked = "Can you plan a trip for my wife?"
    assert abouts((USER, asked), (ASSISTANT, "Sure."), (USER, "Yes please, and she's vegetarian.")) == ["my wife"]


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("My necklace is from my grandma in Sweden. She gave it to me.", [OWNER, "my grandma"]),
        ("Nike sent me shoes. It would be great to travel.", ["Nike", "Nike"]),
        ("Took the dog to the vet. He has an ear infection.", [OWNER, "dog"]),
        ("The dog bit Tom. He cried.", ["Tom", "Tom"]),
        ("had lunch with priya today. she's leaving Acme", [OWNER, "Priya"]),
        ("سارة تسكن في عمان. انتقلت إلى دبي الشهر الماضي.", ["سارة", "سارة"]),
        ("خالد يسكن في عمان. انتقلت إلى دبي الشهر الماضي.", ["خالد", OWNER]),
        ("Giovanni ha due figli. Vivono a Pisa.", ["Giovanni", "Giovanni"]),
        ("Ma sœur attend un bébé. Elle veut l'appeler Rose.", ["ma sœur", "ma sœur"]),
        ("Mon mari déteste le fromage. Elle est en panne.", ["mon mari", None]),
        ("Mi hermana vive en Roma. Ella es médica.", ["mi hermana", "mi hermana"]),
        ("Mia sorella vive a Roma. Lei è medico.", ["mia sorella", "mia sorella"]),
        ("Meine Schwester wohnt in Bonn. Sie ist Ärztin.", ["meine Schwester", "meine Schwester"]),
        ("Nuria tiene gripe. Duerme todo el día.", ["Nuria", "Nuria"]),
        ("Anna studia medicina. Dorme poco e beve molto caffè.", ["Anna", "Anna"]),
        ("弟は大阪で働いている。納豆が嫌いだ。", ["弟", "弟"]),
        ("مكتب ليلى في الطابق الثالث. هي تأتي دائما بالدراجة.", ["مكتب", None]),
        ("My mum thinks I should stay. She had her knee operation.", ["my mum", "my mum"]),
        ("My mum thinks Ana should stay.", ["my mum"]),
        ("A present for my wife's birthday is due. She loves jazz.", [OWNER, "my wife"]),
        ("My older brother Tom lives in Rome. He cooks.", ["Tom", "Tom"]),
        ("My dad called my sister. She is ill.", ["my dad", "my sister"]),
        ("My sister lives in Rome. My brother lives in Bari. She cooks.", ["my sister", "my brother", "my sister"]),
        ("Mr Bell owns the shop. Mrs Hall rents it. He lives upstairs.", ["Mr Bell", "Mrs Hall", "Mr Bell"]),
        ("Ugh, had a terrible day.", [OWNER]),
        ("Ravi manages Zia. He praised the team. She got a raise.", ["Ravi", "Ravi", "Zia"]),
        ("Hugo met Ingrid. She restores pianos. He sings.", ["Hugo", "Ingrid", "Hugo"]),
    ],
)
def test_a_pronoun_stands_for_one_that_it_can_mean(text: str, about: list[str | None]) -> None:
    assert abouts((USER, text)) == about


def test_nobody_who_says_i_is_meant_by_a_pronoun_of_their_own() -> None:
    assert abouts(("Renata", "I adopted a dog, her name is Brisa. She is scared of stairs.")) == ["Renata", "Brisa"]
    assert abouts(("Ana", "I met Tom at work. He is nice.")) == ["Ana", "Tom"]
    assert abouts(("Renata", "I am seeing someone. His name's Aitor.")) == ["Renata", "Aitor"]


def test_whom_a_question_is_about_is_meant_by_the_pronouns_of_its_answer() -> None:
    offer = (USER, "Dynatrace offered me a job.")

    assert abouts(offer, (ASSISTANT, "Have you told your mum?"), (USER, "She cried when I told her.")) == [
        "Dynatrace",
        "my mum",
    ]
    assert abouts(("Tomas", "How's Iker these days?"), ("Renata", "He turned seven on Saturday.")) == ["Iker"]
    assert abouts(("Tomas", "How are Iker and your sister?"), ("Renata", "She turned seven on Saturday.")) == [None]


def test_the_one_whom_a_turn_told_of_is_meant_by_the_pronouns_of_the_reply() -> None:
    assert abouts(("Carla", "Lena can come along."), ("Devon", "She studies in Freiburg.")) == ["Lena", "Lena"]
    assert abouts(("Carla", "Lena met Rosa there."), ("Devon", "She studies in Freiburg.")) == ["Lena", None]
    assert abouts(("Carla", "Thanks, Devon. I met Rosa."), ("Devon", "She studies here.")) == ["Carla", "Rosa"]
