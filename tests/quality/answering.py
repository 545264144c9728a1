"""The labelled set of asking: small memories, what is asked of them, and how the answers are scored.

`answers.jsonl` holds a memory a line. `lines` are what it was told, in order: notes of their own, one note, a talk of
named people, or a session with an agent. `asked` are questions of a `kind`; `gold` are the lines that answer one, and
without them it has no answer there. Every gold line is wanted of a list, a comparison and a clash, any of them
elsewhere; `also` may be told too. A memory is `seen` or `held` by the hash of its id: rules are mended and weights
chosen by looking at `seen` ones alone.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Literal, get_args

from geniffy_server.bench.inside import Inside, running
from geniffy_server.domain.answer import Answered
from geniffy_server.domain.memory import Memory
from geniffy_server.ports import Ports
from geniffy_server.recall.judge import Certainty
from geniffy_server.recall.recall import ShardRecall
from geniffy_server.services.answers import ask

Half = Literal["seen", "held"]
CERTAINTIES: Final[tuple[Certainty, ...]] = get_args(Certainty)

_SAID: Final = "2026-10-05"
_ASKED_AT: Final = datetime(2026, 10, 6, 9, 0, tzinfo=UTC)
_LEARNS_WITHIN_S: Final = 60.0
_WANTS_ALL: Final = ("list", "compare", "clash")


@dataclass(frozen=True, slots=True)
class Question:
    """One question of one memory; `gold` and `also` are numbers of lines, from 0."""

    kind: str
    text: str
    gold: Sequence[int]
    also: Sequence[int]


@dataclass(frozen=True, slots=True)
class Told:
    """One memory of the set."""

    id: str
    language: str
    form: Literal["notes", "note", "talk", "session"]
    lines: Sequence[Mapping[str, str]]
    asked: Sequence[Question]

    @property
    def half(self) -> Half:
        return "seen" if sha256(self.id.encode()).digest()[0] % 2 == 0 else "held"


@dataclass(frozen=True, slots=True)
class Given:
    """What a question was answered with: the text, None when it was refused, and the lines of what it rests on."""

    memory: Told
    question: Question
    text: str | None
    lines: Sequence[int]
    clash: bool

    @property
    def is_right(self) -> bool:
        """Refused where nothing answers; else resting on what does, and nothing else first."""
        gold, told = set(self.question.gold), set(self.lines)
        if self.text is None or not gold:
            return self.text is None and not gold
        if self.question.kind in _WANTS_ALL:
            return gold <= told and self.clash == (self.question.kind == "clash")
        return self.lines[0] in gold


@dataclass(slots=True)
class Tally:
    """Counts of one certainty over some questions."""

    answerable: int = 0
    answered: int = 0
    right: int = 0
    unanswerable: int = 0
    refused: int = 0
    told: int = 0
    told_to_the_point: int = 0
    wrong: list[Given] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Right answers among the answers that were given."""
        given = self.answered + self.unanswerable - self.refused
        return self.right / given if given else 1.0

    @property
    def recall(self) -> float:
        """Right answers among the questions that have one."""
        return self.right / max(1, self.answerable)

    @property
    def false_refusals(self) -> float:
        return 1 - self.answered / max(1, self.answerable)

    @property
    def false_answers(self) -> float:
        return 1 - self.refused / max(1, self.unanswerable)

    @property
    def to_the_point(self) -> float:
        """Of the memories that right answers rest on, those that are wanted."""
        return self.told_to_the_point / max(1, self.told)


def memories() -> list[Told]:
    """The whole set, in the order it is written."""
    lines = Path(__file__).with_name("answers.jsonl").read_text("utf-8").split("\n")
    return [_read(json.loads(line)) for line in lines if line]


def tally(given: Iterable[Given]) -> Tally:
    """Count what was answered and what was refused."""
    counts = Tally()
    for one in given:
        gold = one.question.gold
        if gold:
            counts.answerable += 1
            counts.answered += one.text is not None
            counts.right += one.is_right
            if one.is_right:
                counts.told += len(one.lines)
                counts.told_to_the_point += sum(line in (*gold, *one.question.also) for line in one.lines)
        else:
            counts.unanswerable += 1
            counts.refused += one.text is None
        if not one.is_right:
            counts.wrong.append(one)
    return counts


async def asked_of(all_told: Sequence[Told], data: Path) -> dict[Certainty, list[Given]]:
    """Learn every memory into a space of its own in a new store in `data`, and ask each question at each certainty."""
    given: dict[Certainty, list[Given]] = defaultdict(list)
    async with running(data) as inside:
        for told in all_told:
            sources = [await _add(inside, told.id, body) for body in _bodies(told)]
            for source in sources:
                await inside.learned(told.id, source, _LEARNS_WITHIN_S)
        ports = _at(inside.ports, _ASKED_AT)
        for certainty in CERTAINTIES:
            sure = replace(ports, certainty=certainty)
            for told in all_told:
                given[certainty] += [await _asked(sure, inside, told, question) for question in told.asked]
    return given


async def _asked(ports: Ports, inside: Inside, told: Told, question: Question) -> Given:
    answer = await ask(ports, inside.caller(told.id), question.text)
    if not isinstance(answer, Answered):
        return Given(told, question, None, [], clash=False)
    return Given(told, question, answer.answer, [_line(told, one) for one in answer.memories], answer.clash)


def _line(told: Told, memory: Memory) -> int:
    """The line that a memory was learned from."""
    return next(at for at, line in enumerate(told.lines) if memory.quote in line["text"])


async def _add(inside: Inside, space: str, body: Mapping[str, Any]) -> str:
    return str((await inside.call("POST", "/v1/memories", body, space))["source"]["id"])


def _bodies(told: Told) -> list[dict[str, Any]]:
    """What is sent to /v1/memories: one request a note of its own, one for a whole note, talk or session."""
    if told.form in ("notes", "note"):
        dated = [(line.get("said", _SAID), line["text"]) for line in told.lines]
        if told.form == "notes":
            return [{"text": text, "said_at": said} for said, text in dated]
        return [
            {"text": "\n".join(text for _, text in of), "said_at": said}
            for said, of in groupby(dated, lambda one: one[0])
        ]
    return [{"messages": [_message(line) for line in told.lines], "said_at": _SAID}]


def _message(line: Mapping[str, str]) -> dict[str, str]:
    by, text = line["by"], line["text"]
    return (
        {"role": by, "content": text} if by in ("user", "assistant") else {"role": "user", "name": by, "content": text}
    )


def _at(ports: Ports, now: datetime) -> Ports:
    """The same ports on a day that does not pass, so that `next month` stays what it was."""
    clock = _Frozen(now)
    return replace(ports, clock=clock, recall=ShardRecall(ports.embedder, budget_bytes=1 << 26, clock=clock))


@dataclass(frozen=True, slots=True)
class _Frozen:
    at: datetime

    def now(self) -> datetime:
        return self.at


def _read(raw: Mapping[str, Any]) -> Told:
    asked = [Question(one["kind"], one["question"], one.get("gold", ()), one.get("also", ())) for one in raw["asked"]]
    return Told(raw["id"], raw["lang"], raw["form"], raw["lines"], asked)


def main() -> None:
    """Print the tables; with `--faults`, what went wrong in the `seen` half too. The `held` half is not shown."""
    import asyncio
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        given = asyncio.run(asked_of(memories(), Path(folder)))
    for half in get_args(Half):
        print(
            f"\n{half:<18}{'asked':>6}{'precision':>11}{'recall':>8}{'false refusals':>16}{'false answers':>15}", end=""
        )
        print(f"{'to the point':>14}")
        for certainty in CERTAINTIES:
            of = tally(one for one in given[certainty] if one.memory.half == half)
            asked = of.answerable + of.unanswerable
            print(f"{certainty:<18}{asked:>6}{of.precision:>11.3f}{of.recall:>8.3f}{of.false_refusals:>16.3f}", end="")
            print(f"{of.false_answers:>15.3f}{of.to_the_point:>14.3f}")
    print("\nRight at normal, by kind and by language, both halves:")
    for key in (lambda one: one.question.kind, lambda one: one.memory.language):
        ordered = sorted(given["normal"], key=key)
        print("  ".join(f"{name} {sum(o.is_right for o in of)}/{len(of)}" for name, of in _grouped(ordered, key)))
    if "--faults" in sys.argv[1:]:
        for certainty in CERTAINTIES:
            print(f"\nWrong in the seen half, {certainty}:")
            for one in tally(one for one in given[certainty] if one.memory.half == "seen").wrong:
                print(f"  {one.memory.id} [{one.question.kind}] {one.question.text} -> {one.text}")


def _grouped(given: Sequence[Given], key: Any) -> list[tuple[str, list[Given]]]:
    return [(name, list(of)) for name, of in groupby(given, key)]


if __name__ == "__main__":
    main()
