"""What becomes of a held statement when a newer one arrives.

A gate of things seen in the words decides whether anything may be retired at all; a classifier over the same words
may only say no. Cosine never merges and never retires: "I prefer tea over coffee" and "I prefer coffee over tea" are
as near as two sentences get.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from typing import Final, Literal

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.change.corrections import Correction, correction
from geniffy_server.learn.change.endings import comes_after, ends
from geniffy_server.learn.change.features import Features, features, is_denied, is_same_thing, leaves_another
from geniffy_server.learn.change.given_up import given_up, gone, has_named, is_given_up, is_gone
from geniffy_server.learn.change.happenings import is_happening, is_of_one_day, names_another
from geniffy_server.learn.change.named_values import is_one_of_two, named_value, names_a_role
from geniffy_server.learn.change.resets import (
    are_of_a_sort,
    called_off,
    is_called_off,
    is_reset,
    is_reset_of_one,
    is_switched,
    set_anew,
    switched,
)
from geniffy_server.learn.change.rewording import is_of_first_person, is_of_mine
from geniffy_server.learn.change.roles import hands_over, is_handed_over
from geniffy_server.learn.change.statements import Statement, statement
from geniffy_server.learn.change.states import State, differ, is_wider, states
from geniffy_server.learn.change.tastes import taste
from geniffy_server.learn.lexicon import fragments
from geniffy_server.learn.subjects.subject import WEAK

Outcome = Literal["same", "replaces", "clash", "both"]
Reach = Literal["near", "far", "any"]

_STRONG: Final = frozenset(
    {
        "swapped", "typed", "named", "from to", "ended", "polarity", "exclusive", "state", "denied", "comes after",
        "given up", "reset", "reversed", "attribute and now", "frame and now",
    }
)  # fmt: skip
"""Gates that retire by themselves; the others need the classifier's yes."""
_IN_THE_WORDS: Final = frozenset({"swapped", "typed", "named", "polarity", "denied", "exclusive", "reset"})
"""Gates that see almost the same words twice, so that one subject may be unknown."""
_KEPT: Final = 4_000  # statements of which it is kept how far they reach
_SURE: Final = 0.7
_DOUBTFUL: Final = 0.3
_SHORT: Final = 16  # words; of longer sentences only a changed value or name is trusted


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two statements. `words` leave out a subject put before them, and that something is put right."""

    words: str
    about: str | None
    how: str
    statement: Statement


def decide(
    held_text: str, new_text: str, *, held_about: str | None, new_about: str | None, held_how: str, new_how: str
) -> Outcome:
    """Whether the newer statement says the `same`, `replaces` the held one, contradicts it (`clash`), or `both` hold.

    Statements about two different known subjects both hold, unless they name one thing's name or role; and a subject
    that was found by a weak rule (`subjects.WEAK`) retires nothing, unless both sentences name that subject themselves
    in the same words.
    """
    held_words, new_words = _bare(held_text, held_about), _bare(new_text, new_about)
    held_about, new_about = _who_likes(held_words, held_about), _who_likes(new_words, new_about)
    right = correction(new_words)
    if right is not None and right.denied is not None and not is_denied(held_words, right):
        right = replace(right, denied=None) if right.is_led else None  # it puts something else right
    if right is not None:
        new_about = None if _is_of_the_lead(new_about, new_words, right) else new_about
        new_words = right.text
    if right is not None and right.is_led and new_about is None and is_of_first_person(new_words):
        new_about, new_how = OWNER, "first"
    if held_about is None and _begin_alike(held_words, new_words, new_about):
        held_about, held_how = new_about, "none"
    elif new_about is None and _begin_alike(held_words, new_words, held_about):
        new_about, new_how = held_about, "none"
    held = _Side(held_words, held_about, held_how, statement(held_words))
    new = _Side(new_words, new_about, new_how, statement(new_words))
    if not held.statement.tokens or not new.statement.tokens:
        return "same" if held_text.strip() == new_text.strip() else "both"
    if held_words != held_text and new_words != new_text and _are_numbered_apart(held_about, new_about):
        return "both"  # `Room 11: booked`, `Room 12: booked`
    if not set(held.statement.tokens) & set(new.statement.tokens) and reach(new_text, new_about) == "near":
        return "both"  # as many pairs do
    found = features(held.statement, new.statement, held_about, new_about)
    if found["same_subject"] < 0.5:
        return _of_two_subjects(held, new, right)
    if found["equal"] or _says_the_same(held, new):
        return "same"
    if held_words != held_text and new_words != new_text and named_value(held_text, new_text):
        return "replaces"  # `Next meeting: …`, whose label was taken for the subject
    gate = _gate(found, held, new, right)
    is_of_one = right is not None and right.is_led and _names_the_same(held, new)
    is_one_unknown = (held_about is None) != (new_about is None)
    if gate is None or (is_one_unknown and not is_of_one and not _is_of_the_words(gate, found)):
        return "both"
    return _outcome(gate, found, held, new, right)


def _are_numbered_apart(one: str | None, other: str | None) -> bool:
    numbers = [_NUMBER_OF_LABEL.search(it or "") for it in (one, other)]
    return None not in numbers and len({it.group() for it in numbers if it is not None}) == 2


_NUMBER_OF_LABEL: Final = regex.compile(r"\d+$")


def _begin_alike(held: str, new: str, about: str | None) -> bool:
    """Whether both begin with a subject that was found in one of them alone: `The store is …`, `The store moved …`."""
    if about is None or about == OWNER:
        return False
    one, other = _FRONT.sub("", held.casefold()), _FRONT.sub("", new.casefold())
    return all(regex.match(rf"{regex.escape(about.casefold())}(?![\p{{L}}\p{{M}}\p{{N}}])", it) for it in (one, other))


_FRONT: Final = regex.compile(r"^(?:the|our) ")


def _who_likes(words: str, about: str | None) -> str | None:
    """Whom a statement is about; the owner where its topic is what they like: `コーヒーはもう嫌いです`."""
    if about is None or about == OWNER or not _SPACELESS.match(about):
        return about
    mine = taste(words, None)
    return OWNER if mine is not None and is_same_thing(mine.of, about) else about


_SPACELESS: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")


def _says_the_same(held: _Side, new: _Side) -> bool:
    """Whether both say one thing and no more: `am a nurse`, `work as a nurse`; `like olives`, `am fond of olives`.

    What came to be so has a day of its own: who moved to Faro did so once.
    """
    one, other = held.statement, new.statement
    if one.is_unreal or other.is_unreal or one.formerly or other.formerly or _adds_another(one, other):
        return False
    mine, theirs = taste(held.words, held.about), taste(new.words, new.about)
    if mine is not None and theirs is not None:
        is_as_strong = mine.likes == theirs.likes and mine.strongly == theirs.strongly
        return is_as_strong and one.holds_now == other.holds_now and is_same_thing(mine.of, theirs.of)
    if one.is_negated or other.is_negated or one.holds_now != other.holds_now:
        return False
    given, again = states(held.words, held.about), states(new.words, new.about)
    return (
        bool(given)
        and {_plain(one) for one in given} == {_plain(one) for one in again}
        and None not in map(_plain, given)
    )


def _plain(state: State) -> tuple[str, frozenset[str], str] | None:
    return (state.attribute, state.value, state.language) if state.is_whole and not state.changes else None


@lru_cache(maxsize=_KEPT)
def reach(text: str, about: str | None) -> Reach:
    """How far off a statement may change what is held: `near` in meaning, `far` of its subject, or `any` subject's."""
    words = _bare(text, about)
    if names_a_role(words) or hands_over(words) or gone(words) or has_named(words, about):
        return "any"
    if set_anew(words) or called_off(words) or switched(words) or _who_likes(words, about) != about:
        return "any"
    one, right = statement(words), correction(words)
    if right is not None and _is_of_the_lead(about, words, right):
        return "any"
    changes = one.holds_now or one.ceased or one.moves or right is not None or comes_after(words)
    return "far" if changes or states(words, about) or given_up(words, about) else "near"


def _is_of_the_lead(about: str | None, words: str, right: Correction) -> bool:
    """Whether what was taken for the subject is the word that puts right: `Correction : le code est 4417`."""
    if about is None or not right.is_led:
        return False
    if about == OWNER:
        return not is_of_first_person(right.text)  # I meant the code is 4417
    return words.casefold().startswith(about.casefold()) and about.casefold() not in right.text.casefold()


def _is_of_the_words(gate: str, found: Features) -> bool:
    """Whether the words alone tell that one thing is spoken of, where one subject is unknown."""
    if gate == "polarity":
        return bool(found["first_word"] or found["negated_old"]) or not (found["only_old"] or found["only_new"])
    return gate in _IN_THE_WORDS


def _outcome(gate: str, found: Features, held: _Side, new: _Side, right: Correction | None) -> Outcome:
    if gate == "one of two":
        return "clash"  # the word alone doesn't tell a name from what it is like
    likely = probability(found)
    if gate in _STRONG or likely >= _SURE or right is not None:
        if held.statement.is_fixed and new.statement.is_fixed and right is None:
            return "clash"  # one of them was never true
        is_of_one = (gate == "reset" or (right is not None and right.is_led)) and _names_the_same(held, new)
        is_sure = (is_of_one or _may_retire(held, new)) and not (gate == "state" and _loses(held, new))
        return "replaces" if is_sure else "clash"
    return "clash" if likely >= _DOUBTFUL else "both"


def _of_two_subjects(held: _Side, new: _Side, right: Correction | None) -> Outcome:
    """`The lead is Olaf` and `Olga is the lead now` are of one role; `Ken owns X now` takes X from Lina."""
    if named_value(held.words, new.words) and all(_names_itself(one) or _is_of_mine(one) for one in (held, new)):
        return "replaces"
    if is_gone(held.words, held.about, new.words):
        return "replaces"
    if is_handed_over(held.words, new.words):
        return "replaces"
    if new.about in (None, OWNER) and _names_itself(held) and _is_set(held, new):
        return "replaces"  # I turned the heating off
    if right is not None and right.denied is not None and held.about is not None:
        return "replaces" if held.about.casefold() in right.denied.casefold() else "both"
    return "both"


def _names_itself(side: _Side) -> bool:
    """Whether the subject is named in the words, not by a heading over them."""
    return side.about is not None and side.about.split()[-1].casefold() in side.words.casefold()


def _is_of_mine(side: _Side) -> bool:
    return side.about == OWNER and is_of_mine(side.statement.text)


def _names_the_same(held: _Side, new: _Side) -> bool:
    """Whether the subject of what is held stands in the words of both, and the newer one has no other."""
    return new.about is None and _names_itself(held) and (held.about or "").casefold() in new.words.casefold()


def _bare(text: str, about: str | None) -> str:
    """A statement without the subject that was put before it: `Kim Park: CFO at Acme`."""
    return text[len(about) + 2 :] if about and text.startswith(f"{about}: ") else text


def probability(found: Features) -> float:
    """How likely the newer statement takes the place of the held one, by its features."""
    bias, weights = _model()
    logit = bias + sum(weight * found[name] for name, weight in weights.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def _may_retire(held: _Side, new: _Side) -> bool:
    if held.how == new.how == "np" and held.about is not None and new.about is not None:
        return held.about.casefold() == new.about.casefold()
    return held.how not in WEAK and new.how not in WEAK


def _loses(held: _Side, new: _Side) -> bool:
    """Whether what is held says more than the value that changed, or a region and a town are told as its values.

    `Ana lives in Berlin and works at Nokia` says where she works as well.
    """
    mine, theirs = states(held.words, held.about), states(new.words, new.about)
    if not all(state.is_whole for state in mine):
        return True
    return all(is_wider(one, other) for one in mine for other in theirs if differ(one, other))


def _gate(found: Features, held: _Side, new: _Side, right: Correction | None) -> str | None:
    """What is seen in the words that may retire the held statement; None for nothing."""
    if not new.statement.is_unreal and _is_set(held, new):
        return "reset"  # the plan too
    if new.statement.is_unreal != held.statement.is_unreal:
        return None  # a wish ends nothing, and a wish that came true was one
    if right is not None and right.denied is not None:
        return "denied"
    if (found["formerly"] or new.statement.formerly) and not found["flipped"]:
        return None
    if found["jaccard"] == 1 and found["covered_longer"] < 1 and not found["flipped"] and found["compares"]:
        return "swapped"  # tea over coffee, coffee over tea
    if found["typed"] == 1:
        return "typed"
    if found["named"]:
        return "named"
    if is_one_of_two(held.words, new.words) or is_reset_of_one(held.words, new.words):
        return "one of two"
    if found["from_to"]:
        return "from to"
    if _is_other_state(held, new):
        return "state"
    if ends(held.words, new.words):
        return "comes after"
    if is_given_up(held.words, held.about, new.words, new.about) or is_gone(held.words, held.about, new.words):
        return "given up"
    if max(held.statement.size, new.statement.size) > _SHORT:
        return None
    mine, theirs = taste(held.words, held.about), taste(new.words, new.about)
    if mine is not None and theirs is not None:
        is_turned = mine.likes != theirs.likes and is_same_thing(mine.of, theirs.of)
        return "reversed" if is_turned else None
    gate = _of_polarity(found, held.statement)
    if gate == "polarity" and not found["ceased"] and (_is_once(held) or _is_once(new)):
        return None  # tired today, not tired today
    if gate is not None or _agree(held, new):
        return gate
    if names_another(held.words, new.words):
        return None
    return _of_values(found, held.statement, new.statement, right)


def _is_once(side: _Side) -> bool:
    return is_of_one_day(side.words) or (is_happening(side.words) and not side.statement.is_lasting)


def _is_set(held: _Side, new: _Side) -> bool:
    if is_reset(held.words, new.words) or is_called_off(held.words, new.words):
        return True
    return is_switched(held.words, new.words)


def _agree(held: _Side, new: _Side) -> bool:
    """Whether both give one attribute a value, and these may both hold: `Dublin`, `9 Church Street`."""
    return any(
        one.attribute == other.attribute and not differ(one, other)
        for one in states(held.words, held.about)
        for other in states(new.words, new.about)
    )


def _is_other_state(held: _Side, new: _Side) -> bool:
    """Whether both give one attribute another value, the newer in words that surely give that attribute."""
    if new.statement.is_negated or held.statement.is_negated or _adds_another(held.statement, new.statement):
        return False
    return any(
        differ(one, other) and (other.changes or new.statement.holds_now or not _is_doubtful(one, other))
        for one in states(held.words, held.about)
        for other in states(new.words, new.about)
    )


def _is_doubtful(one: State, other: State) -> bool:
    """Whether two attributes may not be one, or two values be one in two languages."""
    return one.loose or other.loose or one.language != other.language


def _of_polarity(found: Features, held: Statement) -> str | None:
    is_reworded = found["only_old"] and found["only_new"] and not found["says_now"]  # not sushi, but ramen
    if found["flipped"] and found["only_old"] <= 0.34 and found["only_new"] <= 0.5 and found["jaccard"] >= 0.3:
        # Not in the rain, only on holidays: neither says that the other does not hold.
        is_narrower = found["adds"] or (found["drops"] and not found["negated_new"])
        return None if is_reworded or is_narrower or not found["names_it"] else "polarity"
    if held.is_negated and found["ends"]:
        return None
    if found["ends"] and held.is_lasting:
        return "ended"
    if found["opposite"] and found["only_old"] <= 0.5 and found["only_new"] <= 0.5 and found["covered"] >= 0.5:
        return "reversed" if found["one_replaced"] else "opposite"
    if found["ends"] and found["only_old"] <= 0.5 and found["jaccard"] >= 0.2 and found["only_new"] <= 0.67:
        return "ceased"
    return "exclusive" if found["exclusive"] else None


def _adds_another(held: Statement, new: Statement) -> bool:
    """Whether the newer one says that it is so beside something else: `I now play the violin as well`."""
    return new.adds_another and not held.adds_another


def _is_kind_of(text: str) -> bool:
    """Whether a statement says what sort of thing its subject is; of such sorts one may be several."""
    return fragments("change", "kind_of", flags=0).search(text) is not None


def _prefers(one: Statement) -> bool:
    """Whether a statement says what someone would rather have; one prefers one thing at a time."""
    return _PREFERS.search(one.text) is not None


_PREFERS: Final = regex.compile(r"\bprefers?\b", regex.IGNORECASE)


def _of_values(found: Features, held: Statement, new: Statement, right: Correction | None) -> str | None:
    longest = max(held.size, new.size)
    if _adds_another(held, new):
        return None
    if found["flipped"] or leaves_another(held, new) or not are_of_a_sort(held.text, new.text):
        return None
    is_now = right is not None or (new.holds_now and not (held.holds_now and new.is_negated))
    is_habit = new.holds_now and not any(is_happening(it.text) or is_of_one_day(it.text) for it in (held, new))
    if found["many_valued"] or (found["typed"] == 0.5 and not is_habit) or (found["another"] and not is_now):
        return None
    if found["one_replaced"] and not found["values_alike"] and not (is_habit and _prefers(held) and _prefers(new)):
        return None
    if found["one_valued"] and found["one_replaced"] and found["covered"] >= 0.6:
        return "attribute"
    if found["one_valued"] and found["says_now"] and longest <= 10 and not found["negated_new"]:
        return "attribute and now" if found["same_subject"] == 1 or found["jaccard"] else None
    if _is_kind_of(held.text) and _is_kind_of(new.text):
        return None  # a nurse may be a mother now
    if fragments("change", "whereabouts").search(held.text) and fragments("change", "whereabouts").search(new.text):
        return None  # at the gym, at the bakery now
    if is_now and found["values_plain"] and found["covered"] >= 0.6 and found["covered_longer"] >= 0.5:
        return "frame and now"
    return None


@cache
def _model() -> tuple[float, Mapping[str, float]]:
    raw = tomllib.loads(resources.files("geniffy_server.learn.change").joinpath("weights.toml").read_text("utf-8"))
    return float(raw["bias"]), {str(name): float(weight) for name, weight in raw["weights"].items()}


def forget_model() -> None:
    """Read the weights again when they are next needed: they were written anew."""
    _model.cache_clear()
