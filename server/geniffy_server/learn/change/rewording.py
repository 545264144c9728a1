"""One wording for what may be said in several: `my manager is Dana` for `Dana is my manager`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import regex

from geniffy_server.learn.lexicon import listed

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
LEFT_FIRST: Final = regex.compile(
    r"^[^,;]{2,40}[,;] (?:and |so |but )?(?=(?:my|our|the) new \p{L}+(?: \p{L}+)? is )"
    r"|^[^,;]{2,30} (?:left|resigned|stepped down|retired|quit|is gone|died)[,;] (?:and |so |now )*(?=(?:my|our|the) )",
    regex.IGNORECASE,
)
"""Who had the role before, told in front: `Helen left, my new boss is Rajiv`."""


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


def reworded(text: str) -> str:
    """`Dana is my manager` as `my manager is Dana`, `can't stand` as `hates`, and `The new office` as `The office`."""
    text = _CHANGED_FOR.sub(r"My \g<role> is \g<who>", LEFT_FIRST.sub("", text))
    text = _QUITS_FOR.sub("left ", text)
    text = _DISLIKES.sub(lambda it: f"hates{it['what']}" + (" now" if it["more"] is not None else ""), text)
    found = _INVERTED.match(text)
    if found:
        return f"{found['whose']} {found['role']} is {found['value']}{text[found.end() :]}"
    for pattern, words_for_it in _wordings():
        text = pattern.sub(words_for_it, text)
    return renewed().sub(r"\1 ", text)


def says_who_has_a_role(text: str) -> bool:
    """Whether a text gives a role to somebody by its form alone: `Dana is my manager`, `I changed dentists: Dr. Wu`."""
    return _INVERTED.match(text) is not None or _CHANGED_FOR.match(text) is not None


@cache
def renewed() -> regex.Pattern[str]:
    """What is one's own and new, where a statement begins: `My new `, `Mein neuer `."""
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
