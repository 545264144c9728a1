"""Who is to do a task: by the words before what makes it one, else by the subject of the statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import regex

from geniffy_server.domain.conversation import Statement
from geniffy_server.learn.conversation.clauses import own_name
from geniffy_server.learn.lexicon import fragments, word_set
from geniffy_server.learn.subjects.subject import is_person

Named = Literal["I", "we", "you", "name", "about", "thing", "all"]
"""How the doer is named: by a pronoun, a name, as the statement's subject; a thing, or everyone, is no doer."""

Doer = tuple[str | None, Named]

# Words that may stand between who does it and what says so.
BETWEEN: Final = r"(?i:also|still|really|just|probably|definitely|all|both|now|then|already)"
_DOER: Final = regex.compile(
    r"(?:^|[\s,(])(?P<doer>(?i:i|we|you|he|she|they|it|this|that|there|who|which)(?=$|['’\s])"
    r"|\p{Lu}[\p{L}\p{M}'’-]*(?: \p{Lu}[\p{L}'’-]*)?)"
    rf"(?:['’](?:ll|ve|m|re|d|s)?)?(?:\s+{BETWEEN})*\s*$"
)
_NAME_TO: Final = regex.compile(r"\p{Lu}\p{L}+ to")
_NO_SUBJECT: Final = regex.compile(rf"\s*(?:{BETWEEN}\s+)*")
_FIRST_NOUN: Final = regex.compile(r"(?:(?:the|all|our|your)\s+)?(\p{L}+)", regex.IGNORECASE)


def doer(words: str, language: str, statement: Statement, among: Sequence[Statement], marker: tuple[int, int]) -> Doer:
    """Who is to do what the words at `marker` make a task: a name, OWNER, or None when they do not say."""
    start, end = marker
    if language != "en":
        return _by_subject(words, language, statement, among)
    found = _DOER.search(words[:start])
    if found is not None:
        return _pronoun_or_name(found["doer"], words, statement, among)
    if _NO_SUBJECT.fullmatch(words, 0, start):
        if _NAME_TO.fullmatch(words, start, end):  # `Kim to send the minutes`
            return _named(words[start:end].removesuffix(" to"), statement)
        return own_name(among, statement.said_by), "I"  # `Need to buy milk`
    if statement.first_person:  # `our impact will last`: a thing of the speaker's
        return None, "all" if _is_everyone(_noun(words)) else "thing"
    return _by_subject(words, language, statement, among)


def subject_of(words: str, statement: Statement, among: Sequence[Statement]) -> str | None:
    """The statement's subject when it is someone who can do things, else None."""
    if statement.first_person:
        return own_name(among, statement.said_by)
    about = statement.about
    return about if about and is_person(about, "", words) else None


def told(statement: Statement, among: Sequence[Statement]) -> str | None:
    """Who does what a sentence tells to do: the owner, in words of their own; else whom the speaker talks to."""
    return own_name(among, None) if statement.said_by is None else _other(statement, among)


def _pronoun_or_name(found: str, words: str, statement: Statement, among: Sequence[Statement]) -> Doer:
    lower = found.lower()
    if lower == "i":
        return own_name(among, statement.said_by), "I"
    if lower == "we":
        return own_name(among, statement.said_by), "we"
    if lower == "you":
        return _other(statement, among), "you"
    if lower in ("he", "she", "they", "who"):
        return subject_of(words, statement, among), "about"
    if lower in ("it", "this", "that", "there", "which"):
        return None, "thing"
    if _is_everyone(lower):
        return None, "all"
    if lower.startswith(("the ", "a ", "an ")) or (found.isupper() and len(found) > 1):  # `The API must`
        return None, "thing"
    about = statement.about
    if about and about.startswith(found):
        return (about, "name") if is_person(about, "", words) else (None, "thing")
    return (found, "name") if is_person(found, "", found) else (None, "thing")


def _named(name: str, statement: Statement) -> Doer:
    about = statement.about
    is_one = about is not None and about.startswith(name) and is_person(about, "", name)
    return (about, "name") if is_one else (None, "all")


def _by_subject(words: str, language: str, statement: Statement, among: Sequence[Statement]) -> Doer:
    if fragments("intentions", "mine", language).search(words):
        return own_name(among, statement.said_by), "I"
    owner = subject_of(words, statement, among)
    if _is_everyone(owner or _noun(words)):
        return None, "all"
    return owner, "about" if owner else "thing"


def _other(statement: Statement, among: Sequence[Statement]) -> str | None:
    """Whom the speaker talks to, when there are but two."""
    speakers = {one.said_by for one in among}
    others = speakers - {statement.said_by}
    return own_name(among, others.pop()) if len(speakers) == 2 and len(others) == 1 else None


def _noun(words: str) -> str:
    found = _FIRST_NOUN.match(words)
    return found[1] if found else ""


def _is_everyone(word: str) -> bool:
    return word.lower() in word_set("intentions", "generic")
