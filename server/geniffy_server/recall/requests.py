"""Requests that ask nothing and need what is known of someone or something: `Plan a dinner for Tomas`.

Apps look up the context of whatever a person says to a model, and most of that is no question.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import regex

from geniffy_server.recall.lexicon import LANGUAGES, words
from geniffy_server.recall.names import asks_of_owner, names_in

_LONGEST: Final = 400  # characters; what is longer brings its own context
_MOST_NAMES: Final = 3
_LEAD: Final = (
    r"(?:(?:please|hey|hi|ok|okay|so|now|can you|could you|would you|will you|help me(?: to)?|let['’]?s|i need to"
    r"|i want to|i have to|i['’]d like to|i need you to|i want you to"
    r"|bitte|por favor|s['’]il te plaît|per favore)[, ]+)*"
)
_ASKS: Final = regex.compile(
    r"\b(?:what|when|where|who|whom|whose|which|how|why|whether|was|wann|wo|wer|qué|cuándo|dónde|quién|quand|où|qui"
    r"|quando|dove|chi)\b",
    regex.IGNORECASE,
)
_DIET: Final = "What can't I eat?"
_WHAT_TO_EAT: Final = regex.compile(
    r"^\W*what (?:should|can|could|shall|do) (?:i|we) (?:cook|make|eat|have|bake|order)\b", regex.IGNORECASE
)
# What a task makes and the small words around it: not what it is about.
_MADE: Final = regex.compile(
    r"(?<![\p{L}\p{M}])(?:me|us|him|her|them|you|an?|the|some|short|quick|new|nice|good|little"
    r"|e-?mails?|mails?|letters?|messages?|notes?|repl(?:y|ies)|calls?|meetings?|lists?|ideas?|texts?|invitations?|reminders?|for|to|with|about|on|of|from|in"
    r"|at|by|and|or|my|our|his|their|this|that|next|today|tomorrow|tonight|week|weekend|saying|telling|asking)(?![\p{L}\p{M}])",
    regex.IGNORECASE,
)


@cache
def _request() -> regex.Pattern[str]:
    """A message that begins with a task, in any of the languages."""
    tasks = "|".join(
        one
        for language in LANGUAGES
        for name in ("tasks", "ideas")
        for one in words(language)["requests"].get(name, ())
    )
    return regex.compile(rf"^\W*{_LEAD}(?:{tasks})\b(?P<rest>.*)$", regex.IGNORECASE | regex.DOTALL)


@cache
def _listed(name: str) -> regex.Pattern[str]:
    found = "|".join(one for language in LANGUAGES for one in words(language).get("requests", {}).get(name, ()))
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}])(?:{found})(?![\p{{L}}\p{{M}}])", regex.IGNORECASE)


@cache
def _opens() -> regex.Pattern[str]:
    return regex.compile("|".join(words("en")["requests"]["opens"]), regex.IGNORECASE)


def opens_a_talk(message: str) -> bool:
    """Whether a message asks for whatever matters of the memory's owner, as at the beginning of a talk."""
    return len(message) <= _LONGEST and _opens().search(message) is not None


def helping(message: str, *, is_answered: bool) -> list[str]:
    """The questions whose answers help to do what a message asks for; none for what is no request.

    `is_answered`: something bears on the message as it is. Then only what to give and what to eat ask for more.
    """
    asked = []
    topic = topic_of_request(message) if not is_answered or wants_ideas(message) else None
    if topic is not None:
        asked.append(f"What do you know about {topic}?")
    if is_of_food(message):
        asked.append(_DIET)
    return asked


def wants_ideas(message: str) -> bool:
    """Whether a message asks what to give or bring somebody, which whatever is known of them helps to answer."""
    return len(message) <= _LONGEST and _listed("ideas").search(message) is not None


def is_of_food(message: str) -> bool:
    """Whether a message asks for something to eat, and names nobody or its writer too: then their diet matters."""
    if len(message) > _LONGEST or _listed("food").search(message) is None:
        return False
    is_asked = _request().match(message) is not None or _WHAT_TO_EAT.match(message) is not None
    return is_asked and (not names_in(f"to {message}") or asks_of_owner(message))


def topic_of_request(message: str) -> str | None:
    """What must be known to do what a message asks for: whom it names, else its things; None for no request.

    `Tara` for `Suggest a cake for Tara`, `contractor` for `Write an email to the contractor`.
    """
    found = _request().match(message) if len(message) <= _LONGEST else None
    if found is None or _ASKS.search(found["rest"]):
        return None
    names = names_in(f"to {found['rest'].strip()}")[:_MOST_NAMES]  # the verb before it is no name
    if names:
        return " and ".join(names)
    rest = " ".join(_MADE.sub(" ", regex.sub(r"[\p{P}\p{S}]+", " ", found["rest"])).split())
    return rest or None
