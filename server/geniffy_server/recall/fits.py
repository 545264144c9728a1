"""Whether a statement could hold what a question asks for. It can only say no: who needs someone, when a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import Memory
from geniffy_server.domain.text import folded
from geniffy_server.learn.lexicon import LANGUAGES, fragments, keyed, word_set
from geniffy_server.recall.asked import WORD, Asked, asks_who_is
from geniffy_server.recall.lexicon import generic, language_of_question, pattern
from geniffy_server.recall.names import share_a_name
from geniffy_server.recall.occupations import JOB, asks_for_one, is_word_for_one
from geniffy_server.recall.thesaurus import answers, members
from geniffy_server.recall.tokens import STOP_WORDS, keys

_CASED: Final = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}]")
_CAPITALISED: Final = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}-]*")
_TOKEN: Final = regex.compile(r"[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|\p{N}+(?:[.,:]\p{N}+)*|[.,;:!?]")
_NUMBER: Final = regex.compile(r"\p{N}")
_CLOCK: Final = regex.compile(r"\b\d{1,2}(?::\d\d|\s?(?:am|pm|h|uhr|heures|o['’]clock)\b)", regex.IGNORECASE)
_DAY_OR_YEAR: Final = regex.compile(r"\b(?:\d{1,2}(?:st|nd|rd|th)|(?:19|20)\d\d)\b", regex.IGNORECASE)
_NAMES: Final = regex.compile(
    r"\b(?:called|named|nicknamed|call|name) (?!(?:me|us|you|back|at|in|for|on)\b)\p{L}", regex.IGNORECASE
)
_STOPS: Final = frozenset(".,;:!?")
_BEFORE_NOUN: Final = frozenset({"the", "a", "an", "my", "our", "your", "his", "her", "their", "its", "this", "that"})
_ARTICLES: Final = frozenset({"a", "an"})  # numbers in words that count nothing
_ANYONE: Final = frozenset(keys("people persons ones things"))
_BEHIND_NUMBER: Final = 3  # tokens in which the counted noun stands: `two small white dogs`
# Behind `to` stands a verb more often than a place.
_WHITHER: Final = regex.compile(r" (?:\p{Lu}|(?:the|a|an|my|our|his|her|their|another)\b)")
# What of a few words is so stands in the question: `What does Kim prefer, tea or coffee?`
_CHOICE: Final = regex.compile(r"(?<!\p{L})(?:or|oder|ou|o|или)(?!\p{L})", regex.IGNORECASE)
# Words that tell something and are no search keys.
_DENIES: Final = regex.compile(r"n['’]t\b|\b(?:no|not|never|because|so)\b", regex.IGNORECASE)
_ANY_KIN: Final = frozenset(keys("partner baby twin pet boss manager partnerin capo chef bebé bébé bambino bambina"))
_CLAUSE: Final = regex.compile(r"[,.;:!?—]\s|\s(?:and|but|because|so|while|since)\s")
_OWN_KIN: Final = regex.compile(r"^\s*(?:my|our) (?=\p{Ll})", regex.IGNORECASE)
_I: Final = regex.compile(r"(?<!\p{L})I(?!\p{L})")
_BEHIND_PLACE: Final = regex.compile(r"(?<!\p{L})(?:in|on|at) $", regex.IGNORECASE)
_PRICE: Final = regex.compile(
    r"\b(?:cost|costs|price|pay|paid|spend|spent|fee|rent|bill|worth|is|are|was|were)\b", regex.IGNORECASE
)
_DATE: Final = regex.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*|"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}* \d{1,2}(?:st|nd|rd|th)?|(?:19|20)\d\d|\d{1,2}:\d\d)\b",
    regex.IGNORECASE,
)
_UNIT: Final = regex.compile(
    r"^(?:[gmtk]b|ghz|km|cm|kg|%|percent|years?|months?|weeks?|days?|hours?|minutes?|inch\p{L}*)$", regex.IGNORECASE
)
_CLOSED: Final = frozenset(keys("colour season continent"))
_STAYING: Final = frozenset(keys("live stay leave keep put sleep rest be spend store"))  # one may do so with a person
_GOING: Final = frozenset(keys("go"))
_PLACES_ALONE: Final = frozenset({"home", "abroad", "here", "upstairs", "downstairs"})
_PARTS_OF_TIME: Final = frozenset(
    {"morning", "evening", "afternoon", "night", "noon", "midnight", "spring", "summer", "autumn", "winter", "fall"}
    | {"time", "weekend", "weekends", "moment", "least", "first", "last"}
)


def fits(asked: Asked, memory: Memory) -> bool:
    """Whether the memory has the kind of thing that is asked for; True whenever that can't be told."""
    text = memory.text
    if _speaks_of_it_aside(asked, text) or _tells_nothing(asked, memory):
        return False
    match asked.wanted:
        case "who":
            named = [one for one in _others(asked, text) if not _BEHIND_PLACE.search(text[: one.start()])]
            return not _CASED.search(text) or asks_who_is(asked.text) or bool(named) or _has_someone(asked, text)
        case "name":
            return not _CASED.search(text) or bool(_others(asked, text) or _NUMBER.search(text) or _NAMES.search(text))
        case "where":
            return not _CASED.search(text) or _leads_to_place(asked, text) or _is_foreign(asked, text)
        case "when":
            return _has_time(asked, memory)
        case "amount":
            return _has_amount(asked, text)
        case "what" if asked.kind is not None:
            return _names_kind(asked.kind, asked, text)
    return True


def lacks_thing(asked: Asked, memory: Memory) -> bool:
    """Whether it has neither the thing or relative that is asked about nor what answers it.

    The thing is that of `what is the`, and the relative that of `What does Mira's father do?`.
    """
    wanted = [key[-1] for word in (asked.thing, _relative_of(asked)) if word and (key := keys(word))]
    if not wanted:
        return False
    held = {*keys(memory.text), *keys(memory.quote)}
    return any(
        key not in generic(asked.language) and key not in held and answers(key).isdisjoint(held) for key in wanted
    )


def lacked_objects(asked: Asked, memory: Memory) -> int:
    """How many of the things that a question speaks of a memory has not, or has another sort of.

    `The design review` is no security review, though both are reviews.
    """
    if not asked.objects or _is_foreign(asked, memory.text):
        return 0
    found = [one for word in WORD.findall(memory.quote) for one in (keys(word) or [0])]
    held = {*found, *keys(memory.text), *keys(memory.about or "")}
    return sum(_is_lacked(words, found, held, asked) for words in asked.objects)


def _is_lacked(words: Sequence[str], found: Sequence[int], held: Collection[int], asked: Asked) -> bool:
    *before, head = [key[-1] if (key := keys(word)) else 0 for word in words]
    silent = generic(asked.language)
    if not head or head in silent or (is_word_for_one(head) and asked.wanted != "polar"):
        return False
    if head not in held:
        return answers(head).isdisjoint(held)
    sorts = [one for one in before if one and one not in silent]
    if not sorts or not all(one not in held and answers(one).isdisjoint(held) for one in sorts):
        return False
    asking = {*keys(asked.text), *silent, 0}
    return any(one == head and at and found[at - 1] not in asking for at, one in enumerate(found))


def is_of_other_kin(asked: Asked, memory: Memory) -> bool:
    """Whether it speaks of another relative than the question: of a daughter, where a son is asked for.

    And whether what it says is of a relative of the speaker, who is asked about: `my dad's allergic`.
    """
    kin = pattern(asked.language, "holds", "kin")
    text = memory.quote
    told = {one for found in kin.finditer(text) for one in keys(found.group())}
    if not told or (asked.wanted in ("who", "polar") and not asked.names and not asked.of_owner):
        return False
    wanted = {one for found in kin.finditer(asked.text) for one in keys(found.group())}
    if wanted:
        return wanted.isdisjoint(told) and wanted.isdisjoint(_ANY_KIN) and told.isdisjoint(_ANY_KIN)
    if asked.language != "en" or asked.wanted in ("who", "name"):
        return False
    asking = {one for one in keys(asked.text) if one not in generic("en")}
    asking -= {one for name in asked.names for one in keys(name)}
    for clause in _CLAUSE.split(text):
        owned = _OWN_KIN.search(clause)
        if owned is None or kin.match(clause, owned.end()) is None:
            continue
        behind = clause[owned.end() :]
        if any(name in behind for name in asked.names):
            continue
        if asking.isdisjoint(keys(behind)) or _I.search(clause):
            continue
        rest = [other for other in _CLAUSE.split(text) if other != clause]
        if all(asking.isdisjoint(keys(other)) for other in rest):
            return True
    return False


def _speaks_of_it_aside(asked: Asked, text: str) -> bool:
    """Whether it has the asked word only where it says when or where a thing was so.

    `At work I found a letter` does not say where one works, nor does `I go swimming` where one goes.
    """
    aside = pattern(asked.language, "holds", "aside")
    if asked.wanted == "polar" or aside.search(text) is None or aside.search(asked.text):
        return False
    named = {one for name in asked.names for one in keys(name)}
    wanted = {one for one in keys(asked.text) if one not in generic(asked.language) or one in _GOING} - named
    if asks_for_one(asked.text, asked.language):
        wanted.update(JOB)
    wanted = wanted.union(*map(answers, wanted))
    return not wanted.isdisjoint(keys(text)) and wanted.isdisjoint(keys(aside.sub(" ", text)))


def _tells_nothing(asked: Asked, memory: Memory) -> bool:
    """Whether it has no word that the question has not: `My cat would do that too` tells nothing of the cat."""
    if asked.wanted not in ("what", "why", "name") or not _CASED.search(memory.text) or _DENIES.search(memory.quote):
        return False
    if _CHOICE.search(asked.text):
        return False
    asking = set(keys(asked.text))
    if asked.language != "en":  # whose words of grammar are no search keys
        asking |= generic(asked.language)
    return asking.issuperset(keys(memory.quote))


def _has_someone(asked: Asked, text: str) -> bool:
    """Whether it speaks of a person who is not the one whom the question names and who says it."""
    if _is_foreign(asked, text):
        return True
    speaker, told, words = text.partition(": ")
    is_named = bool(told) and any(share_a_name(speaker, name) for name in asked.names)
    found = pattern(asked.language, "holds", "person").finditer(words if told else text)
    own = pattern(asked.language, "holds", "self")
    return any(not (is_named and own.fullmatch(one.group())) for one in found)


def _relative_of(asked: Asked) -> str | None:
    """The person that a question asks about by whose they are: `father` of `What does Mira's father do?`."""
    for owner in asked.owners:
        found = regex.search(rf"{regex.escape(owner)}['’]s? (?P<whom>\p{{Ll}}[\p{{L}}\p{{M}}-]*)", asked.text)
        if found and pattern(asked.language, "holds", "person").fullmatch(found["whom"]):
            return found["whom"]
    return None


def _holds(asked: Asked, what: str, text: str) -> bool:
    return pattern(asked.language, "holds", what).search(text) is not None or _is_foreign(asked, text)


def _is_foreign(asked: Asked, text: str) -> bool:
    """Whether a text is in another language than the question, whose words tell nothing of it."""
    return language_of_question(text) != asked.language


def _leads_to_place(asked: Asked, text: str) -> bool:
    """Whether it names something behind its first word, or has a preposition that leads to no time or person."""
    if _STAYING.isdisjoint(keys(asked.text)):
        text = pattern(asked.language, "holds", "company").sub(" ", text)
    if asked.language != "de" and any(found.start() > 0 for found in _others(asked, text)):
        return True  # every noun of German has a capital
    for found in pattern(asked.language, "holds", "place").finditer(text):
        word = found.group().casefold()
        if word == "to" and _WHITHER.match(text, found.end()) is None:
            continue
        behind = (token.casefold() for token in _TOKEN.findall(text, found.end(), found.end() + 40))
        noun = next((token for token in behind if token not in _BEFORE_NOUN), ".")
        if noun not in _STOPS and noun not in _times() and not _NUMBER.match(noun):
            return True
        if word in _PLACES_ALONE:
            return True
    return False


@cache
def _times() -> frozenset[str]:
    """Words behind a preposition that make it one of time: months, weekdays, parts of the day and of the year."""
    days = keyed("weekdays")
    return _PARTS_OF_TIME | {*keyed("months"), *days, *(f"{day}s" for day in days)}


def _has_time(asked: Asked, memory: Memory) -> bool:
    if memory.spoken is not None or tells_a_time(asked, memory.text) or _is_foreign(asked, memory.text):
        return True
    if asked.language not in LANGUAGES:  # no dates are read of it
        return _NUMBER.search(memory.text) is not None
    # What has happened without a date is dated by when it was said.
    has_happened = asked.is_past if asked.language == "en" else _is_past(asked.language, memory.text)
    return has_happened and memory.kind in ("people", "detail")


def _is_past(language: str, text: str) -> bool:
    return fragments("dates", "past", language).search(text) is not None


@cache
def _months_and_weekdays() -> frozenset[str]:
    return frozenset({*keyed("months"), *keyed("weekdays")})


@cache
def _words_too() -> frozenset[str]:
    return word_set("dates", "word_months") | word_set("dates", "word_weekdays")


def tells_a_time(asked: Asked, text: str) -> bool:
    """Whether a text names a time in words: `at 9:30`, `on Mondays`, or a month, a year or the 14th.

    A time of which no date could be read answers `when` as well.
    """
    if _CLOCK.search(text) is not None or pattern(asked.language, "holds", "habit").search(text) is not None:
        return True
    return _names_a_time(asked, text)


def _names_a_time(asked: Asked, text: str) -> bool:
    """Whether it has a month, a weekday, a year or the 14th, though no date could be read of it."""
    if _DAY_OR_YEAR.search(text):
        return True
    for word in WORD.findall(text):
        named = word.casefold()
        if named not in _months_and_weekdays() or folded(word) in asked.words:
            continue
        if not word.islower() or named not in _words_too():  # `May` and `Sun` are times, `may` and `sun` are none
            return True
    return False


def _has_amount(asked: Asked, text: str) -> bool:
    if asked.measure == "old" or pattern(asked.language, "asks", "age").match(asked.text):
        return _holds(asked, "age", text)
    if asked.measure not in (None, "many", "much"):
        measured = pattern("en", "measures", asked.measure)
        return measured.pattern == "(?!)" or measured.search(text) is not None
    tokens = _TOKEN.findall(_DATE.sub(" ", text) if asked.language == "en" else text)
    numbers = [at for at, token in enumerate(tokens) if _is_number(token)]
    if asked.measure == "much" and _PRICE.search(asked.text):
        numbers = [at for at in numbers if not _UNIT.match((tokens[at + 1 : at + 2] or [""])[0])]
    if asked.counted is not None and numbers:
        return _counts(asked.counted, tokens, numbers)
    return bool(numbers) or _holds(asked, "amount", text)


def _is_number(token: str) -> bool:
    return _NUMBER.match(token) is not None or (
        token.casefold() in keyed("numbers") and token.casefold() not in _ARTICLES
    )


def _counts(counted: str, tokens: Sequence[str], numbers: Sequence[int]) -> bool:
    """Whether one of the numbers counts what is asked for: `two kids` children; `five eggs` no hens."""
    wanted = set(keys(counted)) - _ANYONE
    wanted = wanted.union(*map(answers, wanted))
    for at in numbers:
        behind = tokens[at + 1 : at + 1 + _BEHIND_NUMBER]
        noun = next((behind[:end] for end, token in enumerate(behind) if token in _STOPS), behind)
        if not noun or not wanted or not wanted.isdisjoint(keys(" ".join(noun))):
            return True
    return False


def _names_kind(kind: str, asked: Asked, text: str) -> bool:
    """`Which instrument` needs one, or a name that may be one; kinds whose members are not listed pass."""
    heads = keys(kind)
    things = members(heads[-1]) if heads else frozenset()
    if not things:
        return True
    held = set(keys(text))
    if heads[-1] in _CLOSED:  # no name is one
        return heads[-1] in held or not things.isdisjoint(held) or _is_foreign(asked, text)
    return heads[-1] in held or not things.isdisjoint(held) or any(found.start() > 0 for found in _others(asked, text))


def _others(asked: Asked, text: str) -> list[regex.Match[str]]:
    """The capitalised words that neither the question holds, nor grammar or a time brings with it."""
    found = []
    for match in _CAPITALISED.finditer(text):
        word = match.group().casefold()
        if word not in STOP_WORDS and word not in _times() and folded(word) not in asked.words:
            found.append(match)
    return found
