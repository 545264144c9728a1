"""What a person decides of memories and conversations: category, reviewed, locked for the Omi tools."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from geniffy_server.caller import Caller
from geniffy_server.domain.curation import CurationFilter
from geniffy_server.domain.source import SourceId, Turn
from geniffy_server.services.conversations import list_conversations
from geniffy_server.services.curated_memories import create_whole, edit_whole, list_curated
from geniffy_server.services.sources import get_source
from geniffy_server.services.talks import NewTalk, add_talk
from tests.conftest import Server
from tests.web.conftest import Browser, words_of

Note = Callable[..., list[Any]]
SAID = datetime(2026, 3, 5, 10, tzinfo=UTC)


def kept(server: Server, person: Browser) -> Any:
    """What is kept beside the one memory that a person has, as the Omi tools list it."""
    page = server.run(
        list_curated(server.ports, Caller(person.account_id), CurationFilter(), "created_desc", limit=9, offset=0)
    )
    (one,) = page.memories
    return one.curation


def talk(server: Server, person: Browser) -> SourceId:
    turns = [
        Turn("user", "Ana", "We moved the product launch to March 20.", SAID),
        Turn("user", "Ben", "I'll send Ana the press list by Friday.", SAID),
    ]
    caller = Caller(person.account_id)

    async def tell() -> SourceId:
        source = await add_talk(server.ports, caller, NewTalk(turns))
        return (await get_source(server.ports, caller, source.id, wait_s=30)).id

    return server.run(tell())


def test_a_person_chooses_the_category_marks_as_reviewed_and_locks(person: Browser, server: Server, note: Note) -> None:
    (memory,) = note(person, "I prefer tea.")
    here = f"/app/memories?focus={memory.id}"
    before = kept(server, person)
    assert "detected" in words_of(person.get(here))

    sent = person.post(f"/app/memories/{memory.id}/curate", on=here, category="skills", reviewed="yes", locked="yes")

    page = person.get(sent.headers["location"])
    after = kept(server, person)
    assert (after.category, after.category_given, after.reviewed, after.locked) == ("skills", True, True, True)
    assert after.updated_at > before.updated_at
    for words in ("Saved.", "Reviewed", "Locked", "skills · chosen"):
        assert words in words_of(page)
    assert re.search(r'name="reviewed" value="yes" checked', page.text)
    assert "Locked" in words_of(person.get("/app/memories"))


def test_what_was_ticked_is_unticked_again_and_a_category_that_is_left_stays_detected(
    person: Browser, server: Server, note: Note
) -> None:
    (memory,) = note(person, "I prefer tea.")
    here = f"/app/memories?focus={memory.id}"
    category = kept(server, person).category
    person.post(f"/app/memories/{memory.id}/curate", on=here, category=category, reviewed="yes", locked="yes")

    person.post(f"/app/memories/{memory.id}/curate", on=here, category=category)

    after = kept(server, person)
    assert (after.category, after.category_given, after.reviewed, after.locked) == (category, False, False, False)


def test_a_form_that_changes_nothing_changes_nothing(person: Browser, server: Server, note: Note) -> None:
    (memory,) = note(person, "I prefer tea.")
    before = kept(server, person)

    person.post(f"/app/memories/{memory.id}/curate", on=f"/app/memories?focus={memory.id}", category=before.category)

    assert kept(server, person) == before


def test_what_was_added_by_hand_and_edited_is_shown_so_with_its_scoring(person: Browser, server: Server) -> None:
    caller = Caller(person.account_id)

    async def make() -> Any:
        made = await create_whole(server.ports, caller, "I play the cello.", "hobbies")
        return await edit_whole(server.ports, caller, made.memory.id, "I play the viola.")

    edited = server.run(make())

    page = words_of(person.get("/app/memories", focus=edited.memory.id))
    for words in (
        "Added by hand",
        "Edited",
        "Reviewed",
        "hobbies · chosen",
        "01_998_",
        "I play the cello. Marked wrong",
    ):
        assert words in page


@pytest.mark.parametrize("category", ["", "travel", "nope"])
def test_a_category_that_is_none_of_them_is_refused(person: Browser, server: Server, note: Note, category: str) -> None:
    (memory,) = note(person, "I prefer tea.")
    before = kept(server, person)

    sent = person.post(
        f"/app/memories/{memory.id}/curate", on=f"/app/memories?focus={memory.id}", category=category, locked="yes"
    )

    assert (sent.status_code, "categories" in words_of(sent)) == (422, True)
    assert kept(server, person) == before


def test_a_conversation_shows_what_it_comes_to_and_is_given_a_category_and_a_lock(
    person: Browser, server: Server
) -> None:
    source_id = talk(server, person)
    here = f"/app/sources?focus={source_id}"
    page = words_of(person.get(here))
    assert "What it comes to" in page
    assert "Ben · by 6 March 2026" in page
    assert "20 March 2026" in page

    sent = person.post("/app/sources/curate", on=here, source=source_id, category="finance", locked="yes")

    after = person.get(sent.headers["location"])
    (one,) = server.run(
        list_conversations(
            server.ports, Caller(person.account_id), first_day=None, last_day=None, categories=(), limit=9, offset=0
        )
    )
    assert (one.conversation.category, one.conversation.category_given, one.conversation.locked) == (
        "finance",
        True,
        True,
    )
    assert one.summary.action_items == one.summary.events == ()
    for words in ("Saved.", "Locked", "finance · chosen", "Ben · by 6 March 2026"):
        assert words in words_of(after)
    unlocked = person.post("/app/sources/curate", on=here, source=source_id, category="finance")
    assert "Locked" not in words_of(person.get(unlocked.headers["location"])).replace("Locked for apps", "")


def test_the_owner_s_page_of_a_conversation_hides_nothing_that_is_locked(person: Browser, server: Server) -> None:
    source_id = talk(server, person)
    before = words_of(person.get("/app/sources", focus=source_id))
    for number in re.findall(r'/app/memories\?focus=(\d+)"', person.get("/app/sources", focus=source_id).text):
        person.post(f"/app/memories/{number}/curate", on="/app/sources", category="work", locked="yes")

    assert "Ben · by 6 March 2026" in before
    assert words_of(person.get("/app/sources", focus=source_id)) == before


def test_a_note_comes_to_nothing_that_a_conversation_does(person: Browser, note: Note) -> None:
    (memory,) = note(person, "I prefer tea.")

    page = person.get("/app/sources", focus=memory.source.id)

    assert "What it comes to" not in words_of(page)
    sent = person.post("/app/sources/curate", on="/app/sources", source=memory.source.id, category="finance")
    assert (sent.status_code, "There is no conversation" in words_of(sent)) == (404, True)


def test_nobody_curates_what_is_another_s(
    person: Browser, person_at: Callable[..., Browser], server: Server, note: Note
) -> None:
    other = person_at(server, "Noor Haddad")
    (memory,) = note(other, "I prefer tea.")
    source_id = talk(server, other)

    for path, fields in (
        (f"/app/memories/{memory.id}/curate", {"category": "skills", "locked": "yes"}),
        ("/app/sources/curate", {"source": source_id, "category": "finance", "locked": "yes"}),
    ):
        assert person.post(path, on="/app/sources", **fields).status_code == 404
    assert "Locked" not in words_of(other.get("/app/memories"))


@pytest.mark.parametrize("words", ["What is 1 < 2 & <script>alert(1)</script>?"])
def test_words_of_a_summary_are_shown_as_words(person: Browser, server: Server, words: str) -> None:
    caller = Caller(person.account_id)
    turns = [Turn("user", "<b>Ana</b>", f"I'll send Ben {words} by Friday.", SAID)]

    async def tell() -> SourceId:
        source = await add_talk(server.ports, caller, NewTalk(turns))
        return (await get_source(server.ports, caller, source.id, wait_s=30)).id

    page = person.get("/app/sources", focus=server.run(tell()))

    assert "<script>" not in page.text
    assert "<b>Ana" not in page.text
