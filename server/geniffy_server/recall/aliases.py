"""Who is meant by whose they are: `Mira's cat` is Ginger, where Mira spoke of `my cat Ginger`.

So what is told of one by name answers a question that asks by kin or kind; and `Her name is Alma` names whoever was
told of right before. The words for kin and pets, and those that name them, are in `words/`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER, Memory, MemoryId
from geniffy_server.recall.lexicon import LANGUAGES, language_of_question, pattern, words
from geniffy_server.recall.names import asks_of_owner, share_a_name
from geniffy_server.recall.tokens import keys

_NAME: Final = r"(?P<name>(?-i:\p{Lu})[\p{L}\p{M}-]+)"
_CASELESS: Final = r"(?P<name>[\p{L}\p{M}]+)"
_OF: Final = r"(?: (?:of|de|du|von|di|del) (?-i:\p{Lu})[\p{L}\p{M}-]+)?"
_OWNED_BY: Final = regex.compile(r"(?<owner>\p{Lu}[\p{L}\p{M}-]*?)(?:['’]s?|s) (?:\p{Ll}[\p{L}-]* )?$")
_OF_WHOM: Final = regex.compile(r" (?:of|de|du|von|di|del) (?<owner>\p{Lu}[\p{L}\p{M}-]+)")
_OF_ANOTHER: Final = regex.compile(
    r"(?<!\p{L})(?:your|his|her|their|dein\p{L}*|sein\p{L}*|tus?|ton|ta|tes|tu[oa]) (?:\p{Ll}[\p{L}-]* )?$",
    regex.IGNORECASE,
)

_BORN: Final = frozenset(keys("born birth birthday geboren geburtstag nació née né nato nata родилась родился"))


@dataclass(frozen=True, slots=True)
class Said:
    """A memory as it is looked at here.

    `is_theirs`: it is of, or was said by, one whom the question names; `is_said`: that one said it.
    """

    memory: Memory
    is_theirs: bool
    is_said: bool


def also_meant(question: str, names: Sequence[str], held: Sequence[Said]) -> Mapping[MemoryId, frozenset[int]]:
    """The memories of somebody whom a question means by another word, each with that word's search keys.

    `names` are those in the question. Empty where it names no kin or pet of somebody, and nobody who is named only in
    the sentence behind.
    """
    found: dict[MemoryId, frozenset[int]] = {}
    nouns = list(_nouns(question)) if names or asks_of_owner(question) else []
    if not nouns and not any(one.memory.about in names for one in held):
        return found
    by_id = {one.memory.id: one for one in held}
    for noun in nouns:
        meant = {name for one in held for name in _names_of(noun, one, names, asks_of_owner(question), by_id)}
        for one in held:
            if one.memory.about in meant:
                found[one.memory.id] = found.get(one.memory.id, frozenset()) | frozenset(keys(noun))
    for one in held:
        name = one.memory.about
        if name is None or name not in names or not _only_names(name, one.memory.quote):
            continue
        before = by_id.get(MemoryId(one.memory.id - 1))
        if before is not None and _is_beside(before, one):
            told = before.memory
            born = _BORN if _tells_of_birth(told.quote) else frozenset()
            found[told.id] = found.get(told.id, frozenset()) | frozenset(keys(name)) | born
    return found


def _nouns(question: str) -> Iterator[str]:
    kin = pattern(language_of_question(question), "holds", "kin")
    yield from dict.fromkeys(found.group() for found in kin.finditer(question))


def _names_of(
    noun: str, one: Said, names: Sequence[str], of_owner: bool, by_id: Mapping[MemoryId, Said]
) -> Iterator[str]:
    """What a statement names the noun, where both are of the one who is asked about."""
    text = one.memory.quote
    start = text.casefold().find(noun.casefold())
    if start < 0 or not _is_of_the_same(text, start, start + len(noun), one, names, of_owner):
        return
    rest = text[start + len(noun) :]
    for named in _naming():
        if (naming := named.match(rest)) is not None:
            yield naming["name"]
    behind = by_id.get(MemoryId(one.memory.id + 1))
    if behind is None or not _is_beside(one, behind):
        return
    about, quote = behind.memory.about, behind.memory.quote
    if not about or about == OWNER or not about[0].isupper() or any(share_a_name(about, name) for name in names):
        return
    if quote.startswith(about) or _only_names(about, quote):
        yield about


def _is_of_the_same(text: str, start: int, end: int, one: Said, names: Sequence[str], of_owner: bool) -> bool:
    before = text[:start]
    if _OF_ANOTHER.search(before):
        return False
    if (owner := _OF_WHOM.match(text, end) or _OWNED_BY.search(before)) is not None:
        return owner["owner"] in names
    return one.is_theirs if names else of_owner and asks_of_owner(text)


@cache
def _naming() -> Sequence[regex.Pattern[str]]:
    """What stands between a noun and the name it is given: nothing where names have capitals."""
    found = []
    for language in LANGUAGES:
        listed = "|".join(words(language)["holds"].get("naming", ()))
        if not listed:
            continue
        cased = language in ("en", "es", "fr", "de", "it", "ru")
        blanks, name = (r"[\s,„“«\"]*", _NAME) if cased else (r"\s*", _CASELESS)
        found.append(
            regex.compile(rf"{_OF}{blanks}(?:(?:{listed}){blanks}){'?' if cased else ''}{name}", regex.IGNORECASE)
        )
    return found


def _only_names(name: str, text: str) -> bool:
    """Whether a statement does nothing but name one of whom the statement before it told: `Her name is Alma.`"""
    end = text.rstrip(" .!。！")
    return end.endswith(name) and any(
        pattern(language, "holds", "names_only").fullmatch(end[: -len(name)].strip()) for language in LANGUAGES
    )


def _tells_of_birth(text: str) -> bool:
    """Whether it tells of a birth, so that whoever is named behind it is the one who was born."""
    return any(pattern(language, "holds", "birth").search(text) for language in LANGUAGES)


def _is_beside(first: Said, second: Said) -> bool:
    """Whether two statements, one learned right after the other, are of one source, one moment and one speaker."""
    one, other = first.memory, second.memory
    same = one.source is not None and other.source is not None and one.source.id == other.source.id
    return same and one.said_at == other.said_at and first.is_said == second.is_said
