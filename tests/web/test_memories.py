"""`/app/memories`: finding, reading, correcting, forgetting and settling."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from geniffy_server.caller import Caller
from geniffy_server.domain.file import file_path
from geniffy_server.services.files import put_file
from geniffy_server.services.quotes import MAX_LINE_CHARS, lines_around
from geniffy_server.services.sources import get_source
from tests.conftest import Server
from tests.web.conftest import Browser, words_of

Note = Callable[..., list[Any]]
SAID = datetime(2026, 10, 3, 9, 41, tzinfo=UTC)


def test_the_first_page_says_how_to_connect_an_agent(person: Browser, server: Server) -> None:
    page = words_of(person.get("/app/memories"))
    assert "Nothing is remembered yet" in page
    assert f"claude mcp add --transport http geniffy {server.base_url}/mcp" in page


def test_memories_are_listed_newest_first_and_by_kind(person: Browser, note: Note) -> None:
    note(person, "Kim works at Acme as CFO.")
    note(person, "I prefer tea.")
    page = person.get("/app/memories")
    texts = re.findall(r'<li><a href="/app/memories\?focus=\d+">([^<]+)', page.text)
    assert [text.strip() for text in texts] == ["I prefer tea.", "Kim works at Acme as CFO."]
    assert "All 2 People 1 Plans 0 Preferences 1 Details 0" in words_of(page)
    only = words_of(person.get("/app/memories", kind="pref"))
    assert "I prefer tea." in only
    assert "Kim works" not in only
    assert "Nothing of this kind" in words_of(person.get("/app/memories", kind="plan"))


def test_memories_come_by_pages(person: Browser, note: Note) -> None:
    note(person, "\n\n".join(f"Town{n} has {n + 2} bridges." for n in range(30)))
    first = person.get("/app/memories")
    assert "1–25 of 30" in words_of(first)
    older = re.search(r'rel="next" href="([^"]+)"', first.text)
    assert older
    rest = person.get(older.group(1).replace("&amp;", "&"))
    assert "26–30 of 30" in words_of(rest)
    assert 'rel="prev" href="/app/memories"' in rest.text


def test_a_search_brings_the_best_first_and_says_when_nothing_matches(person: Browser, note: Note) -> None:
    assert "Nothing matches “Lumen”" in words_of(person.get("/app/memories", q="Lumen"))
    note(person, "Priya Nair signs the Lumen renewal.\n\nThe bakery opens at seven.")
    found = person.get("/app/memories", q="Who signs for Lumen?")
    texts = re.findall(r'focus=\d+&amp;q=[^"]*">([^<]+)', found.text)
    assert texts[0].strip() == "Priya Nair signs the Lumen renewal."
    assert 'value="Who signs for Lumen?"' in found.text


def test_a_memory_shows_the_line_it_came_from_in_its_place(person: Browser, note: Note) -> None:
    text = "# Lumen\n\n- Renewal is due in November.\n- Priya Nair signs the renewal.\n- Send the form as PDF."
    found = next(one for one in note(person, text, title="Kick-off") if "Priya" in one.text)
    page = person.get("/app/memories", focus=found.id)
    hit = re.search(r'<li data-n="4" class="is-hit">(.*)</li>', page.text)
    assert hit
    assert hit.group(1) == "- <mark>Priya Nair signs the renewal.</mark>"
    assert '<li data-n="3">- Renewal is due in November.</li>' in page.text
    assert '<li data-n="5">- Send the form as PDF.</li>' in page.text
    assert "Kick-off" in words_of(page)
    assert f"memory:{found.id}" in words_of(page)
    assert "added by you" in words_of(page)


def test_a_memory_of_a_conversation_shows_the_turns_around_it(person: Browser, server: Server) -> None:
    from geniffy_server.domain.source import Turn
    from geniffy_server.services.talks import NewTalk, add_talk

    turns = [
        Turn("assistant", None, "What do you drink?", None),
        Turn("user", "Ana", "Hello! I prefer oolong tea.", None),
        Turn("assistant", None, "Noted.", None),
    ]
    caller = Caller(person.account_id, app="Claude")

    async def tell() -> None:
        source = await add_talk(server.ports, caller, NewTalk(turns=turns))
        await get_source(server.ports, caller, source.id, wait_s=30)

    server.run(tell())
    focus = re.search(r'href="/app/memories\?focus=(\d+)"', person.get("/app/memories").text)
    assert focus
    page = person.get("/app/memories", focus=focus.group(1))
    assert '<span class="soft">Ana: </span>Hello! <mark>I prefer oolong tea.</mark>' in page.text
    assert "Assistant: What do you drink?" in words_of(page)
    assert "saved by Claude" in words_of(page)


@pytest.mark.parametrize("focus", ["999999999", "-1", "x", "9" * 40, "1.5"])
def test_a_memory_that_is_not_there_is_told_in_a_sentence(person: Browser, note: Note, focus: str) -> None:
    note(person, "I prefer tea.")
    page = person.get("/app/memories", focus=focus)
    assert (page.status_code, "There is no memory" in words_of(page)) == (404, True)
    assert "I prefer tea." in words_of(page)


def test_a_correction_takes_the_place_of_what_was_wrong_and_shows_it_as_history(person: Browser, note: Note) -> None:
    (wrong,) = note(person, "Kim works at Acme as CFO.")
    here = f"/app/memories?focus={wrong.id}"
    sent = person.post(f"/app/memories/{wrong.id}/correct", on=here, text="Kim works at Acme as CTO.\r\n")
    assert sent.status_code == 303
    page = person.get(sent.headers["location"])
    assert "Corrected." in words_of(page)
    assert re.search(r'id="said">Kim works at Acme as CTO\.<', page.text)
    assert "Kim works at Acme as CFO. Marked wrong" in words_of(page)
    old = words_of(person.get(here))
    assert "Marked wrong" in old
    assert "Save correction" not in old


@pytest.mark.parametrize(("text", "says"), [("  ", "Say what is right"), ("x" * 2_001, "up to 2,000 characters")])
def test_a_correction_that_says_nothing_or_too_much_changes_nothing(
    person: Browser, note: Note, text: str, says: str
) -> None:
    (held,) = note(person, "Kim works at Acme as CFO.")
    sent = person.post(f"/app/memories/{held.id}/correct", on=f"/app/memories?focus={held.id}", text=text)
    assert (sent.status_code, says in words_of(sent)) == (422, True)
    assert "Kim works at Acme as CFO." in words_of(person.get("/app/memories"))


def test_forgetting_leaves_nothing(person: Browser, note: Note, files_holding: Callable[[str], list[str]]) -> None:
    (held,) = note(person, "Kim Harrowgatewick works at Acme as CFO.")
    assert files_holding("Harrowgatewick") != []
    sent = person.post(f"/app/memories/{held.id}/forget", on=f"/app/memories?focus={held.id}")
    assert sent.headers["location"] == "/app/memories?done=forgotten"
    page = words_of(person.get(sent.headers["location"]))
    assert "Forgotten for good" in page
    assert "Harrowgatewick" not in page
    assert files_holding("Harrowgatewick") == []


def test_forgetting_names_the_files_that_still_say_it(person: Browser, server: Server) -> None:
    caller = Caller(person.account_id)

    async def write() -> Any:
        put = await put_file(server.ports, caller, file_path("/memories/kim.md"), "Kim works at Acme as CFO.\n")
        return await get_source(server.ports, caller, put.source.id, wait_s=30)

    assert server.run(write()).facts == 1
    focus = re.search(r"focus=(\d+)", person.get("/app/memories").text)
    assert focus
    sent = person.post(f"/app/memories/{focus.group(1)}/forget", on=f"/app/memories?focus={focus.group(1)}")
    assert sent.status_code == 200
    assert "A file still says it" in words_of(sent)
    assert 'href="/app/files?path=%2Fmemories%2Fkim.md"' in sent.text


def test_a_clash_is_shown_with_both_sides_and_settled_by_choosing_one(person: Browser, note: Note) -> None:
    (one,) = note(person, "My favourite tea is oolong.", said_at=SAID)
    (other,) = note(person, "My favourite tea is sencha.", said_at=SAID)
    page = person.get("/app/memories", focus=one.id)
    assert "It clashes with another memory" in words_of(page)
    assert "My favourite tea is sencha." in words_of(page)
    sent = person.post(f"/app/memories/{other.id}/settle", on=f"/app/memories?focus={one.id}", keep=str(one.id))
    assert sent.headers["location"] == f"/app/memories?focus={one.id}&done=settled"
    settled = words_of(person.get(sent.headers["location"]))
    assert "Clash" not in settled
    assert "My favourite tea is sencha. Replaced" in settled
    again = person.post(f"/app/memories/{other.id}/settle", on=f"/app/memories?focus={one.id}", keep=str(one.id))
    assert again.status_code == 404


def test_only_what_clashes_can_be_settled(person: Browser, note: Note) -> None:
    (one,), (other,) = note(person, "Kim works at Acme as CFO."), note(person, "I prefer tea.")
    here = f"/app/memories?focus={one.id}"
    assert person.post(f"/app/memories/{one.id}/settle", on=here, keep=str(other.id)).status_code == 409
    assert person.post(f"/app/memories/{one.id}/settle", on=here, keep="").status_code == 422
    assert person.post(f"/app/memories/{one.id}/settle", on=here, keep="999999").status_code == 404
    assert person.post(f"/app/memories/{one.id}/settle", on=here, keep=str(one.id)).status_code == 409


def test_a_note_is_added_and_its_page_tells_what_it_taught(person: Browser) -> None:
    sent = person.post(
        "/app/memories", on="/app/sources", text="Kim works at Acme.\r\n\r\nI prefer tea.", title="Two things"
    )
    assert sent.status_code == 303
    page = words_of(person.get(sent.headers["location"]))
    assert "Added, and learned: 2 memories." in page
    assert "Two things" in page
    assert "I prefer tea." in page


def test_a_note_without_words_is_refused(person: Browser) -> None:
    sent = person.post("/app/memories", on="/app/sources", text=" \r\n ")
    assert (sent.status_code, "needs words" in words_of(sent)) == (422, True)


def test_a_secret_in_a_note_is_masked_before_it_is_kept(
    person: Browser, files_holding: Callable[[str], list[str]]
) -> None:
    secret = "sk-proj-" + "abcDEF123456ghiJKL789" * 2
    sent = person.post("/app/memories", on="/app/sources", text=f"I prefer tea. My key is {secret}.")
    page = words_of(person.get(sent.headers["location"]))
    assert "1 secret withheld" in page
    assert secret not in page
    assert files_holding(secret) == []


def test_times_are_shown_in_the_zone_of_the_account(person: Browser, note: Note, server: Server) -> None:
    from geniffy_server.services.accounts import describe_account, who

    (held,) = note(person, "I prefer tea.", said_at=SAID + timedelta(hours=12))
    account = server.run(who(server.ports, Caller(person.account_id)))
    server.run(describe_account(server.ports, account, name="Zoë", time_zone="Asia/Kolkata"))
    page = words_of(person.get("/app/memories", focus=held.id))
    assert "Said 4 October 2026, 03:11" in page


def test_a_long_line_is_shown_around_its_quote() -> None:
    text = "a" * 5_000 + "the quote" + "b" * 5_000
    (line,) = lines_around(text, 5_000, 5_009)
    assert line.quote == "the quote"
    assert line.before.startswith("…")
    assert line.after.endswith("…")
    assert len(line.before) + len(line.after) < MAX_LINE_CHARS + 10


def test_a_quote_over_several_lines_is_marked_on_each() -> None:
    lines = lines_around("zero\none\ntwo\nthree\nfour", 7, 11)
    assert [(line.number, line.before, line.quote, line.after) for line in lines] == [
        (1, "zero", None, ""),
        (2, "on", "e", ""),
        (3, "", "tw", "o"),
        (4, "three", None, ""),
        (5, "four", None, ""),
    ]
