"""What a question asks for: a person, a place, a time, an amount or a yes; whose; and who does it to whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

import regex

from geniffy_server.domain.text import folded
from geniffy_server.recall.irregular import base
from geniffy_server.recall.lexicon import LANGUAGES, Wanted, language_of_question, pattern, wanted_by
from geniffy_server.recall.names import asks_of_owner, names_in, owns_in
from geniffy_server.recall.thesaurus import tastes
from geniffy_server.recall.tokens import STOP_WORDS, keys

WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[’'-][\p{L}\p{M}]+)*")
_LETTERS: Final = regex.compile(r"[\p{L}\p{M}\p{N}-]+")

_LEADING: Final = regex.compile(
    r"^(?:(?:please|so|and|ok|okay|hey|well|now)[, ]+"
    r"|(?:can|could|do|would) you (?:please )?(?:tell me|remind me|remember|recall|know)[, ]+"
    r"|(?:please )?(?:tell|remind) me[, ]+|i (?:wonder|forgot|forget)[, ]+)+",
    regex.IGNORECASE,
)
_LEADING_WORDS: Final = regex.compile(
    r"^(?:(?:please|so|and|ok|okay|hey|well|now|(?:can|could) you)[, ]+)+", regex.IGNORECASE
)
# `On which host do backups run?` asks as `which host` does.
_PREPOSED: Final = regex.compile(
    r"^(?:on|in|at|from|to|with|for|by|of|about|under|until) (?=what|which|whom|whose)", regex.IGNORECASE
)
_MEASURE: Final = regex.compile(r"how (?P<what>\p{L}+)", regex.IGNORECASE)
_AUXILIARY: Final = (
    r"(?:do|does|did|is|are|am|was|were|has|have|had|can|could|will|would|should|must|may|might|shall)(?:n['’]t)?"
)
_COUNTED: Final = regex.compile(
    rf"how many (?:other |more |different )?(?P<what>[\p{{L}}\p{{M}} -]+?)"
    rf"(?= (?:{_AUXILIARY}|a|an|per|in|of|on|at|test|work|live|use|play)\b|[?]|$)",
    regex.IGNORECASE,
)
_NO_KIND: Final = rf"(?:{_AUXILIARY}|of|the|my|our|a)\b"
_KIND: Final = regex.compile(
    rf"(?:what|which)(?: (?:kind|sort|type)s? of)? (?P<what>(?!{_NO_KIND})\p{{L}}[\p{{L}}\p{{M}}-]*"
    rf"(?: (?!{_NO_KIND})[\p{{L}}\p{{M}}-]+)??)(?= {_AUXILIARY}\b)",
    regex.IGNORECASE,
)
_THING: Final = regex.compile(
    r"(?:what|who|which|when|where)(?:['’]s| is| are| was| were) (?:the|my|our|[\p{L}\p{M}-]+['’]s?) "
    r"(?:[\p{L}\p{M}-]+ ){0,3}?(?P<what>\p{Ll}[\p{L}\p{M}-]*)(?=[?.! ]*$| (?:of|for|in|on|at|from|to|with)\b)",
    regex.IGNORECASE,
)
_DOER: Final = regex.compile(
    rf"\b{_AUXILIARY} (?P<doer>I|we|the user|\p{{Lu}}[\p{{L}}\p{{M}}-]*(?: \p{{Lu}}[\p{{L}}\p{{M}}-]*)*)"
    r"(?! (?:and|or)\b) (?:still |also |ever |usually |now )?(?P<verb>\p{Ll}+)"
)
_WHO_DOES: Final = regex.compile(
    rf"who (?:will |has |had |would |can |could |did )?(?!{_AUXILIARY}\b)(?P<verb>\p{{Ll}}+)\b(?P<rest>.*)",
    regex.IGNORECASE,
)
# `What does Kim like?` and `tell me about` may be answered by many; so may what is asked for in the plural.
_LISTED: Final = regex.compile(
    r"what do you (?:know|remember) (?:about|of)\b|about\b|what (?:else|all|things)\b"
    r"|where (?:has|have) [^?]+ (?:been|travel\p{L}*|visited|gone|lived|worked)\b"
    r"|(?:list|name|show me|give me)\b.*\b(?:about|all|every\p{L}*)\b"
    r"|(?:what|which [\p{L}-]+) (?:do|does) [^?]*?(?P<verb>\p{Ll}+)[?.! ]*$",
    regex.IGNORECASE,
)
_WHO_IS: Final = regex.compile(
    r"(?i:who(?:['’]s| is| was| are)|qui (?:est|était)|wer (?:ist|war)|¿?quién(?:es)? (?:es|era|son)|chi (?:è|era)"
    r"|кто так\p{L}+) \p{Lu}[\p{L}\p{M}.'’-]*(?: (?:\p{Ll}{1,3} )?\p{Lu}[\p{L}\p{M}.'’-]*)*\s?\??$"
)
# `What do you know about Kim?` asks for all that is held of one, not for what Kim knows.
_ALL_OF: Final = regex.compile(
    r"(?:what (?:else )?(?:do|can|did) (?:you|we|i) (?:know|remember|have|recall|say|tell me)|what is there"
    r"|(?:do|did) you (?:know|remember|have)|(?:tell|remind|show|give) me)"
    r"(?: everything| anything| something| all| more)?(?: (?:that )?(?:you|we) (?:know|remember|have))?"
    r"(?: stored| known| said)? (?:about|of|on)\b"
    r"|was (?:weißt|wissen|weiß) (?:du|sie|wir|man) (?:über|von)\b"
    r"|que (?:sais|savez|sait)[- ](?:tu|vous|on) (?:de|sur)\b"
    r"|¿?qué (?:sabes|sabe|sabemos) (?:de|sobre)\b|(?:che )?cosa (?:sai|sappiamo|sapete) (?:di|su)\b",
    regex.IGNORECASE,
)
_OBJECT: Final = regex.compile(
    r"(?<![\p{L}'’])(?i:my|our|the|his|her|their|this|that|[\p{L}-]+['’]s?) "
    r"(?P<words>\p{Ll}[\p{L}-]*(?: \p{Ll}[\p{L}-]*){0,4})"
)
_HELPED: Final = regex.compile(rf"(?<!\p{{L}})(?P<verb>{_AUXILIARY}) $", regex.IGNORECASE)
_BEING: Final = frozenset({"is", "are", "am", "was", "were"})
_PLURAL: Final = regex.compile(r"\p{L}+(?<![siu])s$", regex.IGNORECASE)
_PAST: Final = regex.compile(r"\b(?:did|was|were|has|have|had)\b", regex.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, read once.

    `names` are as written, `owners` those of them that own what is asked for; `words` are all of its words, folded.
    `measure`: the word after `how`, in lower case. `counted`: what is to be counted, `kind`: what is to be named,
    `thing`: what it asks for by `what is the`: `budget` of `What is the budget of Orion?`
    `is_list`: many things may be asked for, as in `What does Kim like?`
    `objects` are the things that it speaks of, each in its words with what is most of it last: `dining table` of `How
    much was the dining table?`
    `doer` and `verb`: `Felix` and `owe` of `How much does Felix owe me?`; without a doer, who does it to `done_to` is
    asked for.
    """

    text: str
    language: str
    wanted: Wanted
    names: Sequence[str]
    owners: Sequence[str]
    words: frozenset[str]
    of_owner: bool
    is_past: bool = False
    measure: str | None = None
    counted: str | None = None
    is_list: bool = False
    kind: str | None = None
    thing: str | None = None
    objects: Sequence[Sequence[str]] = ()
    doer: str | None = None
    verb: str | None = None
    done_to: Sequence[str] = ()

    @classmethod
    def read(cls, question: str) -> Asked:
        """Read a question of any language; what is told of `measure` to `done_to` is read in English alone."""
        text = _PREPOSED.sub("", _LEADING.sub("", question.strip(), count=1), count=1)
        language = language_of_question(text)
        names = names_in(question)
        asked = cls(
            text=text,
            language=language,
            wanted=wanted_by(text, language),
            names=names,
            owners=[name for name in names if owns_in(name, question)],
            words=frozenset(folded(word) for word in _LETTERS.findall(question)),
            of_owner=asks_of_owner(question),
            is_list=language != "en" and not tastes().isdisjoint(keys(text)),
        )
        if language == "en":
            return _read_closely(asked)
        return replace(asked, kind=_word(pattern(language, "asks", "kind").match(text)))


def asks_who_is(question: str) -> bool:
    """Whether a question asks who somebody is whom it names: `Who is Kim?`, `Wer ist Anke?`"""
    return _WHO_IS.match(question.strip()) is not None


def asks_own_name(asked: Asked) -> bool:
    """Whether a question is for the name of the one who asks it: `What's my name?`"""
    return pattern(asked.language, "asks", "own_name").match(asked.text) is not None


def tells_own_name(text: str) -> bool:
    """Whether a statement of any of the languages says what its speaker is called: `Hi, I'm Dana.`"""
    return any(pattern(language, "holds", "own_name").search(text) is not None for language in LANGUAGES)


def asks_for_all_of(question: str) -> str | None:
    """What a question asks for all that is known of, in its words: `Kim`; None when it asks for something of it."""
    text = _LEADING_WORDS.sub("", question.strip(), count=1)
    found = _ALL_OF.match(text)
    return text[found.end() :] if found else None


def _read_closely(asked: Asked) -> Asked:
    """What only the word order of English tells."""
    text = asked.text
    kind, thing = _word(_KIND.match(text)), _word(_THING.match(text))
    found = replace(
        asked,
        is_past=_PAST.search(text) is not None,
        is_list=asked.wanted in ("what", "where") and _is_list(text, kind or thing or ""),
        measure=_word(_MEASURE.match(text.lower())),
        counted=_word(_COUNTED.match(text)),
        kind=kind,
        thing=thing,
        objects=list(_objects(text)),
    )
    if doing := _DOER.search(text):
        return replace(found, doer=doing["doer"], verb=doing["verb"])
    if who := _WHO_DOES.match(text):
        return replace(found, verb=who["verb"], done_to=[name for name in asked.names if name in who["rest"]])
    return found


def _objects(text: str) -> Iterator[Sequence[str]]:
    """What stands behind an article or owner, up to the verb: `passport` of `When does my passport expire?`"""
    for found in _OBJECT.finditer(text, overlapped=True):
        run = list(takewhile(lambda word: word not in STOP_WORDS, found["words"].split()))
        helped = _HELPED.search(text[: found.start()])
        if helped is not None and len(run) > 1 and (helped["verb"].lower() not in _BEING or _is_participle(run[-1])):
            run.pop()
        if run:
            yield run


def _is_participle(word: str) -> bool:
    return word.endswith(("ed", "ing")) or base(word) != word


def _word(found: regex.Match[str] | None) -> str | None:
    return found["what"] if found else None


def _is_list(text: str, thing: str) -> bool:
    listed = _LISTED.match(text)
    if listed is not None and (listed["verb"] is None or not tastes().isdisjoint(keys(listed["verb"]))):
        return True
    return _PLURAL.search(thing) is not None


def is_foreign(asked: Asked, text: str) -> bool:
    """Whether a text is in another language than the question, whose words tell nothing of it."""
    return language_of_question(text) != asked.language
