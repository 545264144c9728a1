"""Which relative is spoken of: a son is no daughter, a former husband is none, and Sister Rosa is nobody's sister."""

from __future__ import annotations

from typing import Final

import regex

from geniffy_server.domain.memory import Memory
from geniffy_server.recall.asked import Asked
from geniffy_server.recall.lexicon import generic, pattern
from geniffy_server.recall.names import asks_of_owner
from geniffy_server.recall.tokens import keys

_ANY_KIN: Final = frozenset(keys("partner baby twin pet boss manager partnerin capo chef bebé bébé bambino bambina"))
_CLAUSE: Final = regex.compile(r"[,.;:!?—]\s|\s(?:and|but|because|so|while|since)\s")
_BEGINNING: Final = 20  # characters in which a possessive and a relative stand
_OWN_KIN: Final = regex.compile(r"^\s*(?:my|our) (?=\p{Ll})", regex.IGNORECASE)
_I: Final = regex.compile(r"(?<!\p{L})I(?!\p{L})")
_FORMER: Final = regex.compile(r"\b(?:ex-|ex |former |previous )$", regex.IGNORECASE)
_FORMER_ASKED: Final = regex.compile(r"\b(?:ex|former|previous|was|were|used|did)\b", regex.IGNORECASE)


def is_of_other_kin(asked: Asked, memory: Memory) -> bool:
    """Whether it speaks of another relative than the question: of a daughter, where a son is asked for.

    And whether what it says is of a relative of the speaker, who is asked about: `my dad's allergic`.
    """
    kin = pattern(asked.language, "holds", "kin")
    text = memory.quote
    wanted = {one for found in kin.finditer(asked.text) for one in keys(found.group())}
    mentioned = {one for found in kin.finditer(text) for one in keys(found.group())}
    told = {one for found in kin.finditer(text) if not _is_no_kin(found, asked) for one in keys(found.group())}
    if wanted & (mentioned - told):
        return True
    if not told or (asked.wanted in ("who", "polar") and not asked.names and not asked.of_owner):
        return False
    if wanted:
        return wanted.isdisjoint(told) and wanted.isdisjoint(_ANY_KIN) and told.isdisjoint(_ANY_KIN)
    if asked.wanted in ("who", "name"):
        return False
    if asked.language != "en":
        return asked.of_owner and not asked.names and _begins_with_own(text, kin)
    asking = {one for one in keys(asked.text) if one not in generic("en")}
    asking -= {one for name in asked.names for one in keys(name)}
    for clause in _CLAUSE.split(text):
        owned = _OWN_KIN.search(clause)
        if owned is None or kin.match(clause, owned.end()) is None:
            continue
        behind = clause[owned.end() :]
        if any(name in behind for name in asked.names):
            continue
        if asking.isdisjoint(keys(behind)) or _I.search(clause):
            continue
        rest = [other for other in _CLAUSE.split(text) if other != clause]
        if all(asking.isdisjoint(keys(other)) for other in rest):
            return True
    return False


def _begins_with_own(text: str, kin: regex.Pattern[str]) -> bool:
    """Whether a statement begins with a relative of its speaker: `Mon mari est`, not `Mon mari et moi`."""
    first = kin.search(text, 0, _BEGINNING)
    if first is None or not asks_of_owner(text[: first.start()]):
        return False
    return not asks_of_owner(text[first.end() :])


def _is_no_kin(found: regex.Match[str], asked: Asked) -> bool:
    """Whether a word for kin is a title, as in `I met Sister Rosa`, or of one who was so: `my ex-wife`."""
    before, behind = found.string[: found.start()], found.string[found.end() :]
    is_title = bool(before.strip()) and found.group()[0].isupper() and behind[:2].strip()[:1].isupper()
    return (is_title and found.group() not in asked.text) or (
        _FORMER.search(before) is not None and _FORMER_ASKED.search(asked.text) is None
    )
