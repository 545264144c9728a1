"""Action items: what someone promised, owes or was asked to do, by whom and by when.

Wishes, habits, what was denied and what happened are none. Which words make a task is listed in `words/`, one table
`intentions` a language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.conversation import ActionItem, Statement
from geniffy_server.domain.memory import Spoken
from geniffy_server.learn.conversation.clauses import (
    clauses,
    coming,
    dated,
    is_in_general,
    is_negated,
    without_dates,
    words_of,
)
from geniffy_server.learn.conversation.completion import Doing, completes, doing_of, report_in
from geniffy_server.learn.conversation.doers import doer, subject_of, told
from geniffy_server.learn.conversation.shortened import shortened
from geniffy_server.learn.language import language_of
from geniffy_server.learn.lexicon import alternatives, fragments, listed

_LONGEST: Final = 200  # characters of a description


@dataclass(frozen=True, slots=True)
class Task:
    """A task as one clause states it, before it is known whether it was done."""

    description: str
    owner: str | None
    due: Spoken | None
    doing: Doing
    statement: Statement


def action_items(statements: Sequence[Statement]) -> list[ActionItem]:
    """The tasks in the statements, in the order in which they were said; empty when there are none.

    A task that is told again is one item, with the newer words and date. It is `completed` when a later statement
    says that it was done.
    """
    ordered = sorted(statements, key=lambda one: one.said_at)
    open_tasks: list[Task] = []
    done: set[int] = set()
    for statement in ordered:
        found = list(tasks(statement, ordered))
        for task in found:
            again = next((at for at, held in enumerate(open_tasks) if at not in done and _is_again(held, task)), None)
            if again is None:
                open_tasks.append(task)
            else:
                open_tasks[again] = replace(task, due=task.due or open_tasks[again].due)
        report = None if found else report_in(statement)
        if report is not None:
            done.update(at for at, held in enumerate(open_tasks) if completes(report, held.doing, held.owner))
    return [
        ActionItem(
            description=task.description,
            owner=task.owner,
            due=task.due,
            completed=at in done,
            quote=task.statement.quote,
            said_at=task.statement.said_at,
        )
        for at, task in enumerate(open_tasks)
    ]


def tasks(statement: Statement, among: Sequence[Statement]) -> Iterator[Task]:
    """The tasks of one statement. `among` are the statements beside it, by which `you` and the owner get a name."""
    words = words_of(statement)
    language = language_of(words)
    for clause in clauses(words, language):
        found = _Clause(clause, language, statement, among).task()
        if found is not None:
            yield found


def _is_again(held: Task, task: Task) -> bool:
    return held.owner == task.owner and held.doing.content == task.doing.content and bool(task.doing.content)


# Languages whose words put what is owed after the word that says so, so that the rest of the clause is the task.
_AFTER: Final = frozenset({"en", "es", "fr", "it", "ru", "de", "zh"})
_ADVERBS: Final = regex.compile(
    r"\s*(?:(?:also|just|still|really|then|probably|definitely|finally|quickly|first|now|soon|again|only|at least"
    r"|both|all)\s+)*",
    regex.IGNORECASE,
)
_OWES: Final = regex.compile(r"owes?|needs?", regex.IGNORECASE)  # `I owe Omar the photos`: the verb is part of the task
_PASSIVE: Final = regex.compile(r"\s*(?:to )?be (?:\p{L}+ed|sent|paid|done|made|written|built|bought|given|set|cut)\b")
_NO_VERB: Final = regex.compile(r"\s*(?:(?:an?|the|my|our|your|his|her|their|this|that|some)\b|\p{Lu}|\P{L}|$)")


@dataclass(frozen=True, slots=True)
class _Clause:
    """One clause as it is read for a task."""

    words: str
    language: str
    statement: Statement
    among: Sequence[Statement]

    def task(self) -> Task | None:
        if is_in_general(self.words, self.language):
            return None
        return self._reminder() or self._due() or self._owed() or self._told() or self._by_a_day()

    def _reminder(self) -> Task | None:
        found = fragments("intentions", "reminders", self.language).match(self.words)
        if found is None or is_negated(self.words, self.language, found.start(), found.end()):
            return None
        rest = self.words[found.end() :].lstrip(" ,:—-")
        if self.language == "en" and fragments("intentions", "states", "en").match(rest):
            return None
        if self.statement.said_by is not None and self._when() is None and not self._is_concrete(rest):
            return None
        return self._task(rest if regex.search(r"\p{L}", rest) else self.words, told(self.statement, self.among))

    def _due(self) -> Task | None:
        """`The report is due on Friday`."""
        due = self._when()
        if due is None or not fragments("intentions", "due", self.language).search(self.words):
            return None
        if is_negated(self.words, self.language):
            return None
        return self._task(self.words, subject_of(self.words, self.statement, self.among))

    def _owed(self) -> Task | None:
        for key in ("owed", "promised", "meant"):
            for found in fragments("intentions", key, self.language).finditer(self.words):
                task = self._marked(key, found.start(), found.end())
                if task is not None:
                    return task
        return None

    def _marked(self, key: str, start: int, end: int) -> Task | None:
        marker, rest = self.words[start:end], self.words[end:]
        owes = _OWES.fullmatch(marker) is not None
        if is_negated(self.words, self.language, start, end) or not (owes or self._is_doing(key, rest)):
            return None
        if _is_quoted(self.words, start):
            return None
        due = self._when()
        passive = _PASSIVE.match(rest) is not None
        owner, named = doer(self.words, self.language, self.statement, self.among, (start, end))
        if named == "all" or (owner is None and named == "thing" and not (due and key == "owed") and not passive):
            return None
        is_advice = marker.lower() == "should" and named in ("you", "we", "thing")
        if due is None and (key == "meant" or named == "you" or is_advice or not (owes or self._is_concrete(rest))):
            return None
        cut = self.language in _AFTER and not owes and not passive and (key == "owed" or self.language == "en")
        return self._task(rest if cut and rest.strip() else self.words, None if passive and named == "thing" else owner)

    def _is_doing(self, key: str, rest: str) -> bool:
        """Whether what is to be done is a task, not a state, nor a thing to attend."""
        if self.language == "en":
            adverbs = _ADVERBS.match(rest)
            after = adverbs.end() if adverbs else 0
            if _PASSIVE.match(rest):
                return True
            if _NO_VERB.match(rest, after) and not rest[:after].strip():
                return False
            if fragments("intentions", "states", "en").match(rest, after):
                return False
            return key == "owed" or not fragments("intentions", "attended", "en").match(rest, after)
        if fragments("intentions", "states", self.language).search(rest):
            return False
        whole = fragments("intentions", "attended", self.language).search(self.words)
        return key == "owed" or not (whole or fragments("intentions", "attended", self.language).search(rest))

    def _is_concrete(self, rest: str) -> bool:
        """Whether the words name something to do, rather than to strive for. English alone has a list of them."""
        if self.language != "en":
            return True
        adverbs = _ADVERBS.match(rest)
        return (
            _PASSIVE.match(rest) is not None
            or fragments("intentions", "concrete", "en").match(rest, adverbs.end() if adverbs else 0) is not None
        )

    def _told(self) -> Task | None:
        """`Send the slides to Uma`: an imperative."""
        found = fragments("intentions", "tasks", self.language).match(self.words)
        if found is None or is_negated(self.words, self.language):
            return None
        if len(self.words[found.end() :].split()) < 1:
            return None
        return self._task(self.words, told(self.statement, self.among))

    def _by_a_day(self) -> Task | None:
        """`Ich schicke Uma die Folien bis Freitag`, `Ich rufe morgen an`: what one does by a day still to come."""
        due = self._when()
        spoken = self.statement.spoken
        if due is None or due != spoken or is_negated(self.words, self.language):
            return None
        owner = subject_of(self.words, self.statement, self.among)
        is_doing = fragments("intentions", "doing", self.language).search(self.words)
        if owner is None or not (is_doing or _until().search(self.words)):
            return None
        if fragments("intentions", "attended", self.language).search(self.words):
            return None
        return self._task(self.words, owner)

    def _task(self, words: str, owner: str | None) -> Task | None:
        bare = without_dates(words, self.statement)
        doing = doing_of(bare, owner)
        if not doing.content:
            return None
        description = words.strip(" \t.!,;。！।")
        return Task(
            description=shortened(description[:1].upper() + description[1:], _LONGEST),
            owner=owner,
            due=self._when(),
            doing=doing,
            statement=self.statement,
        )

    def _when(self) -> Spoken | None:
        return coming(dated(self.words, self.statement), self.words, self.statement)


def _is_quoted(words: str, at: int) -> bool:
    return words[:at].count('"') % 2 == 1 or words.count("“", 0, at) > words.count("”", 0, at)


@cache
def _until() -> regex.Pattern[str]:
    words = alternatives(listed("dates", "until"))
    return regex.compile(rf"(?:^|[\s,])(?:{words})\s", regex.IGNORECASE)
