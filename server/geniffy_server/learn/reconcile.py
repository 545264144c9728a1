"""What becomes of a held statement when a newer one arrives.

A gate of things seen in the words decides whether anything may be retired at all; a classifier over the same words
may only say no. Cosine never merges and never retires: "I prefer tea over coffee" and "I prefer coffee over tea" are
as near as two sentences get.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final, Literal

from geniffy_server.learn.changes import Features, Statement, features, statement
from geniffy_server.learn.subjects import WEAK

Outcome = Literal["same", "replaces", "clash", "both"]

_STRONG: Final = frozenset(
    {"swapped", "typed", "named", "from to", "ended", "polarity", "attribute and now", "frame and now"}
)
"""Gates that retire by themselves; the others need the classifier's yes."""
_IN_THE_WORDS: Final = frozenset({"swapped", "typed", "named", "polarity"})
"""Gates that see almost the same words twice, so that one subject may be unknown."""
_SURE: Final = 0.7
_DOUBTFUL: Final = 0.3
_SHORT: Final = 16  # words; of longer sentences only a changed value or name is trusted


def decide(
    held_text: str, new_text: str, *, held_about: str | None, new_about: str | None, held_how: str, new_how: str
) -> Outcome:
    """Whether the newer statement says the `same`, `replaces` the held one, contradicts it (`clash`), or `both` hold.

    Statements about two different known subjects always both hold, and a subject that was found by a weak rule
    (`subjects.WEAK`) retires nothing, unless both sentences name that subject themselves in the same words.
    """
    held, new = statement(_bare(held_text, held_about)), statement(_bare(new_text, new_about))
    if not held.tokens or not new.tokens:
        return "same" if held_text.strip() == new_text.strip() else "both"
    found = features(held, new, held_about, new_about)
    if found["same_subject"] < 0.5:
        return "both"
    if found["equal"]:
        return "same"
    gate = _gate(found, held, new)
    if gate is None or ((held_about is None) != (new_about is None) and gate not in _IN_THE_WORDS):
        return "both"
    likely = probability(found)
    if likely >= _SURE or (gate in _STRONG and (gate != "polarity" or likely >= 0.5)):
        return "replaces" if _may_retire(held_about, new_about, held_how, new_how) else "clash"
    return "clash" if likely >= _DOUBTFUL else "both"


def _bare(text: str, about: str | None) -> str:
    """A statement without the subject that was put before it: `Kim Park: CFO at Acme`."""
    return text[len(about) + 2 :] if about and text.startswith(f"{about}: ") else text


def probability(found: Features) -> float:
    """How likely the newer statement takes the place of the held one, by its features."""
    bias, weights = _model()
    logit = bias + sum(weight * found[name] for name, weight in weights.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def _may_retire(held_about: str | None, new_about: str | None, held_how: str, new_how: str) -> bool:
    if held_how == new_how == "np" and held_about is not None and new_about is not None:
        return held_about.casefold() == new_about.casefold()
    return held_how not in WEAK and new_how not in WEAK


def _gate(found: Features, held: Statement, new: Statement) -> str | None:
    """What is seen in the words that may retire the held statement; None for nothing."""
    if found["formerly"] and not found["flipped"]:
        return None
    if found["jaccard"] == 1 and found["covered_longer"] < 1 and not found["flipped"] and found["compares"]:
        return "swapped"  # tea over coffee, coffee over tea
    if found["typed"] == 1:
        return "typed"
    if found["named"]:
        return "named"
    if found["from_to"]:
        return "from to"
    longest = max(held.size, new.size)
    if longest > _SHORT:
        return None
    is_reworded = found["only_old"] and found["only_new"] and not found["says_now"]  # not sushi, but ramen
    if found["flipped"] and found["only_old"] <= 0.34 and found["only_new"] <= 0.5 and found["jaccard"] >= 0.3:
        return None if is_reworded else "polarity"
    if found["ends"] and held.is_lasting:
        return "ended"
    if found["opposite"] and found["only_old"] <= 0.5 and found["only_new"] <= 0.5 and found["covered"] >= 0.5:
        return "opposite"
    if found["ends"] and found["only_old"] <= 0.5 and found["jaccard"] >= 0.2 and found["only_new"] <= 0.67:
        return "ceased"
    if found["many_valued"] or found["typed"] == 0.5 or (found["one_replaced"] and not found["values_alike"]):
        return None
    if found["one_valued"] and found["one_replaced"] and found["covered"] >= 0.6:
        return "attribute"
    if found["one_valued"] and found["says_now"] and longest <= 10 and not found["negated_new"]:
        return "attribute and now" if found["same_subject"] == 1 or found["jaccard"] else None
    if found["says_now"] and found["one_replaced"] and found["covered"] >= 0.6 and found["covered_longer"] >= 0.5:
        return "frame and now"
    return None


@cache
def _model() -> tuple[float, Mapping[str, float]]:
    raw = tomllib.loads(resources.files("geniffy_server.learn").joinpath("weights.toml").read_text("utf-8"))
    return float(raw["bias"]), {str(name): float(weight) for name, weight in raw["weights"].items()}
