"""Who or what a sentence is about, by rules tried in order; the first that fits wins.

`how` names the rule. Weak ones (`WEAK`) are guesses by place in the sentence: they may help to find a memory, and
never retire one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.lexicon import fragments, listed, word_set
from geniffy_server.learn.subjects.names import is_own_relation, is_well_known, lead_of
from geniffy_server.learn.subjects.rules import Read, Rule, Setting, Subject, headed
from geniffy_server.learn.subjects.rules_asia import CHINESE, HINDI, JAPANESE
from geniffy_server.learn.subjects.rules_en import ENGLISH
from geniffy_server.learn.subjects.rules_europe import EUROPEAN
from geniffy_server.learn.subjects.rules_semitic import ARABIC, HEBREW

__all__ = ["FIRST_PERSON", "WEAK", "Setting", "Subject", "is_person", "subject"]

WEAK: Final = frozenset({"inner-name", "pronoun?", "np", "model?"})
FIRST_PERSON: Final = frozenset({"first", "first-any", "drop"})
"""Rules by which the speaker talks of themselves."""

_OWN_RULES: Final[Mapping[str, Sequence[Rule]]] = {
    "en": ENGLISH,
    "zh": CHINESE,
    "ja": JAPANESE,
    "hi": HINDI,
    "ar": ARABIC,
    "he": HEBREW,
}


def subject(sentence: str, setting: Setting) -> Subject:
    """The subject of `sentence` and the rule that found it: a name, OWNER or the speaker, or None with `none`."""
    read = Read(sentence, sentence[lead_of(sentence, setting.said, setting.language) :], setting)
    for rule in _OWN_RULES.get(setting.language, EUROPEAN):
        found = rule(read)
        if found is not None:
            return found
    return headed(setting) or (None, "none")


def is_person(about: str | None, how: str, sentence: str) -> bool:
    """Whether a subject reads as a person's name or relation rather than a thing."""
    if about is None or about == OWNER:
        return False
    if how == "relation" or is_own_relation(about) or (how == "np" and about.lower() in _relatives()):
        return True
    if how in _THINGS:
        return False
    if is_well_known(about) or about.endswith(listed("subject", "thing_ends")):
        return False
    if not _PERSON.fullmatch(about):
        return False
    words = about.lower().split()
    last = words[-1]
    if not word_set("subject", "things").isdisjoint(words) or about.startswith("ال"):
        return False
    if about.lower() in word_set("subject", "labels") or last in word_set("subject", "place_nouns") or _is_place(words):
        return False
    if how == "name" and len(words) == 1 and last in word_set("subject", "mass_nouns"):
        return False
    if how == "heading" and len(words) == 1:
        return False
    if about.isascii() and last.endswith(listed("subject", "thing_endings")):
        return False
    return not (
        sentence.startswith(about)
        and (
            fragments("subject", "thing_verbs").match(sentence, len(about))
            or fragments("subject", "thing_is").match(sentence, len(about) + 1)
        )
    )


@cache
def _relatives() -> frozenset[str]:
    return frozenset(word for language in ("es", "fr", "de", "it") for word in listed("subject", "relations", language))


def _is_place(words: Sequence[str]) -> bool:
    """`Jordan River Park`; of two words the second decides, since `Kim Park` is a person."""
    return len(words) > 2 and ("park" in words or not word_set("subject", "place_nouns").isdisjoint(words))


_THINGS: Final = frozenset({"team", "np", "noun"})
_PERSON: Final = regex.compile(
    r"\p{Lu}[\p{L}\p{M}.'’-]+(?:\s(?:de|van|von|der|da|del|bin|al)?\s?\p{Lu}[\p{L}\p{M}'’-]+)*"
    r"|(?:my|our|.{1,60}['’]s) [\p{L}-]+(?: [\p{L}-]+)?|[\p{Han}]{2,3}|我的?[\p{Han}]{2}"
    r"|[\p{Devanagari}]+ [\p{Devanagari}]+"
    r"|(?:ابن|ابنة|بنت|زوجة|زوج|أخو|أخت|والد|والدة|صديق|صديقة) [\p{Arabic}]+"
    r"|.*さん|[\p{Devanagari}]+\. [\p{Devanagari}]+|[\p{Devanagari}\p{Arabic}]+|[\p{Hebrew}\p{M}]+"
)
