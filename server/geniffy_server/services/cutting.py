"""Cutting forgotten words out of what is kept, inside one write transaction.

Blanks take the place of the words, so that no line's offsets move. The passages keep their digests, which are those
of the text as it was sent: sending it again finds them unchanged and learns nothing. Words that another memory rests
on stay, and so does the text of a file, which is kept exactly (decisions 7).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import regex

from geniffy_server.domain.file import FilePath
from geniffy_server.domain.memory import OWNER, Line, Memory
from geniffy_server.domain.source import Passage, PassageId, Source, SourceId, Turn
from geniffy_server.domain.space import Space
from geniffy_server.domain.text import one_line
from geniffy_server.learn.change.told_back import says_again
from geniffy_server.learn.change.told_back import words_of as words_of_statement
from geniffy_server.learn.split import sentences
from geniffy_server.ports import Transaction
from geniffy_server.services.unasking import unask_behind

Span = tuple[int, int]
Spans = Mapping[int | None, Sequence[Span]]
"""Code points of a source's text, under None, or of its turns, each under its position."""

Words = tuple[str, ...]

SOMEONE: Final = "Someone"
"""What a participant is called whose name was forgotten while other words of theirs are kept."""

_LEAST_STATEMENT_CHARS: Final = 8  # a shorter one, such as a list's item `Tea`, stands in too many other sentences
_LEAST_NAME_CHARS: Final = 3
_LEAST_WORD_CHARS: Final = 4  # of the longest word of a statement that is looked for in other persons
_LEAST_CJK_CHARS: Final = 2  # for every one of these signs says what a word does
_LEAST_TITLE_CHARS: Final = 8  # of a statement's beginning at the end of a title that was cut there
_CJK: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}]")
_SPACELESS: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")
_WORD: Final = regex.compile(r"[\p{Han}\p{Katakana}]+|[\p{L}\p{M}\p{N}]+")
_MARKS: Final = " \t\r\n.!?。！？…"
_ELLIPSIS: Final = regex.compile(r"\s*(?:\.\.\.|…)$")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Words to be cut, longest first.

    `statements` go wherever they stand alone, and sentences that give them back in other persons (`you keep your
    savings at Fortis`) with them: `told` holds their words, each under the longest of them as it is written. `names`,
    of subjects that no memory tells of any more, go from the `sources` that told of them.
    """

    statements: Sequence[str]
    names: Sequence[str]
    sources: Collection[SourceId]
    told: Mapping[str, Sequence[Words]]


def words_of(tx: Transaction, space: Space, memories: Iterable[Memory], lines: Iterable[Line]) -> Forgotten:
    """What memories that were just removed leave to be cut, by their texts, their quotes and their subjects."""
    held, told = list(memories), list(lines)
    said = [*(memory.text for memory in held), *(line.quote for line in told)]
    statements = {words for one in said if _is_telling(words := one.strip(_MARKS), _LEAST_STATEMENT_CHARS)}
    abouts = {memory.about for memory in held if memory.about is not None and memory.about != OWNER}
    names = {name for name in abouts if _is_name(name) and not tx.memories.saying(space.id, name)}
    by_longest: dict[str, list[Words]] = {}
    for one in {*said}:
        statement, longest = words_of_statement(one), max(_WORD.findall(one), key=len, default="")
        if statement and _is_telling(longest, _LEAST_WORD_CHARS):
            by_longest.setdefault(longest, []).append(statement)
    sources = {line.source_id for line in told}
    return Forgotten(_longest_first(statements), _longest_first(names), sources, by_longest)


def cut_lines(tx: Transaction, space: Space, source: Source, said: Iterable[Line]) -> None:
    """Cut lines out of a note's or conversation's text, unless a memory still rests on the same words."""
    passages = {passage.id: passage for passage in tx.sources.passages(space.id, source.id)}
    held = [line for _, line in tx.memories.lines_of_source(space.id, source.id)]
    spans: dict[int | None, list[Span]] = {}
    for line in said:
        passage = passages.get(line.passage_id)
        if passage is not None and not any(_overlap(line, other) for other in held):
            spans.setdefault(passage.turn, []).append((passage.start + line.start, passage.start + line.end))
    cut_spans(tx, space, source, spans)


def cut_spans(tx: Transaction, space: Space, source: Source, spans: Spans) -> None:
    """Cut spans out of a note's or conversation's text, and out of its title when that is its beginning."""
    for turn, some in spans.items():
        if turn is None:
            tx.sources.set_text(space.id, source.id, blanked(tx.sources.text(space.id, source.id) or "", some))
            continue
        for held in tx.sources.turns(space.id, source.id, turn, turn + 1):
            tx.sources.set_turn_text(space.id, source.id, turn, blanked(held.text, some))
    unask_behind(tx, space.id, source.id, {turn for turn in spans if turn is not None})
    if spans and not source.title_given:
        tx.sources.update(space.id, untitled(tx, space, source))


def cut_words(tx: Transaction, space: Space, forgotten: Forgotten) -> list[FilePath]:
    """Cut words out of every note and conversation that holds them; the paths of files that still say a statement."""
    files: list[FilePath] = []
    for source_id in tx.sources.holding(space.id, [*forgotten.statements, *forgotten.names, *forgotten.told]):
        source = tx.sources.find(space.id, source_id)
        if source is None:
            continue
        if source.form == "kept":
            text = tx.sources.text(space.id, source_id) or ""
            path = tx.files.path_of_source(space.id, source_id)
            if path is not None and any(places(text, statement) for statement in forgotten.statements):
                files.append(path)
        else:
            names = forgotten.names if source_id in forgotten.sources else ()
            _cut_source(tx, space, source, forgotten, names)
    return files


def told_places(text: str, told: Mapping[str, Sequence[Words]]) -> list[Span]:
    """Where sentences of `text` give back statements, in whatever person."""
    if not any(longest in text for longest in told):
        return []
    return [
        (start, end)
        for start, end in sentences(text)
        if any(
            longest in text[start:end] and any(says_again(text[start:end], words) for words in many)
            for longest, many in told.items()
        )
    ]


def places(text: str, words: str) -> list[Span]:
    """Where `words` stand in `text` as words of their own."""
    front = "" if _SPACELESS.match(words) else r"(?<![\p{L}\p{M}\p{N}])"
    back = "" if _SPACELESS.match(words[-1:]) else r"(?![\p{L}\p{M}\p{N}])"
    return [found.span() for found in regex.finditer(front + regex.escape(words) + back, text)]


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with blanks in the place of spans."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def cut_title(title: str, statements: Iterable[str], names: Iterable[str] = ()) -> str:
    """A title without these words, also where it was cut off in the middle of a statement; blank when none is left."""
    for words in (*statements, *names):
        title = blanked(title, places(title, words))
    ending = _ELLIPSIS.search(title)
    if ending is None:
        return " ".join(title.split())
    kept = title[: ending.start()]
    for statement in statements:
        line = " ".join(statement.split())
        for size in range(min(len(line), len(kept)), _LEAST_TITLE_CHARS - 1, -1):
            if kept.endswith(line[:size]):
                return " ".join(kept[: len(kept) - size].split())
    return " ".join(title.split())


def _cut_source(tx: Transaction, space: Space, source: Source, forgotten: Forgotten, names: Sequence[str]) -> None:
    statements = forgotten.statements
    words = [*statements, *names]
    passages = tx.sources.passages(space.id, source.id)
    resting = _resting(tx, space, source.id, passages)
    if source.form == "turns":
        turns = tx.sources.turns(space.id, source.id)
        cut = [_cut_turn(turn, resting.get(place, ()), forgotten, names) for place, turn in enumerate(turns)]
        changed = {place for place, turn in enumerate(turns) if cut[place].text != turn.text}
        if cut != list(turns):
            tx.sources.replace_turns(space.id, source.id, cut)
        unask_behind(tx, space.id, source.id, changed)
    else:
        text = tx.sources.text(space.id, source.id) or ""
        rest = _without(_untold(text, resting.get(None, ()), forgotten), resting.get(None, ()), words)
        if rest != text:
            tx.sources.set_text(space.id, source.id, rest)
    for passage in passages:
        # What waits to be learned still needs its heading; it is refused if it says the same again.
        if passage.heading is not None and passage.learned:
            heading = _without(passage.heading, (), words)
            if heading != passage.heading:
                tx.sources.set_heading(space.id, passage.id, heading.rstrip(" ") if heading.strip() else None)
    title = cut_title(source.title, statements, names)
    if not source.title_given or not title.strip(_MARKS):
        tx.sources.update(space.id, untitled(tx, space, source))
    elif title != source.title:
        tx.sources.update(space.id, replace(source, title=title))


def untitled(tx: Transaction, space: Space, source: Source) -> Source:
    """The source shown by the beginning of what is left of it."""
    if source.form == "turns":
        text = next((turn.text for turn in tx.sources.turns(space.id, source.id) if turn.text.strip()), "")
    else:
        text = tx.sources.text(space.id, source.id) or ""
    return replace(source, title=one_line(text) or source.kind.capitalize(), title_given=False)


def _resting(
    tx: Transaction, space: Space, source_id: SourceId, passages: Sequence[Passage]
) -> dict[int | None, list[Span]]:
    """What must stay: words that memories rest on, and passages that are still to be learned."""
    by_id: dict[PassageId, Passage] = {passage.id: passage for passage in passages}
    spans: dict[int | None, list[Span]] = {}
    for _, line in tx.memories.lines_of_source(space.id, source_id):
        passage = by_id.get(line.passage_id)
        if passage is not None:
            spans.setdefault(passage.turn, []).append((passage.start + line.start, passage.start + line.end))
    for passage in passages:
        if not passage.learned:
            spans.setdefault(passage.turn, []).append((passage.start, passage.end))
    return spans


def _cut_turn(turn: Turn, resting: Collection[Span], forgotten: Forgotten, names: Sequence[str]) -> Turn:
    words = [*forgotten.statements, *names]
    text = _without(_untold(turn.text, resting, forgotten), resting, words)
    tools = tuple(replace(tool, text=_without(tool.text, (), words)) for tool in turn.tools)
    name = turn.name
    if name is not None and _without(name, (), names) != name:
        name = SOMEONE if text.strip() else None
    return replace(turn, text=text, tools=tools, name=name)


def _untold(text: str, resting: Collection[Span], forgotten: Forgotten) -> str:
    return blanked(text, [span for span in told_places(text, forgotten.told) if not _touches(span, resting)])


def _touches(span: Span, others: Iterable[Span]) -> bool:
    return any(first < span[1] and span[0] < last for first, last in others)


def _without(text: str, resting: Iterable[Span], words: Iterable[str]) -> str:
    kept = list(resting)
    for one in words:
        text = blanked(
            text,
            [(start, end) for start, end in places(text, one) if not _touches((start, end), kept)],
        )
    return text


def _is_telling(words: str, least: int) -> bool:
    return len(words) >= least or len(_CJK.findall(words)) > _LEAST_CJK_CHARS


def _is_name(name: str) -> bool:
    """Whether a subject is a name rather than a common noun, so that it is worth nothing to anyone else."""
    if unicodedata.category(name[:1]) in ("Lu", "Lt"):
        return len(name) >= _LEAST_NAME_CHARS
    return unicodedata.category(name[:1]) == "Lo" and len(name) >= _LEAST_CJK_CHARS


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(words, key=lambda one: (-len(one), one))


def _overlap(line: Line, other: Line) -> bool:
    return other.passage_id == line.passage_id and other.start < line.end and other.end > line.start
