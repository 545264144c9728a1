"""Text to blocks: the paragraphs, list items, table rows and quoted paragraphs that carry words, with their offsets.

Only the block structure of Markdown is read (CommonMark and tables): `**bold**` and links stay in the words, so that a
quote is found in its source as it stands. Headings are not blocks; they are what the blocks under them are about.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import accumulate
from typing import Final, Literal

import regex
from markdown_it import MarkdownIt
from markdown_it.token import Token

from geniffy_server.domain.source import NewPassage
from geniffy_server.learn.layout import DELIMITERS, delimiter_of, heads_of, lines_of
from geniffy_server.learn.split import sentences

BlockKind = Literal["para", "item", "row", "quote"]  # a domain.source.PassageKind but for turns

MAX_PASSAGE_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Block:
    """Words at code points `start` to `end` of a text, without the marks of their list or quotation.

    `heading` is the nearest heading above, None when there is none. Of a row it also carries the table's column heads
    after a line end: `Team\\nName | Role`.
    """

    start: int
    end: int
    kind: BlockKind
    heading: str | None


def blocks(text: str) -> list[Block]:
    """The blocks of `text` in order; none for a blank text.

    Left out: fenced code, front matter, column heads, headings. Indented code and HTML are read as paragraphs, since
    plain notes indent and have angle brackets.
    """
    parsed = _LONE_RETURN.sub("\n", text)  # markdown-it counts it as a line end; the length stays
    if parsed.startswith("\ufeff"):
        parsed = " " + parsed[1:]
    if _is_hostile(parsed):
        return list(_plain_blocks(parsed))
    return list(_markdown_blocks(parsed))


def passages(text: str) -> list[NewPassage]:
    """What is learned, and taken back, as one: a passage a block, with a digest of its words, heading and kind.

    A block longer than `MAX_PASSAGE_CHARS` is cut at sentence ends into several. Where depends on the sentences around
    the cut, so that a change at the beginning of a long block leaves its later passages as they were.
    """
    return [
        NewPassage(
            digest=_digest(text[piece.start : piece.end], piece),
            start=piece.start,
            end=piece.end,
            kind=piece.kind,
            heading=piece.heading,
        )
        for block in blocks(text)
        for piece in _cut(text, block)
    ]


_LONE_RETURN: Final = regex.compile(r"\r(?!\n)")
_FRONT_MATTER: Final = regex.compile(r"\s*---[ \t]*\r?\n(?:(?!---[ \t]*\r?\n)[^\n]*\n){0,200}?---[ \t]*\r?(?:\n|$)")
_BLANK_LINE: Final = regex.compile(r"\n[ \t\r]*\n\s*")
_QUOTE_MARK: Final = regex.compile(r"(?:[ \t]*>[ \t]?)*[ \t]*")
_ITEM_MARK: Final = regex.compile(
    r"(?:[ \t]*>[ \t]?)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)){0,20}(?:\[ \][ \t]+)?(?:>[ \t]?)*[ \t]*"
)
_BOX: Final = regex.compile(r"[ \t]*(?:\[[ xX]\][ \t]+)?")
_HEADING_MARKS: Final = regex.compile(r"^#+\s*|\s+#*\s*$|\s*\n\s*[=-]+\s*$")
_DEEP: Final = regex.compile(r"(?m)^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*){20}|^[ \t>]{80,}(?:[-*+]|\d{1,9}[.)])[ \t]")
_NESTING: Final = 100  # tags; the parser drops what lies deeper, so deeper text never reaches it
_MANY_CELLS: Final = 60_000  # pipes; a table of that many cells is data, not prose
_MANY_LINES: Final = 50_000


def _is_hostile(text: str) -> bool:
    """Whether Markdown's block rules would take long, or drop words, over more nesting or lines than people write."""
    return text.count("|") > _MANY_CELLS or text.count("\n") > _MANY_LINES or _DEEP.search(text) is not None


def _plain_blocks(text: str) -> Iterator[Block]:
    """Paragraphs between blank lines, short ones together."""
    start = end = 0
    for first, last in _paragraphs(text):
        if end > start and last - start > MAX_PASSAGE_CHARS:
            yield Block(start, end, "para", None)
            start = end
        start = first if start == end else start
        end = last
    if end > start:
        yield Block(start, end, "para", None)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for gap in _BLANK_LINE.finditer(text):
        yield from _stripped(text, at, gap.start())
        at = gap.end()
    yield from _stripped(text, at, len(text))


@cache
def _parser() -> MarkdownIt:
    return (
        MarkdownIt("commonmark", {"maxNesting": _NESTING})
        .enable("table")
        .disable(["inline", "code", "html_block", "reference"])
    )


def _markdown_blocks(text: str) -> Iterator[Block]:
    front = _FRONT_MATTER.match(text)
    skipped = text[: front.end()].count("\n") if front else 0
    body = "\n" * skipped + text[front.end() :] if front else text
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    open_tags: list[str] = []
    lone = -1
    numbered: Token | None = None
    headings: dict[int, str] = {}
    heads = ""
    tokens = _parser().parse(body)
    over: dict[int, str] = {}  # by depth in a list, the items that head those under them
    lead_in: str | None = None  # a line such as "Shopping:", which heads the list under it
    for place, token in enumerate(tokens):
        if token.nesting == 1:
            open_tags.append(token.type)
        elif token.nesting == -1:
            open_tags.pop()
            if not open_tags and token.type.endswith("_list_close"):
                lead_in = None
        if token.type == "ordered_list_open":
            numbered = token
        elif token.type == "list_item_open" and numbered is not None:
            # One item that does not count from 1 is a sentence that begins with a number, as "4. Oktober …"
            is_lone = numbered.map == token.map and numbered.attrGet("start") is not None
            lone, numbered = (token.map[0] if is_lone and token.map else -1), None
        if token.type not in ("heading_open", "paragraph_open", "tr_open") or token.map is None:
            continue
        start, end = starts[token.map[0]], min(len(text), starts[token.map[1]])
        heading = lead_in or (headings[max(headings)] if headings else None)
        if token.type == "tr_open":
            row = text[start:end].strip()
            if "tbody_open" not in open_tags:
                heads = " | ".join(cells(row))
            else:
                yield from _block(text, start, end, "row", f"{heading or ''}\n{heads}")
        elif token.type == "paragraph_open":
            if not open_tags[1:] and (led := _leads_in(text[start:end].strip(), token, tokens[place + 3 : place + 4])):
                lead_in = led
                continue
            kind: BlockKind = "para"
            mark = _BOX
            if token.map[0] == lone:
                pass
            elif depth := open_tags.count("list_item_open"):
                kind, mark = "item", _ITEM_MARK
                words = text[start:end][_item_mark(text, start, end) :].strip()
                over = {at: named for at, named in over.items() if at < depth}
                heading = over[max(over)] if over else heading
                if named := _heads_items(words, tokens[place + 3 : place + 4]):
                    over[depth] = named
                    continue
            elif "blockquote_open" in open_tags:
                kind, mark = "quote", _QUOTE_MARK
            found = mark.match(text, start, end)
            start = found.end() if found else start
            yield from (_data_rows(text, start, end, heading) if kind == "para" else None) or _block(
                text, start, end, kind, heading
            )
        elif token.markup == "-" and _reads_as_sentence(text[start:end]):
            yield from _block(text, start, text.rfind("\n", start, end - 1), "para", heading)
        else:
            level = int(token.tag[1])
            headings = {at: words for at, words in headings.items() if at < level}
            headings[level] = " ".join(_HEADING_MARKS.sub("", text[start:end].strip()).split())


def _data_rows(text: str, start: int, end: int, heading: str | None) -> list[Block] | None:
    """The lines of a paragraph as rows, when they are data: `name,role,city`. None for any other paragraph."""
    lines = lines_of(text, start, end)
    delimiter = delimiter_of(text, lines)
    if delimiter is None:
        return None
    heads = heads_of(text[slice(*lines[0])], delimiter)
    over = f"{heading or ''}\n{' | '.join(heads or [])}"
    return [Block(first, last, "row", over) for first, last in (lines[1:] if heads else lines)]


def _leads_in(line: str, paragraph: Token, following: Sequence[Token]) -> str | None:
    """The words of a line over a list that heads it: `Shopping:`, or `Standup 5 Oct` with the list right under it."""
    if not following or not following[0].type.endswith("_list_open") or "\n" in line or len(line) > 80:
        return None
    if line.endswith((":", "：")):
        return line[:-1].rstrip()
    is_right_above = paragraph.map and following[0].map and paragraph.map[1] == following[0].map[0]
    return line if is_right_above and len(line) <= 60 and line[-1:].isalnum() else None


_HEADS: Final = regex.compile(r"(\p{Lu}[\p{L}\p{M}\p{N}'’&-]*(?: [\p{L}\p{M}\p{N}'’&-]+){0,2})\s*[:：]?")


def _heads_items(words: str, following: Sequence[Token]) -> str | None:
    """The words of an item that is no more than a title over the list in it: `Compost`."""
    if not following or not following[0].type.endswith("_list_open"):
        return None
    found = _HEADS.fullmatch(words)
    return found[1] if found else None


def _item_mark(text: str, start: int, end: int) -> int:
    found = _ITEM_MARK.match(text, start, end)
    return found.end() - start if found else 0


def _reads_as_sentence(heading: str) -> bool:
    """A line over dashes that ends as a sentence does was meant as a paragraph over a rule."""
    words = heading.strip().rpartition("\n")[0].rstrip()
    return words.endswith((".", "!", "?", "。", "！", "？", ";", ",")) or len(words) > 120


def cells(row: str) -> list[str]:
    """The cells of a table row or a line of data as written, trimmed; an escaped `\\|` does not part them."""
    inner = row.strip()
    if "|" not in inner:  # a line of data: the delimiter that tells most, where there are several
        delimiter = next((one for one in DELIMITERS if one in inner), None)
        return [cell.strip() for cell in inner.split(delimiter)] if delimiter else [inner]
    inner = inner.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip() for cell in regex.split(r"(?<!\\)\|", inner)]


def _block(text: str, start: int, end: int, kind: BlockKind, heading: str | None) -> Iterator[Block]:
    for first, last in _stripped(text, start, end):
        yield Block(first, last, kind, heading)


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


def _cut(text: str, block: Block) -> Iterator[Block]:
    if block.end - block.start <= MAX_PASSAGE_CHARS:
        yield block
        return
    start = end = block.start
    for first, last in _short_spans(text[block.start : block.end]):
        first, last = first + block.start, last + block.start
        if last - start > MAX_PASSAGE_CHARS and end > start:
            yield Block(start, end, block.kind, block.heading)
            start = first
        end = last
        if end - start > MAX_PASSAGE_CHARS // 4 and zlib.crc32(text[first:last].encode()) % 8 == 0:
            yield Block(start, end, block.kind, block.heading)
            start = end
    for first, last in _stripped(text, start, end):
        yield Block(first, last, block.kind, block.heading)


def _short_spans(text: str) -> Iterator[tuple[int, int]]:
    """Sentences, and parts of those that are too long for one passage."""
    for start, end in sentences(text):
        while end - start > MAX_PASSAGE_CHARS:
            cut = max(
                text.rfind(mark, start + MAX_PASSAGE_CHARS // 2, start + MAX_PASSAGE_CHARS) for mark in " \n,，、"
            )
            cut = cut + 1 if cut > 0 else start + MAX_PASSAGE_CHARS
            yield from _stripped(text, start, cut)
            start = cut
        yield from _stripped(text, start, end)


def _digest(words: str, piece: Block) -> bytes:
    whole = f"{piece.kind}\x1f{piece.heading or ''}\x1f{words}"
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()
