"""Sentences with their offsets, in any language, and which of them state nothing.

Splitting takes time that grows with the text's length.

A mark that ends a sentence is looked at with 24 characters before it and 12 after it, never with the rest of the text:
splitters that slice the rest take minutes on two million characters without a space.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import regex

from geniffy_server.learn.lexicon import fragments, keyed, listed, word_set

Span = tuple[int, int]

HIDDEN: Final = "█"  # what stands for each character of a secret
_BACK: Final = 24
_AHEAD: Final = 12
_END: Final = regex.compile(
    r"(?:(?P<mark>[.!?…؟۔։]+|[。！？｡]+|[।॥]+|(?<=\s)[:;]['-]?[()DP]+(?=\s)"
    r"|(?<!\p{Emoji_Presentation})\p{Emoji_Presentation}++(?=\s))(?P<close>[\"”’»\)\]】」』）》\*_]*)"
    r"|(?P<mark>\n(?P<blank>[ \t\r]*\n\s*)?)(?P<close>))(?P<space>\s*)"
)
_OPENING: Final = frozenset("「『《【（")
_QUOTED: Final = 400  # an opening bracket that is not closed by then was a slip
_BRACKETS: Final = regex.compile("[「『《【（」』》】）]")
_LAST_WORD: Final = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}.\-]*$")
_NEW_AFTER_TIME: Final = regex.compile(r"\s+\p{Lu}\p{L}*\p{Ll}")
_NEW_IN_LOWER_CASE: Final = regex.compile(r"\s+(?:i|i'm|my|we|he|she|they|it's|our|his|her|there|this|these)\s+\p{Ll}")
_CLOCK_SIGNS: Final = frozenset({"a.m", "p.m"})
_OF_A_TIME: Final = frozenset({"eastern", "pacific", "central", "mountain", "sharp"})
_INITIALS: Final = regex.compile(r"(?:\p{L}\.)+\p{L}")
_SHORT_NUMBER: Final = regex.compile(r"[12]?\d|3[01]")
_AFTER_DAY_NUMBER: Final = regex.compile(r"\s+(?:\p{Ll}|Jan|Feb|M[aä]r|Apr|Ma[iy]|Jun|Jul|Aug|Sep|O[kc]t|Nov|De[zc])")

# A line end inside a paragraph ends a sentence where the writer broke the line on purpose.
_STARTS_LINE: Final = regex.compile(
    r"(?:[-*+•–▪◦]|\d{1,3}[.)]|\[[ xX]\])[ \t]+|[\p{L}\p{N}][\p{L}\p{N} '’_/-]{0,30}[:：][ \t]"
)
_QUOTED_LINE: Final = regex.compile(r"(?:>[ \t]?)+")
_NEXT_LINE: Final = regex.compile(r"\S{0,40}")
_RUNS_ON: Final = regex.compile(r"(?:[,;:({\[„“«—–-]|\b(?:a|an|and|at|by|for|from|in|is|of|on|or|the|to|with))[ \t]*$")
_CARRIES_ON: Final = regex.compile(
    r"(?:and|or|but|nor|of|to|in|on|at|with|for|from|by|as|than|that|which|who|because|so|is|are|was|were"
    # Whom these mean is only known beside the line before.
    r"|he|she|they|it|her|his|their|its|er|sie|ihr|elle|él|ella|он|она"
    r"|und|oder|aber|mit|von|dass|weil|et|ou|mais|avec|de|que|qui|y|o|pero|con|e|ma|che|и|или|но|что)(?![\p{L}\p{M}'’-])",
    regex.IGNORECASE,
)
_WRAP: Final = 60  # lines of a paragraph that was wrapped by a program are rarely shorter


def sentences(text: str) -> list[Span]:
    """The sentences of `text`, trimmed of blanks, in order and without overlap; none for a blank text.

    A blank line always ends one, and a line end does where the line was broken on purpose: the next begins as a
    sentence or a list item does and would have fitted. Where a paragraph itself begins in lower case, so may its
    sentences. Nothing inside 「…」 ends one.
    """
    spans: list[Span] = []
    start = 0
    for end, following in _ends(text):
        if end > start:
            spans += _trimmed(text, start, end)
            start = following
    return spans + _trimmed(text, start, len(text))


def _ends(text: str) -> Iterator[Span]:
    """Where each sentence ends, and where the next may begin."""
    depth = seen = start = opened = paragraph = 0
    width = -1
    for found in _END.finditer(text):
        at, end, mark = found.start(), found.end("close"), found["mark"]
        for bracket in _BRACKETS.finditer(text, seen, at):
            opened = bracket.start() if not depth else opened
            depth = max(0, depth + (1 if bracket.group() in _OPENING else -1))
        seen = at
        if at - opened > _QUOTED:
            depth = 0
        if mark[0] == "\n":
            if found["blank"] is None:
                if width < 0:
                    width = max(_WRAP, max(map(len, text.split("\n"))))
                in_lower_case = _begins_in_lower_case(text, paragraph)
                if depth or not _is_broken_on_purpose(text, at, found.end(), width, in_lower_case=in_lower_case):
                    continue
            else:
                paragraph = found.end()
            depth = 0
            end = at
        elif mark[0] in ":;" or (mark[0] > "\u2fff" and mark[0] not in "。！？｡।॥"):
            if text[found.end() : found.end() + 1].islower():
                continue
        elif mark[0] in "。！？｡।॥":
            if depth:
                continue
        elif _goes_on(text, start, found):
            continue
        yield end, found.end()
        start = found.end()
        if found["space"].count("\n") > 1:
            paragraph = start


def _begins_in_lower_case(text: str, start: int) -> bool:
    return text[start : start + _AHEAD].lstrip()[:1].islower()


def _goes_on(text: str, start: int, found: regex.Match[str]) -> bool:
    """Whether the mark stands inside a sentence: in a number, after an abbreviation, before a lower-case word."""
    mark, at, end = found["mark"], found.start(), found.end("close")
    if not found["space"] and end < len(text) and text[end] not in '“"«「':
        return True
    following = text[found.end() : found.end() + _AHEAD]
    if mark == ".":
        before = _LAST_WORD.search(text[max(start, at - _BACK) : at])
        written = before.group() if before else ""
        word = written.lower() if not (len(written) > 1 and written.isupper() and written.isalpha()) else ""
        if _is_short_form(word, text[at - 1 : at]) and not (
            (word in word_set("split", "may_end") and following.startswith(listed("split", "openers")))
            or (word in _CLOCK_SIGNS and _begins_after_time(text, end))
        ):
            return True
        if _SHORT_NUMBER.fullmatch(word) and (
            _AFTER_DAY_NUMBER.match(text, end) or (at - start < _BACK and text[start:at].strip() == word)
        ):
            return True
        begins_low = text[start : start + 1].islower() or _NEW_IN_LOWER_CASE.match(text, end) is not None
        return following[:1].islower() and not begins_low
    if following[:1].islower():
        return bool(found["close"]) if mark in ("?", "!") else mark[0] == "…" or mark.startswith("..")
    return False


def _begins_after_time(text: str, end: int) -> bool:
    """Whether a capitalised word after `5 p.m.` begins a sentence: not a day, a month, or a time zone."""
    if not _NEW_AFTER_TIME.match(text, end, end + _AHEAD):
        return False
    words = text[end : end + _AHEAD].split()
    word = words[0].strip(".,").lower() if words else ""
    return word not in keyed("weekdays") and word not in keyed("months") and word not in _OF_A_TIME


@cache
def _abbreviations() -> frozenset[str]:
    return word_set("split", "abbreviations")


def _is_short_form(word: str, last: str) -> bool:
    return word in _abbreviations() or bool(_INITIALS.fullmatch(word)) or (len(word) == 1 and last.isupper())


def _is_broken_on_purpose(text: str, at: int, following: int, width: int, *, in_lower_case: bool) -> bool:
    if quoted := _QUOTED_LINE.match(text, following):
        following = quoted.end()
    if _STARTS_LINE.match(text, following) or HIDDEN in text[max(0, at - width - 1) : at].rpartition("\n")[2]:
        return True  # a line with a secret is left out, and the next is not lost with it
    first = _NEXT_LINE.match(text, following)
    word = first.group() if first else ""
    if not word or _RUNS_ON.search(text[max(0, at - _BACK) : at]):
        return False
    if word[0].islower() and (not in_lower_case or _CARRIES_ON.match(word)):
        return False
    line = at - (text.rfind("\n", max(0, at - width - 1), at) + 1 or max(0, at - width - 1))
    return line + 1 + len(word) <= width


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [(start, end)] if start < end else []


_WORDS: Final = regex.compile(r"\p{L}\p{M}*\p{L}|\b[Ii]['’]m \d|[\p{Han}\p{Hiragana}\p{Katakana}]")
_ADDRESS: Final = regex.compile(r"\b(?:https?://|www\.)\S+")
_CODE: Final = regex.compile(
    r"(?:import|from|def|class|function|const|let|var|return|if|for|while|elif|else|try|except|print|public|private"
    r"|static|async|await|SELECT|INSERT|UPDATE|DELETE|CREATE|#include|<\?|</?\w+|\$|>>>|//|/\*|@\w+|\w+\s*[=({\[]"
    r"|[{}()\[\]]|\w+\.\w+\()"
)
_CODE_SIGN: Final = regex.compile(
    r"[{};]\s*$|\)\s*[;{:]\s*$|=>|==|!=|\w+\(\w*\)|^\w+\s*=\s*\S|^</?\w|^[{\[](?![^\[\]{}\"']{1,40}\]\s+\p{L})|\bFROM\s+\w+"
    r"|^(?:import|#include)\s\S+$|^\$ "
)
_HAN: Final = regex.compile(r"\p{Han}")
_COMMA: Final = regex.compile(r"[,，、،!！–—]\s*|\s-\s")
_CALLED: Final = regex.compile(r"\p{Lu}[\p{L}'’-]*[.!~…\s]*")
_ASSERTS: Final = regex.compile(r"\b(?:I|my|we|our)\b|\d|(?<=\s)\p{Lu}")
_BEFORE_QUESTION: Final = regex.compile(r"^.{8,}(?:[,،，;:]|\s[-–—])\s*[^,،，]+$", regex.DOTALL)
_FILLER_MAX: Final = 60  # characters


def not_fact(sentence: str, *, to_assistant: bool = False) -> str | None:
    """Why `sentence` states nothing: `no words`, `code`, `filler`, `question`, `courtesy`, `remark` or `request`.

    None when it may be a fact. `to_assistant`: it was said to one, so that `Draft an email` is a request and no note.
    """
    words = sentence.strip()
    if fragments("not_fact", "told_clause").match(words):
        return None
    if told := fragments("not_fact", "told").match(words):
        words = words[told.end() :].rstrip("?？ ")
    if not _WORDS.search(_ADDRESS.sub("", words)) or _is_data(words):
        return "no words"
    if (_CODE.match(words) and _CODE_SIGN.search(words)) or fragments("not_fact", "machine").match(words):
        return "code"
    if len(words) <= _FILLER_MAX and _is_all_filler(words):
        return "filler"
    if words.endswith(("!", "！")) and len(words.split()) <= 6 and not _HAN.search(words) and not _asserts(words):
        return "filler"
    if (
        to_assistant
        and fragments("not_fact", "to_agent").match(words)
        and not fragments("not_fact", "standing").search(words)
    ):
        return "request"
    if _is_question(words):
        return "question"
    if _is_courtesy(words):
        return "courtesy"
    if len(words) <= _FILLER_MAX and _is_remark(words):
        return "remark"
    if fragments("not_fact", "requests").match(words):
        return "request"
    is_task = (
        to_assistant
        and fragments("not_fact", "tasks").match(words)
        and not fragments("not_fact", "noun_first").match(words)
    )
    return "request" if is_task and not fragments("not_fact", "standing").search(words) else None


@cache
def _filler() -> regex.Pattern[str]:
    greeting = "|".join(listed("not_fact", "greetings"))
    alone = "|".join(listed("not_fact", "acknowledgements"))
    end = r"[\s,.!…。！~)।،]*"
    before = r"(?:(?:ok(?:ay)?|oh|ah|aha|haha|yeah|alright|all right|cool)[\s,.!…]+)?"
    return regex.compile(rf"{before}(?:(?:{greeting})(?:{end}\p{{L}}{{1,12}})?|(?:{alone})){end}", regex.IGNORECASE)


def _is_all_filler(words: str) -> bool:
    """Whether each part is filler, or a name called out beside one: `Thanks, Melanie!`."""
    parts = [part.strip() for part in _COMMA.split(words) if part.strip()]
    filler = [_filler().fullmatch(part) is not None for part in parts]
    return any(filler) and all(is_one or _CALLED.fullmatch(part) for part, is_one in zip(parts, filler, strict=True))


_NUMBER: Final = regex.compile(r"\d")
_LONGEST_PRAISE: Final = 16  # words
_OWN: Final = regex.compile(r"\b(?:I|I'm|I've|my|we|our)\b")


def _is_courtesy(words: str) -> bool:
    """Encouragement, praise and thanks to whoever is spoken to; a number or a name beside it makes it a statement."""
    begins = _opening().match(words)
    at = begins.end() if begins else 0
    if _NUMBER.search(words):
        return False
    if fragments("not_fact", "courtesies").match(words, at):
        return True
    return (
        fragments("not_fact", "praises").match(words, at) is not None
        and fragments("not_fact", "praising").search(words, at) is not None
        and len(words.split()) <= _LONGEST_PRAISE
        and not _OWN.search(words)
    )


def _is_remark(words: str) -> bool:
    """A short evaluation of what was just said, or a word that only answers it: `It was awesome.`, `Long time.`"""
    begins = _opening().match(words)
    return fragments("not_fact", "remarks").fullmatch(words, begins.end() if begins else 0) is not None


@cache
def _opening() -> regex.Pattern[str]:
    """Exclamations and a name called out, which may stand before a courtesy."""
    exclamations = "|".join(listed("not_fact", "greetings"))
    called = r"(?:\s*,?\s*(?-i:\p{Lu})[\p{L}'’-]*)?\s*[,!.–—-]+\s*"
    return regex.compile(
        rf"(?:(?:{exclamations}){called})*(?:(?-i:\p{{Lu}})[\p{{L}}'’-]*\s*[,!–—]\s*)?", regex.IGNORECASE
    )


def _asserts(words: str) -> bool:
    return _ASSERTS.search(words) is not None or _tells_of(words)


_SUBJECT_VERB: Final = regex.compile(r"(?P<name>\p{Lu}[\p{L}\p{M}'’-]+)\s+(?P<verb>[\p{Ll}\p{M}’']+)\s+\S")


def _tells_of(words: str) -> bool:
    """Whether someone or something named in front does something: `Kim likes tea!`."""
    found = _SUBJECT_VERB.match(words)
    if found is None:
        return False
    first, verb = found["name"].lower(), found["verb"]
    if first in word_set("subject", "not_names") or first in word_set("subject", "openers"):
        return False
    acts = verb.endswith("ed") or (verb.endswith("s") and not verb.endswith("ss"))
    return (acts and verb.isascii()) or any(
        verb in word_set("subject", key) for key in ("past_verbs", "no_subject", "topic_verbs", "noun_verbs")
    )


_SIGNS: Final = regex.compile(r"[^\p{L}\p{M}\p{N}\s]")
_LONG_WORD: Final = regex.compile(r"[^\s\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Khmer}\p{Lao}\p{Myanmar}]{120}")
_SIGNS_IN_DATA: Final = 0.35  # of the characters; prose has about .05, JSON above this


def _is_data(words: str) -> bool:
    """JSON, base64, rows of signs: written for a machine."""
    if _LONG_WORD.search(words):
        return True
    return len(words) >= 20 and len(_SIGNS.findall(words)) > _SIGNS_IN_DATA * len(words)


def _is_question(words: str) -> bool:
    asked = words.rstrip('"”»」』) ')
    begins = fragments("not_fact", "asking").match(words) is not None
    first = words.split(maxsplit=1)[0].lower().partition("'")[0]
    opens = first in word_set("not_fact", "question_words")
    if not asked.endswith(("?", "？", "؟")) and not words.startswith("¿"):
        return opens and begins
    if fragments("not_fact", "telling").match(words):
        return False
    states = fragments("not_fact", "mine").match(words) and _BEFORE_QUESTION.match(asked)
    return not states or opens
