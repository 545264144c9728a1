"""A bare answer worded with its question: `When is the party?`, `On 3 March.` are `The party is on 3 March`.

Every word is the question's or the answer's own; verbs take the form of a statement, and `you` becomes `I`. How a
question is turned is listed in `words/`, one table `answers` a language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import regex

from geniffy_server.learn.lexicon import fragments, keyed, listed, word_set
from geniffy_server.learn.split import sentences

_LONGEST: Final = 60  # characters of an answer; what is longer mostly speaks for itself
_MOST_WORDS: Final = 9
_MOST_BEHIND: Final = 6  # of an answer in a language whose verbs are not known
_LONGEST_QUESTION: Final = 90
_END: Final = regex.compile(r"[\s.!…。！।،~]+$")
_ASKS: Final = regex.compile(r"^[\s¿]+|[\s?？؟]+$")
_PAST: Final = regex.compile(
    r"(?<![\p{L}'’])\p{Ll}{3,}ed\b(?!\s(?!(?:last|this|in|on|at|to|by|from|with|for|the|an?|it|me|my|our|his|her|their|when|because)\b)\p{Ll})"
)
_NAME_VERB: Final = regex.compile(r"(\p{Lu}\p{Ll}+) \p{Ll}+(?<![su])s\b(?! of\b)")
# `The balcony gets sun all morning`, but `the kids from next door`.
_THING_VERB: Final = regex.compile(
    r"(?:the|my|our|his|her|their|its|this|that) (?:\p{Ll}+ )?\p{Ll}+ \p{Ll}{2,}(?<![su])s "
    r"(?!(?:and|or|of|from|in|on|at|with|to|for"
    r"|by|near|who|that|as|than|over|under|behind|before|after|next|each|a|per|ago|away|too|instead|only|now|then)\b)\p{L}",
    regex.IGNORECASE,
)
_IT_OPENS: Final = regex.compile(
    r"[Ii]t (?=(?:was|is|went|starts?|started|ends?|ended|takes place|took place|costs?|lasts?|lasted|will be)\s)"
)
_THING_ASKED: Final = regex.compile(
    r"(?:when|where|how|how (?:much|long|old|big)|what time)(?:['’]s| is| was| did| does| will) "
    r"((?:the|your|his|her|their|our) (?:\p{Ll}+ )??\p{Ll}+)(?: (?:go|be|start|end|cost|last|take place))?",
    regex.IGNORECASE,
)
_CHOICE: Final = regex.compile(r"(?:\p{L}[\p{L}'’-]*,? ){1,4}or(?: \p{L}[\p{L}'’-]*){1,3}", regex.IGNORECASE)
_NAMED: Final = regex.compile(r"(?<=[\p{L},] )\p{Lu}\p{Ll}+|\d")
_UNSPACED: Final = frozenset({"zh", "ja"})
_DAYS_ARE_SMALL: Final = frozenset({"es", "fr", "it"})


@dataclass(frozen=True, slots=True)
class Answer:
    """`text`: the statement. `is_told`: it is a sentence; else the answer stands behind the question as it was asked.

    `of_asked`: the question was of whoever answers.
    """

    text: str
    is_told: bool
    of_asked: bool


def answered(questions: str, answer: str, language: str) -> Answer | None:
    """What `answer` states as the answer to the last of `questions`.

    None when it says it by itself, and when the question can't be told to be of the answer's kind, or is of the one who
    asks: `Where is my bag?`.
    """
    words = _END.sub("", answer)
    of_it = _IT_OPENS.match(words) if language == "en" else None
    if of_it is None and not _is_bare(words, language):
        return None
    asked = [questions[start:end] for start, end in sentences(questions)]
    question = _ASKS.sub("", asked[-1]) if asked else ""
    lead = fragments("answers", "lead", language).match(question)
    question = question[lead.end() :] if lead else question
    if not question or len(question) > _LONGEST_QUESTION or fragments("answers", "askers", language).search(question):
        return None
    of_asked = fragments("answers", "asked", language).search(question) is not None
    if of_it is not None:
        thing = _THING_ASKED.fullmatch(question)
        if thing is None:
            return None
        of_thing = f"{_from_asked(thing[1], 'en')} {words[of_it.end() :]}."
        return Answer(of_thing[:1].upper() + of_thing[1:], True, of_asked)
    for pattern, form in _forms(language):
        found = pattern.fullmatch(question)
        if found is not None and (told := _told(found.groupdict(""), form, words, question, language)):
            return Answer(told, True, of_asked)
    if language in _UNSPACED or (_NAMED.search(question) and not of_asked):
        return None
    is_choice = language == "en" and _CHOICE.fullmatch(question) is not None
    if not is_choice and not fragments("answers", "opens", language).match(question):
        return None
    if language != "en" and len(words.split()) > _MOST_BEHIND:
        return None
    return Answer(f"{asked[-1].strip()} {words}.", False, of_asked or is_choice)


def takes_offer(questions: str, answer: str, language: str) -> bool:
    """Whether a bare answer says what is wanted of what was offered: `What can I help you with?`, `My printer`."""
    return _is_bare(_END.sub("", answer), language) and bool(fragments("answers", "offers", language).search(questions))


def _is_bare(words: str, language: str) -> bool:
    """Whether an answer has no verb of its own."""
    if len(words) > _LONGEST or len(words.split()) > _MOST_WORDS or "\n" in words or not words:
        return False
    if fragments("answers", "clause", language).search(words):
        return False
    if language != "en":
        return True
    acts = _NAME_VERB.match(words)
    if (
        _PAST.search(words)
        or _THING_VERB.match(words)
        or (acts and acts[1].lower() not in word_set("answers", "small", "en"))
    ):
        return False
    return not set(words.split()[1:]) & (word_set("subject", "past_verbs", "en") - _NOT_VERBS)


_NOT_VERBS: Final = frozenset(
    {"may", "still", "just", "only", "also", "now", "once", "never", "always", "often", "usually"}
)


@cache
def _forms(language: str) -> list[tuple[regex.Pattern[str], str]]:
    """Patterns of questions, each with the statement that it becomes."""
    forms = [one.split(" => ") for one in listed("answers", "forms", language)]
    return [(regex.compile(pattern, regex.IGNORECASE), form) for pattern, form in forms]


@cache
def _turned(language: str) -> Mapping[str, str]:
    """What words are in the mouth of the one who was asked: `your` is `my`."""
    pairs = [one.partition(" => ") for one in listed("answers", "turned", language)]
    return {asked: told for asked, _, told in pairs}


def _told(parts: dict[str, str], form: str, answer: str, question: str, language: str) -> str | None:
    if language == "en":
        parts = _inflected(parts)
    parts = {name: _from_asked(part, language) for name, part in parts.items()}
    dropped = fragments("answers", "endings", language).search(answer)
    answer = answer[: dropped.start()] if dropped and dropped.start() else answer
    if be := parts.get("be", ""):  # 在哪里, 在里斯本
        answer = answer.removeprefix(be) if language in _UNSPACED else answer
    too = ""
    if form.startswith("{answer}"):
        if language == "en" and (adds := _ADDS.search(answer)):
            answer, too = answer[: adds.start()], adds.group()
        parts["be"] = "are" if parts.get("be") == "is" and " and " in answer else parts.get("be", "")
    else:
        answer = _in_sentence(answer, language)
        if language == "en" and question.lower().startswith("where") and " from " not in f"{form} {question} ":
            placed = _placed(answer, question)
            if placed is None:
                return None
            answer = placed
    if unit := parts.get("unit", ""):
        answer = f"{answer} {unit}" if _COUNT.fullmatch(answer) else answer
    told = " ".join((form.format_map({**_NO_PARTS, **parts, "answer": answer}) + too).split())
    if language in _UNSPACED:
        return f"{told}。"
    stop = "।" if language == "hi" else "."
    return told[:1].upper() + told[1:] + stop


def _placed(answer: str, question: str) -> str | None:
    """A bare place as one is or goes there: `in Leeds`; None where no preposition is sure."""
    if answer.split()[0].lower() in word_set("answers", "placed", "en"):
        return answer
    if not answer[:1].isupper() or question.split()[-1] in ("in", "at", "to"):
        return answer if question.split()[-1] in ("in", "at", "to") else None
    goes = not word_set("answers", "going", "en").isdisjoint(question.lower().split())
    return f"{'to' if goes else 'in'} {answer}"


_ADDS: Final = regex.compile(r" (?:too|also|as well|again|now|only)$", regex.IGNORECASE)
_NO_PARTS: Final = dict.fromkeys(("what", "be", "tail", "who", "verb", "rest", "aux", "unit"), "")
_OBJECT: Final = regex.compile(r"(?<=\S\s)I$|(?<=\b(?:to|for|with|from|at|about) )I\b")
_COUNT: Final = regex.compile(r"(?:about |around |only |just )?[\p{L}\d.,-]+", regex.IGNORECASE)
_OPENING_WORD: Final = regex.compile(r"[\p{L}\p{M}'’]+")


def _in_sentence(answer: str, language: str) -> str:
    """An answer as it goes on a sentence: small words in front lose their capital."""
    first = _OPENING_WORD.match(answer)
    word = first.group().lower() if first else ""
    is_day = language in _DAYS_ARE_SMALL and (word in keyed("weekdays") or word in keyed("months"))
    return answer[:1].lower() + answer[1:] if is_day or word in word_set("answers", "small", language) else answer


def _from_asked(part: str, language: str) -> str:
    turned = _turned(language)
    if language in _UNSPACED:
        for word, other in turned.items():
            part = part.replace(word, other)
        return part
    words = regex.sub(r"[\p{L}\p{M}’']+", lambda found: turned.get(found.group().lower(), found.group()), part)
    return _OBJECT.sub("me", words) if language == "en" else words


def _inflected(parts: dict[str, str]) -> dict[str, str]:
    """The verbs of an English question as a statement has them: `does she live` is `she lives`."""
    parts = {name: part or "" for name, part in parts.items()}
    who, aux, verb = parts.get("who", ""), parts.get("aux", "").lower(), parts.get("verb", "")
    if parts.get("be"):
        be = "is" if parts["be"].strip().lower() in ("'s", "’s") else parts["be"].strip().lower()
        is_asked = parts.get("what", "").lower() == "you"
        parts["be"] = {"are": "am", "were": "was"}.get(be, be) if is_asked else be
    if aux in ("do", "does", "did"):
        parts["verb"] = verb if aux == "do" else _third_person(verb) if aux == "does" else _past(verb)
        parts["aux"] = ""
    elif aux == "has" and who.lower() == "you":
        parts["aux"] = "have"
    return parts


def _third_person(verb: str) -> str:
    if verb == "have":
        return "has"
    if regex.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if regex.search(r"[^aeiou]y$", verb) else f"{verb}s"


@cache
def _irregular() -> Mapping[str, str]:
    pairs = [one.partition(" ") for one in listed("answers", "past", "en")]
    return {verb: past for verb, _, past in pairs}


def _past(verb: str) -> str:
    if verb in _irregular():
        return _irregular()[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    if regex.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1]}ed" if regex.fullmatch(r"[^aeiou]+[aeiou][bdgmnpt]", verb) else f"{verb}ed"
