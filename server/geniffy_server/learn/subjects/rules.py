"""Rules for the subject of a sentence that hold in every language.

A rule looks at a sentence as it is read (`Read`) and gives the subject and its own name, or None when it does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from itertools import islice
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.lexicon import alternatives, fragments, listed, word_set
from geniffy_server.learn.subjects.names import (
    NAME_WORD,
    clean,
    name_pattern,
    not_names,
    only_opens,
    title_pattern,
)

Subject = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Setting:
    """What stands around a sentence.

    `speaker` is OWNER or a participant's name. `recent` holds who was named before it, newest first, and
    `previous` the subject of the sentence right before. `known` maps
    what the memory already has, in lower case, to how it is written. `things` are those of them that are no persons.
    `is_item` says that it stands in a list, `is_turn` that it was said in a talk. `before` holds whom the speaker's
    turn before named, until this one names somebody. `sexes` says of whom it was said by he or she: `men` or `women`.
    """

    language: str
    said: date
    speaker: str = OWNER
    heading: str | None = None
    recent: Sequence[str] = ()
    previous: str | None = None
    known: Mapping[str, str] = field(default_factory=dict)
    things: Collection[str] = ()
    is_item: bool = False
    is_turn: bool = False
    sexes: Mapping[str, str] = field(default_factory=dict)
    before: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """A sentence, and what is left of it without greetings and dates in front."""

    whole: str
    rest: str
    setting: Setting


Rule = Callable[[Read], Subject | None]


@cache
def _quoted_speech() -> regex.Pattern[str]:
    reporting = alternatives(listed("subject", "reporting"))
    return regex.compile(rf"[\"”»」],?\s*(?:{reporting})\s+({name_pattern().pattern})")


_SPEAKS: Final = regex.compile(rf"({NAME_WORD}(?:\s{NAME_WORD}){{0,2}})\s*[:：]\s*(?=\p{{L}})")


def said_by(read: Read) -> Subject | None:
    """`"…," said Leo`, and `Leo: I moved` in the minutes of a talk."""
    found = _quoted_speech().search(read.whole)
    if found:
        return clean(found[1]), "quote"
    line = _SPEAKS.match(read.rest)
    if line is None or not fragments("subject", "speaks_of_self", read.setting.language).match(read.rest, line.end()):
        return None
    word = line[1].split()[0].lower()
    is_name = word not in not_names() and word not in word_set("subject", "openers") | word_set("subject", "things")
    return (clean(line[1]), "quote") if is_name and word not in word_set("subject", "mass_nouns") else None


_LONGEST_KNOWN: Final = 5  # words
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_KNOWN_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}.'-]*[\p{L}\p{M}\p{N}]")


def known(read: Read) -> Subject | None:
    """A name that the memory already has, where the sentence begins."""
    known = {name.lower(): name for name in read.setting.recent if name != OWNER} | dict(read.setting.known)
    if not known:
        return None
    text = read.rest[:80].lower()
    if _UNSPACED.match(text):
        return next(((known[text[:size]], "known") for size in range(8, 1, -1) if text[:size] in known), None)
    words = list(islice(_KNOWN_WORD.finditer(text), _LONGEST_KNOWN))
    for last in reversed(words):
        name = text[: last.end()].removesuffix("'s").removesuffix("’s")
        if name in known:
            return known[name], "known"
    return None


@cache
def _their_relative(language: str) -> regex.Pattern[str]:
    theirs = "|".join(listed("subject", "theirs", language)) or "(?!)"
    relations = alternatives(listed("subject", "relations", language)) or "(?!)"
    return regex.compile(
        rf"(?i:{theirs})\s+(?:\p{{Ll}}+\s+)?(?i:{relations})(?i:-in-law)?,?\s+({NAME_WORD})(?!\s*['’]s\b)"
    )


def their_relative(read: Read) -> Subject | None:
    """`His wife Anke is a vet` is about Anke."""
    found = _their_relative(read.setting.language).match(read.rest)
    if found is None or found[1].lower() in not_names():
        return None
    return clean(found[1]), "relation"


@cache
def _fields() -> regex.Pattern[str]:
    return regex.compile(rf"(?i:{alternatives(listed('subject', 'fields'))})\s*:\s*(\p{{Lu}}\p{{L}}+)")


def field_of(read: Read) -> Subject | None:
    found = _fields().match(read.rest)
    return (found[1], "field") if found else None


def first_anywhere(read: Read) -> Subject | None:
    """I, my, we, or a verb form that means them."""
    found = fragments("subject", "first_anywhere", read.setting.language).search(read.rest)
    if found is None:
        return None
    if read.setting.language in ("es", "it", "fr", "ru") and found.start():
        name = name_pattern().match(read.rest)
        if name and found.start() > name.end() and clean(name.group()).split()[0].lower() not in not_names():
            return None
    return read.setting.speaker, "first"


@cache
def _article(language: str) -> regex.Pattern[str]:
    articles = alternatives(["the", *(word.lower() for word in listed("subject", "articles", language))])
    return regex.compile(rf"(?i:{articles})\s+(?=\p{{Lu}})")


_OWNS: Final = regex.compile(r"\p{L}+['’]s$")
_COLON: Final = regex.compile(r"\s*:\s*\S")
_NUMBER_AFTER: Final = regex.compile(r"\s+\d(?:[\d.]*\d)?(?![\p{L}\d%:/.-]|\s+\p{Lu})")


def opening_name(read: Read) -> Subject | None:
    """The capitalised words that the sentence opens with."""
    article = _article(read.setting.language).match(read.rest)
    found = name_pattern().match(read.rest, article.end() if article else 0)
    if found is None:
        return None
    words = found.group().split()
    if words[0].lower() in not_names() and not title_pattern().match(words[0]):
        return None
    if len(words) > 1 and words[0].lower() in word_set("subject", "openers"):
        words = words[1:]
    if not words or (len(words) == 1 and only_opens(words[0], read.rest[found.end() :], read.setting.language)):
        return None
    name, after = " ".join(words), read.rest[found.end() :]
    if name.lower() in word_set("subject", "labels") or (
        len(words) > 1 and words[0].lower() in word_set("subject", "commands")
    ):
        return None
    if _OWNS.match(words[0]):
        return clean(words[0]), "poss"
    if name.endswith(("'s", "’s")):
        return clean(name), "poss"
    if _COLON.match(after) and read.setting.heading:
        return read.setting.heading, "heading"
    if len(words) == 1 and (number := _NUMBER_AFTER.match(after)):
        name += number.group()
    return clean(name), "name"


@cache
def _groups() -> frozenset[str]:
    return word_set("subject", "group_headings")


def _names_a_group(heading: str) -> bool:
    words = regex.findall(r"[\p{L}\p{M}]+", heading.lower())
    return not _groups().isdisjoint(words) or any(
        len(one) > 1 and one in heading for one in _groups() if not one.isascii()
    )


def _is_present(key: str, heading: str) -> bool:
    """Whether a key is whoever was in the meeting that a heading names."""
    words = {word.lower() for word in key.split()}
    shut = (
        not_names() | word_set("subject", "things") | word_set("subject", "mass_nouns") | word_set("subject", "openers")
    )
    return (
        _names_a_meeting(heading)
        and _NAME_KEY.fullmatch(key) is not None
        and not key.isupper()
        and words.isdisjoint(shut)
        and not key.lower().endswith(listed("subject", "thing_endings"))
    )


def _names_a_meeting(heading: str) -> bool:
    said = " ".join(_HEADING_WORD.findall(heading.lower()))
    return any(f" {word} " in f" {said} " for word in word_set("subject", "meeting_headings"))


_HEADING_WORD: Final = regex.compile(r"[^\s(),.;]+")
_KEY: Final = regex.compile(
    r"([\p{L}][\p{L}\p{M}.'’-]*(?:\s[\p{L}][\p{L}\p{M}.'’-]*){0,3})(?:\s*[:：]\s*|\s+[–—]\s+)\S"
)
_NAME_KEY: Final = regex.compile(rf"{NAME_WORD}(?:\s{NAME_WORD}){{0,2}}")
_WITH_NOTE: Final = regex.compile(rf"({NAME_WORD}(?:\s+{NAME_WORD}){{0,3}})\s*\([^()\n]{{1,60}}\)\s*(?=\p{{L}}|$)")


def member(read: Read) -> Subject | None:
    """Under a heading, who it says something of: `Ines: vegan` where it names a group, `Omar (CTO) lives in Cairo`."""
    heading = read.setting.heading
    if heading is None:
        return None
    key = _KEY.match(read.rest)
    if (
        key
        and key[1].lower() not in word_set("subject", "fields") | word_set("subject", "labels")
        and (_names_a_group(heading) or title_pattern().match(key[1].split()[0]) or _is_present(key[1], heading))
    ):
        return clean(key[1]), "name"
    noted = _WITH_NOTE.match(read.rest)
    if noted is None or noted[1].split()[0].lower() in not_names():
        return None
    return clean(noted[1]), "name"


def under_heading(read: Read) -> Subject | None:
    return headed(read.setting) if read.setting.is_item else None


def headed(setting: Setting) -> Subject | None:
    """The heading; who speaks, where it is theirs: `My goals`."""
    if setting.heading is None:
        return None
    is_own = fragments("subject", "speaks_of_self", setting.language).search(setting.heading)
    if one := _ONE_TO_ONE.search(setting.heading):
        return clean(one[1]), "heading"
    return (setting.speaker if is_own else setting.heading), "heading"


_ONE_TO_ONE: Final = regex.compile(
    r"\b(?:1:1|1-1|1on1|(?i:one[- ]on[- ]one|catch[- ]?up|interview|coaching|mentoring|appraisal))s? "
    rf"(?:with|mit|avec|con) ({NAME_WORD}(?:\s{NAME_WORD}){{0,2}})"
)


_COMPLEMENT: Final = (
    r"(?:(?:every|each|on|in|at|to|from|by|the|a|an|our|my|with|for|more|about|per|up|out|next|last|this|tomorrow|today"
    r"|tonight|when|if|until|before|after|since|again|off|back|down|only|twice|once)\b|\d)"
)


@cache
def _noun(language: str) -> regex.Pattern[str]:
    verbs = alternatives(listed("subject", "noun_verbs", language)) or "(?!)"
    articles = alternatives(["the", *(word.lower() for word in listed("subject", "articles", language))])
    verb = rf"(?:{verbs})\b|(?<!s\s)\p{{Ll}}{{2,}}(?<!s)s\s+{_COMPLEMENT}" if language == "en" else rf"(?:{verbs})\b"
    return regex.compile(
        rf"(?:{articles})(?:\s+|(?<=['’]))((?:[\p{{L}}\p{{N}}'-]+\s+){{0,5}}?[\p{{L}}\p{{N}}'-]+?)"
        rf"(?:\s+(?:team|project))?(?=\s+(?:{verb}))",
        regex.IGNORECASE,
    )


_ADVERB_ENDS: Final = regex.compile(
    r"\s+(?:now|also|still|currently|usually|always|only|already|just|again)$", regex.IGNORECASE
)


def noun(read: Read) -> Subject | None:
    """`The gym opens at 9`; an adverb before the verb is no part of it."""
    found = _noun(read.setting.language).match(read.rest)
    return (_ADVERB_ENDS.sub("", found[1]), "np") if found else None


def carried(read: Read) -> Subject | None:
    recent = read.setting.recent
    return (recent[0], "carry") if recent and recent[0] != OWNER else None
