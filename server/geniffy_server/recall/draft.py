"""An answer drafted by a language model, and the gate that it passes: it may only say what the evidence says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

import regex

from geniffy_server.domain.answer import Answered
from geniffy_server.domain.memory import Memory
from geniffy_server.domain.text import folded
from geniffy_server.learn.change.denial import denials
from geniffy_server.ports import Found
from geniffy_server.recall.dates_in_words import day, spoken
from geniffy_server.recall.lexicon import LANGUAGES, words
from geniffy_server.recall.thesaurus import answers
from geniffy_server.recall.tokens import STOP_WORDS, keys

MAX_EVIDENCE: Final = 8  # memories that are handed over, best first
MAX_ANSWER_CHARS: Final = 1_000

SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["answer", "memories"],
    "properties": {
        "answer": {"type": ["string", "null"]},
        "memories": {"type": "array", "items": {"type": "integer"}},
    },
}


@cache
def instructions() -> str:
    """The prompt, a file beside this module."""
    return (Path(__file__).parent / "prompts" / "answer.md").read_text(encoding="utf-8")


def data_of(question: str, found: Sequence[Found], today: date) -> dict[str, object]:
    """What is handed to the model beside its instructions; text stays inside JSON strings, so it can't pose as ours."""
    return {
        "question": question,
        "today": today.isoformat(),
        "memories": [
            {
                "id": hit.memory.id,
                "text": hit.memory.text,
                "about": hit.memory.about,
                "said_on": hit.memory.said_at.date().isoformat(),
                "speaks_of": spoken(hit.memory.spoken) if hit.memory.spoken else None,
            }
            for hit in found[:MAX_EVIDENCE]
        ],
    }


def declines(reply: Mapping[str, object]) -> bool:
    """Whether the model says that the memories do not answer the question."""
    return "answer" in reply and reply["answer"] is None


def answer_from(reply: Mapping[str, object], question: str, found: Sequence[Found]) -> Answered | None:
    """The drafted answer, with the memories it cites; None when it does not pass.

    It must cite memories that were handed over and nothing else, and name no number and no name that is not in them
    or in the dates they were said on and speak of; its other words are theirs or the question's, and most are theirs.
    What it denies they deny, clause by clause, and who does it to whom stays. What the memories contradict themselves
    about is not answered here: both sides are to be told.
    """
    text, cited = reply.get("answer"), reply.get("memories")
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_ANSWER_CHARS or not isinstance(cited, list):
        return None
    by_id = {int(hit.memory.id): hit.memory for hit in found[:MAX_EVIDENCE]}
    if not cited or any(isinstance(one, bool) or not isinstance(one, int) or one not in by_id for one in cited):
        return None
    memories = [by_id[one] for one in dict.fromkeys(cited)]
    if any(memory.status == "clash" for memory in memories):
        return None
    told = " ".join(text.split())
    if _UNSEEN.search(told) or not _is_held(told, question, [_Source.of(memory) for memory in memories]):
        return None
    return Answered(question, told, memories, clash=False)


_WORD: Final = regex.compile(r"[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|\p{N}+(?:[.,:/]\p{N}+)*")
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")
_NAME: Final = regex.compile(r"(?<![\p{L}\p{M}])\p{Lu}[\p{L}\p{M}’'-]*")
_UNSEEN: Final = regex.compile(r"[\p{Cc}\p{Cs}\p{Co}\u202a-\u202e\u2066-\u2069]")  # they turn text round or end it
_CLAUSE_END: Final = regex.compile(r"[.;!?。！？]\s*|[,，、]\s+|\s(?=(?:but|and|while|aber|und|mais|et|pero|y|ma|e)\s)")
_TURNS_ROUND: Final = regex.compile(
    r"['’]s\b|\b(?:by|of|to|from|with|and|von|der|des|mit|und|par|de|du|avec|et|por|con|y|da|di|del|e)\b|的|の",
    regex.IGNORECASE,
)
_STEM_CHARS: Final = 5  # words that begin alike are taken for forms of one
_LEAST_THEIRS: Final = 0.5  # share of an answer's words that stand in the memories, not in the question alone
_LONGEST_ENDING: Final = 2  # `Anna` and `Annas` are one name, `Kim` and `Kimberly` two


@dataclass(frozen=True, slots=True)
class _Source:
    """What one memory tells: its words with their stems and search keys, and whether it denies."""

    text: str
    words: frozenset[str]
    keys: frozenset[int]
    denies: bool

    @classmethod
    def of(cls, memory: Memory) -> _Source:
        told = [memory.text, memory.quote, memory.about or "", day(memory.said_at.date())]
        told += [spoken(memory.spoken)] if memory.spoken else []
        text = "\n".join(told)
        return cls(
            folded(text), frozenset(_WORD.findall(folded(text))), frozenset(keys(text)), denials(memory.text) > 0
        )

    def has(self, word: str) -> bool:
        if _UNSPACED.search(word):
            return word in self.text
        own = [key for key in keys(word) if key in self.keys or not self.keys.isdisjoint(answers(key))]
        return bool(own) or any(word[:_STEM_CHARS] == held[:_STEM_CHARS] for held in self.words)


def _is_held(answer: str, question: str, sources: Sequence[_Source]) -> bool:
    said = [word for word in _WORD.findall(folded(answer)) if not _is_function_word(word)]
    if not said or not _are_named(answer, sources):
        return False
    numbers = {word for source in sources for word in source.words if word[0].isnumeric()}
    if any(word[0].isnumeric() and word not in numbers for word in said):
        return False
    theirs = [any(source.has(word) for source in sources) for word in said]
    asked = frozenset(map(_stem, _WORD.findall(folded(question))))
    if sum(theirs) < _LEAST_THEIRS * len(said):
        return False
    if any(not held and _stem(word) not in asked for word, held in zip(said, theirs, strict=True)):
        return False
    return all(_is_told_so(clause, sources) for clause in _CLAUSE_END.split(answer))


def _are_named(answer: str, sources: Sequence[_Source]) -> bool:
    """Whether each name of an answer stands in the memories; a capital at its head may be grammar."""
    for name in _NAME.findall(answer):
        word = folded(name).removesuffix("'s").removesuffix("’s")
        if _is_function_word(word) or any(_is_form(word, held) for source in sources for held in source.words):
            continue
        is_grammar = answer.startswith(name) and name[1:].islower() and any(source.has(word) for source in sources)
        if not is_grammar:
            return False
    return True


def _is_form(word: str, held: str) -> bool:
    held = held.removesuffix("'s").removesuffix("’s")
    if word == held:
        return True
    short, long = sorted((word, held), key=len)
    return len(short) > _LONGEST_ENDING and long.startswith(short) and len(long) - len(short) <= _LONGEST_ENDING


def _is_told_so(clause: str, sources: Sequence[_Source]) -> bool:
    """Whether the memory that a clause is most like denies as it does, and has its names in that order."""
    said = [word for word in _WORD.findall(folded(clause)) if not _is_function_word(word)]
    if not said:
        return True
    source = max(sources, key=lambda one: sum(map(one.has, said)))
    if (denials(clause) > 0) is not source.denies:
        return False
    places = [source.text.find(folded(name)) for name in _NAME.findall(clause)]
    found = [place for place in places if place >= 0]
    return found == sorted(found) or _TURNS_ROUND.search(clause) is not None


def _stem(word: str) -> str:
    return word[:_STEM_CHARS]


@cache
def _function_words() -> frozenset[str]:
    """Words of grammar in any of the languages, which state nothing by themselves."""
    lines = [line for language in LANGUAGES if language != "en" for line in words(language).get("generic", ())]
    others = frozenset(folded(word) for line in lines for word in line.split())
    return STOP_WORDS | others | {"yes", "no", "not", "never", "si", "oui", "ja", "nein", "non", "да", "нет"}


def _is_function_word(word: str) -> bool:
    return word in _function_words()
