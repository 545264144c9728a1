"""How a quote is worded as a memory, so that it can be understood where it stands alone.

Only what the text itself says is put in: the name that a pronoun stands for, the heading over a list item, a table's
column heads, the participant who said `I`. The quote keeps the words as they were.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import regex

from geniffy_server.learn.lexicon import fragments, listed
from geniffy_server.learn.read import cells

_STRUCK: Final = regex.compile(r"~~[^~\n]{1,300}~~\s*")
_MARKUP: Final = regex.compile(r"\*\*|__|~~|(?<!\\)`+|(?<![\w*])\*(?=\S[^*\n]{0,200}\*(?!\w))|(?<=\S)\*(?![\w*])")
_LINK: Final = regex.compile(r"!?\[([^\]\[\n]{1,300})\]\((\S{1,500}?)(?:\s+\"[^\"\n]{0,200}\")?\)")
_LINE_END: Final = regex.compile(r"[ \t]*\r?\n[ \t]*(?:>[ \t]?)*[ \t]*")
_ENGLISH_PRONOUN: Final = regex.compile(
    r"\b(?P<word>(?i:he|she|it|his|her|its))(?P<short>['’](?:s|ll|d|ve))?(?=[\s,.]|$)"
)
_THEY: Final = regex.compile(r"\b(?:they|them|their)\b", regex.IGNORECASE)
_HAS_AFTER: Final = regex.compile(
    r"\s+(?:been|got|had|just|already|never|always|also)\s*(?:\p{L}+ed|been|got|had|gone|done)?\b"
)
_SHORT: Final = {"ll": " will", "ve": " has"}


def plain(quote: str) -> str:
    """`quote` on one line without Markdown's marks; a link keeps its address: `the plan (https://…)`."""
    line = _LINE_END.sub(" ", quote)
    if "~~" in line:
        line = _STRUCK.sub("", line) or line
    return _MARKUP.sub("", _LINK.sub(r"\1 (\2)", line)).strip()


def told(words: str) -> str:
    """The statement in `Remember that Leo is vegan.`

    A German `Merk dir, dass …` is kept: its verb stands last and would alone.
    """
    found = fragments("not_fact", "told").match(words)
    return _sentence_case(words[found.end() :].rstrip("?？ ")) if found else words


def without_chatter(words: str, language: str) -> str:
    """A statement without what is only said around it: `lol`, `anyway`, `yes please, and`."""
    behind = fragments("not_fact", "idle_behind", language).search(words)
    kept = words[: behind.start()] + words[behind.end() :] if behind else words
    before = fragments("not_fact", "idle_before", language).match(kept)
    return _sentence_case(kept[before.end() :]) if before and before.end() < len(kept) else kept


def row(quote: str, heads: str) -> str:
    """A table row as words: `Name: Ana; Role: Designer`, or `Ana: Designer, Porto` without column heads."""
    values = [plain(cell) for cell in cells(quote)]
    names = [plain(name) for name in heads.split(" | ")] if heads else []
    if any(names):
        pairs = [
            f"{names[place]}: {value}" if place < len(names) and names[place] else value
            for place, value in enumerate(values)
            if value
        ]
        return "; ".join(pairs)
    first, rest = values[0], ", ".join(value for value in values[1:] if value)
    return f"{first}: {rest}" if first and rest else first or rest


def under(heading: str, words: str) -> str:
    """`Kim Park: CFO at Acme`; the words alone when they begin with the heading."""
    return words if words.casefold().startswith(heading.casefold()) else f"{heading.rstrip(':')}: {words}"


def named(words: str, about: str, language: str) -> str:
    """The same words with `about` in the place of the pronoun they begin with, else `about: ` before them."""
    found = _ENGLISH_PRONOUN.search(words[:40]) if language == "en" else _pronoun(language).match(words)
    is_they = language == "en" and _THEY.search(words, 0, found.start() if found else 0)
    if found is None or is_they or _is_in_quotes(words, found.start()):
        return f"{_sentence_case(about)}: {words}"
    name = _sentence_case(about) if found.start() == 0 else about
    if language != "en":
        return name + words[found.end() :]
    short = (found["short"] or "").lstrip("'’")
    if short == "d":
        return f"{_sentence_case(about)}: {words}"
    pronoun = found["word"].lower()
    if pronoun in ("his", "her", "its"):
        name += "'s"
    elif short == "s":
        name += " has" if _HAS_AFTER.match(words, found.end()) else " is"
    return words[: found.start()] + name + _SHORT.get(short, "") + words[found.end() :]


def said_by(name: str, words: str) -> str:
    """`Caroline: I went to a support group`."""
    return under(name, words)


@cache
def _pronoun(language: str) -> regex.Pattern[str]:
    words = "|".join(listed("subject", "named_for", language)) or "(?!)"
    shut = "(?![们們の])" if language in ("zh", "ja") else r"(?![\p{L}\p{M}'’])"
    return regex.compile(f"(?:{words}){shut}", regex.IGNORECASE)


def _is_in_quotes(words: str, at: int) -> bool:
    return words[:at].count('"') % 2 == 1 or "“" in words[:at] or "「" in words[:at]


def _sentence_case(about: str) -> str:
    return about[:1].upper() + about[1:]
