"""Whom a pronoun stands for, by who was named before it and by what is said of whom."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.lexicon import alternatives, listed, word_set
from geniffy_server.learn.subjects.names import first_names, is_personal, is_well_known
from geniffy_server.learn.subjects.rules import Read, Setting, Subject, headed


@cache
def _pronouns(language: str) -> regex.Pattern[str]:
    lists = {
        key: sorted(listed("subject", key, language), key=len, reverse=True) for key in ("he", "they", "it", "this")
    }
    groups = [f"(?P<{key}>{'|'.join(words)})" for key, words in lists.items() if words]
    shut = "" if language in ("zh", "ja") else r"(?![\p{L}\p{M}])"
    return regex.compile(f"(?:{'|'.join(groups)}){shut}", regex.IGNORECASE)


def pronoun(read: Read) -> Subject | None:
    found = _pronouns(read.setting.language).match(read.rest)
    if found is None:
        return None
    groups = found.groupdict()
    if groups.get("this"):
        return _own(read) or _pointed_at(read.setting)
    is_they = bool(groups.get("they"))
    word, language = found.group().lower(), read.setting.language
    others = "women" if word in listed("subject", "men", language) else "men"
    is_telling = word in listed("subject", "men", language) or word in listed("subject", "women", language)
    found_for = stands_for(
        read.setting,
        is_person=is_they or bool(groups.get("he")),
        is_they=is_they,
        never=(
            *listed("subject", others, language),
            *listed("subject", f"{others}_names"),
            *(name.lower() for name, sex in read.setting.sexes.items() if sex == others),
        )
        if is_telling
        else (),
    )
    is_nothing = found_for[0] is None and bool(groups.get("it"))
    return (_own(read) if is_nothing else None) or found_for


_OF_ME: Final = regex.compile(r"\b(?:I|my|me)\b")


def _own(read: Read) -> Subject | None:
    """Who speaks, in `It's my first time`, where nothing before is meant."""
    is_own = read.setting.language == "en" and read.setting.is_turn and _OF_ME.search(read.rest)
    is_free = read.setting.previous in (None, OWNER)
    return (read.setting.speaker, "first-any") if is_own and is_free else None


def opens_with_pronoun(sentence: str, language: str) -> bool:
    """Whether a sentence begins with a pronoun for persons: `They had fun`, `Her laugh is loud`."""
    found = _pronouns(language).match(sentence)
    return found is not None and any(found.groupdict().get(key) for key in ("he", "they"))


def sex_told(sentence: str, language: str) -> str | None:
    """`men` or `women`, as the first pronoun of a sentence tells; None where it tells neither."""
    found = _told_sex(language).search(sentence)
    if found is None:
        return None
    return "men" if found.group().lower() in listed("subject", "men", language) else "women"


@cache
def _told_sex(language: str) -> regex.Pattern[str]:
    words = alternatives(
        word
        for key in ("men", "women")
        for word in listed("subject", key, language)
        if word in listed("subject", "he", language)
    )
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}])(?:{words or '(?!)'})(?![\p{{L}}\p{{M}}])", regex.IGNORECASE)


def _pointed_at(setting: Setting) -> Subject:
    if setting.previous not in (None, OWNER):
        return setting.previous, "pronoun?"
    return headed(setting) or (None, "none")


def _fits(name: str, setting: Setting, never: Collection[str]) -> bool:
    words = name.lower().split()
    return name not in (OWNER, setting.speaker) and {name.lower(), words[0], words[-1]}.isdisjoint(never)


def stands_for(setting: Setting, *, is_person: bool, is_they: bool = False, never: Collection[str] = ()) -> Subject:
    """The newest that a pronoun may stand for: not who speaks, who says `I`, nor what a word of `never` names."""
    fits = [name for name in setting.recent if _fits(name, setting, never)]
    if is_person and not is_they and len({name for name in setting.before if name in fits and is_personal(name)}) > 1:
        return None, "none"  # of whom the turn before told two, and this one of none yet
    for name in fits:
        if is_they:
            if setting.language != "en" or _may_be_several(name, setting):
                return name, "pronoun"
            continue
        if is_well_known(name):
            continue  # one that only names where or with what something is done: `in Chicago. It's refreshing to …`
        if (name not in setting.things and is_personal(name)) == is_person:
            return name, "pronoun"
    pets = [name for name in fits if name.split()[-1].lower() in word_set("subject", "pets")]
    if is_person and pets and setting.previous in (None, OWNER, *pets):
        return pets[0], "pronoun"
    return (None, "none") if is_person else _pointed_at(setting)


_SEVERAL: Final = regex.compile(r".*(?:\band\b.*|[^su'’]s|children|people|men)$", regex.IGNORECASE)


def _may_be_several(name: str, setting: Setting) -> bool:
    """Whether an English `they` may stand for a name: for several, or an organisation; in a talk for several alone."""
    words = name.lower().split()
    if not word_set("subject", "several").isdisjoint(words):
        return True
    if words[-1] in word_set("subject", "relations"):
        return words[-1].endswith(("s", "children"))
    if _SEVERAL.fullmatch(name) and (name not in setting.recent or name in setting.things or not name[:1].isupper()):
        return True
    is_one = bool({words[0], words[-1]} & first_names()) or name in setting.sexes
    return setting.speaker == OWNER and not setting.is_turn and not is_one
