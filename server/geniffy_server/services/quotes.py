"""A memory with the lines it came from in their places, and what contradicts it: what a person is shown of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from geniffy_server.caller import Caller
from geniffy_server.domain.file import FilePath
from geniffy_server.domain.memory import Line, Memory, MemoryId
from geniffy_server.domain.source import Passage, Source, Turn
from geniffy_server.domain.space import Space
from geniffy_server.learn.secrets import mask
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import readable, shown
from geniffy_server.services.memories import history_of, no_memory
from geniffy_server.services.removing import is_usable

AROUND: Final = 3  # lines shown before and after
MAX_LINE_CHARS: Final = 600  # of a line that is shown; a paragraph may be one line
_LED_IN: Final = 200  # characters before the quote, of a line that is longer


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of a text, or a turn of a conversation: what stands before the quote, the quote, what stands behind it.

    `quote` is None for a line around it. `number` counts from 1; `speaker` is who says a turn.
    """

    number: int
    before: str
    quote: str | None = None
    after: str = ""
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a memory was said: the source, the path when it is a file, and the lines there; none once it is cut."""

    source: Source
    path: FilePath | None
    said_at: datetime
    lines: Sequence[PlacedLine]


@dataclass(frozen=True, slots=True)
class MemoryInPlace:
    """A memory, where it was said (its shown line first), its history oldest first, and what contradicts it."""

    memory: Memory
    places: Sequence[Place]
    history: Sequence[Memory]
    clashes: Sequence[Memory]


async def memory_in_place(ports: Ports, caller: Caller, memory_id: MemoryId) -> MemoryInPlace:
    """A memory as a person is shown it; secrets around its lines are masked. Raises NotFound like `get_memory`."""

    def work(tx: Transaction) -> MemoryInPlace:
        space = readable(tx, caller)
        memory = tx.memories.find(space.id, memory_id) if space else None
        if space is None or memory is None:
            raise no_memory(memory_id)
        said = list(tx.memories.lines(space.id, memory_id))
        said.sort(key=lambda line: not _is_shown(line, memory))  # stable: the others stay in their order
        others = tx.memories.clashing_with(space.id, [memory_id]).get(memory_id, ())
        clashing = tx.memories.find_many(space.id, others)
        return MemoryInPlace(
            memory=shown(space, memory),
            places=[place for line in said if (place := _place(tx, space, line)) is not None],
            history=[shown(space, earlier) for earlier in history_of(tx, space, memory)],
            clashes=[shown(space, clashing[one]) for one in sorted(clashing) if is_usable(clashing[one])],
        )

    return await ports.store.read(work)


def lines_around(text: str, start: int, end: int) -> list[PlacedLine]:
    """The lines that hold `text[start:end]`, marked, with those around them; each cut when it is long."""
    first = text.count("\n", 0, start)
    last = text.count("\n", 0, max(start, end - 1))
    lines = text.split("\n")
    begin = sum(len(line) + 1 for line in lines[:first])
    placed = [PlacedLine(n + 1, _cut(lines[n])) for n in range(max(0, first - AROUND), first)]
    for n in range(first, last + 1):
        line = lines[n]
        placed.append(_marked(n + 1, line, max(0, start - begin), min(len(line), end - begin)))
        begin += len(line) + 1
    return placed + [PlacedLine(n + 1, _cut(lines[n])) for n in range(last + 1, min(len(lines), last + 1 + AROUND))]


def _is_shown(line: Line, memory: Memory) -> bool:
    return memory.source is not None and line.source_id == memory.source.id and line.quote == memory.quote


def _place(tx: Transaction, space: Space, line: Line) -> Place | None:
    source = tx.sources.find(space.id, line.source_id)
    passage = next((one for one in tx.sources.passages(space.id, line.source_id) if one.id == line.passage_id), None)
    if source is None or passage is None:
        return None
    path = tx.files.path_of_source(space.id, source.id) if source.form == "kept" else None
    if passage.turn is not None:
        lines = _turns_around(tx, space, source, passage, line)
    else:
        text = tx.sources.text(space.id, source.id) or ""
        # A file is kept as it was written; masks are as long as what they hide, so that places stay the same.
        text = mask(text).text if source.form == "kept" else text
        lines = lines_around(text, passage.start + line.start, passage.start + line.end)
    return Place(source, path, line.said_at, lines)


def _turns_around(tx: Transaction, space: Space, source: Source, passage: Passage, line: Line) -> Sequence[PlacedLine]:
    assert passage.turn is not None
    first = max(0, passage.turn - 1)
    lines: list[PlacedLine] = []
    for number, turn in enumerate(tx.sources.turns(space.id, source.id, first, passage.turn + 2), start=first):
        if number == passage.turn:
            marked = _marked(number + 1, turn.text, passage.start + line.start, passage.start + line.end)
            lines.append(_said_by(marked, turn))
        elif turn.text.strip():
            lines.append(_said_by(PlacedLine(number + 1, _cut(turn.text)), turn))
    return lines


def _said_by(line: PlacedLine, turn: Turn) -> PlacedLine:
    return PlacedLine(line.number, line.before, line.quote, line.after, turn.name or turn.role.capitalize())


def _marked(number: int, line: str, start: int, end: int) -> PlacedLine:
    before, quote, after = line[:start], line[start:end], line[end:]
    if len(line) > MAX_LINE_CHARS:
        before = before if len(before) <= _LED_IN else "…" + before[-_LED_IN:]
        after = _cut(after, max(_LED_IN, MAX_LINE_CHARS - len(before) - len(quote)))
    return PlacedLine(number, before, quote, after)


def _cut(line: str, limit: int = MAX_LINE_CHARS) -> str:
    return line if len(line) <= limit else line[:limit] + "…"
