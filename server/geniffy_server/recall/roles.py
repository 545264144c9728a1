"""Who does what to whom: whether a statement gives the names of a question the part that the question gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex

from geniffy_server.domain.memory import Memory
from geniffy_server.recall.asked import WORD, Asked
from geniffy_server.recall.lexicon import generic, pattern
from geniffy_server.recall.thesaurus import answers
from geniffy_server.recall.tokens import keys

_OWNER: Final = frozenset({"I", "we", "the user"})
_OWNER_DOES: Final = frozenset({"i", "we", "user", "i'm", "i've", "i'll", "i'd", "we're", "we've", "we'll"})
_DONE_TO_OWNER: Final = frozenset({"me", "us"})
_OF_PASSIVE: Final = frozenset({"was", "were", "been", "is", "are", "got"})
_OF: Final = regex.compile(r"(?:['’]s? |的|の)(?:\p{Ll}+ )?")

_NUMBER: Final = regex.compile(r"\p{N}")
_FOLLOWS: Final = {
    language: regex.compile(rf"(?P<whom>[\p{{L}}\p{{M}}-]+),? (?:{who}) (?P<told>[^.;!?]*)")
    for language, who in {
        "en": "who(?:['’]s)?",
        "es": "que|quien",
        "fr": "qui",
        "it": "che",
        "de": "(?<=, )(?:der|die|das)",
    }.items()
}


def is_turned_round(asked: Asked, memory: Memory) -> bool:
    """Whether a statement with the question's verb has its doer as the one it is done to, or the reverse.

    `Omar told Ana` does not say who told Omar. False where the verb is another or in the passive, and out of English.
    """
    verb = keys(asked.verb) if asked.verb else []
    if not verb:
        return False
    text, speaker = _told(memory)
    words = WORD.findall(text)
    at = next((at for at, word in enumerate(words) if keys(word)[:1] == verb[:1]), None)
    if at is None or "by" in words[at:] or (at and words[at - 1].casefold() in _OF_PASSIVE):
        return False
    before, behind = words[:at], words[at + 1 :]
    if asked.doer is not None:
        return not _does(asked.doer, before, speaker) and _is_done_to(asked.doer, behind, speaker)
    return any(_does(name, before, speaker) and not _is_done_to(name, behind, speaker) for name in asked.done_to)


def _told(memory: Memory) -> tuple[str, str | None]:
    """A statement in its speaker's own words, and who that is: None for the owner, and where nobody is named."""
    speaker, _, words = memory.text.partition(": ")
    return (words, speaker) if words == memory.quote else (memory.text, None)


def _does(who: str, words: Sequence[str], speaker: str | None) -> bool:
    if who in _OWNER or who == speaker:
        return any(word.casefold() in _OWNER_DOES for word in words)
    return any(part in words for part in who.split())


def _is_done_to(who: str, words: Sequence[str], speaker: str | None) -> bool:
    if who in _OWNER or who == speaker:
        return any(word.casefold() in _DONE_TO_OWNER for word in words)
    return any(part in words for part in who.split())


def is_of_a_relative(asked: Asked, memory: Memory) -> bool:
    """Whether a statement is about someone of the one who is asked about: `Mira's cousin` sells bikes, not Mira.

    False when the question speaks of that one too.
    """
    text = memory.text
    names = asked.names or ([memory.about] if memory.about and memory.about in asked.text else [])
    for name in names:
        at = text.find(name)
        owned = _OF.match(text, at + len(name)) if at >= 0 and name not in asked.owners else None
        if owned is None:
            continue
        someone = pattern(asked.language, "holds", "person").search(text, owned.start() + 1, owned.end() + 12)
        told = set(keys(someone.group())) if someone and someone.start() <= owned.end() else set()
        asking = set(keys(asked.text))
        if told and told.isdisjoint(asking) and all(told.isdisjoint(answers(one)) for one in asking):
            return True
    return False


def is_of_who_follows(asked: Asked, text: str) -> bool:
    """Whether what is asked for stands only behind a `who` that follows another: `Ana has a son, who is allergic`."""
    if not asked.names or asked.wanted == "who":
        return False
    follows = _FOLLOWS.get(asked.language)
    if follows is None:
        return False
    asking = {one for one in keys(asked.text) if one not in generic(asked.language)}
    asking -= {one for name in asked.names for one in keys(name)}
    wanted = asking.union(*map(answers, asking))
    for found in follows.finditer(text):
        whom = pattern(asked.language, "holds", "person").fullmatch(found["whom"]) or found["whom"][0].isupper()
        is_meant = any(found["whom"] in name.split() for name in asked.names) or keys(found["whom"])[:1] == []
        if not whom or is_meant or not wanted.isdisjoint(keys(found["whom"])):
            continue
        rest = f"{text[: found.start()]} {text[found.end() :]}"
        if asked.measure == "old" and _NUMBER.search(found["told"]) and not _NUMBER.search(rest):
            return True
        if not wanted.isdisjoint(keys(found["told"])) and wanted.isdisjoint(keys(rest)):
            return True
    return False


def is_of_another_owner(asked: Asked, text: str) -> bool:
    """Whether a text has another's thing of the sort that is asked for: Lorna's parrot, where Hugo's is."""
    for owner in asked.owners:
        thing = regex.search(rf"{regex.escape(owner)}['’]s? (?P<what>\p{{Ll}}[\p{{L}}\p{{M}}-]*)", asked.text)
        if thing is None or owner not in text:
            continue
        name = r"\p{Lu}[\p{L}\p{M}-]+?"
        owned = regex.compile(rf"(?P<owner>(?:{name} )*{name})['’]s? {regex.escape(thing['what'])}\b")
        owners = [set(found["owner"].split()) for found in owned.finditer(text)]
        meant = [set(one.split()) for one in asked.names]
        if owners and not any(one <= other or other <= one for one in owners for other in meant):
            return True  # Kim is Kim Park, Lorna is not
    return False
