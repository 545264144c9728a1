"""Words that ask, words that answer them, and words that can't stand for one another.

`job` is answered by `works at`, `contact` by `email`, `instrument` by `violin`; but who asks for tea is not told of
coffee, nor by who fixed a thing who broke it. The lists are in `words/`, over all languages at once: `Where does Lucía
live?` is answered by `Lucía vive en Sevilla`. Only stems count (`tokens.keys`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache

from geniffy_server.recall.lexicon import LANGUAGES, keys_of, words


def answers(word: int) -> frozenset[int]:
    """The search keys of words that may answer a question's word, given as its key; none for most words."""
    return _lists().answers.get(word, frozenset())


def further_words(words: Iterable[int]) -> list[int]:
    """The search keys that answer any of these words and are none of them, each once."""
    asked = list(words)
    return list(dict.fromkeys(one for word in asked for one in answers(word) if one not in asked))


def members(word: int) -> frozenset[int]:
    """The search keys of the things of the kind that a question's word names, such as `instrument`; none for others."""
    return _lists().members.get(word, frozenset())


def kinds_of(word: int) -> frozenset[int]:
    """The search keys that name a kind of which a word is a member: of `cook`, `job`; none for most words."""
    return _lists().kinds.get(word, frozenset())


@lru_cache(maxsize=1)
def tastes() -> frozenset[int]:
    """The search keys of words for liking and for not liking, of every language."""
    named = dict(_named())
    return frozenset(one for name in ("taste", "distaste") for words in named[name] for one in words)


@cache
def asking(name: str) -> frozenset[int]:
    """The search keys of the words that ask for one thing in every language, by the name of its lines: `job`."""
    return frozenset(dict(_named())[name][0])


def is_listed(word: int) -> bool:
    """Whether any list has a question's word, given as its search key."""
    found = _lists()
    return word in found.answers or word in found.members or word in found.others or word in found.opposites


def is_contradicted(word: int, held: Collection[int]) -> bool:
    """Whether a statement that lacks a word holds another member of its kind, or its opposite."""
    found = _lists()
    if any(one in held for one in found.opposites.get(word, ())):
        return True
    return any(not members.isdisjoint(held) for members in found.others.get(word, ()))


@dataclass(slots=True)
class _Lists:
    """All by search key. `others`: for a member, by each kind of it, the members that are something else."""

    answers: dict[int, frozenset[int]] = field(default_factory=dict)
    members: dict[int, frozenset[int]] = field(default_factory=dict)
    others: dict[int, list[frozenset[int]]] = field(default_factory=dict)
    kinds: dict[int, frozenset[int]] = field(default_factory=dict)
    opposites: dict[int, set[int]] = field(default_factory=dict)


@lru_cache(maxsize=1)
def _lists() -> _Lists:
    found = _Lists()
    answering: dict[int, set[int]] = {}
    for asked, telling in _answering():
        for word in asked:
            answering.setdefault(word, set()).update((asked | telling) - {word})
    for naming, listed, *more in _lines("kinds"):
        names, further = _keys(naming), _keys(" ".join(more))
        groups = [_keys(group.replace("=", " ")) for group in listed.split()]
        members = frozenset(one for group in groups for one in group)
        for name in names:
            found.members[name] = found.members.get(name, frozenset()) | members
            answering.setdefault(name, set()).update((names | members | further) - {name})
        for group in groups:
            for member in group:
                answering.setdefault(member, set()).update((names | group | further) - {member})
                found.others.setdefault(member, []).append(members - group - names)
                found.kinds[member] = found.kinds.get(member, frozenset()) | (names - group)
    for line in _lines("opposites"):
        sides = [_keys(side) for side in line]
        for side, opposite in (sides, sides[::-1]):
            for word in side:
                found.opposites.setdefault(word, set()).update(opposite)
    found.answers = {word: frozenset(others) for word, others in answering.items()}
    return found


def _answering() -> Iterator[tuple[set[int], set[int]]]:
    """The words that ask and those that only tell of each line, those of one name in all languages together."""
    for asking, telling in _lines("answers"):
        if ":" not in asking:
            yield _keys(asking), _keys(telling)
    for _, lines in _named():
        yield lines


def _named() -> Iterable[tuple[str, tuple[set[int], set[int]]]]:
    """The lines that have a name, by it, over all languages."""
    named: dict[str, tuple[set[int], set[int]]] = {}
    for asking, telling in _lines("answers"):
        name, colon, listed = asking.partition(":")
        if colon:
            asked, told = named.setdefault(name, (set(), set()))
            asked |= _keys(listed)
            told |= _keys(telling)
    return named.items()


def _lines(section: str) -> Iterator[list[str]]:
    for language in LANGUAGES:
        for line in words(language).get(section, ()):
            yield line.split("|")


def _keys(listed: str) -> set[int]:
    return {one for word in listed.split() for one in keys_of(word)}
