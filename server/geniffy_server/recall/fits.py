"""Whether a statement could hold what a question asks for. It can only say no: who needs someone, when a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex

from geniffy_server.domain.memory import Memory
from geniffy_server.domain.text import folded
from geniffy_server.learn.lexicon import keyed
from geniffy_server.recall.asked import Asked, asks_who_is, is_foreign
from geniffy_server.recall.designators import is_of_another
from geniffy_server.recall.lexicon import generic, pattern
from geniffy_server.recall.names import share_a_name
from geniffy_server.recall.occupations import JOB, asks_for_one, is_word_for_one, tells_one
from geniffy_server.recall.small_verbs import is_wished, small_verb, tells_of_it
from geniffy_server.recall.thesaurus import answers, asking, members, tastes
from geniffy_server.recall.times import has_time, lasts, times
from geniffy_server.recall.tokens import STOP_WORDS, keys

_CASED: Final = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}]")
_CAPITALISED: Final = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}-]*")
_TOKEN: Final = regex.compile(r"[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|\p{N}+(?:[.,:]\p{N}+)*|[.,;:!?]")
_NUMBER: Final = regex.compile(r"\p{N}")
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
_CLAUSE: Final = regex.compile(r"[,.;:!?—]\s|\s(?:and|but|because|so|while|since)\s")
_LABEL: Final = regex.compile(r"^\p{Lu}\p{Ll}+(?: \p{Ll}+)+:")  # `Next dental check:` names nobody
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
# A firm may answer `Who does Kim work for?`, and what stands behind a preposition `Which school does Kim teach at?`
_FOR_WHOM: Final = regex.compile(r"\bwork(?:s|ed|ing)? (?:for|at)\b|\bemploy", regex.IGNORECASE)
_AT_WHICH: Final = regex.compile(
    r"which (?:school|hospital|university|college|company|firm|clinic|bank|shop|office)\b.* (?:at|for)[?.! ]*$",
    regex.IGNORECASE,
)
_LEADS_THERE: Final = regex.compile(r"\b(?:at|for|with|in|from|to|joined|by)\b", regex.IGNORECASE)
_IS_ADDRESS: Final = regex.compile(
    r"\d|@|\b(?:address|street|road|avenue|lane|square|drive|terrace|boulevard)\b|\p{L}(?:straße|strasse|straat|gasse|weg)\b"
    r"|\b(?:rue|calle|via|avenida|plaza|piazza)\b",
    regex.IGNORECASE,
)
_WISHED_NOT: Final = regex.compile(
    r"(?:when|where|what year|which year|how|why) (?:did|have|has|was|were)\b", regex.IGNORECASE
)
_ASKS_WISH: Final = regex.compile(r"\b(?:want|wish|plan|hope|intend|think|consider)\p{L}*\b", regex.IGNORECASE)
_PART: Final = regex.compile(
    r" (?:insurances?|keys?|parks?|parking|wash|loans?|tax|locks?|rental|hire|seats?|shops?|dealers?|accidents?"
    r"|payments?|licen[cs]es?|rides?|trips?|sheds?|alarms?|doors?|charger|case|bill|contract|policy|food|hair|sitter|school|race|tour)\b",
    regex.IGNORECASE,
)
_LIKING: Final = tuple([one] for one in keys("like love enjoy prefer"))
_NOT_LIKED: Final = regex.compile(
    r"(?:do|does|did|can|would)(?:n['’]t| not) (?:really |much )?(?:like|eat|drink|enjoy|love|touch|stand)"
    r"|\b(?:hates?|never|refuses|dislikes?)\b",
    regex.IGNORECASE,
)
_STAYING: Final = frozenset(keys("live stay leave keep put sleep rest be spend store"))  # one may do so with a person
_GOING: Final = frozenset(keys("go"))
_PLACES_ALONE: Final = frozenset({"home", "abroad", "here", "upstairs", "downstairs"})


def fits(asked: Asked, memory: Memory) -> bool:
    """Whether the memory has the kind of thing that is asked for; True whenever that can't be told."""
    text = memory.text
    if _speaks_of_it_aside(asked, text) or _tells_nothing(asked, memory) or _tells_no_job(asked, text):
        return False
    if _has_part_alone(asked, text) or _dislikes_it(asked, memory.quote):
        return False
    if is_of_another(asked.text, f"{text}\n{memory.quote}") or _is_only_wished(asked, memory):
        return False
    if (verb := small_verb(asked.text)) is not None and not is_foreign(asked, text):
        return tells_of_it(verb, memory.quote, tuple(asked.names))
    match asked.wanted:
        case "who" if _CHOICE.search(asked.text) and asked.names:
            return True
        case "who" if _FOR_WHOM.search(asked.text):
            return not _CASED.search(text) or bool(_others(asked, text)) or _has_someone(asked, text)
        case "who":
            text = _without_relation(asked, text)
            text = _LABEL.sub("", text)
            named = [one for one in _others(asked, text) if not _BEHIND_PLACE.search(text[: one.start()])]
            return not _CASED.search(text) or asks_who_is(asked.text) or bool(named) or _has_someone(asked, text)
        case "name":
            return not _CASED.search(text) or bool(_others(asked, text) or _NUMBER.search(text) or _NAMES.search(text))
        case "where":
            text = _without_label(memory)
            return not _CASED.search(text) or _leads_to_place(asked, text) or is_foreign(asked, text)
        case "when":
            return has_time(asked, memory)
        case "amount":
            return _has_amount(asked, memory)
        case "what" if asked.thing == "address":
            return _IS_ADDRESS.search(text) is not None or is_foreign(asked, text)
        case "what" if asked.kind is not None and _AT_WHICH.search(asked.text):
            return _LEADS_THERE.search(text) is not None and _names_kind(asked.kind, asked, text)
        case "what" if asked.kind is not None:
            return _names_kind(asked.kind, asked, text)
    return True


def _speaks_of_it_aside(asked: Asked, text: str) -> bool:
    """Whether it has the asked word only where it says when or where a thing was so.

    `At work I found a letter` does not say where one works, nor does `I go swimming` where one goes.
    """
    aside = pattern(asked.language, "holds", "aside")
    if asked.wanted == "polar" or aside.search(text) is None or aside.search(asked.text):
        return False
    if asked.wanted == "where" and pattern("en", "tells", "manner").search(text):
        return False  # it is where one works, if nothing better is known
    named = {one for name in asked.names for one in keys(name)}
    kin = pattern(asked.language, "holds", "kin")
    named |= {one for found in kin.finditer(asked.text) for one in keys(found.group())}
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


def _tells_no_job(asked: Asked, text: str) -> bool:
    """Whether a job is asked for, and it only tells of one that is sought or learned."""
    if not (asks_for_one(asked.text, asked.language) or any(map(is_word_for_one, keys(asked.text)))):
        return False
    rest, count = pattern("en", "tells", "no_job").subn(" ", text)
    if not count or tells_one(rest):
        return False
    wanted = asking("job").union(*map(answers, JOB))
    return wanted.isdisjoint(keys(rest))


def _is_only_wished(asked: Asked, memory: Memory) -> bool:
    """Whether it is asked when a thing was done, and it says that somebody thinks of doing it."""
    if asked.language != "en" or _WISHED_NOT.match(asked.text) is None or _ASKS_WISH.search(asked.text):
        return False
    verb = set(keys(asked.verb or ""))
    verb = verb.union(*map(answers, verb))
    clauses = [clause for clause in _CLAUSE.split(memory.quote) if verb & set(keys(clause))]
    return bool(clauses) and all(map(is_wished, clauses))


def _has_part_alone(asked: Asked, text: str) -> bool:
    """Whether it has the thing that is asked for only within another: the car of `my car insurance`."""
    thing = asked.kind or (asked.thing if asked.of_owner or asked.owners else None)
    if asked.language != "en" or asked.wanted != "what" or thing is None or " " in thing:
        return False
    stem = regex.escape(thing.removesuffix("s"))
    found = list(regex.finditer(rf"\b{stem}(?:s|['’]s)?\b", text, regex.IGNORECASE))
    return bool(found) and all(_PART.match(text, one.end()) for one in found)


def _dislikes_it(asked: Asked, text: str) -> bool:
    """Whether it is asked which of a kind somebody likes, and it only says what they do not."""
    if asked.language != "en" or asked.kind is None or not asked.verb or keys(asked.verb)[:1] not in _LIKING:
        return False
    rest, count = _NOT_LIKED.subn(" ", text)
    return bool(count) and tastes().isdisjoint(keys(rest))


def _without_relation(asked: Asked, text: str) -> str:
    """A text without what those are to the speaker whom the question names: of `my cousin Ida` only `Ida` is left."""
    if asks_who_is(asked.text):
        return text
    for name in asked.names:
        person = pattern(asked.language, "holds", "person").pattern
        text = regex.sub(rf"(?i:my|our|his|her|their) {person} (?={regex.escape(name)})", "", text)
    return text


def does_by_manner(asked: Asked, memory: Memory) -> bool:
    """Whether it is asked where somebody works, and the statement says only in which manner: `from home`."""
    return asked.wanted == "where" and pattern("en", "tells", "manner").search(memory.quote) is not None


def _has_someone(asked: Asked, text: str) -> bool:
    """Whether it speaks of a person who is not the one whom the question names and who says it."""
    if is_foreign(asked, text):
        return True
    speaker, told, words = text.partition(": ")
    is_named = bool(told) and any(share_a_name(speaker, name) for name in asked.names)
    found = pattern(asked.language, "holds", "person").finditer(words if told else text)
    own = pattern(asked.language, "holds", "self")
    return any(not (is_named and own.fullmatch(one.group())) for one in found)


def _holds(asked: Asked, what: str, text: str) -> bool:
    return pattern(asked.language, "holds", what).search(text) is not None or is_foreign(asked, text)


def _without_label(memory: Memory) -> str:
    """A line of a note without the heading above it, whose words name no place: `Offsite: Budget: 900`."""
    is_under = bool(memory.about) and memory.text == f"{memory.about}: {memory.quote}"
    return (
        memory.quote if is_under and memory.source is not None and memory.source.kind != "conversation" else memory.text
    )


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
        if noun not in _STOPS and noun not in times() and not _NUMBER.match(noun):
            return True
        if word in _PLACES_ALONE:
            return True
    return False


def _has_amount(asked: Asked, memory: Memory) -> bool:
    text = memory.text
    if asked.measure == "old" or pattern(asked.language, "asks", "age").match(asked.text):
        return _holds(asked, "age", text)
    if asked.measure == "long" and lasts(asked, memory):
        return True
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
        return heads[-1] in held or not things.isdisjoint(held) or is_foreign(asked, text)
    return heads[-1] in held or not things.isdisjoint(held) or any(found.start() > 0 for found in _others(asked, text))


def _others(asked: Asked, text: str) -> list[regex.Match[str]]:
    """The capitalised words that neither the question holds, nor grammar or a time brings with it."""
    found = []
    for match in _CAPITALISED.finditer(text):
        word = match.group().casefold()
        if word not in STOP_WORDS and word not in times() and folded(word) not in asked.words:
            found.append(match)
    return found
