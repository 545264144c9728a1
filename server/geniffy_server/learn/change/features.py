"""What two statements have in common and where they differ, as numbers between 0 and 1."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.change.corrections import Correction
from geniffy_server.learn.change.happenings import is_dated, is_happening, is_of_one_day
from geniffy_server.learn.change.named_values import named_value
from geniffy_server.learn.change.numbering import tells_which
from geniffy_server.learn.change.statements import (
    CJK_DAY,
    Statement,
    negation_words,
    not_negations,
    statement,
    stem,
    tokens_of,
)
from geniffy_server.learn.lexicon import fragments, keyed, listed, word_set

Features = Mapping[str, float]


def features(old: Statement, new: Statement, old_about: str | None, new_about: str | None) -> Features:
    """Every feature of the pair by name. `old_about` and `new_about` are their subjects, None where unknown."""
    old_key, new_key = _subject_key(old_about), _subject_key(new_about)
    edits, shared = _edits(old.tokens, new.tokens)
    negation = negation_words()
    old_plain, new_plain = old.content - negation, new.content - negation
    only_old, only_new = old_plain - new_plain, new_plain - old_plain
    one_valued = old.one_valued & new.one_valued
    union = old.content | new.content
    replaced = len(edits) == 1 and edits[0][0] == "replace"
    sizes = (max(1, len(old.tokens)), max(1, len(new.tokens)))
    return {
        "same_subject": _same_subject(old_key, new_key),
        "first_person": float(old_key == OWNER.casefold()),
        "first_word": float(old.tokens[:1] == new.tokens[:1] or old.tokens[1:2] == new.tokens[1:2]),
        "equal": float(_content_in_order(old) == _content_in_order(new) and old.is_negated == new.is_negated),
        "jaccard": len(old.content & new.content) / max(1, len(union)),
        "covered": shared / min(sizes),
        "covered_longer": shared / max(sizes),
        "flipped": float(old.is_negated != new.is_negated),
        "negated_old": float(old.is_negated),
        "negated_new": float(new.is_negated),
        "says_now": float(bool(new.cues - old.cues) or (new.moves and bool(one_valued & {"residence", "place"}))),
        "formerly": float(old.formerly),
        "ceased": float(new.ceased),
        "one_valued": float(bool(one_valued)),
        "many_valued": float(bool(old.many_valued & new.many_valued) and not one_valued),
        "values_alike": float(replaced and _are_alike(old, new, edits[0])),
        "values_plain": float(replaced and _are_plain(old, new, edits[0])),
        "ends": float(_ends(old, new, old_about or "")),
        "from_to": float(_comes_from(old, new)),
        "names_it": float(bool((old_plain & new_plain) - _anaphors())),
        "opposite": float(_are_opposite(old, new) and not (is_happening(old.text) or is_happening(new.text))),
        "numbers_differ": float(_has_number(only_old) and _has_number(only_new)),
        "days_differ": float(bool(only_old & _days()) and bool(only_new & _days())),
        "names_differ": float(bool(old.names - new.names) and bool(new.names - old.names)),
        "one_replaced": float(replaced),
        "contained": float(old_plain < new_plain),
        "adds": float(bool(only_new - _weightless())),
        "drops": float(bool(only_old - _weightless())),
        "exclusive": float(_are_exclusive(old.tokens, new.tokens, edits)),
        "only_old": len(only_old) / max(1, len(old_plain)),
        "only_new": len(only_new) / max(1, len(new_plain)),
        "compares": float(_compares(old.text)),
        "typed": _typed_value(old, new, edits, old_about, old_key),
        "another": float(_is_of_another(old, new, edits, old_about, _reach(old.tokens, old_key))),
        "named": named_value(old.text, new.text),
    }


Edit = tuple[str, int, int, int, int]


def _edits(old: Sequence[str], new: Sequence[str]) -> tuple[list[Edit], int]:
    """The edits that turn one into the other, and how many words stay."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    codes = matcher.get_opcodes()
    return [code for code in codes if code[0] != "equal"], sum(
        code[2] - code[1] for code in codes if code[0] == "equal"
    )


_KEY_FRONT: Final = regex.compile(r"^(?:new|current|old) ")
_KEY_ENDS: Final = regex.compile(r"[\s\d.]+$|^(?:the|a) ")


def _subject_key(about: str | None) -> str | None:
    if about is None:
        return None
    return _KEY_ENDS.sub("", _KEY_FRONT.sub("", about.casefold())).strip() or about


def _same_subject(old: str | None, new: str | None) -> float:
    if old == new and old:
        return 1.0
    return 0.6 if old is None or new is None or old in new or new in old else 0.0


def _content_in_order(one: Statement) -> list[str]:
    empty_words, at_words = word_set("change", "empty_words"), word_set("change", "at_words")
    return ["at" if word in at_words else word for word in one.tokens if word not in empty_words]


def _are_alike(old: Statement, new: Statement, edit: Edit) -> bool:
    """Whether both values of one place look alike: `on leave` is no answer to `Ana`, nor `great` to `Lee`."""
    one, other = old.tokens[edit[1] : edit[2]], new.tokens[edit[3] : edit[4]]
    first, second = one[0], other[0]
    if first[:1].isdigit() != second[:1].isdigit() or _type_of(one) != _type_of(other):
        return False
    if _holds_name(one, old.names) != _holds_name(other, new.names):
        return False
    return all((first in many) == (second in many) for many in (word_set("change", "prepositions"), _ARTICLES))


def _are_plain(old: Statement, new: Statement, edit: Edit) -> bool:
    """Whether both values are one thing each: not `tea with milk`."""
    inner = (*old.tokens[edit[1] + 1 : edit[2]], *new.tokens[edit[3] + 1 : edit[4]])
    return not word_set("change", "prepositions") & set(inner)


def _holds_name(run: Sequence[str], names: frozenset[str]) -> bool:
    return any(word in {stem(name) for name in names} for word in run)


def _are_exclusive(old: Sequence[str], new: Sequence[str], edits: Sequence[Edit]) -> bool:
    """Whether one word differs, and both are values of which only one holds: vegetarian and vegan, low and high."""
    if len(edits) != 1 or edits[0][0] != "replace":
        return False
    _, start, end, other_start, other_end = edits[0]
    if end - start != 1 or other_end - other_start != 1:
        return False
    before = [word for word in old[:start] if word not in _ARTICLES]
    if not before or before[-1] not in word_set("change", "exclusive_after"):
        return False  # a light jacket and a dark jacket
    return any(old[start] in many and new[other_start] in many for many in _exclusive())


@cache
def _exclusive() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(stem(word) for word in many.split()) for many in listed("change", "exclusive"))


def is_denied(held: str, right: Correction) -> bool:
    """Whether a held statement says what a correction denies, and little that the correction does not repeat."""
    was, now = statement(held), statement(right.text)
    denied = [word for word in tokens_of(right.denied or "") if word not in word_set("change", "stop_words")]
    if not denied or not set(denied) <= set(was.tokens) or set(denied) <= set(now.tokens):
        return False
    left = was.content - set(denied)
    return bool(left & now.content) and len(left - now.content) <= len(was.content) / 4


def is_same_thing(one: str, other: str) -> bool:
    """Whether two runs of words name one thing: `olives`, `all olives`, not `opera`, `opera glasses`."""
    return _weighty(one) == _weighty(other)


def _weighty(text: str) -> list[str]:
    light = _weightless() | word_set("change", "empty_words") | word_set("states", "articles")
    return [word for word in tokens_of(text) if word not in light]


def _ends(old: Statement, new: Statement, about: str) -> bool:
    """`I drive a Volvo`, `I sold the Volvo`: the newer ends something, and names nothing that the older did not."""
    if fragments("change", "ends").search(not_negations().sub(" ", new.text)) is None:
        return False
    named = new.content - _ceased_stems() - set(tokens_of(about)) - keyed("months").keys()
    # `going` is too short to lose its ending as other words do.
    plain = {word[:-3] if word.endswith("ing") and word[:-3] in old.content else word for word in named}
    return bool(plain) and plain <= old.content


_ARTICLES: Final = frozenset({"a", "an"})


@cache
def _weightless() -> frozenset[str]:
    """Words that add nothing to what is said or denied, as they stand and without their endings."""
    many = word_set("change", "weightless") | negation_words()
    return many | {stem(word) for word in many} | _ceased_stems()


@cache
def _anaphors() -> frozenset[str]:
    return frozenset(stem(word) for word in word_set("change", "anaphors"))


@cache
def _ceased_stems() -> frozenset[str]:
    return frozenset(stem(part) for word in listed("change", "ceased_words") for part in word.split())


def _left(new: Statement) -> set[str] | None:
    """The words of what was left, in `We moved from MySQL to PostgreSQL`; None when it names nothing such."""
    found = fragments("change", "from_to").search(new.text)
    if found is None:
        return None
    left = regex.match(r"\s+(.{2,60}?)\s+(?:to|into|in favou?r of)\s", new.text, pos=found.end())
    return set(tokens_of(left[1])) - word_set("change", "stop_words") if left is not None else None


def _comes_from(old: Statement, new: Statement) -> bool:
    """`We use MySQL`, `We moved from MySQL to PostgreSQL`: the newer names the older's value as what was left."""
    left = _left(new)
    return left is not None and left <= set(old.tokens)


def leaves_another(old: Statement, new: Statement) -> bool:
    """Whether the newer statement says what was left, and that is not in the older one."""
    left = _left(new)
    return left is not None and not left <= set(old.tokens)


@cache
def _opposites(key: str) -> tuple[tuple[str, str], ...]:
    return tuple((pair.split(" ")[0], pair.split(" ")[1]) for pair in listed("change", key))


def _are_opposite(old: Statement, new: Statement) -> bool:
    return any(
        (one in left and other in right) or (other in left and one in right)
        for pairs, left, right in (
            (_stemmed_opposites(), old.content, new.content),
            (_opposites("exact_opposites"), old.exact, new.exact),
        )
        for one, other in pairs
    ) or _turns_to_hate(old.text, new.text)


def _turns_to_hate(old: str, new: str) -> bool:
    """Liking and hating where words are not parted by spaces."""
    likes, hates = fragments("change", "likes"), fragments("change", "hates")
    return any(
        likes.search(one) and not hates.search(one) and hates.search(other) for one, other in ((old, new), (new, old))
    )


@cache
def _stemmed_opposites() -> tuple[tuple[str, str], ...]:
    return tuple((stem(one), stem(other)) for one, other in _opposites("opposites"))


@cache
def _days() -> frozenset[str]:
    named = [*keyed("weekdays"), *keyed("months")]
    return frozenset(named) | {stem(word) for word in keyed("weekdays")}


def _has_number(many: frozenset[str]) -> bool:
    return any(word[:1].isdigit() for word in many)


def _compares(text: str) -> bool:
    return bool(fragments("change", "comparing").search(text) and fragments("change", "compares").search(text))


@cache
def _day_stems() -> frozenset[str]:
    named = [*keyed("weekdays"), *keyed("months")]
    return frozenset(named) | {stem(word) for word in named} | {"月", "日", "号"}


def _type_of(run: Sequence[str]) -> str | None:
    if all(regex.search(r"\d", word) for word in run) or all(word in word_set("change", "ordinals") for word in run):
        return "number"
    if all(word in _day_stems() or regex.fullmatch(CJK_DAY, word) for word in run):
        return "day"
    return "code" if any("@" in word or regex.search(r"\w\.\w", word) for word in run) else None


def _typed_value(old: Statement, new: Statement, edits: Sequence[Edit], about: str | None, key: str | None) -> float:
    """1 when one run of words differs and both sides of it are numbers, days or codes, after the subject; 0 where
    the numbers only tell which of many things is spoken of.

    A half when it may be an event of its own: a past verb, or something the owner does on a day.
    """
    if len(edits) != 1 or edits[0][0] != "replace":
        return 0.0
    _, start, end, other_start, other_end = edits[0]
    kind = _type_of(old.tokens[start:end])
    if kind is None or kind != _type_of(new.tokens[other_start:other_end]) or start == 0:
        return 0.0
    head = old.tokens[:start]
    reach = _reach(head, key)
    if regex.match(r"\p{Latin}", head[0]) and start <= max(1, reach) and not _copula().search(" ".join(head)):
        return 0.0  # the value is part of the subject
    if _is_of_another(old, new, edits, about, reach):
        return 0.0
    is_day = kind == "day" or bool(_day_stems() & ({*head[-1:]} - {"月"} | {*old.tokens[end : end + 2]}))
    is_event = any(is_happening(one.text) or is_of_one_day(one.text) for one in (old, new))
    is_event = is_event or (about == OWNER and kind == "day") or (is_day and not is_dated(old.text))
    return 0.5 if is_event else 1.0


def _reach(tokens: Sequence[str], key: str | None) -> int:
    """How many of the first words a subject takes."""
    return len((key or "").split()) + (1 if tokens[:1] and tokens[0] in ("the", "my", "our") else 0)


def _is_of_another(old: Statement, new: Statement, edits: Sequence[Edit], about: str | None, reach: int) -> bool:
    """Whether both differ in a number alone, and it tells which of many things each is about."""
    if len(edits) != 1 or edits[0][0] != "replace":
        return False
    _, start, end, other_start, other_end = edits[0]
    return tells_which(old, about, start, end, reach) and tells_which(new, about, other_start, other_end, reach)


@cache
def _copula() -> regex.Pattern[str]:
    return fragments("change", "copula")
