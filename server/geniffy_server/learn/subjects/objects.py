"""What `it` stands for behind an English verb: `The lease starts in May. Uma signs it.`"""

from __future__ import annotations

from functools import cache
from typing import Final

import regex

from geniffy_server.learn.lexicon import alternatives, listed, word_set
from geniffy_server.learn.subjects.names import NAME_WORD

_IT: Final = regex.compile(r"\b(?:it|its)\b", regex.IGNORECASE)
_NOUN: Final = regex.compile(
    r"(?<!\b(?:is|was|are|were|am|be|been|as|['’]s|['’]m|like) )\b(?:an?|the|my|our|his|her|their|this|that)\s+"
    r"((?:\p{Ll}[\p{Ll}-]*(?<!ing)\s+){0,2}?\p{Ll}[\p{Ll}-]*)(?=[.,;!]|$|\s+(?:in|on|at|for|from|to|with|by|that|which|and|about"
    r"|yesterday|today|last|this|next|when|because)\b)"
)


def thing_in(words: str, subject: str | None, *, before: str | None) -> str | None:
    """The thing that a sentence leaves for the next one's `it`: its `subject`, else the one thing it names.

    None when it names none or several. A sentence that says `it` leaves what it had `before`.
    """
    if subject is not None:
        return subject if subject[:1].isupper() else f"the {subject}"
    if _IT.search(words):
        return before
    named = {found[1] for found in _NOUN.finditer(words)}
    if len(named) != 1:
        return None
    noun = named.pop()
    is_other = noun.split()[-1] in _no_things()
    return None if is_other else f"the {noun}"


def with_object(text: str, thing: str) -> str:
    """The same text with `thing` for an `it` right behind its first verb."""
    found = _object().match(text)
    if found is None or thing.casefold().removeprefix("the ") in text.casefold():
        return text
    return text[: found.start("it")] + thing + text[found.end("it") :]


@cache
def _no_things() -> frozenset[str]:
    return word_set("subject", "relations", "en") | word_set("objects", "no_things", "en")


@cache
def _object() -> regex.Pattern[str]:
    subject = (
        rf"(?:(?i:I|we|he|she|they)(?:['’](?:ve|ll|d))?|{NAME_WORD}(?: {NAME_WORD}){{0,2}}"
        rf"|(?i:my|our|his|her|their) \p{{Ll}}+(?: {NAME_WORD})?)"
    )
    between = alternatives(listed("objects", "between", "en"))
    never = alternatives(listed("objects", "no_objects", "en"))
    after = alternatives(listed("objects", "after", "en"))
    return regex.compile(
        rf"(?:[^:\n]{{1,40}}: )?{subject}(?: (?:{between})){{0,2}} (?!(?:{never})\b)\p{{Ll}}+"
        rf"(?: (?:about|for|with|on|to|from|at|of|into|in|up|out))? (?P<it>it)(?!['’])\b(?! (?:{after})\b)"
    )
