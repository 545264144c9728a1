"""Who or what a sentence is about, by rules tried in order; the first that fits wins.

`how` names the rule. Weak ones (`WEAK`) are guesses by place in the sentence: they may help to find a memory, and
never retire one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.dates import find
from geniffy_server.learn.lexicon import alternatives, fragments, keyed, listed, word_set

WEAK: Final = frozenset({"inner-name", "pronoun?", "np"})
FIRST_PERSON: Final = frozenset({"first", "first-any", "drop"})
"""Rules by which the speaker talks of themselves."""

Subject = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Setting:
    """What stands around a sentence.

    `speaker` is OWNER or a participant's name. `recent` holds the subjects named before it, newest first. `known` maps
    what the memory already has, in lower case, to how it is written. `is_item` says that it stands in a list.
    """

    language: str
    said: date
    speaker: str = OWNER
    heading: str | None = None
    recent: Sequence[str] = ()
    known: Mapping[str, str] = field(default_factory=dict)
    is_item: bool = False


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence, and what is left of it without greetings and dates in front."""

    whole: str
    rest: str
    setting: Setting


_Rule = Callable[[_Read], Subject | None]


def subject(sentence: str, setting: Setting) -> Subject:
    """The subject of `sentence` and the rule that found it: a name, OWNER or the speaker, or None with `none`."""
    read = _Read(sentence, sentence[_lead(sentence, setting.said) :], setting)
    for rule in _rules(setting.language):
        found = rule(read)
        if found is not None:
            return found
    return (setting.heading, "heading") if setting.heading else (None, "none")


def is_person(about: str | None) -> bool:
    """Whether a subject reads as a person's name or relation rather than a thing."""
    return about is not None and about != OWNER and _PERSON.fullmatch(about) is not None


@cache
def _rules(language: str) -> Sequence[_Rule]:
    if language == "en":
        return _ENGLISH
    own: dict[str, Sequence[_Rule]] = {"zh": _CHINESE, "ja": _JAPANESE, "hi": _HINDI, "ar": _ARABIC}
    return own.get(language, _EUROPEAN)


# --- words ---------------------------------------------------------------------------------------------------------

_NAME_WORD: Final = r"\p{Lu}[\p{L}\p{M}'’-]*"
_PERSON: Final = regex.compile(
    r"\p{Lu}[\p{L}\p{M}.'’-]+(?:\s(?:de|van|von|der|da|del|bin|al)?\s?\p{Lu}[\p{L}\p{M}'’-]+)*|my \p{L}+"
    r"|[\p{Han}]{2,3}|我的?[\p{Han}]{2}"
    r"|.*さん|[\p{Devanagari}\p{Arabic}]+"
)


@cache
def _name() -> regex.Pattern[str]:
    title = alternatives(listed("subject", "titles"))
    return regex.compile(
        rf"(?:(?:{title})\.?\s+)*{_NAME_WORD}(?:\s+(?:(?:de|van|von|der|da|del|bin|al)\s+)?{_NAME_WORD})*"
    )


@cache
def _title() -> regex.Pattern[str]:
    return regex.compile(rf"(?:{alternatives(listed('subject', 'titles'))})\.?$")


@cache
def _not_names() -> frozenset[str]:
    return word_set("subject", "not_names")


@cache
def _lead_words() -> regex.Pattern[str]:
    lead = alternatives(listed("subject", "lead"))
    return regex.compile(rf"(?:[\"“”'«»„*\-–—_\s(\[]|(?:{lead})\b[,!]?\s*)+", regex.IGNORECASE)


@cache
def _before_date() -> regex.Pattern[str]:
    return regex.compile(rf"(?:{alternatives(listed('subject', 'before_date'))})\s*", regex.IGNORECASE)


_AFTER_DATE: Final = regex.compile(r"[\s,，、の]*(?:(?:ago|年?起|に|は)\b[\s,，]*|に|は)?")


def _lead(sentence: str, said: date) -> int:
    """How much of the beginning is a greeting, a joining word, or a date that the sentence opens with."""
    found = _lead_words().match(sentence)
    at = found.end() if found else 0
    for start, end, _ in find(sentence[at : at + 60], said)[:1]:
        if start == 0 or (start <= 5 and _before_date().fullmatch(sentence, at, at + start)):
            after = _AFTER_DATE.match(sentence, at + end)
            if after and sentence[after.end() :].strip():
                return after.end()
    return at


def _clean(name: str) -> str:
    return regex.sub(r"['’]s$", "", name).strip(" ,.;:")


def _is_personal(name: str) -> bool:
    """Whether he or she can stand for it; it stands for the others."""
    if name == OWNER:
        return True
    words = {word.lower() for word in name.split()}
    return bool(regex.match(r"\p{Lu}|my |[\p{Han}]{2,4}|.*さん$|[\p{Devanagari}\p{Arabic}]", name)) and not (
        words & word_set("subject", "things")
    )


# --- rules of every language -----------------------------------------------------------------------------------------


@cache
def _quoted_speech() -> regex.Pattern[str]:
    reporting = alternatives(listed("subject", "reporting"))
    return regex.compile(rf"[\"”»」],?\s*(?:{reporting})\s+({_name().pattern})")


def _said_by(read: _Read) -> Subject | None:
    found = _quoted_speech().search(read.whole)
    return (_clean(found[1]), "quote") if found else None


@cache
def _pronouns(language: str) -> regex.Pattern[str]:
    he, they, it = (sorted(listed("subject", key, language), key=len, reverse=True) for key in ("he", "they", "it"))
    groups = [f"(?P<{name}>{'|'.join(words)})" for name, words in (("he", he), ("they", they), ("it", it)) if words]
    shut = "" if language in ("zh", "ja") else r"(?![\p{L}\p{M}])"
    return regex.compile(f"(?:{'|'.join(groups)}){shut}", regex.IGNORECASE)


def _pronoun(read: _Read) -> Subject | None:
    found = _pronouns(read.setting.language).match(read.rest)
    if found is None:
        return None
    groups = found.groupdict()
    return _stands_for(
        read.setting, is_person=bool(groups.get("he") or groups.get("they")), is_they=bool(groups.get("they"))
    )


def _stands_for(setting: Setting, *, is_person: bool, is_they: bool = False) -> Subject:
    for name in setting.recent:
        if name != OWNER and (is_they or _is_personal(name) == is_person):
            return name, "pronoun"
    if setting.recent and setting.recent[0] != OWNER:
        return setting.recent[0], "pronoun?"
    if not is_person and setting.heading:
        return setting.heading, "heading"
    return None, "none"


_LONGEST_KNOWN: Final = 5  # words


def _known(read: _Read) -> Subject | None:
    """A name that the memory already has, where the sentence begins."""
    known = read.setting.known
    if not known:
        return None
    text = read.rest[:80].lower()
    if regex.match(r"[\p{Han}\p{Hiragana}\p{Katakana}]", text):
        return next(((known[text[:size]], "known") for size in range(8, 1, -1) if text[:size] in known), None)
    words = list(regex.finditer(r"[\p{L}\p{M}\p{N}.'-]*[\p{L}\p{M}\p{N}]", text))[:_LONGEST_KNOWN]
    for last in reversed(words):
        name = regex.sub(r"['’]s$", "", text[: last.end()])
        if name in known:
            return known[name], "known"
    return None


@cache
def _fields() -> regex.Pattern[str]:
    return regex.compile(rf"(?i:{alternatives(listed('subject', 'fields'))})\s*:\s*(\p{{Lu}}\p{{L}}+)")


def _field(read: _Read) -> Subject | None:
    found = _fields().match(read.rest)
    return (found[1], "field") if found else None


def _first_anywhere(read: _Read) -> Subject | None:
    """I, my, we, or a verb form that means them."""
    found = fragments("subject", "first_anywhere", read.setting.language).search(read.rest)
    if found is None:
        return None
    if read.setting.language in ("es", "it", "fr", "ru") and found.start():
        name = _name().match(read.rest)
        if name and found.start() > name.end() and _clean(name.group()).split()[0].lower() not in _not_names():
            return None
    return read.setting.speaker, "first"


def _opening_name(read: _Read) -> Subject | None:
    """The capitalised words that the sentence opens with."""
    found = _name().match(read.rest)
    if found is None:
        return None
    words = found.group().split()
    articles = {word.lower() for word in listed("subject", "articles")} | {"the"}
    while words and words[0].lower() in _not_names() and not _title().match(words[0]):
        words = words[1:] if len(words) > 1 and words[0].lower() in articles else []
    if not words:
        return None
    name, after = " ".join(words), read.rest[found.end() :]
    if regex.match(r"\p{L}+['’]s$", words[0]):
        return _clean(words[0]), "poss"
    if name.endswith(("'s", "’s")):
        return _clean(name), "poss"
    if regex.match(r"\s*:\s*\S", after) and read.setting.heading:
        return read.setting.heading, "heading"
    if len(words) == 1 and (number := regex.match(r"\s+\d(?:[\d.]*\d)?(?![\p{L}\d%:/.-])", after)):
        name += number.group()
    return _clean(name), "name"


def _under_heading(read: _Read) -> Subject | None:
    setting = read.setting
    return (setting.heading, "heading") if setting.is_item and setting.heading else None


_NOUN: Final = regex.compile(
    r"(?:the|la|le|el|il|die|der|das|l'|lo)\s*((?:\p{L}+[\s-]){0,2}?\p{L}+?)(?:\s+(?:team|project)\b)?(?=\s+(?:is|are|was|were|will|has|"
    r"have|had|uses?|runs?|may|can|should|starts?|ends?|opens?|closes?|leaves?|resets?|goes|será|es|est|a|sera|ist|war|hat|wird|è|sarà)\b)",
    regex.IGNORECASE,
)


def _noun(read: _Read) -> Subject | None:
    found = _NOUN.match(read.rest)
    return (found[1], "np") if found else None


def _carried(read: _Read) -> Subject | None:
    recent = read.setting.recent
    return (recent[0], "carry") if recent and recent[0] != OWNER else None


# --- English ---------------------------------------------------------------------------------------------------------


@cache
def _relation_named() -> regex.Pattern[str]:
    return regex.compile(
        r"(?:[Mm]y|[Oo]ur)\s+(?:\p{Ll}+\s+)??(\p{L}+(?:-in-law)?)(?:\s+|,\s*)(?P<name>\p{Lu}[\p{Ll}'-]+)\b"
    )


@cache
def _relation() -> regex.Pattern[str]:
    relations = alternatives(listed("subject", "relations", "en"))
    return regex.compile(rf"(?:my|our)\s+(?:\p{{Ll}}+\s+)?((?:{relations})(?:-in-law)?)(?:'s)?\b", regex.IGNORECASE)


_CALLED: Final = regex.compile(r".{0,25}?\bis (?:called|named) (\p{Lu}\p{L}+)")


def _english_relation(read: _Read) -> Subject | None:
    """`My sister Ana`, `my sister`, `my daughter is called Mia`."""
    named = _relation_named().match(read.rest)
    if named and not read.rest.startswith("'s ", named.end("name")):
        return _clean(named["name"]), "relation"
    found = _relation().match(read.rest)
    if found is None:
        return None
    called = _CALLED.match(read.rest, found.end())
    if called:
        return called[1], "relation"
    whose = "my" if read.setting.speaker == OWNER else f"{read.setting.speaker}'s"
    return f"{whose} {found[1].lower()}", "relation"


_NAMING: Final = regex.compile(r"(?:her|his|their|its) name (?:is|was) (\p{Lu}\p{L}+)", regex.IGNORECASE)


def _english_naming(read: _Read) -> Subject | None:
    found = _NAMING.match(read.rest)
    return (found[1], "naming") if found else None


@cache
def _english_reporting() -> regex.Pattern[str]:
    return regex.compile(rf"[\"”»,]\s*(?:said|says|told me)\s+(my \p{{L}}+|{_name().pattern})")


def _english_said_by(read: _Read) -> Subject | None:
    found = _english_reporting().search(read.whole)
    return (_clean(found[1]), "quote") if found else None


@cache
def _english_first_word() -> regex.Pattern[str]:
    return regex.compile(rf"(?:{alternatives(listed('subject', 'first', 'en'))})\b", regex.IGNORECASE)


def _english_first(read: _Read) -> Subject | None:
    return (read.setting.speaker, "first") if _english_first_word().match(read.rest) else None


_ITEM_VERB: Final = regex.compile(r"\s+(?:to|is|was|will|has|\p{Ll}+(?:s|ed))\b")
_ONE_NAME: Final = regex.compile(r"\p{Lu}\p{Ll}+")


def _english_item(read: _Read) -> Subject | None:
    """A list item is about its heading, unless it opens with its own: `Owner: Priya`, `Ravi to email legal`."""
    if not (read.setting.is_item and read.setting.heading):
        return None
    if owned := _field(read):
        return owned
    name = _name().match(read.rest)
    if name and _ITEM_VERB.match(read.rest, name.end()):
        first = name.group().split()[0]
        if first.lower() not in _not_names() and _ONE_NAME.fullmatch(first):
            return _clean(name.group()), "name"
    return read.setting.heading, "heading"


_TITLED: Final = regex.compile(
    r"(?P<title>(?:Dr|Mr|Mrs|Ms|Prof)\.?\s+\p{Lu}[\p{L}'-]+)|[Tt]he\s+(?P<team>\p{Lu}\p{L}+)\s+(?:team|project|squad|group)\b"
)


def _english_titled(read: _Read) -> Subject | None:
    found = _TITLED.match(read.rest)
    return (_clean(found["title"] or found["team"]), "title") if found else None


_POSSESSIVE: Final = regex.compile(r"(\p{Lu}[\p{L}-]+)['’]s\s+\p{Ll}")


def _english_possessive(read: _Read) -> Subject | None:
    found = _POSSESSIVE.match(read.rest)
    return (
        (found[1], "poss")
        if found and found[1].lower() not in _not_names() | {"it", "that", "what", "there", "here", "let"}
        else None
    )


_DROPPED: Final = regex.compile(
    r"(?:got|had|went|met|saw|been|bought|finished|started|feeling|just)\b", regex.IGNORECASE
)
_I_ANYWHERE: Final = regex.compile(r"\b(?:I|i|i'm|I'm|I've|my|me)\b")


def _english_dropped(read: _Read) -> Subject | None:
    """`Got the job!`: the speaker, left out."""
    return (read.setting.speaker, "drop") if _DROPPED.match(read.rest) else None


def _english_first_anywhere(read: _Read) -> Subject | None:
    return (read.setting.speaker, "first-any") if _I_ANYWHERE.search(read.rest) else None


_WE: Final = regex.compile(r"\b(?:we|our)\b")


def _english_inner_name(read: _Read) -> Subject | None:
    for found in _name().finditer(read.rest):
        name = _clean(found.group())
        lower = name.lower()
        if (
            not found.start()
            or not name
            or lower in _not_names()
            or lower in keyed("months")
            or lower in keyed("weekdays")
        ):
            continue
        if _WE.search(read.rest):
            return None
        if read.rest[: found.start()].rstrip().rpartition(" ")[2].lower() not in word_set("subject", "position_words"):
            return (name, "inner-name") if lower.split()[0] not in _not_names() else None
    return None


_TOPIC: Final = regex.compile(
    r"(?:the\s+)?((?:\p{L}[\p{L}-]*\s+){0,4}?\p{L}[\p{L}-]+)\s*(?::|is\b|was\b|takes\b|needs\b)", regex.IGNORECASE
)


def _english_topic(read: _Read) -> Subject | None:
    found = _TOPIC.match(read.rest) if read.setting.heading is None else None
    return (found[1], "np") if found and found[1].split()[0].lower() not in _not_names() else None


_CLAUSE: Final = regex.compile(r"(?:When|While|After|Before|If|Once|Neither)\s+(?:\p{Ll}+\s+)?(\p{Lu}[\p{L}'-]+)\b")


def _english_clause(read: _Read) -> Subject | None:
    found = _CLAUSE.match(read.rest)
    return (_clean(found[1]), "clause") if found else None


_ENGLISH: Final[Sequence[_Rule]] = (
    _english_relation, _english_naming, _english_said_by, _english_first, _pronoun, _known, _english_item, _field,
    _english_titled, _english_possessive, _english_dropped, _english_first_anywhere, _said_by, _opening_name, _noun,
    _english_inner_name, _english_topic, _english_clause,
)  # fmt: skip


# --- Spanish, French, German, Italian, Russian -----------------------------------------------------------------------


@cache
def _my_relation(language: str) -> regex.Pattern[str]:
    mine, called = "|".join(listed("subject", "mine", language)), "|".join(listed("subject", "called", language))
    return regex.compile(
        rf"(?:{mine or '(?!)'})\s+(?i:\p{{Ll}}+)\s+(?:(?:{called or '(?!)'})\s*)?(\p{{Lu}}[\p{{L}}'-]+)",
        regex.IGNORECASE,
    )


def _european_relation(read: _Read) -> Subject | None:
    found = _my_relation(read.setting.language).match(read.rest)
    return (found[1], "relation") if found and found[1][0].isupper() else None


@cache
def _article(language: str) -> regex.Pattern[str]:
    articles = alternatives(listed("subject", "articles", language)) or "(?!)"
    return regex.compile(rf"(?:{articles})(?:\s+|(?<=['’]))(\p{{L}}+)(?=\s+\p{{Ll}})")


def _european_noun(read: _Read) -> Subject | None:
    found = _article(read.setting.language).match(read.rest)
    if found is None or (found[1][0].isupper() and read.setting.language != "de"):
        return None
    return found[1], "np"


def _no_subject(read: _Read) -> Subject | None:
    """A Spanish or Italian verb in front, whose subject is the one before."""
    first = regex.match(r"[\p{L}’']+", read.rest)
    if first is None or first.group().lower() not in word_set("subject", "no_subject", read.setting.language):
        return None
    return _carried(read) or (None, "none")


_INVERTED: Final = regex.compile(r"(?:\p{L}+\s+){1,2}(?:er|sie)\b")


def _german_inverted(read: _Read) -> Subject | None:
    """`Nächste Woche zieht sie um`: the pronoun after the verb, when no noun stands between."""
    words = read.rest.split(" ")
    if read.setting.language != "de" or len(words) < 3 or not _INVERTED.match(read.rest):
        return None
    return None if regex.search(r"\p{Lu}\p{Ll}+", words[1]) else _stands_for(read.setting, is_person=True)


def _pro_drop(read: _Read) -> Subject | None:
    return _carried(read) if read.setting.language in ("es", "it") else None


def _european_inner_name(read: _Read) -> Subject | None:
    before = word_set("subject", "prepositions", read.setting.language)
    for found in _name().finditer(read.rest, 1):
        if read.rest[: found.start()].rstrip().rpartition(" ")[2].lower() not in before:
            return _clean(found.group()), "inner-name"
    return None


def _european_topic(read: _Read) -> Subject | None:
    found = regex.match(r"(\p{L}+)\s+(\p{L}+)\b", read.rest)
    return (
        (found[1], "np")
        if found and found[2].lower() in word_set("subject", "topic_verbs", read.setting.language)
        else None
    )


_EUROPEAN: Final[Sequence[_Rule]] = (
    _european_relation, _european_noun, _no_subject, _said_by, _first_anywhere, _pronoun, _german_inverted, _known,
    _opening_name, _field, _under_heading, _noun, _pro_drop, _european_inner_name, _european_topic,
)  # fmt: skip


# --- Chinese, Japanese, Hindi, Arabic --------------------------------------------------------------------------------


@cache
def _chinese_relative() -> regex.Pattern[str]:
    return regex.compile(rf"我(?:的)?(?:{alternatives(listed('subject', 'relations', 'zh'))})")


def _chinese_relation(read: _Read) -> Subject | None:
    found = _chinese_relative().match(read.rest)
    return (found.group(), "relation") if found else None


_TOPIC_BEFORE_TIME: Final = regex.compile(r"([\p{Han}]{2})(?=明年|今年|去年|昨天|今天|明天|上|下|已)")


def _chinese_topic_before_time(read: _Read) -> Subject | None:
    found = _TOPIC_BEFORE_TIME.match(read.rest)
    if found is None or found[1][0] in listed("subject", "surnames") or found[1][0] in "他她我它":
        return None
    return found[1], "topic"


@cache
def _chinese_name() -> regex.Pattern[str]:
    surnames = "".join(listed("subject", "surnames"))
    return regex.compile(
        rf"([{surnames}][\p{{Han}}]{{1,2}}?)(?=住|在|是|喜|买|昨|今|明|要|有|的|去|说|和|也|已|会|想|做|从|把|被|叫|搬|换)"
    )


def _chinese_named(read: _Read) -> Subject | None:
    found = _chinese_name().match(read.rest)
    return (found[1], "name") if found else None


_CHINESE_TOPIC: Final = regex.compile(r"([\p{Han}]{2,6}?)(?:是|在|改)")


def _chinese_topic(read: _Read) -> Subject | None:
    found = _CHINESE_TOPIC.match(read.rest)
    return (found[1], "topic") if found else None


_JAPANESE_WISH: Final = regex.compile(r"[\p{Katakana}ー]+は.*(?:ません|たい|ます)[。.]?$")
_JAPANESE_TOPIC: Final = regex.compile(r"([\p{Han}\p{Hiragana}\p{Katakana}ー]{1,12}?)[はが]")


def _japanese_wish(read: _Read) -> Subject | None:
    return (read.setting.speaker, "drop") if _JAPANESE_WISH.match(read.rest) else None


def _japanese_topic(read: _Read) -> Subject | None:
    found = _JAPANESE_TOPIC.match(read.rest)
    if found is None:
        return None
    return (_carried(read) if found[1] == "場所" else None) or (found[1], "topic")


def _japanese_dropped(read: _Read) -> Subject | None:
    return _carried(read) or (read.setting.speaker, "drop")


def _hindi_first_word(read: _Read) -> Subject | None:
    found = regex.match(r"[\p{L}\p{M}]+", read.rest)
    return (found.group(), "first-noun") if found else None


def _arabic_noun(read: _Read) -> Subject | None:
    """After a verb in front, or a noun with its article."""
    words = read.rest.split()
    if len(words) > 1 and regex.match(r"[يت]\p{L}+", words[0]):
        return words[1].strip(".,،"), "vso"
    if words and words[0].startswith("ال") and not (words[0].startswith("المكان") and read.setting.recent):
        return words[0].strip(".,،"), "noun"
    return None


def _arabic_first_word(read: _Read) -> Subject | None:
    words = read.rest.split()
    return (words[0].strip(".,،"), "first-noun") if words else None


_CHINESE: Final[Sequence[_Rule]] = (
    _chinese_relation, _chinese_topic_before_time, _said_by, _first_anywhere, _pronoun, _known, _chinese_named,
    _chinese_topic, _carried,
)  # fmt: skip
_JAPANESE: Final[Sequence[_Rule]] = (
    _japanese_wish, _said_by, _first_anywhere, _pronoun, _known, _japanese_topic, _japanese_dropped,
)  # fmt: skip
_HINDI: Final[Sequence[_Rule]] = (_said_by, _first_anywhere, _pronoun, _known, _hindi_first_word)
_ARABIC: Final[Sequence[_Rule]] = (
    _said_by,
    _first_anywhere,
    _pronoun,
    _known,
    _arabic_noun,
    _carried,
    _arabic_first_word,
)
