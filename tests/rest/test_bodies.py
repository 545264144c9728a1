"""What callers send, as the domain knows it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from geniffy_server.errors import BadInput, ServerError, TooLong
from geniffy_server.rest.bodies import AddBody, BatchItem, KeyBody, PutFileBody, SearchBody, new_thing, question_of
from geniffy_server.rest.reading import json_of, parsed
from geniffy_server.services.notes import NewNote
from geniffy_server.services.talks import NewTalk
from geniffy_server.services.unread import Page

TURN = {"role": "user", "content": "Tea at four."}


def added(**fields: Any) -> NewNote | NewTalk | Page:
    return new_thing(parsed(AddBody, fields))


def test_a_note_takes_every_field() -> None:
    note = added(
        text="Tea at four.", title=" On  tea ", said_at="2025-03-04", external_id="crm/1", labels={"team": "sales"}
    )

    said_at = datetime(2025, 3, 4, tzinfo=UTC)
    assert note == NewNote("Tea at four.", "On tea", said_at, "crm/1", {"team": "sales"})


def test_labels_left_out_are_none_and_empty_ones_are_empty() -> None:
    left_out, cleared = added(text="Tea.", labels=None), added(text="Tea.", labels={})

    assert (left_out.labels, cleared.labels) == (None, {})


def test_a_session_is_the_id_of_its_talk() -> None:
    talk = added(messages=[TURN], session="run-42", title="Tea")

    assert isinstance(talk, NewTalk)
    assert (talk.session, talk.external_id, talk.said_at, talk.title) == ("run-42", None, None, "Tea")
    assert [turn.text for turn in talk.turns] == ["Tea at four."]


def test_a_conversation_may_carry_an_id_and_a_date() -> None:
    talk = added(messages=[TURN], external_id="call/7", said_at="2025-03-04T09:30:00Z")

    assert isinstance(talk, NewTalk)
    assert (talk.session, talk.external_id) == (None, "call/7")
    assert talk.said_at == datetime(2025, 3, 4, 9, 30, tzinfo=UTC)


def test_a_page_keeps_its_address() -> None:
    assert added(url="https://example.com/a", external_id="p") == Page("https://example.com/a", external_id="p")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "invalid_request"),
        ({"text": "a", "url": "http://x"}, "invalid_request"),
        ({"text": "a", "messages": [TURN]}, "invalid_request"),
        ({"url": "http://x", "messages": [TURN]}, "invalid_request"),
        ({"text": " \n\u200b"}, "invalid_request"),
        ({"url": " "}, "invalid_request"),
        ({"text": "a\x00b"}, "invalid_request"),
        ({"text": "a\ud800"}, "invalid_request"),
        ({"text": 7}, "invalid_request"),
        ({"text": ["a"]}, "invalid_request"),
        ({"text": "a", "title": "\udfff"}, "invalid_request"),
        ({"text": "a", "title": "\x00"}, "invalid_request"),
        ({"text": "a", "external_id": "\x00"}, "invalid_request"),
        ({"messages": [TURN], "session": "\x00"}, "invalid_request"),
        ({"text": "a", "said_at": "yesterday"}, "bad_date"),
        ({"text": "a", "said_at": 7}, "bad_date"),
        ({"text": "a", "external_id": "file:/a.md"}, "bad_external_id"),
        ({"text": "a", "external_id": " "}, "bad_external_id"),
        ({"text": "a", "external_id": "x" * 513}, "bad_external_id"),
        ({"text": "a", "labels": ["a"]}, "bad_labels"),
        ({"text": "a", "labels": {"a": 1}}, "bad_labels"),
        ({"text": "a", "session": "s"}, "invalid_request"),
        ({"url": "http://x", "said_at": "2025-03-04"}, "invalid_request"),
        ({"messages": [TURN], "session": "s", "external_id": "x"}, "invalid_request"),
        ({"messages": [TURN], "session": "s", "said_at": "2025-03-04"}, "invalid_request"),
        ({"messages": [TURN], "session": " "}, "invalid_request"),
        ({"messages": [TURN], "session": "file:/a.md"}, "bad_external_id"),
        ({"messages": [TURN] * 501}, "invalid_request"),
        ({"messages": [TURN] * 501, "session": "s"}, "invalid_request"),
        ({"messages": {"role": "user"}}, "invalid_request"),
        ({"messages": ["hi"]}, "invalid_request"),
    ],
)
def test_what_can_not_be_added_is_refused_with_its_code(fields: dict[str, Any], code: str) -> None:
    with pytest.raises(BadInput) as refused:
        added(**fields)

    assert refused.value.code == code
    assert refused.value.sentence.strip().endswith(".")


def test_a_text_of_two_million_characters_is_taken_and_not_one_more() -> None:
    assert isinstance(added(text="x" * 2_000_000), NewNote)
    with pytest.raises(TooLong):
        added(text="x" * 2_000_001)


def test_unknown_fields_are_ignored_and_null_is_left_out() -> None:
    item = parsed(BatchItem, {"text": "Tea.", "colour": "blue", "url": None, "space": None})

    assert new_thing(item) == NewNote("Tea.")


@pytest.mark.parametrize("limit", ["5", 2.5, 5.0, True, [5], {}])
def test_a_limit_that_is_no_whole_number_is_refused(limit: Any) -> None:
    with pytest.raises(BadInput, match="'limit' must be a whole number"):
        parsed(SearchBody, {"q": "tea", "limit": limit})


@pytest.mark.parametrize("limit", [None, -1, 5, 10**400])
def test_any_whole_number_is_a_limit(limit: int | None) -> None:
    assert parsed(SearchBody, {"q": "tea", "limit": limit}).limit == limit


@pytest.mark.parametrize("body", [None, True, 7, "text", [], [{}]])
def test_a_body_that_is_no_object_is_refused(body: Any) -> None:
    with pytest.raises(BadInput, match=r"^The body must be an object, not "):
        parsed(KeyBody, body)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(BadInput, match="'q' is missing"):
        parsed(SearchBody, {"question": "tea"})


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [({"text": "tea"}, "'path' is missing."), ({"path": 7, "text": "tea"}, "'path' must be a string, not 7.")],
)
def test_a_field_that_is_called_path_is_named_like_others(sent: Any, sentence: str) -> None:
    with pytest.raises(BadInput, match=f"^{sentence}$"):
        parsed(PutFileBody, sent)


@pytest.mark.parametrize("raw", ["", " \t\n"])
def test_a_blank_question_is_refused(raw: str) -> None:
    with pytest.raises(BadInput, match="The q is blank"):
        question_of(raw, "q")


def test_a_question_of_fifty_thousand_characters_is_taken_and_not_one_more() -> None:
    assert question_of("x" * 50_000, "q")
    with pytest.raises(TooLong):
        question_of("x" * 50_001, "q")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{'a': 1}",
        b'{"a": 1} x',
        b"\xff",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b"[" * 100_000,
        b'{"a": ' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_no_json_is_refused_in_one_sentence(body: bytes) -> None:
    with pytest.raises(ServerError) as refused:
        json_of(body)

    assert (refused.value.status, refused.value.code) == (422, "invalid_request")
    assert refused.value.sentence.endswith(".")


def test_json_may_start_with_a_byte_order_mark_and_holds_any_character() -> None:
    assert json_of(b"\xef\xbb\xbf" + json.dumps({"a": "\U0001f600 é"}).encode()) == {"a": "\U0001f600 é"}
