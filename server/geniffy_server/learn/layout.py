"""What the lines of a paragraph are to one another: rows of data, an address, fields of one record, a talk.

Plain notes carry shapes that no mark-up says. A shape is taken only where every line has it, so that prose stays prose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import regex

from geniffy_server.learn.lexicon import word_set

Span = tuple[int, int]

_MOST_LINES: Final = 50_000  # of one paragraph
_LINE: Final = regex.compile(r"[^\n]+")
DELIMITERS: Final = ("\t", ";", ",")
_LONGEST_CELL: Final = 60
_PROSE: Final = regex.compile(r"[.!?。！？…][\"'”)]?\s*$|\p{L},\s+(?:and|or|but|which|who)\b")


def lines_of(text: str, start: int, end: int) -> list[Span]:
    """The lines between two offsets that are not blank, trimmed."""
    found = []
    for line in _LINE.finditer(text, start, end):
        words = line.group()
        first = line.start() + len(words) - len(words.lstrip())
        last = first + len(words.strip())
        if first < last:
            found.append((first, last))
    return found


def delimiter_of(text: str, lines: list[Span]) -> str | None:
    """What parts the cells of every line in the same number, when the lines are rows of data; else None.

    A comma needs two lines of three cells and no blank behind it; a tab or a semicolon two lines of two cells.
    """
    if not 2 <= len(lines) <= _MOST_LINES:
        return None
    for delimiter in DELIMITERS:
        counts = {text.count(delimiter, start, end) for start, end in lines}
        if len(counts) != 1 or (count := counts.pop()) < (2 if delimiter == "," else 1):
            continue
        rows = [text[start:end] for start, end in lines]
        if any(_PROSE.search(row) for row in rows) or (delimiter == "," and any(", " in row for row in rows)):
            continue
        cells = [cell.strip() for row in rows for cell in row.split(delimiter)]
        if all(len(cell) <= _LONGEST_CELL for cell in cells) and count:
            return delimiter
    return None


_HEAD: Final = regex.compile(r"[\p{L}\p{M}_ /().-]{1,40}")


def heads_of(row: str, delimiter: str) -> list[str] | None:
    """The names of the columns, when a first row of data is made of names alone: lower case, or words for columns."""
    cells = [cell.strip() for cell in row.split(delimiter)]
    known = word_set("subject", "name_columns") | word_set("subject", "people_columns")
    is_head = all(_HEAD.fullmatch(cell) for cell in cells) and (
        all(cell == cell.lower() for cell in cells) or cells[0].lower() in known
    )
    return cells if is_head else None


_FIELD: Final = regex.compile(
    r"(?:\*\*)?(?P<key>[\p{L}][\p{L}\p{M}\p{N} '’/_-]{0,30}?)(?:\*\*)?\s*[:：](?:\*\*)?\s*(?P<value>\S[^\n]*)"
)


def record_of(text: str) -> str | None:
    """Who or what lines of `key: value` are about: the value of the first that is a name's; None for other text."""
    lines = lines_of(text, 0, len(text))
    if not 2 <= len(lines) <= _MOST_LINES:
        return None
    found = [_FIELD.fullmatch(text, start, end) for start, end in lines]
    if not all(found):
        return None
    keys = word_set("subject", "name_fields")
    values = (one["value"].strip(" *.") for one in found if one and one["key"].lower() in keys)
    return next((value for value in values if len(value) <= _LONGEST_CELL), None)


_STREET: Final = regex.compile(
    r"\p{L}[\p{L}\p{M} .'’-]{2,40},?\s\d{1,5}\s?[a-zA-Z]?(?:[/-]\d{1,4})?"
    r"|\d{1,5}[a-zA-Z]?,?\s\p{L}[\p{L}\p{M} .'’-]{2,40}"
)
_POSTCODE: Final = regex.compile(
    r"(?:[A-Z]{1,2}-)?\d{4,6}\s\p{Lu}[\p{L}\p{M} .'’-]+|.*\b[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}"
    r"|.*,?\s[A-Z]{2}\s\d{5}(?:-\d{4})?"
)
_ADDRESS_LINES: Final = 6
_LONGEST_ADDRESS_LINE: Final = 50


def is_address(text: str) -> bool:
    """Whether a few short lines are one address: one of them a street with a number, one a place with its code."""
    lines = [text[start:end].rstrip(",") for start, end in lines_of(text, 0, min(len(text), 400))]
    if not 2 <= len(lines) <= _ADDRESS_LINES or len(text) > 400:
        return False
    if any(len(line) > _LONGEST_ADDRESS_LINE or _PROSE.search(line) or ": " in line for line in lines):
        return False
    return any(_STREET.fullmatch(line) for line in lines) and any(_POSTCODE.fullmatch(line) for line in lines)


_SPEAKER: Final = regex.compile(
    r"(?m)^[ \t>]*(?:\*\*)?(?:(?P<agent>assistant|ai|chatgpt|gpt-\d\S*|claude|gemini|copilot|bot|chatbot)"
    r"|(?P<user>user|human|me))(?:\*\*)?\s*[:：](?:\*\*)?[ \t]*",
    regex.IGNORECASE,
)
_OWN: Final = regex.compile(r"[ \t]*(?:I|I['’]m|I['’]ve|My|my|We|Our)\b")


@dataclass(frozen=True, slots=True)
class Talk:
    """What a pasted talk of a user with an agent came to so far: whether it is one, and whose words run on."""

    is_one: bool = False
    agent_speaks: bool = False


def own_words(text: str, before: Talk) -> tuple[list[Span], Talk]:
    """The stretches of a pasted talk that its user said, without `User:`, and what the talk came to.

    Both must have spoken, or the user of themselves: `Assistant: Priya` among contacts is no agent's words. Any other
    text is one stretch.
    """
    marks = list(_SPEAKER.finditer(text))
    agents = [found["agent"] is not None for found in marks]
    is_one = (
        before.is_one
        or len(set(agents)) == 2
        or any(found["user"] and _OWN.match(text, found.end()) for found in marks)
    )
    if not is_one:
        return [(0, len(text))], before
    spans: list[Span] = []
    at, is_agents = 0, before.agent_speaks
    for found, by_agent in zip(marks, agents, strict=True):
        if found.start() > at and not is_agents:
            spans.append((at, found.start()))
        at, is_agents = found.end(), by_agent
    if not is_agents and at < len(text):
        spans.append((at, len(text)))
    return spans, Talk(True, is_agents)


_ASIDE: Final = regex.compile(
    r"\[(?:shar(?:es?|ed|ing)|sen(?:ds?|t|ding)|post(?:s|ed)?|attach(?:es|ed|ment)?|image|photo|picture|video|gif|sticker|audio"
    r"|voice|file|link|laughs?|laughing|smiles?|sighs?|pauses?|silence|inaudible|crosstalk|applause|music)\b[^\[\]\n]{0,400}\]\s*",
    regex.IGNORECASE,
)


def after_asides(text: str, start: int, end: int) -> int:
    """Where the words begin behind what a program put in front: `[shares photo: a red car]`, `[laughs]`."""
    while found := _ASIDE.match(text, start, end):
        start = found.end()
    return start
