"""`/app/sources` and `/app/files`: what was added, what it taught, its words, and taking it away."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from geniffy_server.caller import Caller
from geniffy_server.domain.file import file_path
from geniffy_server.services.files import put_file
from geniffy_server.services.sources import get_source
from tests.conftest import Server
from tests.web.conftest import Browser, words_of

Note = Callable[..., list[Any]]
Put = Callable[..., str]


@pytest.fixture
def put(server: Server) -> Put:
    """Writes a file for somebody, learned when this returns: `put(person, "/a.md", "text")`; its source's id."""

    def written(person: Browser, path: str, text: str) -> str:
        caller = Caller(person.account_id, app="Claude")

        async def write() -> str:
            made = await put_file(server.ports, caller, file_path(path), text)
            return (await get_source(server.ports, caller, made.source.id, wait_s=30)).id

        return server.run(write())

    return written


def test_sources_tell_how_learning_went_and_who_added_them(person: Browser, note: Note, put: Put) -> None:
    note(person, "I prefer tea.", title="Drinks")
    put(person, "/memories/kim.md", "Kim works at Acme as CFO.")
    page = words_of(person.get("/app/sources"))
    assert "All 2 Learned 2 Reading 0 Waiting 0 Failed 0" in page
    assert "/memories/kim.md Kept exactly Learned 1 Claude" in page
    assert "Drinks Note Learned 1 You" in page
    assert "No source is at this stage." in words_of(person.get("/app/sources", status="failed"))


def test_a_source_shows_its_words_and_what_it_taught(person: Browser, note: Note) -> None:
    (held,) = note(person, "Hello!\n\nI prefer tea.", title="Drinks", labels={"team": "sales"})
    assert held.source is not None
    page = person.get("/app/sources", focus=held.source.id)
    assert f'href="/app/memories?focus={held.id}"' in page.text
    assert '<li data-n="1">Hello!</li>' in page.text
    assert "team sales" in words_of(page)


def test_a_source_is_forgotten_in_two_steps(person: Browser, note: Note) -> None:
    (held,) = note(person, "I prefer tea.", title="Drinks")
    assert held.source is not None
    asked = words_of(person.get("/app/sources", forget=held.source.id))
    assert "Forget “Drinks”?" in asked
    assert "it teaches 1 memory now" in asked
    sent = person.post("/app/sources/forget", on=f"/app/sources?forget={held.source.id}", source=held.source.id)
    after = words_of(person.get(sent.headers["location"]))
    assert "Forgotten, with every memory that only it taught." in after
    assert "Drinks" not in after
    assert person.get("/app/memories", focus=held.id).status_code == 404


@pytest.mark.parametrize("name", ["focus", "forget"])
def test_a_source_that_is_not_there_is_told_in_a_sentence(person: Browser, name: str) -> None:
    page = person.get("/app/sources", **{name: "x' OR 1=1 --"})
    assert (page.status_code, "There is no source" in words_of(page)) == (404, True)


def test_files_stand_in_a_tree_and_are_shown_with_their_lines(person: Browser, put: Put) -> None:
    put(person, "/memories/people/kim.md", "# Kim\n\nKim works at Acme as CFO.\n")
    put(person, "/notes.md", "ok")
    page = person.get("/app/files", path="/memories/people/kim.md")
    assert re.findall(r"<summary>.*?</svg> ([\w.]+)", page.text) == ["memories", "people"]
    assert '<li data-n="3">Kim works at Acme as CFO.</li>' in page.text
    assert "33 characters" in words_of(page)
    assert "by Claude · taught 1 memory" in words_of(page)
    only = words_of(person.get("/app/files", prefix="/mem"))
    assert "kim.md" in only
    assert "notes.md" not in only


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/a.md", "one\r\ntwo\n\n three \n"),
        ('/メモ/й "quoted"; a=b.txt', "\ufeff日本 <b>\n"),
        ("/empty", ""),
        ("/page.html", "<script>alert(1)</script>"),
    ],
)
def test_a_download_is_the_file_byte_for_byte_and_never_a_page(person: Browser, put: Put, path: str, text: str) -> None:
    put(person, path, text)
    got = person.get("/app/files/download", path=path)
    assert got.content == text.encode()
    assert got.headers["content-type"] == "text/plain; charset=utf-8"
    assert got.headers["content-disposition"].startswith("attachment; filename*=UTF-8''")
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["cache-control"] == "no-store"


def test_a_file_is_deleted_with_what_only_it_taught(person: Browser, put: Put) -> None:
    put(person, "/kim.md", "Kim works at Acme as CFO.")
    sent = person.post("/app/files/delete", on="/app/files?path=/kim.md", path="/kim.md")
    assert sent.headers["location"] == "/app/files?done=deleted"
    assert "No agent has written a file yet." in words_of(person.get(sent.headers["location"]))
    assert "Nothing is remembered yet" in words_of(person.get("/app/memories"))


@pytest.mark.parametrize("path", ["/none.md", "none", "/a/../b", "/" + "x" * 300])
def test_a_file_that_is_not_there_is_told_in_a_sentence(person: Browser, path: str) -> None:
    assert person.get("/app/files", path=path).status_code == 404
    assert person.get("/app/files/download", path=path).status_code in (404, 422)
    sent = person.post("/app/files/delete", on="/app/account", path=path)
    assert sent.status_code in (404, 422)


def test_a_prefix_that_can_be_none_is_told_in_a_sentence(person: Browser) -> None:
    page = person.get("/app/files", prefix="memories")
    assert (page.status_code, "A prefix starts with" in words_of(page)) == (422, True)


def test_a_large_file_is_shown_from_its_beginning_and_downloaded_whole(person: Browser, put: Put) -> None:
    text = "\n".join(f"{n}." for n in range(3_000))
    put(person, "/long.txt", text)
    page = person.get("/app/files", path="/long.txt")
    assert 'data-n="2000"' in page.text
    assert 'data-n="2001"' not in page.text
    assert "Only the beginning is shown" in words_of(page)
    assert person.get("/app/files/download", path="/long.txt").text == text
