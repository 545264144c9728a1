"""What tools answer: names, texts, and that it matches the schema."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest

from geniffy_server.domain.answer import Answered, Profile, Trait, Unsupported
from geniffy_server.domain.file import FilePath
from geniffy_server.domain.memory import Memory, MemoryId, SourceRef
from geniffy_server.domain.source import Source, SourceId
from geniffy_server.mcp import render, schemas
from geniffy_server.ports import Found
from geniffy_server.services.memories import MemoryPage, Remembered

HOME = "https://memory.example/mem"
SAID = datetime(2026, 10, 3, 9, 41, tzinfo=UTC)
SOURCE_ID = SourceId("3f2a9c1e5b7d4e8a9c217d4e5f6a8b90")
PREFERS = Memory(
    id=MemoryId(1042),
    text="Omkar prefers WhatsApp to email.",
    kind="pref",
    about="Omkar",
    how="first_person",
    status="current",
    quote="I prefer WhatsApp, never email.",
    said_at=SAID,
    learned_at=SAID.replace(minute=42),
    spoken=None,
    replaced_by=None,
    source=SourceRef(SOURCE_ID, "note", "Contact preferences", True, {"team": "sales"}),
)
EMAILS = replace(PREFERS, id=MemoryId(7), text="Omkar prefers email.", status="wrong", replaced_by=PREFERS.id)
NOTE = Source(
    id=SOURCE_ID,
    kind="note",
    form="text",
    title="Contact preferences",
    title_given=True,
    status="learned",
    error=None,
    facts=3,
    external_id=None,
    labels={},
    said_at=SAID,
    added_at=SAID,
    added_by="Claude",
    revision=1,
)


def matches(answer: dict[str, Any], schema: dict[str, Any]) -> bool:
    jsonschema.validate(answer, schema, cls=jsonschema.Draft202012Validator)
    return True


def test_a_search_result_has_the_documented_fields() -> None:
    answer = render.search([Found(PREFERS, 1.0, {})], HOME)

    assert answer == {
        "results": [
            {
                "id": "memory:1042",
                "title": "Omkar prefers WhatsApp to email.",
                "url": "https://memory.example/mem/app/memories?focus=1042",
                "text": "Omkar prefers WhatsApp to email.",
                "about": "Omkar",
                "kind": "pref",
                "said_at": "2026-10-03T09:41:00+00:00",
                "learned_at": "2026-10-03T09:42:00+00:00",
                "status": "current",
                "source": {"id": f"source:{SOURCE_ID}", "kind": "note", "title": "Contact preferences", "url": None},
            }
        ]
    }
    assert matches(answer, schemas.SEARCH)


@pytest.mark.parametrize("memory", [PREFERS, replace(PREFERS, about=None, source=None, status="clash")])
def test_lists_match_their_schema(memory: Memory) -> None:
    assert matches(render.search([Found(memory, 0.0, {})], HOME), schemas.SEARCH)
    assert matches(render.listed(MemoryPage([memory], {"all": 2}, 2, 1), HOME), schemas.LIST_MEMORIES)
    assert matches(render.listed(MemoryPage([], {"all": 0}, 0, None), HOME), schemas.LIST_MEMORIES)


def test_a_fetched_memory_ends_with_the_line_it_came_from() -> None:
    answer = render.memory(Remembered(PREFERS, []), HOME)

    assert answer["text"] == (
        'Omkar prefers WhatsApp to email.\n\nThe line it came from: "I prefer WhatsApp, never email."'
    )
    assert answer["metadata"]["quote"] == "I prefer WhatsApp, never email."
    assert answer["metadata"]["history"] == []
    assert matches(answer, schemas.FETCH)


def test_a_fetched_memory_shows_what_it_said_before() -> None:
    answer = render.memory(Remembered(PREFERS, [EMAILS]), HOME)
    was = render.memory(Remembered(EMAILS, []), HOME)

    assert [(one["id"], one["text"], one["status"]) for one in answer["metadata"]["history"]] == [
        ("memory:7", "Omkar prefers email.", "wrong")
    ]
    assert was["metadata"]["replaced_by"] == "memory:1042"
    assert matches(answer, schemas.FETCH)
    assert matches(was, schemas.FETCH)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            NOTE,
            'A note with the title "Contact preferences", added on 2026-10-03 by Claude. '
            "It was read, and 3 facts were learned.",
        ),
        (
            replace(NOTE, facts=1, withheld=1, form="turns"),
            'A conversation with the title "Contact preferences", added on 2026-10-03 by Claude. '
            "It was read, and 1 fact was learned. 1 secret in it was withheld.",
        ),
        (
            replace(NOTE, facts=0, withheld=2, kind="file", form="kept", added_by=None),
            'A file with the title "Contact preferences", added on 2026-10-03. '
            "It was read, and no facts were learned. 2 secrets in it were withheld.",
        ),
        (
            replace(NOTE, facts=None, status="reading", form="correction"),
            'A correction with the title "Contact preferences", added on 2026-10-03 by Claude. '
            "It is still being read; its facts can be found as soon as that is done.",
        ),
        (
            replace(
                NOTE, facts=None, status="failed", error="The page is empty.", kind="link", url="https://a.example/"
            ),
            'A page with the title "Contact preferences", added on 2026-10-03 by Claude. '
            "It could not be read: The page is empty.",
        ),
        (
            replace(NOTE, status="waiting", facts=None),
            'A note with the title "Contact preferences", added on 2026-10-03 by Claude. '
            "It is saved and waits to be learned.",
        ),
    ],
)
def test_a_fetched_source_says_what_was_added_and_how_learning_went(source: Source, text: str) -> None:
    answer = render.source(source, HOME)

    assert answer["text"] == text
    assert (answer["metadata"]["status"], answer["metadata"]["facts"]) == (source.status, source.facts)
    assert answer["url"] == (source.url or f"{HOME}/app/sources?focus={SOURCE_ID}")
    assert matches(answer, schemas.FETCH)


def test_an_answer_names_what_it_rests_on() -> None:
    answer = render.answer(Answered("How to reach Omkar?", "On WhatsApp.", [PREFERS], clash=False))

    assert answer["memories"] == [{"id": "memory:1042", "text": "Omkar prefers WhatsApp to email."}]
    assert (answer["message"], answer["clash"]) == (None, False)
    assert matches(answer, schemas.ASK)


def test_no_answer_has_a_message_and_rests_on_nothing() -> None:
    answer = render.answer(Unsupported("When does Acme renew?"))

    assert (answer["answer"], answer["memories"], answer["clash"]) == (None, [], False)
    assert answer["message"]
    assert matches(answer, schemas.ASK)


def test_a_profile_lists_traits_with_the_memories_that_say_so() -> None:
    answer = render.profile(Profile("Omkar", [Trait(PREFERS.text, [PREFERS])], [], 4))

    assert answer == {
        "lasting": [{"text": "Omkar prefers WhatsApp to email.", "memories": ["memory:1042"]}],
        "current": [],
        "memories": 4,
    }
    assert matches(answer, schemas.PROFILE)


def test_writing_tools_match_their_schema() -> None:
    reading = replace(NOTE, status="reading", facts=None)

    assert matches({"source": render.added(reading)}, schemas.REMEMBER)
    assert matches({"id": "memory:7", "corrected": True, "source": render.added(NOTE)}, schemas.CORRECT)
    assert matches(render.forgotten("memory:7", ()), schemas.FORGET)


def test_forgetting_names_the_files_that_still_say_it() -> None:
    answer = render.forgotten("memory:7", [FilePath("/memories/a.md"), FilePath("/memories/b.md")])

    assert answer["files"] == ["/memories/a.md", "/memories/b.md"]
    assert "/memories/a.md, /memories/b.md" in answer["message"]
    assert matches(answer, schemas.FORGET)
    assert "files" not in render.forgotten("memory:7", ())
