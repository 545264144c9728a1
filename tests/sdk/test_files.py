"""Files kept exactly: their versions, and deleting many."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import httpx
import pytest

from geniffy_agents import BadRequestError, ChangedError, File, FileInfo
from tests.sdk.capture import Wire, outcome


class Shelf:
    """One file, written on condition: an ETag is the SHA-256 of the text."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return self.answer(text=self.text)
        new = json.loads(request.content)["text"]
        expected, refused = request.headers.get("if-match"), request.headers.get("if-none-match")
        differs = (expected is not None and expected != self.tag) or (refused == "*" and self.text is not None)
        if differs and new != self.text:
            return httpx.Response(412, json={"error": {"code": "changed", "message": "It has another text now."}})
        created, self.text = self.text is None, new
        return self.answer(created=created)

    @property
    def tag(self) -> str:
        return f'"{hashlib.sha256((self.text or "").encode()).hexdigest()}"'

    def answer(self, **more: Any) -> httpx.Response:
        body = {"path": "/a.md", "size": len(self.text or ""), "updated_at": "2026-10-06T11:00:00+00:00", **more}
        return httpx.Response(200, headers={"ETag": self.tag}, json=body)


async def both(shelf: Shelf, use: Any) -> list[Any]:
    return [await use(Wire(shelf).client().files), await use(Wire(Shelf(shelf.text)).async_client().files)]


async def test_a_file_carries_the_etag_of_its_text() -> None:
    async def read(files: Any) -> File:
        found: File = await outcome(files.get("/a.md"))
        return found

    for file in await both(Shelf("one"), read):
        assert file.text == "one"
        assert file.etag == hashlib.sha256(b"one").hexdigest()


async def test_a_write_over_the_text_that_was_read_succeeds() -> None:
    async def edit(files: Any) -> FileInfo:
        file = await outcome(files.get("/a.md"))
        info: FileInfo = await outcome(files.put("/a.md", "two", if_match=file.etag))
        return info

    for info in await both(Shelf("one"), edit):
        assert info.etag == hashlib.sha256(b"two").hexdigest()
        assert info.created is False


async def test_a_write_over_another_text_is_refused_and_nothing_is_written() -> None:
    for client in (Wire.client, Wire.async_client):
        shelf = Shelf("one")
        files = client(Wire(shelf)).files
        read = await outcome(files.get("/a.md"))
        shelf.text = "someone else's"

        with pytest.raises(ChangedError, match="another text"):
            await outcome(files.put("/a.md", "mine", if_match=read.etag))

        assert shelf.text == "someone else's"


def test_a_file_that_must_be_new_is_refused_where_there_is_one() -> None:
    assert Wire(Shelf(None)).client().files.put("/a.md", "x", if_none_match="*").created
    with pytest.raises(ChangedError):
        Wire(Shelf("one")).client().files.put("/a.md", "x", if_none_match="*")


def test_a_conditional_write_whose_answer_was_lost_can_be_sent_again() -> None:
    shelf = Shelf("one")
    tag = shelf.tag

    def lost_once(request: httpx.Request) -> httpx.Response:
        reply = shelf(request)
        return httpx.Response(503, headers={"Retry-After": "0"}) if len(wire.sent) == 1 else reply

    wire = Wire(lost_once)

    assert wire.client().files.put("/a.md", "two", if_match=tag).size == 3
    assert [request.headers["if-match"] for request in wire.sent] == [tag, tag]


def test_a_refused_condition_is_a_bad_request_for_those_who_catch_that() -> None:
    assert issubclass(ChangedError, BadRequestError)


@pytest.mark.parametrize(
    ("given", "sent"), [("ab12", '"ab12"'), ('"ab12"', '"ab12"'), ("*", "*"), ('W/"ab12"', 'W/"ab12"')]
)
def test_a_condition_is_sent_in_quotes(given: str, sent: str) -> None:
    wire = Wire()

    wire.client().files.put("/a.md", "x", if_match=given)

    assert wire.sent[0].headers["if-match"] == sent
    assert "if-none-match" not in wire.sent[0].headers


@pytest.mark.parametrize(("header", "etag"), [('"ab"', "ab"), ('W/"ab"', "ab"), (None, None)])
def test_an_etag_is_read_without_its_dress(header: str | None, etag: str | None) -> None:
    headers = {"ETag": header} if header else {}
    wire = Wire(lambda request: httpx.Response(200, headers=headers, json={"path": "/a", "text": "", "size": 0}))

    assert wire.client().files.get("/a").etag == etag


@pytest.mark.parametrize("text", ["", "\ufeffa\r\n\tb  \r", "e\u0301😀\0", "a" * 100_000])
def test_a_text_arrives_as_it_was_written(text: str) -> None:
    shelf = Shelf(None)
    files = Wire(shelf).client().files

    files.put("/a.md", text)

    assert shelf.text == text
    assert files.get("/a.md").text == text


@pytest.mark.parametrize("total", [0, 99, 100, 250])
async def test_deleting_a_prefix_goes_on_while_there_is_more(total: int) -> None:
    def answerer() -> Any:
        left = [total]

        def answer(request: httpx.Request) -> httpx.Response:
            gone = min(100, left[0])
            left[0] -= gone
            return httpx.Response(200, json={"deleted": gone, "more": left[0] > 0})

        return answer

    blocking, waiting = Wire(answerer()), Wire(answerer())

    assert blocking.client().files.delete_prefix("/m/") == total
    assert await waiting.async_client().files.delete_prefix("/m/") == total
    assert len(blocking.sent) == len(waiting.sent) == max(1, -(-total // 100))


def test_a_server_that_always_has_more_to_delete_is_left_after_a_thousand_calls() -> None:
    wire = Wire(lambda request: httpx.Response(200, json={"deleted": 1, "more": True}))

    assert wire.client().files.delete_prefix("/m/") == 1000
