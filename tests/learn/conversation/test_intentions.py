"""Action items: promises and tasks with whoever owes them, by when, and whether they were done."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.conversation.intentions import action_items
from tests.learn.labels import SAID, spoken
from tests.learn.said import statements

LATER = SAID + timedelta(1)


def test_a_promise_is_its_speakers_with_the_day_it_is_due() -> None:
    (item,) = action_items(statements(("Zoë", SAID, "I'll send the slides to Uma by Friday.")))
    assert item.description == "Send the slides to Uma by Friday"
    assert (item.owner, item.due, item.completed) == ("Zoë", spoken("2026-10-09"), False)
    assert item.quote == "I'll send the slides to Uma by Friday."


def test_the_owners_own_task_has_their_name_once_it_is_known() -> None:
    said = statements("Remember to call the landlord.", "I live in Porto.", owner="Ana")
    assert [item.owner for item in action_items(said)] == ["Ana"]


@pytest.mark.parametrize(
    ("text", "owner", "due"),
    [
        ("Kim needs to renew the contract before 1 November.", "Kim", "2026-11-01"),
        ("Kim to send the minutes by Wednesday.", "Kim", "2026-10-07"),
        ("Leo promised to bring the projector on Wednesday.", "Leo", "2026-10-07"),
        ("Nina said she'd email the venue before Thursday.", "Nina", "2026-10-08"),
        ("My brother needs to fix his car.", "my brother", None),
        ("Don't forget to water the plants on Thursday.", OWNER, "2026-10-08"),
        ("Submit the grant application by 1 December.", OWNER, "2026-12-01"),
        ("The tax return is due on 31 October.", None, "2026-10-31"),
        ("The server needs to be restarted before Friday.", None, "2026-10-09"),
        ("Ich schicke Uma die Folien bis Freitag.", OWNER, "2026-10-09"),
        ("Tengo que pagar la factura antes del viernes.", OWNER, "2026-10-09"),
        ("Je dois envoyer le rapport demain.", OWNER, "2026-10-06"),
        ("Devo pagare la bolletta entro venerdì.", OWNER, "2026-10-09"),
        ("Мне надо завтра оплатить счёт.", OWNER, "2026-10-06"),
        ("我明天要交报告。", OWNER, "2026-10-06"),
        ("明日レポートを提出しなければなりません。", OWNER, "2026-10-06"),
        ("मुझे कल बिल भरना होगा।", OWNER, "2026-10-06"),
        ("يجب أن أدفع الفاتورة غدا.", OWNER, "2026-10-06"),
    ],
)
def test_a_task_names_who_owes_it_and_when_it_is_due(text: str, owner: str | None, due: str | None) -> None:
    assert [(item.owner, item.due) for item in action_items(statements(text))] == [(owner, spoken(due))]


@pytest.mark.parametrize(
    "text",
    [
        "I'd love to visit Japan some day.",
        "I might buy a new bike.",
        "I call my grandmother every Sunday.",
        "I always need to drink coffee in the morning.",
        "You have to boil pasta in salted water.",
        "Children need to sleep ten hours.",
        "Never call clients after 6 pm.",
        "Call me Zo.",
        "The API must return JSON.",
        "I sent the slides yesterday.",
        "We went to Lisbon in May.",
        "Our impact will surely last.",
        "I'll be fine.",
    ],
)
def test_wishes_habits_rules_and_happenings_are_no_tasks(text: str) -> None:
    assert action_items(statements(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "I don't need to renew the lease.",
        "I won't send the slides.",
        "Kim doesn't have to send the invoice any more.",
        "Ich muss die Rechnung nicht bezahlen.",
        "No tengo que pagar la factura.",
    ],
)
def test_what_is_denied_is_no_task(text: str) -> None:
    assert action_items(statements(text)) == []


@pytest.mark.parametrize(
    ("task", "report"),
    [
        ("I'll send the slides to Uma by Friday.", "I sent the slides to Uma yesterday."),
        ("Kim needs to renew the contract.", "Kim renewed the contract."),
        ("Omar has to fix the login bug.", "The login bug is fixed."),
        ("I need to book a hotel in Ghent.", "Booked the hotel in Ghent, 94 euros a night."),
        ("Ich muss die Miete überweisen.", "Ich habe die Miete überwiesen."),
    ],
)
def test_a_task_is_completed_once_a_later_statement_says_so(task: str, report: str) -> None:
    said = statements((None, SAID, task), (None, LATER, report))
    assert [item.completed for item in action_items(said)] == [True]
    backwards = statements((None, LATER, task), (None, SAID, report))
    assert [item.completed for item in action_items(backwards)] == [False]


@pytest.mark.parametrize(
    ("task", "report"),
    [
        ("I have to pay the electricity bill.", "I paid the rent."),
        ("I need to call the landlord.", "I haven't called the landlord yet."),
        ("I need to write the speech.", "I'm still writing the speech."),
        ("Kim needs to pay invoice 12.", "Kim paid invoice 13."),
        ("Kim needs to renew the contract.", "Omar renewed the contract."),
    ],
)
def test_another_thing_done_completes_nothing(task: str, report: str) -> None:
    said = statements((None, SAID, task), (None, LATER, report))
    assert [item.completed for item in action_items(said)] == [False]


def test_a_task_told_twice_is_one_with_the_newer_date() -> None:
    said = statements("I need to renew the lease by Friday.", (None, LATER, "I need to renew the lease by 20 October."))
    assert [item.due for item in action_items(said)] == [spoken("2026-10-20")]


def test_you_is_the_other_of_two() -> None:
    said = statements(("Uma", SAID, "You need to sign the form by Friday."), ("Tom", SAID, "I love that school."))
    assert [item.owner for item in action_items(said)] == ["Tom"]
    three = [*said, *statements(("Kim", SAID, "I like tea."))]
    assert [item.owner for item in action_items(three)] == [None]


def test_a_name_ends_before_what_i_would_do() -> None:
    said = statements(
        ("Ana", SAID, "I promised Ben I'd fix the fence by Sunday."),
        ("Ana", SAID, "Ben said he would send me the photos tomorrow."),
    )
    assert [item.owner for item in action_items(said)] == ["Ana", "Ben"]


def test_each_clause_with_a_doer_is_a_task_of_its_own() -> None:
    text = "I'll book the flight by Tuesday and Kim will pay the hotel on Thursday."
    found = [(item.owner, item.due) for item in action_items(statements(("Tom", SAID, text)))]
    assert found == [("Tom", spoken("2026-10-06")), ("Kim", spoken("2026-10-08"))]


def test_items_come_in_the_order_in_which_they_were_said() -> None:
    said = statements((None, date(2026, 10, 7), "I need to buy milk."), (None, SAID, "I need to call Omar."))
    assert [item.description for item in action_items(said)] == ["Call Omar", "Buy milk"]


def test_nothing_said_owes_nothing() -> None:
    assert action_items([]) == []
