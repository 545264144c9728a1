"""Plain statements about invented people, made from a number: the same ones every time, and as many as are wanted."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from geniffy_server.domain.memory import Kind

STATEMENTS_EACH: Final = 12
_WORDS: Final = Path(__file__).with_name("people.toml")


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that is told of one invented person, in their own words or by another, and a question it answers.

    `quote` is what was said, `text` how a memory of it reads.
    """

    text: str
    quote: str
    about: str
    is_own: bool
    kind: Kind
    question: str


def statement(number: int) -> Statement:
    """The statement of a number from 0 to 499,999, each of which has words of its own. Every other person speaks."""
    person, which = divmod(number, STATEMENTS_EACH)
    name, is_own = name_of(person), person % 2 == 1
    of_another, of_oneself, rest, kind, question = _told(name, person, which)
    quote = f"I {of_oneself} {rest}." if is_own else f"{name} {of_another} {rest}."
    return Statement(f"{name}: {quote}" if is_own else quote, quote, name, is_own, kind, question)


def name_of(person: int) -> str:
    """The name of a person by number; namesakes are told apart by a middle initial."""
    words = _words()
    first, last = words["first"], words["last"]
    turn, pair = divmod(person, len(first) * len(last))
    middle = f" {chr(ord('A') + (turn - 1) % 26)}. " if turn else " "
    return f"{first[pair % len(first)]}{middle}{last[pair // len(first)]}"


def note(number: int, statements: int) -> str:
    """A note of so many statements, which are told in no other note of that length."""
    return " ".join(_third_person(number * statements + which) for which in range(statements))


def two_kilobytes(number: int) -> str:
    """A text of 2,048 bytes that no other number has, as an agent keeps notes: paragraphs and lists under headings."""
    parts = [f"# Notes {number}"]
    length, at = len(parts[0]), number * 48
    while length < 2_048:
        told = [_third_person(at + which) for which in range(STATEMENTS_EACH)]
        paragraph, bullets = " ".join(told[:6]), "\n".join(f"- {one}" for one in told[6:])
        parts.append(f"## {name_of(at // STATEMENTS_EACH)}\n\n{paragraph}\n\n{bullets}")
        length, at = length + len(parts[-1]) + 2, at + STATEMENTS_EACH
    return "\n\n".join(parts)[:2_048]


def _third_person(number: int) -> str:
    person, which = divmod(number, STATEMENTS_EACH)
    name = name_of(person)
    of_another, _, rest, _, _ = _told(name, person, which)
    return f"{name} {of_another} {rest}."


def _told(name: str, person: int, which: int) -> tuple[str, str, str, Kind, str]:
    """How it begins when another tells it, and when the person does; the rest, its kind, and a question."""

    def some(kind: str, step: int = 1) -> str:
        words = _words()[kind]
        return words[(person * 7 + which) // step % len(words)]

    friend, year = name_of(person + 1), 2015 + person % 10
    told: tuple[tuple[str, str, str, Kind, str], ...] = (
        ("lives", "live", f"in {some('place')}", "people", f"Where does {name} live?"),
        ("works", "work", f"as a {some('job')} at {some('firm', 3)}", "people", f"What does {name} do for a living?"),
        ("is", "am", f"allergic to {some('food')}", "pref", f"What is {name} allergic to?"),
        ("has", "have", f"{some('animal', 2)} at home", "people", f"Which animals does {name} have?"),
        ("took", "took", f"up {some('hobby')} in {year}", "people", f"When did {name} take up a hobby?"),
        ("plans", "plan", f"to visit {some('place')} in {some('month', 5)}", "plan", f"Where will {name} travel?"),
        ("prefers", "prefer", f"tea from {some('place')} to coffee", "pref", f"What does {name} like to drink?"),
        ("met", "met", f"{friend} at a wedding in {some('place')}", "people", f"How did {name} meet {friend}?"),
        ("paid", "paid", f"{20 + person % 380} euros for a bicycle", "detail", f"How much was the bicycle of {name}?"),
        ("was", "was", f"born in {some('month')} {1950 + person % 50}", "people", f"When was {name} born?"),
        ("is", "am", f"reading a long novel about {some('hobby', 3)}", "pref", f"What is {name} reading?"),
        ("keeps", "keep", f"a spare key under the {some('hiding')}", "detail", f"Where is the spare key of {name}?"),
    )
    return told[which]


@cache
def _words() -> Mapping[str, Sequence[str]]:
    with _WORDS.open("rb") as opened:
        return tomllib.load(opened)
