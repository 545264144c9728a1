"""An answer drafted by a language model, and the gate that it passes: it may only say what the evidence says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

import regex

from geniffy_server.domain.answer import Answered
from geniffy_server.domain.text import folded
from geniffy_server.learn.denial import denials
from geniffy_server.ports import Found
from geniffy_server.recall.dates_in_words import day, spoken

MAX_EVIDENCE: Final = 8  # memories that are handed over, best first
MAX_ANSWER_CHARS: Final = 1_000
_LEAST_HELD: Final = 0.6  # share of an answer's words that stand in the evidence or the question

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

    It must cite memories that were handed over and nothing else, and name no number and no name that is not in them,
    in the question, or in the dates they were said on and speak of; and deny only what they deny. What the memories
    contradict themselves about is not answered here: both sides are to be told.
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
    evidence = [question]
    for memory in memories:
        evidence += [memory.text, memory.quote, memory.about or "", day(memory.said_at.date())]
        evidence += [spoken(memory.spoken)] if memory.spoken else []
    is_denied = {denials(memory.text) > 0 for memory in memories}
    if (denials(told) > 0) not in is_denied or not _is_held(told, "\n".join(evidence)):
        return None
    return Answered(question, told, memories, clash=False)


_WORD: Final = regex.compile(r"[\p{L}\p{M}]+|\p{N}+(?:[.,:/]\p{N}+)*")
_SIGN: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")
_NAME: Final = regex.compile(r"(?<![\p{L}\p{M}])\p{Lu}[\p{L}\p{M}’'-]*")
_STEM_CHARS: Final = 5  # words that begin alike are taken for forms of one


def _is_held(answer: str, evidence: str) -> bool:
    held = folded(evidence)
    words = {word[:_STEM_CHARS] for word in _WORD.findall(held)}
    numbers = {word for word in _WORD.findall(held) if word[0].isnumeric()}
    said = _WORD.findall(folded(answer))
    if any(word[0].isnumeric() and word not in numbers for word in said):
        return False
    if any(folded(name)[:_STEM_CHARS] not in words for name in _NAME.findall(answer)[1:]):
        return False
    kept = sum(word[:_STEM_CHARS] in words or (bool(_SIGN.match(word)) and word in held) for word in said)
    return bool(said) and kept >= _LEAST_HELD * len(said)
