"""A statement's words as change detection sees them, worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import regex

from geniffy_server.learn.change.rewording import reworded
from geniffy_server.learn.lexicon import fragments, listed, numbered, word_set, words

_HELD: Final = 20_000  # analysed statements that are kept; a pair costs half when both are
LONGEST: Final = 1_000
"""Characters of a statement that are looked at; what is longer never retires anything."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement's words as change detection sees them, worked out once.

    `size` counts words, two signs of CJK as one. `exact` holds them as they are written. `is_unreal`: wished, planned
    or only possible. `is_fixed`: it happened once and can't come to be otherwise, as being born in Graz. `holds_now`:
    a word such as "now" says what is so from here on. `adds_another`: one such as "also" says that
    something else is too.
    """

    text: str
    tokens: tuple[str, ...]
    content: frozenset[str]
    exact: frozenset[str]
    size: int
    is_negated: bool
    is_unreal: bool
    is_fixed: bool
    holds_now: bool
    adds_another: bool
    cues: frozenset[str]
    moves: bool
    is_lasting: bool
    formerly: bool
    ceased: bool
    one_valued: frozenset[str]
    many_valued: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=_HELD)
def statement(text: str) -> Statement:
    """The analysis of one statement: its first thousand characters."""
    text = reworded(text[:LONGEST])
    tokens = tuple(tokens_of(text))
    bare = not_negations().sub(" ", text)
    attributes = {name for name in _attributes() if fragments("attributes", name).search(text)}
    if "favorite" in attributes and (of := _favourite_of(text)) is not None:
        attributes.discard("favorite")
        favourite = frozenset({f"favorite {of}"})
    else:
        favourite = frozenset()
    if "place" in attributes:
        attributes.discard("residence")  # the office moved, not who says so
    one_valued = (
        favourite
        | frozenset(attributes & word_set("attributes", "one_valued") - {"slot"})
        | {stem(found.group().casefold()) for found in fragments("attributes", "slot").finditer(text)}
    )
    return Statement(
        text=text,
        tokens=tokens,
        content=frozenset(tokens) - word_set("change", "stop_words"),
        exact=frozenset(_TOKEN.findall(text.casefold())),
        size=len(tokens) - len(_CJK.findall("".join(tokens))) // 2,
        is_negated=_is_negated(text),
        is_unreal=fragments("change", "unreal").search(text) is not None,
        is_fixed=fragments("change", "fixed").search(text) is not None,
        holds_now=fragments("change", "holds_now").search(bare) is not None,
        adds_another=fragments("change", "also").search(text) is not None,
        cues=frozenset(found.group().casefold() for found in fragments("change", "now").finditer(bare)),
        moves=fragments("change", "moves").search(text) is not None,
        is_lasting=fragments("change", "lasting").search(text) is not None,
        formerly=fragments("change", "formerly").search(text) is not None,
        ceased=fragments("change", "ceased").search(bare) is not None,
        one_valued=one_valued,
        many_valued=frozenset(attributes - word_set("attributes", "one_valued")),
        names=frozenset(found.casefold() for found in regex.findall(r"(?<=\s)\p{Lu}[\p{L}\d]+", text)),
    )


_FAVOURITE: Final = regex.compile(
    r"\bfavou?rite (?P<of>\p{L}+)|(?P<of>\p{L}+) (?:favorit|preferit|préféré)\p{L}*|\blieblings(?P<of>\p{L}+)"
    r"|\bлюбим(?:ый|ая|ое|ые) (?P<of>\p{L}+)",
    regex.IGNORECASE,
)


def _favourite_of(text: str) -> str | None:
    """What a favourite is of: one may have a favourite band and a favourite song."""
    found = _FAVOURITE.search(text)
    return stem(found["of"].casefold()) if found and found["of"] else None


CJK_DAY: Final = r"[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]"
_OTHER: Final = r"(?![\p{Han}\p{Hiragana}\p{Katakana}ー])[\p{L}\p{M}\p{N}]"
_TOKEN: Final = regex.compile(CJK_DAY + rf"|\p{{Han}}|[\p{{Hiragana}}\p{{Katakana}}ー]|{_OTHER}(?:{_OTHER}|['.:-])*")
_CJK: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_NOT: Final = regex.compile(r"n't\b")
_ELIDED: Final = regex.compile(r"\b(n|j|l|d|m|qu|un|all|dell|nell)'(?=\p{L}{2})")  # French and Italian
_FULL_FORMS: Final = {"an": "a", "j": "je", "n": "ne"}
_SHORT_VERB: Final = regex.compile(r"\b(i|we|you|they|he|she|it)'(?:m|re|s|ll|ve)\b")
_ARTICLE_NUMBERS: Final = frozenset({"a", "an", "second", "un", "una", "ein", "eine"})


def tokens_of(text: str) -> list[str]:
    """The words of a text in order: no case, no endings, short forms and numbers written out; a sign of CJK each."""
    flat = not_negations().sub(" remember ", text.casefold()).replace("’", "'")
    for short, full in (("can't", "can not"), ("cannot", "can not"), ("won't", "will not")):
        flat = flat.replace(short, full)
    flat = _ELIDED.sub(r"\1 ", _SHORT_VERB.sub(r"\1", _NOT.sub(" not", flat)))
    found = []
    for word in _TOKEN.findall(flat):
        word = word.strip(".'-:").removesuffix("'s")
        word = _FULL_FORMS.get(word, word)
        if word not in _ARTICLE_NUMBERS and word in numbered("numbers"):
            word = str(numbered("numbers")[word])
        found.append(stem(word))
    return [word for word in found if word]


def stem(word: str) -> str:
    """A word without its English ending, in American spelling; empty for one that changes nothing ("currently")."""
    if word in word_set("change", "skipped"):
        return ""
    word = _spelling().get(word, word)
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


@cache
def _spelling() -> Mapping[str, str]:
    return dict(pair.split(" ", 1) for pair in listed("change", "spelling"))


@cache
def not_negations() -> regex.Pattern[str]:
    """What looks like a negation and is none: `don't forget`."""
    return fragments("change", "not_negations")


def _is_negated(text: str) -> bool:
    bare = not_negations().sub(" remember ", text)
    count = len(fragments("change", "negations").findall(bare))
    return count % 2 == 1 or fragments("change", "surely_negated").search(bare) is not None


@cache
def negation_words() -> frozenset[str]:
    """The words that deny, as `tokens_of` gives them."""
    return word_set("change", "negation_words")


@cache
def _attributes() -> tuple[str, ...]:
    names = (
        name.removesuffix("_words")
        for name in words("en")["attributes"]
        if name not in ("one_valued", "value_of", "one_of", "not_values")
    )
    return tuple(dict.fromkeys(names))
