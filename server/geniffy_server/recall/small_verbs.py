"""Questions of English that ask by stop words alone: what somebody has, is like, met with, or has been to.

No search key tells what answers `What does Kim own?`, so the form of a statement must: `Kim has a canoe` and not `Kim
lives in Oslo`.
"""

from __future__ import annotations

from typing import Final, Literal

import regex

from geniffy_server.recall.irregular import base

Verb = Literal["own", "have", "like", "befall", "been", "must"]

_WHAT: Final = (
    r"(?:what|which things)(?: else| all| things)? (?:do|does|did|has|have)(?:n['’]t)?"
    r" (?:[\p{L}\p{M}\d'’-]+ ){1,4}?"
)
_ASKS: Final[tuple[tuple[Verb, regex.Pattern[str]], ...]] = (
    ("own", regex.compile(rf"{_WHAT}(?:own|possess)[?.! ]*$", regex.IGNORECASE)),
    ("have", regex.compile(rf"{_WHAT}(?:have|got)[?.! ]*$", regex.IGNORECASE)),
    (
        "like",
        regex.compile(r"(?:what(?:['’]s| is| are| was| were)|how(?:['’]s| is| are)) (?!it)[^?]+ like[?.! ]*$", regex.I),
    ),
    (
        "befall",
        regex.compile(
            r"what(?:['’]s| has)?(?: ever)? happened (?:to|with) (?=\p{Lu}|my |our |the )[^?]+[?.! ]*$", regex.I
        ),
    ),
    ("must", regex.compile(r"what (?:do|does|did|am|is|are) [^?]+? (?:have|need|supposed) to do[?.! ]*$", regex.I)),
    ("been", regex.compile(r"(?:have|has) [^?]+? (?:ever |already |yet )?been (?:to|in) (?-i:\p{Lu})", regex.I)),
)
_HAS: Final = regex.compile(
    r"(?:have|has|had|['’](?:s|ve) got) (?!(?:to|been|not|never|just|already|always|also)\b|\p{Ll}+(?:ed|en)\b)"
    r"|\b(?:owns?|owned|own|got|possess(?:es|ed)?|bought|adopted|inherited|includes?|comes with|keeps?|belongs? to)\b"
    r"|(?<!\p{L})(?:my|our) \p{Ll}|['’]s? \p{Ll}{3,}",
    regex.IGNORECASE,
)
_RELATIVES: Final = (
    "daughters? sons? child children kids? brothers? sisters? twins? wife husband partner boyfriend girlfriend mother "
    "father mum mom dad parents uncle aunt cousins? nephews? nieces? friends? boss manager colleagues? meeting"
)
_KIN: Final = regex.compile(  # who has a daughter owns none
    r"(?:\b(?:have|has|had)|['’](?:s|ve) got|['’]s|\b(?:my|our))"
    r" (?:(?:an?|the|two|three|four|no|older|younger|little|big) )*"
    rf"(?:{'|'.join(_RELATIVES.split())})\b",
    regex.IGNORECASE,
)
_MANNERS: Final = (
    "kind friendly nice lovely strict shy funny smart clever generous patient impatient rude quiet loud warm cold calm "
    "moody lazy tidy messy stubborn helpful honest grumpy serious easygoing tall small big tiny huge old new noisy "
    "bright dark cosy cozy cheap expensive crowded boring fun great good bad awful terrible horrible difficult easy "
    "sweet gentle playful fierce timid curious anxious nervous cheerful sunny rainy windy humid hot mild dry wet"
)
_IS_LIKE: Final = regex.compile(
    r"(?:\b(?:is|are|was|were|seems?|looks?|sounds?|feels?|smells?|tastes?|comes across as)|['’](?:s|re))"
    r"(?: (?:an?|also|now|still))? (?:kind of|sort of|a bit|a little|very|really|so|quite|pretty|rather|extremely"
    rf"|always|such|too|incredibly|super|{'|'.join(_MANNERS.split())})\b",
    regex.IGNORECASE,
)
_MUST: Final = regex.compile(
    r"\b(?:must|should|has to|have to|needs? to|supposed to|to-?dos?|tasks?|action|due"
    r"|by (?:\p{Lu}|the|next|tomorrow|tonight))(?!\p{L})|^\W*(?-i:\p{Lu}[\p{L} ]+: \p{Ll})",
    regex.IGNORECASE,
)
_WORD: Final = regex.compile(r"(?<![\p{L}’'-])\p{Ll}+")
_TO_A_PLACE: Final = r"(?:to|at|in|into|from|through|around|near|over|visited|saw|toured) (?:the )?"
_WISH: Final = regex.compile(
    r"\b(?:(?:think|thinking|thought|talk|talking|talked|dream|dreaming|dreamt) (?:of|about)|consider(?:ing|s|ed)?"
    r"|plan(?:s|ning|ned)? (?:to|on|for|a)|hop(?:e|es|ing|ed) (?:to|for)|want(?:s|ed|ing)? to|would (?:like|love) to"
    r"|['’]d (?:like|love) to|going to (?=\p{Ll})|might|(?-i:may)|will|['’]ll|about to|wish(?:es|ed)?)\b",
    regex.IGNORECASE,
)


def small_verb(text: str) -> Verb | None:
    """Which of these a question asks by; None for all others."""
    return next((verb for verb, asks in _ASKS if asks.match(text) is not None), None)


def tells_of_it(verb: Verb, text: str, names: tuple[str, ...]) -> bool:
    """Whether a statement has the form that answers; `names` are those in the question, the place among them."""
    match verb:
        case "own":
            return _HAS.search(_KIN.sub(" ", text)) is not None
        case "have":
            return _HAS.search(text) is not None
        case "like":
            return _IS_LIKE.search(text) is not None
        case "must":
            return _MUST.search(text) is not None
        case "befall":
            return any(word.endswith("ed") or base(word) != word for word in _WORD.findall(text))
        case "been":
            placed = any(regex.search(_TO_A_PLACE + regex.escape(name), text, regex.I) for name in names)
            return placed and not is_wished(text)


def is_wished(text: str) -> bool:
    """Whether a statement says what somebody thinks of or means to do rather than what was done."""
    return _WISH.search(text) is not None
