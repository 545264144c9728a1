"""Whom a pronoun may stand for next: who was named before, by whom, and in which place of a text or talk."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.lexicon import alternatives, listed
from geniffy_server.learn.subjects.names import NAME_WORD, is_called_out, mentions
from geniffy_server.learn.subjects.rules_en import relations_asked, relations_told
from geniffy_server.learn.subjects.subject import is_person


@cache
def _pet() -> regex.Pattern[str]:
    pets = alternatives(listed("subject", "pets"))
    return regex.compile(rf"\b(?:the|my|our)\s+({pets})(?!['’]s|s)\b", regex.IGNORECASE)


Place = tuple[str | None, str | None]
"""The heading that a reading stands under, and who speaks."""

_RECENT: Final = 12  # subjects that a pronoun may reach
_NAMED: Final = 50  # full names that are carried into another place
_IS_NAMED: Final = regex.compile(rf"\b(?:is|was) (?:called |named )?({NAME_WORD}(?: {NAME_WORD}){{0,2}})[.!]?$")


@dataclass(slots=True)
class Antecedents:
    """What carries over from one statement to the next.

    `callable_by` are the names of those who talk. `recent` holds who was named, newest first; `named` full names;
    `things` those that are no persons, `persons` those that are; `sexes` of whom it was said by he or she, `men` or
    `women`. `previous` is the subject of the statement right before, `of_turn` whom this turn named, `before` whom
    the speaker's turn before did.
    """

    language: str
    callable_by: Collection[str] = frozenset()
    recent: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    things: set[str] = field(default_factory=set)
    persons: set[str] = field(default_factory=set)
    sexes: dict[str, str] = field(default_factory=dict)
    previous: str | None = None
    of_turn: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    _place: Place = (None, None)

    def enter(self, place: Place, *, is_turn: bool, asked: str | None) -> bool:
        """Go on with a reading of `place`, a turn that may answer `asked`; whether that is another place than before.

        In another place nobody is meant but the one whom the turn before told of.
        """
        is_another = place != self._place
        if is_another:
            self.recent = self._told_of() if is_turn else []
            self.named, self.before, self._place = self.named[-_NAMED:], [], place
        elif is_turn and self.of_turn:
            self.before = self.of_turn
        if is_turn:
            self.previous, self.of_turn = None, []
            self._hear(asked, place[1])
        return is_another

    def named_just_before(self) -> Sequence[str]:
        """The persons of the speaker's turn before, until this one names somebody."""
        return () if self.of_turn else [name for name in self.before if name not in self.things]

    def remember(self, about: str | None, quote: str, *, is_thing: bool) -> None:
        """Take in a statement: its subject, then who was named beside it."""
        own = (about or "").split()  # Mrs Hall
        relations = relations_told(quote, self._place[1] or OWNER) if self.language == "en" else []
        self._remember_pet(quote)
        others = [name for name in [*mentions(quote, self.language), *relations] if name != about and name not in own]
        mentioned = [name for name in others if not self.is_called(name, quote)]
        self.named += [name for name in mentioned if " " in name and name not in self.named]
        self.recent = [*mentioned, *(name for name in self.recent if name not in mentioned)]
        is_relation = about is not None and (about.startswith(("my ", "our ")) or "'s " in about)
        is_named = _IS_NAMED.search(quote) if is_relation else None
        self.of_turn += [*mentioned, *([about] if about and not is_named else [])]
        self.previous = about
        if about is None:
            return
        if is_named:
            name = is_named[1]  # "My partner is Joana. She …"
            self.recent = [name, about, *(one for one in self.recent if one not in (name, about))][:_RECENT]
            return
        if about != OWNER:
            (self.things if is_thing else self.persons).add(about)
        others = [name for name in self.recent if name != about]
        self.recent = [*others, OWNER][-_RECENT:] if about == OWNER else [about, *others][:_RECENT]

    def _remember_pet(self, quote: str) -> None:
        """`Took the dog to the vet`: he and she may mean it where no person was named."""
        found = _pet().search(quote) if self.language == "en" else None
        if found is not None and found[1].lower() not in self.recent:
            self.recent.append(found[1].lower())
            self.things.add(found[1].lower())

    def is_called(self, name: str, quote: str) -> bool:
        """Whether a name is that of a participant who is spoken to, as in `Thanks, Maria!`, and meant by no pronoun."""
        is_theirs = name in self.callable_by or (
            len(name) > 2 and any(one.startswith(name) for one in self.callable_by)
        )
        return is_theirs and is_called_out(name, quote)

    def without_called(self, quote: str) -> str:
        """What is said to a participant by name, without the name: `Agreed.`, where a sign parts it from the rest."""
        for name in self.callable_by:
            if name in quote[-len(name) - 6 :]:
                quote = regex.sub(rf"\s*[,–—-]\s*{regex.escape(name)}\s*(?=[.!?…]*\s*$)", "", quote)
        return quote

    def _told_of(self) -> list[str]:
        """The one person but those who talk that the turn before told of, for `She has exams` in reply; else none."""
        persons = {
            name
            for name in self.of_turn
            if name not in self.callable_by
            and name not in self.things
            and not name.endswith(("s", "children"))  # Ana's kids
            and is_person(name, "name", "")
        }
        return list(persons) if len(persons) == 1 else []

    def _hear(self, asked: str | None, speaker: str | None) -> None:
        """Whom the question of another asks about, if that is one, a pronoun of the answer stands for first."""
        if asked is None:
            return
        names = [name for name in mentions(asked, self.language) if name not in self.callable_by]
        meant = [*dict.fromkeys([*relations_asked(asked, speaker or OWNER), *names])]
        self.recent = [*(meant if len(meant) == 1 else ()), *(name for name in self.recent if name not in meant)]
