"""The output schema of each Omi tool (JSON Schema 2020-12): what `omi_render` makes, in words for models."""

from __future__ import annotations

from typing import Final

from geniffy_server.domain.conversation import CONVERSATION_CATEGORIES, MEMORY_CATEGORIES
from geniffy_server.domain.curation import SORTS
from geniffy_server.mcp.schemas import (
    INSTANT,
    SAID,
    JsonObject,
    boolean,
    listing,
    object_of,
    optional,
    or_null,
    string,
    whole,
)


def _memory(**more: JsonObject) -> JsonObject:
    return object_of(
        id=string("The memory's id, for edit_memory and delete_memory."),
        content=string(f"What it says; of a locked memory the first 70 characters. {SAID}"),
        category=string("What part of life it is about.", *MEMORY_CATEGORIES),
        tags=listing(string("A label and its value."), "Labels of what it was learned from."),
        created_at=string(f"When it was learned or written, {INSTANT}."),
        updated_at=string(f"When it last changed, {INSTANT}."),
        conversation_id=or_null(string("The conversation it was said in; null when it was said elsewhere.")),
        reviewed=boolean("Whether the person has looked it over."),
        manually_added=boolean("Whether it was written as a memory rather than learned."),
        edited=boolean("Whether its words were changed."),
        scoring=string("Sorts memories: the greatest string is worth showing first."),
        is_locked=boolean("Whether a paid plan is required to read, edit or delete it."),
        **more,
    )


def _structured() -> JsonObject:
    item = object_of(
        description=string(f"What is to be done. {SAID}"),
        completed=boolean("Whether it was said to be done."),
        owner=or_null(string("Who is to do it; null when that was not said.")),
        due_at=or_null(string("By when, as a day or as a time; null when that was not said.")),
        quote=string(f"The words it came from. {SAID}"),
        said_at=string(f"When it was said, {INSTANT}."),
    )
    event = object_of(
        title=string(f"What happens or happened, in short. {SAID}"),
        description=string(f"What was said of it. {SAID}"),
        start=string("Its first day, or its time."),
        end=string("Its last day, or its time."),
        quote=string(f"The words it came from. {SAID}"),
        said_at=string(f"When it was said, {INSTANT}."),
    )
    return object_of(
        title=string(f"What the conversation is called. {SAID}"),
        overview=string(f"What it was about, in its own words. {SAID}"),
        category=string("What part of life it is about.", *CONVERSATION_CATEGORIES),
        action_items=listing(item, "What someone promised or is to do; hidden when the conversation is locked."),
        events=listing(event, "What happens on a day that was named; hidden when the conversation is locked."),
    )


def _conversation(**more: JsonObject) -> JsonObject:
    return object_of(
        id=string("The conversation's id, for get_conversation_by_id."),
        created_at=string(f"When it was added, {INSTANT}."),
        started_at=string(f"When the first words were said, {INSTANT}."),
        finished_at=string(f"When the last words were said, {INSTANT}."),
        structured=_structured(),
        language=string("The language that is spoken, by its code of two letters."),
        is_locked=boolean("Whether a paid plan is required to read it."),
        **more,
    )


def _segment() -> JsonObject:
    return object_of(
        id=string("The segment's id within the conversation."),
        text=string(f"What was said. {SAID}"),
        speaker_id=whole("Which of the speakers, counted from 0."),
        speaker_name=string("Who said it."),
        start={"type": "number", "description": "Seconds from the first words."},
        end={"type": "number", "description": "Seconds from the first words."},
    )


_SUCCESS: Final = boolean("True: it is done.")

GET_MEMORIES: Final = object_of(
    memories=listing(_memory(), "Memories in the order that was asked for."),
    returned_count=whole("How many memories these are."),
    has_more=boolean("Whether more follow."),
    offset=whole("How many were skipped."),
    limit=whole("How many were asked for."),
    sort=string("The order they are in.", *SORTS),
    scanned_count=optional(whole("How many memories a filter looked at.")),
    scan_truncated=optional(boolean("Whether it looked at a part of them only.")),
)
SEARCH_MEMORIES: Final = object_of(
    memories=listing(
        _memory(
            relevance_score={
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "description": "How well it matches the query, from 0.0 to 1.0.",
            }
        ),
        "The memories that match best, best first.",
    )
)
CREATE_MEMORY: Final = object_of(success=_SUCCESS, memory=_memory())
EDIT_MEMORY: Final = object_of(success=_SUCCESS)
DELETE_MEMORY: Final = object_of(
    success=_SUCCESS, files=optional(listing(string("The path of a file."), "Files kept exactly that still say it."))
)
GET_CONVERSATIONS: Final = object_of(conversations=listing(_conversation(), "Conversations, last begun first."))
SEARCH_CONVERSATIONS: Final = object_of(
    conversations=listing(_conversation(), "The conversations that match best, best first.")
)
GET_CONVERSATION: Final = _conversation(
    transcript_segments=listing(_segment(), "What was said, in order."),
    metadata=object_of(
        added_by=or_null(string("The app that added it; null when the person did.")),
        labels={"type": "object", "additionalProperties": {"type": "string"}, "description": "Its labels."},
        speakers=listing(string("A speaker."), "Everyone who speaks, in the order in which they first do."),
    ),
)
