"""Taking things back, inside one write transaction: what a source no longer says, what a person forgets.

A memory lives as long as some line says it. When its last line goes it goes too, and what it had replaced holds
again, unless that was marked wrong (decisions 8). Forgetting is stronger: it takes the history along, cuts the line
out of the stored text, and remembers by an HMAC alone that the statement is refused (decisions 3, 7).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeGuard

from geniffy_server.domain.file import FilePath
from geniffy_server.domain.memory import USABLE, Fact, Line, Memory, MemoryId, Status, statement_of
from geniffy_server.domain.source import Passage, PassageId, Source, SourceId
from geniffy_server.domain.space import Space, SpaceId
from geniffy_server.domain.text import one_line
from geniffy_server.learn.quotes import normalised
from geniffy_server.ports import Transaction


def take_back(tx: Transaction, space: Space, passage_ids: Collection[PassageId], rev: int, now: datetime) -> None:
    """Remove passages with their lines, and every memory that only they taught."""
    if not passage_ids:
        return
    drop_untaught(tx, space.id, tx.memories.cut_lines(space.id, passage_ids, rev), rev, now)
    tx.sources.remove_passages(space.id, passage_ids)


def drop_untaught(tx: Transaction, space_id: SpaceId, orphans: Sequence[MemoryId], rev: int, now: datetime) -> None:
    """Remove memories that have no line left, and let what they replaced hold again."""
    if not orphans:
        return
    going = tx.memories.find_many(space_id, orphans)
    release_clashes(tx, space_id, orphans, rev)
    for earlier in tx.memories.replaced_by(space_id, orphans):
        if earlier.id in going:
            continue
        successor = _successor(going, earlier)
        if earlier.status == "replaced":
            status: Status = "replaced" if successor is not None else "current"
            tx.memories.set_status(space_id, earlier.id, status, successor, rev)
        else:
            tx.memories.set_status(space_id, earlier.id, earlier.status, successor, rev)
    tx.memories.remove(space_id, orphans, rev, now)


def _successor(going: Mapping[MemoryId, Memory], earlier: Memory) -> MemoryId | None:
    """The nearest memory after `earlier` that stays; None when the chain ends in one that goes."""
    after = earlier.replaced_by
    while after is not None and after in going:
        after = going[after].replaced_by
    return after


def release_clashes(tx: Transaction, space_id: SpaceId, leaving: Collection[MemoryId], rev: int) -> None:
    """Memories that contradicted only those that leave are simply current again."""
    for memory_id, others in tx.memories.clashing_with(space_id, leaving).items():
        tx.memories.end_clashes(space_id, memory_id)
        left = tx.memories.clashing_with(space_id, others)
        for other in others:
            if other in leaving or left.get(other):
                continue
            found = tx.memories.find(space_id, other)
            if found is not None and found.status == "clash":
                tx.memories.set_status(space_id, other, "current", None, rev)


def remove_source(tx: Transaction, space: Space, source: Source, rev: int, now: datetime) -> None:
    """Remove a source with its text, its file, its jobs, and every memory only it taught."""
    take_back(tx, space, [passage.id for passage in tx.sources.passages(space.id, source.id)], rev, now)
    path = tx.files.path_of_source(space.id, source.id) if source.form == "kept" else None
    if path is not None:
        tx.files.remove(space.id, path)
    tx.sources.remove(space.id, source.id)


def forget_memory(tx: Transaction, space: Space, memory: Memory, rev: int, now: datetime) -> list[FilePath]:
    """Forget a memory for good, with what it replaced or corrected; the paths of files that still say it.

    Its lines are cut out of the stored text of notes and conversations unless a current memory still rests on the
    same words; files keep their text, for they are kept exactly.
    """
    leaving = {memory.id: memory}
    step: Sequence[Memory] = [memory]
    while step := tx.memories.replaced_by(space.id, [earlier.id for earlier in step]):
        step = [earlier for earlier in step if earlier.id not in leaving]
        leaving |= {earlier.id: earlier for earlier in step}
    lines = [line for memory_id in leaving for line in tx.memories.lines(space.id, memory_id)]
    refuse(tx, space, leaving.values())
    release_clashes(tx, space.id, list(leaving), rev)
    tx.memories.remove(space.id, list(leaving), rev, now)
    files: list[FilePath] = []
    by_source: dict[SourceId, list[Line]] = {}
    for line in lines:
        by_source.setdefault(line.source_id, []).append(line)
    for source_id, said in by_source.items():
        source = tx.sources.find(space.id, source_id)
        if source is None:
            continue
        if source.form == "kept":
            path = tx.files.path_of_source(space.id, source_id)
            files += [path] if path is not None else []
        else:
            _cut(tx, space, source, said)
    return files


def refuse(tx: Transaction, space: Space, memories: Collection[Memory]) -> None:
    """Remember by their marks alone that these statements are not to be learned again."""
    tx.memories.refuse(space.id, {mark for memory in memories for mark in marks_of(space, memory)})


def marks_of(space: Space, said: Memory | Fact) -> set[bytes]:
    """The marks a statement is known by: its text and its quote with its subject, and its text with none.

    The text stands alone, so its mark holds whatever subject a later reading finds; a bare quote ("She signs it")
    says nothing without its subject.
    """
    text, quote = normalised(said.text), normalised(said.quote)
    pairs = {(text, said.about), (quote, said.about), (text, None)}
    return {statement_of(space.secret, words, about) for words, about in pairs}


def _cut(tx: Transaction, space: Space, source: Source, said: Sequence[Line]) -> None:
    """Cut lines out of a note's or conversation's stored text, and out of the title of an untitled one.

    Blanks take the place of the words, so that no other line's offsets move. The passages keep their digests, which
    are those of the text as it was sent: sending it again finds them unchanged and learns nothing.
    """
    passages = {passage.id: passage for passage in tx.sources.passages(space.id, source.id)}
    held = [line for _, line in tx.memories.lines_of_source(space.id, source.id)]
    cuts: dict[int | None, list[tuple[int, int]]] = {}
    for line in said:
        passage = passages.get(line.passage_id)
        if passage is not None and not any(_overlap(line, other) for other in held):
            cuts.setdefault(passage.turn, []).append((passage.start + line.start, passage.start + line.end))
    for turn, spans in cuts.items():
        if turn is None:
            text = tx.sources.text(space.id, source.id) or ""
            tx.sources.set_text(space.id, source.id, _blanked(text, spans))
        else:
            held_turn = tx.sources.turns(space.id, source.id, turn, turn + 1)[0]
            tx.sources.set_turn_text(space.id, source.id, turn, _blanked(held_turn.text, spans))
    if cuts and not source.title_given:
        tx.sources.update(space.id, replace(source, title=_title_of_rest(tx, space.id, source)))


def _title_of_rest(tx: Transaction, space_id: SpaceId, source: Source) -> str:
    """An untitled source shows the beginning of what is left of it."""
    if source.form == "turns":
        text = next((turn.text for turn in tx.sources.turns(space_id, source.id) if turn.text.strip()), "")
    else:
        text = tx.sources.text(space_id, source.id) or ""
    return one_line(text) or source.kind.capitalize()


def _overlap(line: Line, other: Line) -> bool:
    return other.passage_id == line.passage_id and other.start < line.end and other.end > line.start


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def blank_out(tx: Transaction, space: Space, source: Source, passage: Passage, fact: Fact) -> None:
    """Cut a refused statement out of the stored text of a note or conversation that says it again."""
    spans = [(passage.start + fact.start, passage.start + fact.end)]
    if passage.turn is None:
        tx.sources.set_text(space.id, source.id, _blanked(tx.sources.text(space.id, source.id) or "", spans))
        return
    for turn in tx.sources.turns(space.id, source.id, passage.turn, passage.turn + 1):
        tx.sources.set_turn_text(space.id, source.id, passage.turn, _blanked(turn.text, spans))


def is_usable(memory: Memory | None) -> TypeGuard[Memory]:
    """Whether reads may show it."""
    return memory is not None and memory.status in USABLE
