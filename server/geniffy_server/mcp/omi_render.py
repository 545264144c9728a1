"""From domain values to what the Omi tools answer (seed 002). Their JSON names live here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, Final

from geniffy_server.domain.conversation import ActionItem, Event
from geniffy_server.domain.curation import NOT_TELLING, Sort, scoring
from geniffy_server.domain.file import FilePath
from geniffy_server.domain.instants import wire
from geniffy_server.domain.memory import Spoken
from geniffy_server.services.conversations import Segment, SummedUp, WholeConversation
from geniffy_server.services.curated_memories import CuratedMemory, CuratedPage, Relevant

JsonObject = dict[str, Any]

LOCKED_CHARS: Final = 70  # seed 002, "Locked Content"


def memory_list(page: CuratedPage, *, limit: int, offset: int, sort: Sort) -> JsonObject:
    """A page of memories. What was looked at is told when a filter was given; it always is all there is."""
    listed: JsonObject = {
        "memories": [memory(one) for one in page.memories],
        "returned_count": len(page.memories),
        "has_more": page.has_more,
        "offset": offset,
        "limit": limit,
        "sort": sort,
    }
    return listed if page.scanned is None else listed | {"scanned_count": page.scanned, "scan_truncated": False}


def memory(one: CuratedMemory) -> JsonObject:
    """One memory; of one that is locked only the beginning."""
    held, kept = one.memory, one.curation
    is_cut = kept.locked and len(held.text) > LOCKED_CHARS
    return {
        "id": str(held.id),
        "content": f"{held.text[:LOCKED_CHARS]}..." if is_cut else held.text,
        "category": kept.category or NOT_TELLING,
        "tags": _tags(held.source.labels if held.source else {}),
        "created_at": wire(held.learned_at),
        "updated_at": wire(kept.updated_at),
        "conversation_id": one.conversation_id,
        "reviewed": kept.reviewed,
        "manually_added": kept.manually_added,
        "edited": kept.edited,
        "scoring": scoring(held.learned_at, kept),
        "is_locked": kept.locked,
    }


def found_memories(found: Sequence[Relevant]) -> JsonObject:
    """Memories best first, each with how well it matches, from 0 to 1."""
    return {"memories": [memory(one.found) | {"relevance_score": round(one.score, 4)} for one in found]}


def deleted(files: Sequence[FilePath]) -> JsonObject:
    """That it is done, and which files kept exactly still say it."""
    return {"success": True} | ({"files": [str(path) for path in files]} if files else {})


def conversation_list(found: Sequence[SummedUp]) -> JsonObject:
    """Conversations without their transcripts."""
    return {"conversations": [card(one) for one in found]}


def card(one: SummedUp) -> JsonObject:
    """A conversation without its transcript."""
    held, summary = one.conversation, one.summary
    return {
        "id": held.id,
        "created_at": wire(held.added_at),
        "started_at": wire(held.started_at),
        "finished_at": wire(held.finished_at),
        "structured": {
            "title": summary.title,
            "overview": summary.overview,
            "category": summary.category,
            "action_items": [_action_item(item) for item in summary.action_items],
            "events": [_event(event) for event in summary.events],
        },
        "language": one.language,
        "is_locked": held.locked,
    }


def conversation(whole: WholeConversation) -> JsonObject:
    """A conversation with its transcript and what else is known of it."""
    held = whole.summed_up.conversation
    return card(whole.summed_up) | {
        "transcript_segments": [_segment(segment) for segment in whole.segments],
        "metadata": {
            "added_by": held.added_by,
            "labels": dict(held.labels),
            "speakers": list(dict.fromkeys(segment.speaker_name for segment in whole.segments)),
        },
    }


def _tags(labels: Mapping[str, str]) -> list[str]:
    return [f"{name}:{value}" for name, value in sorted(labels.items())]


def _segment(segment: Segment) -> JsonObject:
    return {
        "id": segment.id,
        "text": segment.text,
        "speaker_id": segment.speaker_id,
        "speaker_name": segment.speaker_name,
        "start": segment.start,
        "end": segment.end,
    }


def _action_item(item: ActionItem) -> JsonObject:
    return {
        "description": item.description,
        "completed": item.completed,
        "owner": item.owner,
        "due_at": _bounds(item.due, item.said_at)[1] if item.due is not None else None,
        "quote": item.quote,
        "said_at": wire(item.said_at),
    }


def _event(event: Event) -> JsonObject:
    start, end = _bounds(event.when, event.said_at)
    return {
        "title": event.title,
        "description": event.description,
        "start": start,
        "end": end,
        "quote": event.quote,
        "said_at": wire(event.said_at),
    }


def _bounds(spoken: Spoken, said_at: datetime) -> tuple[str, str]:
    """The first and the last day as YYYY-MM-DD, or both the minute with the offset in which it was said."""
    low, high = spoken.low, spoken.high
    if spoken.precision == "yearly":
        low = high = _coming(low, said_at.date())
    if spoken.clock is None:
        return low.isoformat(), high.isoformat()
    at = datetime.combine(low, time(*divmod(spoken.clock, 60)), said_at.tzinfo or UTC)
    return wire(at), wire(at)


def _coming(day: date, after: date) -> date:
    """The next day of that month and number, on or after another one."""
    for year in range(after.year, after.year + 9):  # leap days come every four years, or after eight
        try:
            coming = day.replace(year=year)
        except ValueError:
            continue
        if coming >= after:
            return coming
    return day
