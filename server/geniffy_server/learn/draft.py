"""Facts drafted by a language model, and the gate that they pass: nothing is taken that the text does not say.

A model may see facts that the rules miss, know whom "she" is, and word a fact so that it stands alone. It may also
invent, or do what a text tells it to. So a draft only ever adds to what the rules read, or words it better: its quote
must stand in the text as it is, and as what the sentence states, not as what it doubts or wishes; its statement may put
names in the place of pronouns, and else says the quote's words in their order; its subject must be named there. What
does not pass is thrown away, and the rules' own reading stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

import regex

from geniffy_server.domain.instants import said_on
from geniffy_server.domain.memory import KINDS, OWNER, Fact, Kind
from geniffy_server.domain.text import folded
from geniffy_server.learn.change.denial import denials
from geniffy_server.learn.dates.spoken import pick
from geniffy_server.learn.kinds import kind as kind_of
from geniffy_server.learn.language import language_of
from geniffy_server.learn.learn import Reading
from geniffy_server.learn.lexicon import word_set
from geniffy_server.learn.quotes import echo_of, normalised
from geniffy_server.learn.secrets import MARK
from geniffy_server.learn.split import not_fact, sentences
from geniffy_server.learn.subjects.names import lead_of
from geniffy_server.learn.subjects.subject import FIRST_PERSON, WEAK, Setting, is_person, subject
from geniffy_server.learn.wording import said_by

MAX_KNOWN: Final = 60  # names that are handed over
MAX_DRAFTS: Final = 400  # of one answer
MAX_ABOUT_CHARS: Final = 100
MAX_STATEMENT_CHARS: Final = 600

SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["facts"],
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["passage", "quote", "statement", "about", "kind"],
                "properties": {
                    "passage": {"type": "integer"},
                    "quote": {"type": "string"},
                    "statement": {"type": "string"},
                    "about": {"type": ["string", "null"]},
                    "kind": {"type": "string", "enum": list(KINDS)},
                },
            },
        }
    },
}

DRAFTED: Final = frozenset({"model", "model?"})
"""How a model's own subject is marked: `model?` where the sentence does not name it, which retires nothing."""


@cache
def instructions() -> str:
    """The prompt, a file beside this module."""
    return (Path(__file__).parent / "prompts" / "facts.md").read_text(encoding="utf-8")


def data_of(readings: Sequence[Reading], *, owner: str | None, known: Sequence[str]) -> dict[str, object]:
    """What is handed to the model beside its instructions; text stays inside JSON strings, so it can't pose as ours."""
    return {
        "owner": owner,
        "known": list(known[:MAX_KNOWN]),
        "passages": [
            {
                "n": n,
                "read": _may_teach(reading),
                "speaker": "an assistant" if reading.is_agent else reading.speaker,
                "heading": reading.heading,
                "said_on": said_on(reading.said_at).isoformat(),
                "text": reading.text,
            }
            for n, reading in enumerate(readings)
        ],
    }


def with_drafts(
    reply: Mapping[str, object],
    readings: Sequence[Reading],
    built_in: Sequence[Sequence[Fact]],
    *,
    owner: str | None,
    known: Sequence[str],
) -> list[list[Fact]]:
    """The facts of each reading: those the rules found, worded or joined by what passes of a model's drafts.

    `built_in` holds what `facts_of` found in the same readings, and no fact of it is lost: one makes room only for
    drafts that quote the same sentence. Offsets and quotes are as there.
    """
    drafts = _drafts_of(reply, readings)
    facts: list[list[Fact]] = []
    for n, (reading, found) in enumerate(zip(readings, built_in, strict=True)):
        to_assistant = reading.speaker is None and any(one.is_agent for one in readings)
        gate = _Gate(readings[: n + 1], reading, owner, known, to_assistant=to_assistant)
        facts.append(_joined(gate, found, drafts.get(n, ())) if drafts.get(n) else list(found))
    return facts


@dataclass(frozen=True, slots=True)
class _Draft:
    start: int
    end: int
    statement: str
    about: str | None
    kind: Kind


def _may_teach(reading: Reading) -> bool:
    return reading.wanted and not reading.is_agent


def _drafts_of(reply: Mapping[str, object], readings: Sequence[Reading]) -> Mapping[int, Sequence[_Draft]]:
    """Drafts by reading, in the order of the text; those alone whose quote stands in a passage that is to be read."""
    drafts: dict[int, list[_Draft]] = defaultdict(list)
    listed = reply.get("facts")
    for raw in listed[:MAX_DRAFTS] if isinstance(listed, list) else ():
        if not isinstance(raw, dict):
            continue
        n, quote, statement = raw.get("passage"), raw.get("quote"), raw.get("statement")
        about, kind = raw.get("about"), raw.get("kind")
        if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n < len(readings) or not _may_teach(readings[n]):
            continue
        if not isinstance(quote, str) or not quote.strip() or kind not in KINDS:
            continue
        text, words = readings[n].text, quote.strip()
        taken = {draft.start for draft in drafts[n]}
        start = text.find(words)
        while start in taken:
            start = text.find(words, start + 1)
        if start < 0 or not _is_whole_words(text, start, start + len(words)):
            continue
        stated = " ".join(statement.split()) if isinstance(statement, str) else ""
        name = " ".join(about.split()) if isinstance(about, str) else ""
        drafts[n].append(_Draft(start, start + len(words), stated, name or None, kind))
    return {n: sorted(found, key=lambda draft: draft.start) for n, found in drafts.items()}


_WORD_SIGN: Final = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{Arabic}\p{Hebrew}\p{N}]")


def _is_whole_words(text: str, start: int, end: int) -> bool:
    """Whether a span neither begins nor ends inside a word or number: `costs 15` is not what `costs 150` says."""
    cuts_first = start > 0 and _WORD_SIGN.match(text, start - 1) and _WORD_SIGN.match(text, start)
    cuts_last = end < len(text) and _WORD_SIGN.match(text, end - 1) and _WORD_SIGN.match(text, end)
    return not cuts_first and not cuts_last


def _joined(gate: _Gate, found: Sequence[Fact], drafts: Sequence[_Draft]) -> list[Fact]:
    of_fact: dict[int, list[_Draft]] = defaultdict(list)
    facts: list[Fact] = []
    for draft in drafts:
        met = [i for i, fact in enumerate(found) if draft.start < fact.end and fact.start < draft.end]
        if len(met) == 1:
            of_fact[met[0]].append(draft)
        elif not met and (added := gate.added(draft)) is not None:
            facts.append(added)
    for i, fact in enumerate(found):
        facts.extend(gate.reworded(fact, of_fact[i]) if of_fact[i] else [fact])
    by_span = {(fact.start, fact.end): fact for fact in reversed(facts)}
    return sorted(by_span.values(), key=lambda fact: fact.start)


class _Gate:
    """What a draft of one reading has to pass. `context` are the readings up to it, itself included."""

    def __init__(
        self,
        context: Sequence[Reading],
        reading: Reading,
        owner: str | None,
        known: Sequence[str],
        *,
        to_assistant: bool,
    ) -> None:
        self.reading = reading
        self.to_assistant = to_assistant
        self.owner = owner
        self.language = language_of(reading.text)
        self.known = frozenset(known)
        named = [name for one in context for name in (one.speaker, one.heading) if name]
        told = [*(one.text for one in context), *named, *([owner] if owner else [])]
        self.evidence = frozenset(_words(" . ".join(told))) | _SMALL_WORDS
        self.told = "\n".join(told)
        self.names = folded(self.told)

    def reworded(self, fact: Fact, drafts: Sequence[_Draft]) -> list[Fact]:
        """A fact of the rules as its drafts have it: cut in parts where they quote each, else better worded."""
        parts = [draft for draft in drafts if draft.end - draft.start < fact.end - fact.start]
        if len(parts) > 1 and self._replace_it(fact, parts):
            cut = [self._fact_of(part, whole=fact) for part in parts]
            whole = [one for one in cut if one is not None]
            if len(whole) == len(parts):
                return whole
        return [self._worded(fact, drafts[0])] if len(drafts) == 1 else [fact]

    def added(self, draft: _Draft) -> Fact | None:
        """A fact that the rules did not see, or a part of one; None where it states nothing, or holds a secret."""
        text = self.reading.text
        quote = text[draft.start : draft.end]
        first, last = text.rfind("\n", 0, draft.start) + 1, text.find("\n", draft.end)
        line = text[first : last if last >= 0 else len(text)]
        sentence = self._sentence_around(draft)
        if sentence is None or MARK in sentence or echo_of(line) is not None:
            return None
        if not_fact(quote, to_assistant=self.to_assistant) or not_fact(sentence) == "question":
            return None
        if denials(sentence) > denials(quote) or not self._is_stated(draft):
            return None
        return self._fact_of(draft)

    def _fact_of(self, draft: _Draft, *, whole: Fact | None = None) -> Fact | None:
        """A quote as a fact; as a part of the fact that was read in its whole sentence, it is about the same one."""
        quote = self.reading.text[draft.start : draft.end]
        if MARK in quote or not_fact(quote, to_assistant=self.to_assistant):
            return None
        said = said_on(self.reading.said_at)
        speaker = self.reading.speaker or OWNER
        setting = Setting(language=self.language, said=said, speaker=speaker, heading=self.reading.heading)
        about, how = subject(quote, setting)
        is_bare = how == "drop" or about is None or how in WEAK
        if whole is not None and is_bare and whole.about not in (None, OWNER, self.owner):
            about, how = whole.about, "carry"
        spoken = pick(quote, said)
        person = is_person(about, how, quote)
        is_own = about == speaker and how in FIRST_PERSON
        fact = Fact(
            text=self._told(quote, about, how, is_own=is_own),
            quote=quote,
            start=draft.start,
            end=draft.end,
            about=self.owner if about == OWNER and self.owner else about,
            how=how,
            kind=kind_of(quote, spoken, said, is_person=person, language=self.language),
            spoken=spoken,
            said_at=self.reading.said_at,
            first_person=is_own,
            said_by=self.reading.speaker,
        )
        return self._worded(fact, draft)

    def _told(self, quote: str, about: str | None, how: str, *, is_own: bool) -> str:
        if is_own and self.reading.speaker is not None:
            return said_by(self.reading.speaker, quote)
        return said_by(about, quote) if how == "carry" and about is not None else quote

    def _worded(self, fact: Fact, draft: _Draft) -> Fact:
        """The fact with the draft's kind, subject and wording, each where the rules were not sure of their own."""
        kind = draft.kind if fact.kind == "detail" else fact.kind
        if fact.about is not None and fact.how not in WEAK:
            return replace(fact, kind=kind)
        about, how = self._about(fact, draft)
        text = draft.statement if self._says_no_more(draft, fact.quote) else fact.text
        return replace(fact, kind=kind, about=about, how=how, text=text)

    def _about(self, fact: Fact, draft: _Draft) -> tuple[str | None, str]:
        name = draft.about
        if name is None or len(name) > MAX_ABOUT_CHARS:
            return fact.about, fact.how
        if name == OWNER or (self.owner and name.casefold() == self.owner.casefold()):
            return (self.owner or OWNER, "model?") if self.reading.speaker is None else (fact.about, fact.how)
        is_known = name in self.known and any(_stands_in(word, self.names) for word in name.split())
        if not is_known and not (name in self.told and _stands_in(name, self.names)):
            return fact.about, fact.how
        near = folded(f"{fact.quote}\n{self.reading.heading or ''}")
        return name, "model" if _stands_in(name, near) else "model?"

    def _says_no_more(self, draft: _Draft, quote: str) -> bool:
        """Whether a statement says its quote's words in their order, with names where the quote only points.

        Names, and what a pronoun stands for, are words of the text. Numbers and denials are those of the quote.
        """
        statement = draft.statement
        if not statement or len(statement) > MAX_STATEMENT_CHARS or MARK in statement:
            return False
        if not set(_UNSEEN.findall(statement)) <= set(_UNSEEN.findall(quote)):
            return False
        said, quoted = _words(statement), _words(quote)
        if not set(said) <= self.evidence:
            return False
        left_out = set(quoted) - set(said)
        if not left_out <= _pointing() or not _is_in_order(said, quoted):
            return False
        named = {word for name in _CAPITALISED.findall(statement) for word in _words(name)} | {
            *_words(draft.about or "")
        }
        if not left_out and not set(said) - set(quoted) - _SMALL_WORDS <= named:
            return False
        return denials(statement) == denials(quote) and _numbers(quote) == _numbers(statement)

    def _is_stated(self, draft: _Draft) -> bool:
        """Whether a sentence states the part of it that a draft quotes, and does not wonder, doubt or wish it."""
        text = self.reading.text
        start, end = self._span_around(draft) or (draft.start, draft.end)
        if not _only_joins(text[draft.end : end]):
            return False
        before = text[start : draft.start]
        lead = lead_of(text[start:end], said_on(self.reading.said_at), self.language)
        if _only_joins(before) or lead >= len(before.rstrip()):
            return True
        return before.rstrip()[-1] in _PARTS_ENDS and not_fact(before) is not None

    def _replace_it(self, fact: Fact, parts: Sequence[_Draft]) -> bool:
        """Whether the parts quote all of the sentence but what joins them: `If` and `maybe` are not left out."""
        left, at = [], fact.start
        for part in parts:
            if part.start < at:
                return False
            left.append(self.reading.text[at : part.start])
            at = part.end
        left.append(self.reading.text[at : fact.end])
        return all(map(_only_joins, left))

    def _sentence_around(self, draft: _Draft) -> str | None:
        """The sentences that a draft's quote stands in; None when it joins more than two."""
        span = self._span_around(draft)
        return self.reading.text[span[0] : span[1]] if span else None

    def _span_around(self, draft: _Draft) -> tuple[int, int] | None:
        met = [one for one in sentences(self.reading.text) if draft.start < one[1] and one[0] < draft.end]
        return (met[0][0], met[-1][1]) if 0 < len(met) <= 2 else None


_NUMBER: Final = regex.compile(r"\p{N}+(?:[.,:/]\p{N}+)*")
_SMALL_WORDS: Final = frozenset(
    ("is", "are", "was", "were", "has", "have", "had", "do", "does", "did", "be", "been")
) | {"of", "to", "in", "on", "at", "for", "and", "that", "by", "with"}
_CAPITALISED: Final = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}'’-]*")
_LETTERS: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_UNSEEN: Final = regex.compile(r"[\p{Cc}\p{Cf}\p{Cs}\p{Co}]")  # they turn text round or end it
_PARTS_ENDS: Final = ",;:–—-!…."
_WITHOUT_BLANKS: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")


def _words(text: str) -> tuple[str, ...]:
    """The words of a text in order as they are compared: folded, without a possessive ending."""
    found = (word.removesuffix("'s").strip(".,:;!?\"'()") for word in normalised(text).split())
    return tuple(word for word in found if word)


def _is_in_order(said: Sequence[str], quoted: Sequence[str]) -> bool:
    """Whether the quote's words stand in a statement in the order of the quote."""
    rest = iter(quoted)
    return all(word in rest for word in said if word in quoted)


@cache
def _pointing() -> frozenset[str]:
    """What may give way to a name, folded: pronouns, and words that join a sentence to the one before."""
    return frozenset(folded(word) for word in word_set("drafts", "pointing"))


def _only_joins(text: str) -> bool:
    """Whether a text between two parts of a sentence holds signs and joining words alone."""
    joining = word_set("drafts", "joining")
    return all(word in joining for word in _LETTERS.findall(text.casefold()))


def _numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(text))


def _stands_in(name: str, held: str) -> bool:
    """Whether a name stands in a text, which is folded: as whole words, where the script parts words."""
    words = folded(name)
    if _WITHOUT_BLANKS.search(words):
        return words in held
    return regex.search(rf"(?<![\p{{L}}\p{{M}}]){regex.escape(words)}(?![\p{{L}}\p{{M}}])", held) is not None
