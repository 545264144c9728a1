"""Rules for the subject of a sentence in Spanish, French, German, Italian, Russian, Chinese, Japanese and Hindi."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.lexicon import alternatives, keyed, listed, word_set
from geniffy_server.learn.subjects.names import clean, name_pattern, not_names
from geniffy_server.learn.subjects.rules import (
    Read,
    Rule,
    Subject,
    carried,
    field_of,
    first_anywhere,
    known,
    member,
    noun,
    opening_name,
    pronoun,
    said_by,
    stands_for,
    their_relative,
    under_heading,
)

# Spanish, French, German, Italian, Russian


@cache
def _my_relation(language: str) -> regex.Pattern[str]:
    mine, called = "|".join(listed("subject", "mine", language)), "|".join(listed("subject", "called", language))
    return regex.compile(
        rf"(?:{mine or '(?!)'})\s+(?i:\p{{Ll}}+)\s+(?:(?:{called or '(?!)'})\s*)?(\p{{Lu}}[\p{{L}}'-]+)",
        regex.IGNORECASE,
    )


@cache
def _bare_relation(language: str) -> regex.Pattern[str]:
    mine = "|".join(listed("subject", "mine", language)) or "(?!)"
    relations = alternatives(listed("subject", "relations", language)) or "(?!)"
    return regex.compile(rf"(?:{mine})\s+(?P<which>{relations})(?![\p{{L}}-])", regex.IGNORECASE)


def _european_relation(read: Read) -> Subject | None:
    """`Mi hermana Clara`, else `mi hermana`; of another speaker `Irene's hermana`."""
    found = _my_relation(read.setting.language).match(read.rest)
    relations = word_set("subject", "relations", read.setting.language)
    if found and found[1][0].isupper() and found[1].lower() not in relations:  # German writes "Tante" as it does a name
        return found[1], "relation"
    bare = _bare_relation(read.setting.language).match(read.rest)
    if bare is None:
        return None
    if read.setting.speaker != OWNER:
        return f"{read.setting.speaker}'s {bare['which']}", "relation"
    words = bare.group()
    return words[:1].lower() + words[1:], "relation"


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
    first = regex.match(r"(?:(?:no|non|ya no|non)\s+)?(?P<verb>[\p{L}’']+)", read.rest, regex.IGNORECASE)
    if first is None or first["verb"].lower() not in word_set("subject", "no_subject", read.setting.language):
        return None
    others = [name for name in read.setting.recent if name != OWNER]
    persons = [name for name in others if name not in read.setting.things and name[:1].isupper()]
    is_of_person = first["verb"].lower() in word_set("subject", "persons_do", read.setting.language)
    return next(((name, "carry") for name in (persons if is_of_person and persons else others)), (None, "none"))


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
    """`… kommt der Klempner`, `… viene l'idraulico`: a noun behind a verb that a date stands before."""
    if read.rest is read.whole or read.whole.startswith(read.rest):
        return None
    found = _verb_first(read.setting.language).match(read.rest)
    return (found["noun"], "np") if found else None


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
    _european_relation, their_relative, _italian_own, _article_noun, _no_subject, said_by, first_anywhere, pronoun,
    _german_inverted, _after_verb,
    known, member, opening_name, field_of, under_heading, noun, _pro_drop, _european_inner_name, _european_topic,
)  # fmt: skip


# Chinese, Japanese, Hindi


@cache
def _chinese_relative() -> regex.Pattern[str]:
    return regex.compile(rf"我(?:的)?(?:{alternatives(listed('subject', 'relations', 'zh'))})")


def _chinese_relation(read: Read) -> Subject | None:
    found = _chinese_relative().match(read.rest)
    return (found.group(), "relation") if found else None


_TOPIC_BEFORE_TIME: Final = regex.compile(r"([\p{Han}]{2})(?=明年|今年|去年|昨天|今天|明天|上|下|已)")


def _chinese_topic_before_time(read: Read) -> Subject | None:
    found = _TOPIC_BEFORE_TIME.match(read.rest)
    if found is None or found[1][0] in listed("subject", "surnames") or found[1][0] in "他她我它":
        return None
    return found[1], "topic"


@cache
def _chinesename_pattern() -> regex.Pattern[str]:
    surnames = "".join(listed("subject", "surnames"))
    return regex.compile(
        rf"([{surnames}][\p{{Han}}]{{1,2}}?)(?=[住在是喜买昨今明要有的去说和也已会想做从把被叫搬换认开工负讨爱结毕出到下回给跟对打学教写看听吃喝不没当任管退请带送很每刚曾正向于为帮养跑走参加成觉知希需应必可能得让使用租卖修病生死丢找见遇约离将准负擅精拥最讨答跳唱弹])"
    )


def _chinese_named(read: Read) -> Subject | None:
    found = _chinesename_pattern().match(read.rest)
    if found is None or read.rest.startswith(listed("subject", "not_people", "zh")):
        return None
    return found[1], "name"


_CHINESE_TOPIC: Final = regex.compile(
    r"([\p{Han}]{2,8}?)(?:是|在|改|到|有|要|将|会|已|坏|开始|结束|需|必须|应|不|没|很|太|非常|都|也|还|正|被|由|从|每|只|快|了)"
)


def _chinese_topic(read: Read) -> Subject | None:
    """What stands before the verb; of those who did something before, the last when it is nothing but a verb."""
    found = _CHINESE_TOPIC.match(read.rest)
    if found is None:
        return None
    return (found[1], "topic") if not found[1].startswith(("把", "给", "对", "为")) else None


_JAPANESE_WISH: Final = regex.compile(r"[\p{Katakana}ー]+は.*(?:ません|たい|ます)[。.]?$")
_JAPANESE_TOPIC: Final = regex.compile(r"([\p{Han}\p{Hiragana}\p{Katakana}ー]{1,12}?)[はが]")


def _japanese_wish(read: Read) -> Subject | None:
    return (read.setting.speaker, "drop") if _JAPANESE_WISH.match(read.rest) else None


@cache
def _japanese_relatives() -> regex.Pattern[str]:
    relations = alternatives(listed("subject", "relations", "ja"))
    return regex.compile(rf"(?:(?:私|僕|俺|うち)の)?({relations})[はがも]")


def _japanese_relation(read: Read) -> Subject | None:
    found = _japanese_relatives().match(read.rest)
    return (found[1], "relation") if found else None


def _japanese_topic(read: Read) -> Subject | None:
    found = _JAPANESE_TOPIC.match(read.rest)
    if found is None:
        return None
    return (carried(read) if found[1] == "場所" else None) or (found[1], "topic")


def _japanese_dropped(read: Read) -> Subject | None:
    return carried(read) or (read.setting.speaker, "drop")


@cache
def _hindi_relatives() -> regex.Pattern[str]:
    relations = alternatives(listed("subject", "relations", "hi"))
    return regex.compile(rf"(?:मेरा|मेरी|मेरे|हमारा|हमारी) (?:{relations})(?![\p{{L}}\p{{M}}])")


def _hindi_relation(read: Read) -> Subject | None:
    found = _hindi_relatives().match(read.rest)
    return (found.group(), "relation") if found else None


_HINDI_NAME: Final = regex.compile(r"(?:(?:डॉ|श्री|श्रीमती|प्रो)\.?\s+)?[\p{L}\p{M}]+")


def _hindi_first_word(read: Read) -> Subject | None:
    found = _HINDI_NAME.match(read.rest)
    return (found.group(), "first-noun") if found else None


CHINESE: Final[Sequence[Rule]] = (
    _chinese_relation, _chinese_topic_before_time, said_by, first_anywhere, pronoun, known, member, _chinese_named,
    under_heading, _chinese_topic, carried,
)  # fmt: skip
JAPANESE: Final[Sequence[Rule]] = (
    _japanese_relation, _japanese_wish, said_by, first_anywhere, pronoun, known, member, under_heading,
    _japanese_topic, _japanese_dropped,
)  # fmt: skip
HINDI: Final[Sequence[Rule]] = (
    _hindi_relation, said_by, first_anywhere, pronoun, known, member, under_heading, _hindi_first_word,
)  # fmt: skip
