"""Taking things back, inside one write transaction: what a source no longer says, what a person forgets.

A memory lives as long as some line says it. When its last line goes it goes too, and what it had replaced holds
again, unless that was marked wrong (decisions 8). Forgetting is stronger: it takes the history along, cuts the line
out of the stored text, and remembers by an HMAC alone that the statement is refused (decisions 3, 7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeGuard

from geniffy_server.domain.file import FilePath
from geniffy_server.domain.memory import USABLE, Fact, Line, Memory, MemoryId, statement_of
from geniffy_server.domain.source import Passage, PassageId, Source, SourceId
from geniffy_server.domain.space import Space, SpaceId
from geniffy_server.learn.draft import DRAFTED
from geniffy_server.learn.quotes import normalised
from geniffy_server.ports import Transaction
from geniffy_server.services.cutting import cut_lines, cut_spans, cut_words, untitled, words_of
from geniffy_server.services.reconciling import between
from geniffy_server.services.unasking import unask


def take_back(tx: Transaction, space: Space, passage_ids: Collection[PassageId], rev: int, now: datetime) -> None:
    """Remove passages with their lines, and every memory that only they taught.

    A memory that is worded as they said it, while what is left says it in other words, goes too and is learned again
    from what is left: no memory states what nothing says.
    """
    if not passage_ids:
        return
    worded = tx.memories.shown_by(space.id, passage_ids)
    orphans = list(tx.memories.cut_lines(space.id, passage_ids, rev))
    tx.sources.remove_passages(space.id, passage_ids)
    left = tx.memories.find_many(space.id, worded.keys() - set(orphans))
    unask(tx, space.id, left.keys())  # another line shows them now
    reworded = [it.id for it in left.values() if is_usable(it) and not _is_worded_so(it, worded[it.id])]
    _learn_again(tx, space.id, [line for it in reworded for line in tx.memories.lines(space.id, it)], now)
    drop_untaught(tx, space.id, [*orphans, *reworded], rev, now)


def _is_worded_so(memory: Memory, gone: str) -> bool:
    """Whether the line that is now shown with a memory says it in the words of the line that is gone, or in its own."""
    return normalised(memory.quote) in (normalised(gone), normalised(memory.text))


def _learn_again(tx: Transaction, space_id: SpaceId, lines: Sequence[Line], now: datetime) -> None:
    """Ask for the passages of lines to be learned once more."""
    tx.sources.mark_unlearned(space_id, {line.passage_id for line in lines})
    for source_id in sorted({line.source_id for line in lines}):
        source = tx.sources.find(space_id, source_id)
        if source is not None:
            tx.sources.update(space_id, replace(source, status="reading"))
            tx.jobs.add(space_id, source_id, source.revision, now)


def drop_untaught(tx: Transaction, space_id: SpaceId, orphans: Sequence[MemoryId], rev: int, now: datetime) -> None:
    """Remove memories that nothing says any more, and let what they replaced hold again."""
    if not orphans:
        return
    going = tx.memories.find_many(space_id, orphans)
    release_clashes(tx, space_id, orphans, rev)
    merged: list[MemoryId] = []
    restored: list[Memory] = []
    for earlier in tx.memories.replaced_by(space_id, orphans):
        if earlier.id in going:
            continue
        successor = _successor(going, earlier)
        if earlier.status != "replaced" or successor is not None:
            tx.memories.set_status(space_id, earlier.id, earlier.status, successor, rev)
        elif (twin := _said_by_another(tx, space_id, earlier)) is not None:
            _merge(tx, space_id, earlier.id, twin, rev)
            merged.append(earlier.id)
        else:
            tx.memories.set_status(space_id, earlier.id, "current", None, rev)
            restored.append(earlier)
    _settle(tx, space_id, restored, rev)
    tx.memories.remove(space_id, [*orphans, *merged], rev, now)


def _settle(tx: Transaction, space_id: SpaceId, restored: Sequence[Memory], rev: int) -> None:
    """Let memories that hold again and were replaced by one memory replace or contradict each other, as they would."""
    holding: list[Memory] = []
    for later in sorted(restored, key=lambda memory: (memory.said_at, memory.id)):
        verdicts = [(earlier, between(earlier, later)) for earlier in holding]
        for earlier, verdict in verdicts:
            if verdict == "replaces":
                tx.memories.set_status(space_id, earlier.id, "replaced", later.id, rev)
            elif verdict == "clash":
                tx.memories.add_clash(space_id, later.id, earlier.id)
                for side in (later, earlier):
                    tx.memories.set_status(space_id, side.id, "clash", None, rev)
        holding = [*(earlier for earlier, verdict in verdicts if verdict != "replaces"), later]


def _said_by_another(tx: Transaction, space_id: SpaceId, memory: Memory) -> MemoryId | None:
    """A memory in use that says the same: it was told again after it had been replaced."""
    mark = tx.memories.statement(space_id, memory.id)
    return tx.memories.by_statement(space_id, [mark]).get(mark) if mark is not None else None


def _merge(tx: Transaction, space_id: SpaceId, memory_id: MemoryId, twin: MemoryId, rev: int) -> None:
    """Give a memory's lines and history to the one that says the same."""
    for line in tx.memories.lines(space_id, memory_id):
        tx.memories.add_line(space_id, twin, line, rev)
    for earlier in tx.memories.replaced_by(space_id, [memory_id]):
        tx.memories.set_status(space_id, earlier.id, earlier.status, twin, rev)


def absorb(tx: Transaction, space_id: SpaceId, memory_id: MemoryId, into: MemoryId, rev: int, now: datetime) -> None:
    """Let one memory take the place of another that says the same, with its lines and history."""
    release_clashes(tx, space_id, [memory_id], rev)
    _merge(tx, space_id, memory_id, into, rev)
    tx.memories.remove(space_id, [memory_id], rev, now)


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


def retire(tx: Transaction, space_id: SpaceId, going: Collection[MemoryId], successor: MemoryId, rev: int) -> None:
    """Make memories the history of the one that takes their place; what contradicted only them holds again."""
    if not going:
        return
    release_clashes(tx, space_id, going, rev)
    for memory_id in going:
        tx.memories.set_status(space_id, memory_id, "replaced", successor, rev)


def remove_source(tx: Transaction, space: Space, source: Source, rev: int, now: datetime) -> None:
    """Remove a source with its text, its file, its jobs, and every memory only it taught."""
    take_back(tx, space, [passage.id for passage in tx.sources.passages(space.id, source.id)], rev, now)
    path = tx.files.path_of_source(space.id, source.id) if source.form == "kept" else None
    if path is not None:
        tx.files.remove(space.id, path)
    tx.sources.remove(space.id, source.id)


def forget_memory(tx: Transaction, space: Space, memory: Memory, rev: int, now: datetime) -> list[FilePath]:
    """Forget a memory for good, with what it replaced or corrected; the paths of files that still say it.

    Its words are cut out of the stored text of notes and conversations unless another memory still rests on them;
    files keep their text, for they are kept exactly.
    """
    leaving = {memory.id: memory}
    step: Sequence[Memory] = [memory]
    while step := tx.memories.replaced_by(space.id, [earlier.id for earlier in step]):
        step = [earlier for earlier in step if earlier.id not in leaving]
        leaving |= {earlier.id: earlier for earlier in step}
    lines = refuse(tx, space, leaving.values())
    release_clashes(tx, space.id, list(leaving), rev)
    tx.memories.remove(space.id, list(leaving), rev, now)
    files: set[FilePath] = set()
    by_source: dict[SourceId, list[Line]] = {}
    for line in lines:
        by_source.setdefault(line.source_id, []).append(line)
    for source_id, said in by_source.items():
        source = tx.sources.find(space.id, source_id)
        path = tx.files.path_of_source(space.id, source_id) if source and source.form == "kept" else None
        if path is not None:
            files.add(path)
        elif source is not None:
            cut_lines(tx, space, source, said)
    files.update(cut_words(tx, space, words_of(tx, space, leaving.values(), lines)))
    return sorted(files)


def refuse(tx: Transaction, space: Space, memories: Iterable[Memory], *, but: Collection[bytes] = ()) -> Sequence[Line]:
    """Remember by their marks alone that these statements are not to be learned again, in none of their wordings.

    Returns the lines that say them. `but` are marks of what is right, which is never refused.
    """
    lines: list[Line] = []
    marks: set[bytes] = set()
    for memory in memories:
        said = tx.memories.lines(space.id, memory.id)
        marks |= marks_of(space, memory)
        marks |= {statement_of(space.secret, normalised(line.quote), memory.about) for line in said}
        lines += said
    tx.memories.refuse(space.id, marks - set(but))
    return lines


def marks_of(space: Space, said: Memory | Fact) -> set[bytes]:
    """The marks a statement is known by: its text and its quote with its subject, and its text with none.

    The text stands alone, so its mark holds whatever subject a later reading finds; a bare quote ("She signs it")
    says nothing without its subject. What a language model drafted is known by its bare quote as well: whoever reads
    that line again may find another subject in it, and word it otherwise.
    """
    text, quote = normalised(said.text), normalised(said.quote)
    pairs = {(text, said.about), (quote, said.about), (text, None)}
    marks = {statement_of(space.secret, words, about) for words, about in pairs}
    return marks | {quote_mark(space, said)} if said.how in DRAFTED else marks


def quote_mark(space: Space, said: Memory | Fact) -> bytes:
    """The mark of a statement's bare quote, whomever it is about."""
    return statement_of(space.secret, normalised(said.quote), None)


def is_refused(tx: Transaction, space: Space, words: str) -> bool:
    """Whether these words are a statement that was forgotten or corrected."""
    return bool(tx.memories.refused(space.id, [statement_of(space.secret, normalised(words), None)]))


def cut_refused(tx: Transaction, space: Space, source_id: SourceId, passage: Passage, fact: Fact) -> None:
    """Cut a refused statement out of the text and title of a note or conversation that says it again."""
    source = tx.sources.find(space.id, source_id)
    if source is None or source.form == "kept":
        return
    cut_spans(tx, space, source, {passage.turn: [(passage.start + fact.start, passage.start + fact.end)]})
    if source.title_given and is_refused(tx, space, source.title):
        tx.sources.update(space.id, untitled(tx, space, source))


def is_usable(memory: Memory | None) -> TypeGuard[Memory]:
    """Whether reads may show it."""
    return memory is not None and memory.status in USABLE
