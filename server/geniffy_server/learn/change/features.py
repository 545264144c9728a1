"""What two statements have in common and where they differ, as numbers between 0 and 1."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.change.corrections import Correction
from geniffy_server.learn.change.happenings import is_dated, is_happening, is_of_one_day
from geniffy_server.learn.lexicon import alternatives, fragments, keyed, listed, numbered, word_set, words

Features = Mapping[str, float]

_HELD: Final = 20_000  # analysed statements that are kept; a pair costs half when both are
_LONGEST: Final = 1_000  # characters; what is longer never retires anything


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
    text = _turned(text[:_LONGEST])
    tokens = tuple(_tokens(text))
    bare = _not_negations().sub(" ", text)
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


def features(old: Statement, new: Statement, old_about: str | None, new_about: str | None) -> Features:
    """Every feature of the pair by name. `old_about` and `new_about` are their subjects, None where unknown."""
    old_key, new_key = _subject_key(old_about), _subject_key(new_about)
    edits, shared = _edits(old.tokens, new.tokens)
    negation = _negation_words()
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


_CJK_DAY: Final = r"[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]"
_OTHER: Final = r"(?![\p{Han}\p{Hiragana}\p{Katakana}ー])[\p{L}\p{M}\p{N}]"
_TOKEN: Final = regex.compile(_CJK_DAY + rf"|\p{{Han}}|[\p{{Hiragana}}\p{{Katakana}}ー]|{_OTHER}(?:{_OTHER}|['.:-])*")
_CJK: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_NOT: Final = regex.compile(r"n't\b")
_ELIDED: Final = regex.compile(r"\b(n|j|l|d|m|qu|un|all|dell|nell)'(?=\p{L}{2})")  # French and Italian
_FULL_FORMS: Final = {"an": "a", "j": "je", "n": "ne"}
_SHORT_VERB: Final = regex.compile(r"\b(i|we|you|they|he|she|it)'(?:m|re|s|ll|ve)\b")
_ARTICLE_NUMBERS: Final = frozenset({"a", "an", "second", "un", "una", "ein", "eine"})


def _tokens(text: str) -> list[str]:
    flat = _not_negations().sub(" remember ", text.casefold()).replace("’", "'")
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
def _not_negations() -> regex.Pattern[str]:
    return fragments("change", "not_negations")


def _is_negated(text: str) -> bool:
    bare = _not_negations().sub(" remember ", text)
    count = len(fragments("change", "negations").findall(bare))
    return count % 2 == 1 or fragments("change", "surely_negated").search(bare) is not None


@cache
def _negation_words() -> frozenset[str]:
    return word_set("change", "negation_words")


@cache
def _attributes() -> tuple[str, ...]:
    names = (
        name.removesuffix("_words")
        for name in words("en")["attributes"]
        if name not in ("one_valued", "value_of", "one_of", "not_values")
    )
    return tuple(dict.fromkeys(names))


_INVERTED: Final = regex.compile(
    r"(?P<value>(?:Mr\.?|Ms\.?|Mrs\.?|Dr\.?)?\s*(?-i:\p{Lu})[\p{L}\s.'-]*?) is (?:now )?"
    r"(?P<whose>my|our|the|(?-i:\p{Lu})\p{L}+'s) "
    r"(?:new |current )?"
    r"(?P<role>(?:manager|boss|ceo|cto|cfo|coo|lead|doctor|dentist|landlord|landlady|wife|husband|partner|lawyer|accountant|"
    r"tutor|coach|president|head of \p{L}+|team lead|owner|plumber|therapist|director|chair|treasurer|editor|captain|"
    r"principal|mayor|product owner|scrum master|maid of honou?r|best man|contact|point of contact)"
    r"(?: (?:of|at|for) (?-i:\p{Lu})\S*(?: (?-i:\p{Lu})\S*)*)?)"
    r"(?: now)?(?=[.!]?$)",
    regex.IGNORECASE,
)
_LEFT_FIRST: Final = regex.compile(  # Helen left, my new boss is Rajiv
    r"^[^,;]{2,40}[,;] (?:and |so |but )?(?=(?:my|our|the) new \p{L}+(?: \p{L}+)? is )"
    r"|^[^,;]{2,30} (?:left|resigned|stepped down|retired|quit|is gone|died)[,;] (?:and |so |now )*(?=(?:my|our|the) )",
    regex.IGNORECASE,
)
_CHANGED_FOR: Final = regex.compile(  # I changed dentists: Dr. Patel now
    r"^(?:I|we)(?:['’]ve| have)? (?:changed|switched) (?P<role>\p{L}+)s[:,;] (?:now )?(?P<who>(?-i:\p{Lu})[\p{L}. ]+?)"
    r"(?: now)?(?=[.!]?$)",
    regex.IGNORECASE,
)


# What one came to dislike, in whatever words.
_DISLIKES: Final = regex.compile(
    r"\b(?:can['’]?t|cannot|can not) (?:stand|bear)\b(?P<what>.*?)(?P<more> any ?more| any longer)?(?=[.!]?$)"
    r"|\b(?:do|does)(?:n['’]t| not) (?:really )?(?:like|love|enjoy)\b"
    r"(?P<what>.*?)(?P<more> any ?more| any longer)(?=[.!]?$)"
    r"|\bno longer (?:likes?|loves?|enjoys?)\b(?P<what>.*?)(?P<more>)(?=[.!]?$)",
    regex.IGNORECASE,
)

# What is quit for something else denies nothing.
_QUITS_FOR: Final = regex.compile(
    r"\bquit (?=(?-i:\p{Lu})\S*,? (?:and|then|to|for)\b)"
    r"|\b(?:quit|gave up|stopped) (?=\p{L}+(?: \p{L}+)?,? (?:and|to) (?:became|become|be|is|am)\b)",
    regex.IGNORECASE,
)


def _turned(text: str) -> str:
    """`Dana is my manager` as `my manager is Dana`, `can't stand` as `hates`, and `The new office` as `The office`."""
    text = _CHANGED_FOR.sub(r"My \g<role> is \g<who>", _LEFT_FIRST.sub("", text))
    text = _QUITS_FOR.sub("left ", text)
    text = _DISLIKES.sub(lambda it: f"hates{it['what']}" + (" now" if it["more"] is not None else ""), text)
    found = _INVERTED.match(text)
    if found:
        return f"{found['whose']} {found['role']} is {found['value']}{text[found.end() :]}"
    for pattern, words_for_it in _wordings():
        text = pattern.sub(words_for_it, text)
    return _renewed().sub(r"\1 ", text)


@cache
def _renewed() -> regex.Pattern[str]:
    whose, new = "|".join(listed("change", "whose")), "|".join(listed("change", "renewed"))
    return regex.compile(rf"^({whose}|(?-i:\p{{Lu}})\p{{L}}+['’]s) (?:{new}) ", regex.IGNORECASE)


@cache
def _wordings() -> Sequence[tuple[regex.Pattern[str], str]]:
    """Other words for what is said in one way from here on: `comes from Chile` for `is from Chile`."""
    pairs = (pair.split(" => ") for pair in listed("change", "wordings"))
    return [(regex.compile(rf"(?<!\p{{L}})(?:{one})", regex.IGNORECASE), other) for one, other in pairs]


def is_of_first_person(text: str) -> bool:
    """Whether a statement begins with `I`, `we`, `my` or `our`."""
    return _FIRST.match(text) is not None


_FIRST: Final = regex.compile(r"(?:i|we|my|our)(?![\p{L}\p{M}])", regex.IGNORECASE)


def is_of_mine(text: str) -> bool:
    """Whether a statement begins with what is one's own: `Mein Chef ist …`."""
    return _mine().match(text) is not None


@cache
def _mine() -> regex.Pattern[str]:
    return regex.compile(rf"(?:{'|'.join(listed('change', 'whose'))}) \p{{L}}", regex.IGNORECASE)


def names_a_role(text: str) -> bool:
    """Whether a statement says who has a role, as `Dana is my manager` does."""
    if len(text) > _LONGEST:
        return False
    bare = _LEFT_FIRST.sub("", text)
    if _INVERTED.match(bare) or _CHANGED_FOR.match(bare) or (bare != text and _name_given().match(bare)):
        return True
    is_of_some_language = _renewed().match(bare) is not None or is_of_mine(bare)
    return is_of_some_language and _name_given().match(_turned(bare)) is not None


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
    denied = [word for word in _tokens(right.denied or "") if word not in word_set("change", "stop_words")]
    if not denied or not set(denied) <= set(was.tokens) or set(denied) <= set(now.tokens):
        return False
    left = was.content - set(denied)
    return bool(left & now.content) and len(left - now.content) <= len(was.content) / 4


def is_same_thing(one: str, other: str) -> bool:
    """Whether two runs of words name one thing: `olives`, `all olives`, not `opera`, `opera glasses`."""
    return _weighty(one) == _weighty(other)


def _weighty(text: str) -> list[str]:
    light = _weightless() | word_set("change", "empty_words") | word_set("states", "articles")
    return [word for word in _tokens(text) if word not in light]


def _ends(old: Statement, new: Statement, about: str) -> bool:
    """`I drive a Volvo`, `I sold the Volvo`: the newer ends something, and names nothing that the older did not."""
    if fragments("change", "ends").search(_not_negations().sub(" ", new.text)) is None:
        return False
    named = new.content - _ceased_stems() - set(_tokens(about)) - keyed("months").keys()
    return bool(named) and named <= old.content


_ARTICLES: Final = frozenset({"a", "an"})


@cache
def _weightless() -> frozenset[str]:
    """Words that add nothing to what is said or denied, as they stand and without their endings."""
    many = word_set("change", "weightless") | _negation_words()
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
    return set(_tokens(left[1])) - word_set("change", "stop_words") if left is not None else None


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
    if all(word in _day_stems() or regex.fullmatch(_CJK_DAY, word) for word in run):
        return "day"
    return "code" if any("@" in word or regex.search(r"\w\.\w", word) for word in run) else None


def _typed_value(old: Statement, new: Statement, edits: Sequence[Edit], about: str | None, key: str | None) -> float:
    """1 when one run of words differs and both sides of it are numbers, days or codes, after the subject.

    A half when it may be an event of its own: a past verb, or something the owner does on a day.
    """
    if len(edits) != 1 or edits[0][0] != "replace":
        return 0.0
    _, start, end, other_start, other_end = edits[0]
    kind = _type_of(old.tokens[start:end])
    if kind is None or kind != _type_of(new.tokens[other_start:other_end]) or start == 0:
        return 0.0
    head = old.tokens[:start]
    reach = len((key or "").split()) + (1 if head[0] in ("the", "my", "our") else 0)
    if regex.match(r"\p{Latin}", head[0]) and start <= max(1, reach) and not _copula().search(" ".join(head)):
        return 0.0  # the value is part of the subject
    is_day = kind == "day" or bool(_day_stems() & ({*head[-1:]} - {"月"} | {*old.tokens[end : end + 2]}))
    is_event = any(is_happening(one.text) or is_of_one_day(one.text) for one in (old, new))
    is_event = is_event or (about == OWNER and kind == "day") or (is_day and not is_dated(old.text))
    return 0.5 if is_event else 1.0


@cache
def _copula() -> regex.Pattern[str]:
    return fragments("change", "copula")


@cache
def _name_given() -> regex.Pattern[str]:
    mine = "|".join(listed("subject", "mine"))
    called = "|".join(["is", "are", "es", "est", "ist", "è", "is called", "is now", "—", *listed("subject", "called")])
    articles = alternatives(word.lower() for word in listed("subject", "articles"))
    return regex.compile(
        rf"(?:(?P<subject>(?:(?i:the|my|our|{mine}|{articles})|\p{{Lu}}\p{{L}}+['’]s)\s+[\p{{L}}\s-]{{2,30}}?)"
        rf"\s+(?:{called})"
        r"|(?P<subject>(?i:(?:please )?call me)))\s+"
        r"(?P<value>(?:now |the |a |an )?(?:\p{Lu}[\p{L}\p{N}.'-]*\s*){1,3}\d*)[.!]?$"
    )


@cache
def _value_given() -> regex.Pattern[str]:
    nouns = "|".join(listed("attributes", "value_of"))
    return regex.compile(
        rf"(?P<subject>(?:(?i:the|my|our)|\p{{Lu}}\p{{L}}+['’]s)\s+(?:\p{{L}}+\s)?(?i:{nouns}))\s*(?:is|are|was|:)\s+"
        r"(?P<value>(?!(?:not|in|on|at|no|being|about|over|required|wrong|missing|due|unknown|too|very|so|the same)\b)"
        r"\S+(?:\s\S+){0,5})[.!]?$"
    )


@cache
def _one_given() -> regex.Pattern[str]:
    nouns = "|".join(listed("attributes", "one_of"))
    return regex.compile(rf"(?P<subject>(?:the|my|our) (?:\p{{L}}+ )?(?:{nouns})) is (?P<value>\S+?)[.!]?", regex.I)


def is_one_of_two(old: str, new: str) -> bool:
    """Whether both give a thing that has one value another: `The release branch is main`, `… is next`."""
    one, other = _one_given().fullmatch(old), _one_given().fullmatch(new)
    if one is None or other is None or _tokens(one["subject"]) != _tokens(other["subject"]):
        return False
    values = {one["value"].casefold(), other["value"].casefold()}
    return len(values) == 2 and not values & word_set("attributes", "not_values")


@cache
def _labelled() -> regex.Pattern[str]:
    nouns = "|".join(listed("attributes", "value_of"))
    return regex.compile(
        rf"(?P<subject>(?i:(?:next|current|latest|new) \p{{L}}+(?: \p{{L}}+)?|(?:\p{{L}}+ )?(?:{nouns}))):\s*"
        r"(?P<value>.+)"
    )


def named_value(old: str, new: str) -> float:
    """1 when both give another name or value to one thing: `My doctor is Lee`, `Wong is my new doctor`."""
    old, new = _turned(old), _turned(new)
    for pattern in (_name_given(), _value_given(), _labelled()):
        one, other = pattern.match(old), pattern.match(new)
        if one is None or other is None or one["value"].strip(" .") == other["value"].strip(" ."):
            continue
        if _tokens(one["subject"]) == _tokens(other["subject"]):
            return 0.0 if fragments("change", "many_valued").search(one["subject"]) else 1.0
    return 0.0
