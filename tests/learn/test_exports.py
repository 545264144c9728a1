from __future__ import annotations

from datetime import date

import pytest

from geniffy_server.learn.exports import mail_head, messages_in
from tests.learn.labels import learned, spoken


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[10/4/26, 9:02 AM] Bea: the key\n[10/4/26, 9:05 AM] Lars: thanks",
            [("Bea", date(2026, 10, 4), "the key"), ("Lars", date(2026, 10, 4), "thanks")],
        ),
        (
            "13/10/2026, 09:02 - Bea Vos: the key\n13/10/2026, 09:05 - Lars: <Media omitted>",
            [("Bea Vos", date(2026, 10, 13), "the key")],
        ),
        ("[04.10.26, 21:02:11] Bea: der Schlüssel", [("Bea", date(2026, 10, 4), "der Schlüssel")]),
        ("[2026-10-04, 21:02] Bea: the key", [("Bea", date(2026, 10, 4), "the key")]),
    ],
)
def test_an_exported_chat_is_its_messages(text: str, said: list[tuple[str, date, str]]) -> None:
    found = [(one.who, one.day, text[one.start : one.end].strip()) for one in messages_in(text)]

    assert found == said


@pytest.mark.parametrize(
    "text", ["The key is with Bea.", "4/10/26, 9:02 - Bea: one line alone", "Note\n[1/2/26, 9:02] B: x"]
)
def test_other_text_is_no_exported_chat(text: str) -> None:
    assert messages_in(text) == []


def test_what_is_said_in_an_export_is_of_who_said_it_and_dated_by_its_stamp() -> None:
    text = "[10/14/26, 9:02 AM] Bea: hi!\n[10/14/26, 9:06 AM] Bea: I leave for Oslo tomorrow"

    leaving = learned(text)[0]

    assert (leaving.text, leaving.about, leaving.said_by) == ("Bea: I leave for Oslo tomorrow", "Bea", "Bea")
    assert leaving.quote == text[leaving.start : leaving.end] == "I leave for Oslo tomorrow"
    assert leaving.spoken == spoken("2026-10-15")


def test_the_head_of_an_email_teaches_nothing_but_a_subject_that_states_something() -> None:
    head = "From: Lena <lena@fox.example>\nTo: Sam\nSubject: {}\n"

    assert learned(head.format("Keys")) == []
    assert [fact.quote for fact in learned(head.format("The offsite moved to May"))] == ["The offsite moved to May"]
    assert mail_head("From: Bonn\nTravel takes two hours.") == (0, None)
