"""Rules for the subject of a sentence in Spanish, French, German, Italian and Russian."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.lexicon import alternatives, fragments, keyed, listed, word_set
from geniffy_server.learn.subjects.names import NAME_WORD, clean, name_pattern, not_names
from geniffy_server.learn.subjects.pronouns import pronoun, stands_for
from geniffy_server.learn.subjects.rules import (
    Read,
    Rule,
    Subject,
    carried,
    field_of,
    first_anywhere,
    headed,
    known,
    member,
    noun,
    opening_name,
    said_by,
    their_relative,
    under_heading,
)


@cache
def _my_relation(language: str) -> regex.Pattern[str]:
    mine, called = "|".join(listed("subject", "mine", language)), "|".join(listed("subject", "called", language))
    titles = alternatives(listed("subject", "titles", language)) or "(?!)"
    return regex.compile(
        rf"(?:{mine or '(?!)'})\s+(?i:\p{{Ll}}+)(?:\s+|,\s+(?=\p{{Lu}}[\p{{L}}'-]+,))"
        rf"(?:(?:{called or '(?!)'})\s*)?(?:(?-i:{titles})\.?\s+)?(\p{{Lu}}[\p{{L}}'-]+)",
        regex.IGNORECASE,
    )


@cache
def _bare_relation(language: str) -> regex.Pattern[str]:
    mine = "|".join(listed("subject", "mine", language)) or "(?!)"
    relations = alternatives(listed("subject", "relations", language)) or "(?!)"
    return regex.compile(rf"(?:{mine})\s+(?P<which>{relations})(?![\p{{L}}-])", regex.IGNORECASE)


_VERB: Final = regex.compile(r"\p{Ll}{3,}\s+")


def _european_relation(read: Read) -> Subject | None:
    """`Mi hermana Clara`, else `mi hermana`; of another speaker `Irene's hermana`. `Morgen kommt meine Schwester`."""
    is_dated = len(read.rest) < len(read.whole)
    verb = _VERB.match(read.rest) if is_dated else None
    starts = (0, verb.end()) if verb else (0,)
    return next((found for at in starts if (found := _relation_at(read, at))), None) or _to_whom(read)


def _relation_at(read: Read, at: int) -> Subject | None:
    found = _my_relation(read.setting.language).match(read.rest, at)
    relations = word_set("subject", "relations", read.setting.language)
    if found and found[1][0].isupper() and found[1].lower() not in relations:  # German writes "Tante" as it does a name
        return found[1], "relation"
    bare = _bare_relation(read.setting.language).match(read.rest, at)
    if bare is None:
        return None
    if read.setting.speaker != OWNER:
        return f"{read.setting.speaker}'s {bare['which']}", "relation"
    words = bare.group()
    return words[:1].lower() + words[1:], "relation"


@cache
def _felt(language: str) -> regex.Pattern[str]:
    to, feels = ("|".join(listed("subject", key, language)) or "(?!)" for key in ("to_whom", "is_felt"))
    mine = "|".join(listed("subject", "mine", language)) or "(?!)"
    return regex.compile(
        rf"(?i:{to})\s+(?:(?P<mine>(?i:{mine})\s+\p{{Ll}}+(?:\s+{NAME_WORD})?)|(?P<name>{NAME_WORD}))\s+(?i:{feels})"
    )


def _to_whom(read: Read) -> Subject | None:
    """`A mi suegra no le gusta el picante`, `A Paolo piace il jazz`: who feels it, where the speaker does nothing."""
    language = read.setting.language
    found = _felt(language).match(read.rest)
    if found is None or fragments("subject", "first_anywhere", language).search(read.rest, found.end()):
        return None
    if found["mine"]:
        return _relation_at(read, found.start("mine"))
    return (found["name"], "name") if found["name"].lower() not in not_names() else None


@cache
def _german_dative() -> regex.Pattern[str]:
    relations = alternatives(listed("subject", "relations", "de"))
    return regex.compile(rf"(?P<whose>mein|unser)(?P<case>er|em)\s+(?P<which>{relations})(?!\p{{L}})", regex.IGNORECASE)


def _german_to_whom(read: Read) -> Subject | None:
    """`Meiner Schwester gefällt der Job` is about `meine Schwester`."""
    found = _german_dative().match(read.rest) if read.setting.language == "de" else None
    if found is None or fragments("subject", "first_anywhere", "de").search(read.rest, found.end()):
        return None
    if read.setting.speaker != OWNER:
        return f"{read.setting.speaker}'s {found['which']}", "relation"
    return found["whose"].lower() + ("e " if found["case"] == "er" else " ") + found["which"], "relation"


def _german_owned(read: Read) -> Subject | None:
    """`Ulrikes Büro` is Ulrike's, `Jonas' Wohnung` is Jonas's: a name in the genitive before a thing."""
    found = _GENITIVE.match(read.rest) if read.setting.language == "de" else None
    if found is None or not found["thing"].lower().endswith(listed("subject", "owned", "de")):
        return None
    name = found["name"]
    if name.lower() in not_names() | word_set("subject", "things") or name.lower() in keyed("weekdays"):
        return None
    is_whole = f"{name.lower()}s" in word_set("subject", "names_in_s", "de")
    return f"{name}s" if is_whole else name, "poss"


_GENITIVE: Final = regex.compile(
    r"(?P<name>\p{Lu}\p{Ll}+?(?:[sßxz](?=['’])|(?<!s)(?=s\s)))(?:['’]s?|s)\s+(?P<thing>\p{Lu}\p{Ll}+)"
)


@cache
def _article(language: str) -> regex.Pattern[str]:
    articles = alternatives(listed("subject", "articles", language)) or "(?!)"
    return regex.compile(rf"(?:{articles})(?:\s+|(?<=['’]))(\p{{L}}+)(?=\s+\p{{Ll}})")


def _article_noun(read: Read) -> Subject | None:
    found = _article(read.setting.language).match(read.rest)
    if (
        found is None
        or found[1].lower() in keyed("weekdays")
        or (found[1][0].isupper() and read.setting.language != "de")
    ):
        return None
    return found[1], "np"


_ITALIAN_OWN: Final = regex.compile(
    r"(?:il|la|lo|i|gli|le)\s+(?:mi[oa]|miei|mie|nostr[oaie])(?!\p{L})", regex.IGNORECASE
)


def _italian_own(read: Read) -> Subject | None:
    """`Il mio cantante`: the article stands before what is mine."""
    is_own = read.setting.language == "it" and _ITALIAN_OWN.match(read.rest) is not None
    return (read.setting.speaker, "first") if is_own else None


def _no_subject(read: Read) -> Subject | None:
    """A Spanish or Italian verb in front, whose subject is the one before."""
    language = read.setting.language
    if language == "es" and _I_DID_FOR.match(read.rest):
        return read.setting.speaker, "first"
    first = _FIRST_VERB.match(read.rest)
    if first is None or not (
        first["verb"].lower() in word_set("subject", "no_subject", language)
        or (
            not read.setting.is_item
            and not fragments("subject", "comes_first", language).match(read.rest, first.start("verb"))
            and first["verb"].lower() in word_set("subject", "verbs_in_front", language)
            and fragments("subject", "after_verb", language).match(read.rest, first.end())
        )
    ):
        return None
    others = [name for name in read.setting.recent if name != OWNER]
    persons = [name for name in others if name not in read.setting.things and name[:1].isupper()]
    is_of_person = first["verb"].lower() in word_set("subject", "persons_do", read.setting.language)
    return next(((name, "carry") for name in (persons if is_of_person and persons else others)), (None, "none"))


# `Le regalé un libro`: what the speaker did for somebody.
_I_DID_FOR: Final = regex.compile(r"(?:no\s+)?(?:les?|se l[oa]s?|l[oa]s?)\s+\p{Ll}{2,}[éí](?!\p{L})", regex.IGNORECASE)
_FIRST_VERB: Final = regex.compile(r"(?:(?:ya no|no|non)\s+)?(?P<verb>[\p{L}’']+)", regex.IGNORECASE)
_INVERTED: Final = regex.compile(r"(?:\p{L}+\s+){1,2}(?:er|sie)\b")


def _german_inverted(read: Read) -> Subject | None:
    """`Nächste Woche zieht sie um`: the pronoun after the verb, when no noun stands between."""
    words = read.rest.split(" ")
    if read.setting.language != "de" or len(words) < 3 or not _INVERTED.match(read.rest):
        return None
    return None if regex.search(r"\p{Lu}\p{Ll}+", words[1]) else stands_for(read.setting, is_person=True)


@cache
def _verb_first(language: str) -> regex.Pattern[str]:
    articles = alternatives(word.lower() for word in listed("subject", "articles", language)) or "(?!)"
    return regex.compile(rf"\p{{Ll}}{{3,}}\s+(?:{articles})(?:\s+|(?<=['’]))(?P<noun>\p{{L}}{{3,}})")


def _after_verb(read: Read) -> Subject | None:
    """`… kommt der Klempner`, `… viene l'idraulico`: a noun behind a verb that a date stands before, or that comes."""
    comes = fragments("subject", "comes_first", read.setting.language).match(read.rest)
    if comes is not None:
        noun_behind = _WORD.match(read.rest, comes.end())
        return (noun_behind.group(), "np") if noun_behind else None
    if read.rest is read.whole or read.whole.startswith(read.rest):
        return None
    found = _verb_first(read.setting.language).match(read.rest)
    return (found["noun"], "np") if found else None


_WORD: Final = regex.compile(r"\p{Ll}{3,}")
_LONE_NOUN: Final = regex.compile(r"\p{Lu}\p{L}+(?:\s+(?:für|von|mit|und|aus|zum|zur|vom|beim)\s[^:]*)?[.]?$")
_INFINITIVE: Final = regex.compile(r"\p{L}{2,}(?:ar|er|ir|re)(?:se|le|les|lo|la)?(?=\s|$)", regex.IGNORECASE)


def _listed(read: Read) -> Subject | None:
    """An item that names a thing or a task is its heading's: `Kerzen für Oma`, `Llamar a Nuria`."""
    setting = read.setting
    if not (setting.is_item and setting.heading):
        return None
    of_heading = _LONE_NOUN.match(read.rest) if setting.language == "de" else _INFINITIVE.match(read.rest)
    if setting.language not in ("de", "es", "fr", "it") or of_heading is None:
        return None
    return headed(setting)


def _pro_drop(read: Read) -> Subject | None:
    return carried(read) if read.setting.language in ("es", "it") else None


def _european_inner_name(read: Read) -> Subject | None:
    before = word_set("subject", "prepositions", read.setting.language)
    for found in name_pattern().finditer(read.rest, 1):
        name = clean(found.group())
        if name.split()[0].lower() in not_names():
            continue
        if read.rest[: found.start()].rstrip().rpartition(" ")[2].lower() not in before:
            return name, "inner-name"
    return None


def _european_topic(read: Read) -> Subject | None:
    found = regex.match(r"(\p{L}+)\s+(\p{L}+)\b", read.rest)
    return (
        (found[1], "np")
        if found and found[2].lower() in word_set("subject", "topic_verbs", read.setting.language)
        else None
    )


EUROPEAN: Final[Sequence[Rule]] = (
    _european_relation, _german_to_whom, _german_owned, their_relative, _italian_own, _article_noun, _no_subject,
    said_by, first_anywhere, pronoun, _german_inverted, _after_verb, known, member, _listed, opening_name, field_of,
    under_heading, noun, _pro_drop, _european_inner_name, _european_topic,
)  # fmt: skip
