"""Rules for the subject of an Arabic or a Hebrew sentence: no capitals, and often the verb comes first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.lexicon import alternatives, listed, word_set
from geniffy_server.learn.subjects.pronouns import pronoun
from geniffy_server.learn.subjects.rules import (
    Read,
    Rule,
    Setting,
    Subject,
    carried,
    field_of,
    first_anywhere,
    known,
    member,
    said_by,
    under_heading,
)

_MARKS: Final = ".,،:;!"


def _words(read: Read) -> list[str]:
    return [word.strip(_MARKS) for word in read.rest.split()]


def _relative(setting: Setting, relation: str) -> str:
    """`أختي` of the owner; of another speaker `Rima: أختي`, since the word says "my"."""
    return relation if setting.speaker == OWNER else f"{setting.speaker}: {relation}"


# Arabic

_NAMED_HERE: Final = regex.compile(r"(?:اسم(?:ه|ها)|يدعى|تدعى)\s+(?:هو\s+|هي\s+)?([\p{Arabic}\p{M}]+)")
_NO_NAME: Final = regex.compile(
    r"[يتن]\p{L}{2,}|في|من|على|إلى|عن|مع|هو|هي|كان|كانت|لا|لم|لن|ليس|ليست|قد|لديه\p{L}?|عنده\p{L}?"
)


def _arabic_relation(read: Read) -> Subject | None:
    """`أختي ليلى تعمل`: the name between the relation and the verb, else the relation."""
    words = _words(read)
    if not words or words[0] not in word_set("subject", "relations", "ar"):
        return None
    if named := _NAMED_HERE.search(read.rest[:60]):
        return named[1], "relation"
    if len(words) > 2 and _may_be_arabic_name(words[1], words[2]) and not words[1].startswith("ال"):
        return words[1], "relation"
    return _relative(read.setting, words[0]), "relation"


def _may_be_arabic_name(word: str, following: str) -> bool:
    """Whether the word behind a relation names it; `يوسف` begins as verbs do, and stands before one."""
    if word in word_set("subject", "past_verbs", "ar"):
        return False
    return not _NO_NAME.fullmatch(word) or (
        word in word_set("subject", "names_like_verbs", "ar") and _NO_NAME.fullmatch(following) is not None
    )


_FEMININE: Final = regex.compile(r"\p{Arabic}+(?:ة|ى|اء|تي)|أختي|أمي|ابنتي|بنتي")


def _arabic_she_did(read: Read) -> Subject | None:
    """`انتقلت أختي إلى بيروت`; and `انتقلت` alone right behind what is said of a woman: the word means `I` as well."""
    words = _words(read)
    if len(words) < 2 or words[0] not in word_set("subject", "she_went", "ar"):
        return None
    if words[1] in word_set("subject", "relations", "ar"):
        return _relative(read.setting, words[1]), "relation"
    previous = read.setting.previous
    is_hers = previous is not None and previous != OWNER and _FEMININE.fullmatch(previous) is not None
    return (previous, "carry") if is_hers and words[1] in word_set("subject", "prepositions", "ar") else None


def _arabic_has(read: Read) -> Subject | None:
    """`لأختي ثلاثة أطفال` is about `أختي`."""
    words = _words(read)
    if len(words) < 3 or not words[0].startswith("ل") or words[1].endswith("ت"):  # لأختي اشتريت: I bought
        return None
    whose = words[0][1:]
    return (_relative(read.setting, whose), "relation") if whose in word_set("subject", "relations", "ar") else None


def _arabic_relative_of_mine(read: Read) -> Subject | None:
    """`ابن عمي يوسف يدرس`: the name behind a relation of a relation."""
    words = _words(read)
    is_one = (
        len(words) > 3
        and words[0] in word_set("subject", "relations_of_another", "ar")
        and words[1] in word_set("subject", "relations", "ar")
        and _may_be_arabic_name(words[2], words[3])
        and not words[2].startswith("ال")
    )
    return (words[2], "relation") if is_one else None


def _arabic_relation_of(read: Read) -> Subject | None:
    """`أخت ليلى تعمل`: whose relation it is tells who; `أخو ليلى اسمه فادي`: the name."""
    words = _words(read)
    if (
        len(words) < 3
        or words[0] not in word_set("subject", "relations_of_another", "ar")
        or _NO_NAME.fullmatch(words[1])
        or words[1].startswith("ال")
    ):
        return None
    if named := _NAMED_HERE.search(read.rest[:60]):
        return named[1], "relation"
    return " ".join(words[:2]), "relation"


_PARTICLES: Final = frozenset(
    {"لا", "لم", "لن", "قد", "لقد", "ما", "سوف", "كان", "كانت", "تعد", "يعد", "زال", "زالت", "يزال"}
)
_PRESENT: Final = regex.compile(r"[يت]\p{L}{2,}")


def _arabic_opening(read: Read) -> Subject | None:
    """After a verb in front, or a noun with its article."""
    spoken = words = _words(read)
    while len(words) > 2 and words[0] in _PARTICLES:
        words = words[1:]
    if len(words) > 1 and (_PRESENT.fullmatch(words[0]) or words[0] in word_set("subject", "past_verbs", "ar")):
        is_name = not words[1].startswith("ال") and words[1] not in word_set("subject", "prepositions", "ar")
        return (words[1], "vso") if is_name else carried(read) or (None, "none")
    if len(words) < len(spoken) and not words[0].startswith("ال"):
        return words[0], "vso"
    if words and words[0].startswith("ال") and not (words[0].startswith("المكان") and read.setting.recent):
        return words[0], "noun"
    return None


def _first_word(read: Read) -> Subject | None:
    words = _words(read)
    return (words[0], "first-noun") if words and words[0] else None


# Hebrew


@cache
def _hebrew_of_mine() -> regex.Pattern[str]:
    relations = alternatives(listed("subject", "relations_of", "he"))
    return regex.compile(rf"(?:{relations})\s+(?:שלי|שלנו)(?![\p{{L}}\p{{M}}])(?:,?\s+(?:קוראים לו|קוראים לה)?\s*)?")


# What stands behind whom something belongs to or is felt by: `לאחותי יש שני כלבים`.
_HEBREW_HAS: Final = frozenset(
    {
        "יש",
        "אין",
        "כואב",
        "כואבת",
        "כואבים",
        "היה",
        "הייתה",
        "היו",
        "נולד",
        "נולדה",
        "קשה",
        "חשוב",
        "נמאס",
        "מותר",
        "אסור",
        "לא",
    }
)
_HEBREW_NAME: Final = regex.compile(r"(?:קוראים ל(?:ו|ה)|שמ(?:ו|ה))\s+([\p{Hebrew}\p{M}]+)")
# What may follow a relation that is not yet the name: a verb in the present ends or begins so, or a small word.
_HEBREW_VERB: Final = regex.compile(
    r"(?:מ\p{L}{2,}(?:ת|ים|ות)|מלמד|מנגן|מנהל|מבשל|מתגורר|מדבר|משחק|מצייר|מתאמן|מטייל|[א-ת]ו[א-ת]{1,3}ת?|גר|גרה|גרים|היה|הייתה|לא|כבר|של|ה\p{L}{2,}|ב\p{L}{2,}|ל\p{L}{2,}|עם|את|[א-ת]{3,}ה)"
)


def _hebrew_relation(read: Read) -> Subject | None:
    """`אחותי מיכל`, `אבא שלי`, and the name where one follows."""
    if named := _HEBREW_NAME.search(read.rest[:60]):
        return named[1], "relation"
    if found := _hebrew_of_mine().match(read.rest):
        behind = read.rest[found.end() :].split()
        if len(behind) > 1 and _is_hebrew_name_and_verb(behind[0], behind[1].strip(_MARKS)):
            return behind[0], "relation"  # הבן שלי נועם לומד
        return _relative(read.setting, found.group().strip(" ,")), "relation"
    words = _words(read)
    if not words or words[0] not in word_set("subject", "relations", "he"):
        return None
    if len(words) > 2 and _may_be_hebrew_name(words[1], words[2]):
        return words[1], "relation"
    return _relative(read.setting, words[0]), "relation"


def _is_hebrew_name_and_verb(word: str, following: str) -> bool:
    return (
        _HEBREW_WORD.fullmatch(word) is not None
        and _HEBREW_PRESENT.fullmatch(following) is not None
        and _may_be_hebrew_name(word, following)
    )


def _hebrew_has(read: Read) -> Subject | None:
    """`לאחותי יש שני כלבים`, `לאמא שלי כואב הגב`: who has it, or feels it."""
    if not read.rest.startswith("ל"):
        return None
    found = _hebrew_of_mine().match(read.rest, 1)
    whose = found.group().strip(" ,") if found else read.rest[1:].split(" ")[0]
    is_one = found is not None or whose in word_set("subject", "relations", "he")
    after = read.rest[found.end() if found else len(whose) + 2 :].split(" ")[0]
    return (_relative(read.setting, whose), "relation") if is_one and after in _HEBREW_HAS else None


def _may_be_hebrew_name(word: str, following: str) -> bool:
    """Whether the word behind a relation names it; many names end as verbs do, and stand before a verb then."""
    return not _HEBREW_VERB.fullmatch(word) or (
        (word.endswith("ה") or len(word) <= 4)
        and word[0] not in "הבל"
        and _HEBREW_PRESENT.fullmatch(following) is not None
    )


_HEBREW_PRESENT: Final = regex.compile(r"גרה?|[א-ת]ו[א-ת]{1,3}ת?|מ\p{L}{2,}(?:ת|ה)|היא|התחתנה|נולדה|למדה|עבדה")


def _hebrew_relation_of(read: Read) -> Subject | None:
    """`אשתו נועה לומדת`: the name behind whose relation it is."""
    words = _words(read)
    if (
        len(words) < 3
        or words[0] not in word_set("subject", "relations_of_another", "he")
        or not _may_be_hebrew_name(words[1], words[2])
    ):
        return None
    return words[1], "relation"


_HEBREW_WORD: Final = regex.compile(r"[\p{Hebrew}\p{M}]+(?:['׳\"״][\p{Hebrew}\p{M}]*)*")


def _hebrew_opening(read: Read) -> Subject | None:
    """The first word, unless it is a small one; a noun where it has the article."""
    found = _HEBREW_WORD.match(read.rest)
    if found is None or found.group() in word_set("subject", "not_names", "he"):
        return None
    word = found.group()
    if word.startswith("ה") and len(word) > 3 and word not in word_set("subject", "names_with_article", "he"):
        return word, "noun"
    return word, "first-noun"


ARABIC: Final[Sequence[Rule]] = (
    _arabic_she_did, _arabic_has, _arabic_relative_of_mine, _arabic_relation, _arabic_relation_of, said_by,
    first_anywhere, pronoun, known, member, under_heading, field_of, _arabic_opening, carried, _first_word,
)  # fmt: skip
HEBREW: Final[Sequence[Rule]] = (
    _hebrew_has, _hebrew_relation, _hebrew_relation_of, said_by, first_anywhere, pronoun, known, member, under_heading,
    field_of, _hebrew_opening, carried,
)  # fmt: skip
