"""What the configured language model is asked, within the day's budget; without one, or when it is away, nothing.

Nobody depends on it: what calls here has the built-in way's result in hand, and keeps that when None comes back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, Literal

from geniffy_server.domain.answer import Answered
from geniffy_server.domain.memory import Fact
from geniffy_server.learn import draft
from geniffy_server.learn.learn import Reading
from geniffy_server.ports import Away, Found, Ports, Task, Transaction
from geniffy_server.recall import draft as answering

# Passages are handed over in parts that a small model's window holds with the prompt and the answer.
BATCH_CHARS: Final = 3_000
SLICE_WITHIN_S: Final = 45.0  # of a job's lease of a minute; what is not drafted by then is read by rules alone
_CHARS_A_TOKEN: Final = 3
_ANSWER_TOKENS_LEAST: Final = 400
_LOOK_EVERY_S: Final = 0.25  # how soon a stop is seen
_SPENT: Final = "llm_tokens"  # `2026-10-04 12345` in the store: spent on that day, over all processes


async def completed(ports: Ports, task: Task) -> Mapping[str, object] | None:
    """What the model makes of a task; None when there is none, it is away, or the day's tokens are used up."""
    model = ports.language_model
    if model is None:
        return None
    asked = len(task.instructions) + len(str(task.data))
    reserved = -(-asked // _CHARS_A_TOKEN) + task.max_tokens
    if not await ports.store.write(lambda tx: _reserve(ports, tx, reserved)):
        return None
    reply = await model.complete(task)
    if isinstance(reply, Away):
        if not reply.was_asked:
            await ports.store.write(lambda tx: _spend(ports, tx, -reserved))
        return None
    used = reply.tokens if reply.tokens is not None else reserved
    await ports.store.write(lambda tx: _spend(ports, tx, used - reserved))
    return reply.data


async def drafted(
    ports: Ports,
    readings: Sequence[Reading],
    facts: list[list[Fact]],
    *,
    owner: str | None,
    known: Sequence[str],
) -> list[list[Fact]]:
    """The facts of readings, which rules found, with what passes of the model's drafts; as they are without a model."""
    if ports.language_model is None:
        return facts
    joined = [list(some) for some in facts]
    try:
        async with asyncio.timeout(SLICE_WITHIN_S):
            for first, last in _batches(readings):
                part = readings[first:last]
                reply = await _unless_stopping(ports, _task(part, owner, known))
                if reply is not None:
                    pass_gate = partial(draft.with_drafts, reply, part, joined[first:last], owner=owner, known=known)
                    joined[first:last] = await asyncio.to_thread(pass_gate)
    except TimeoutError:
        pass
    return joined


async def drafted_answer(ports: Ports, question: str, likely: Sequence[Found]) -> Answered | Literal["declined"] | None:
    """The model's answer from memories that may bear on a question, when it passes; `declined` when none answers it.

    None without a model, without memories, when they contradict one another, and when the model is of no use.
    """
    if ports.language_model is None or not likely or any(hit.memory.status == "clash" for hit in likely):
        return None
    task = Task(
        name="answer",
        instructions=answering.instructions(),
        data=answering.data_of(question, likely, ports.clock.now().date()),
        schema=answering.SCHEMA,
        max_tokens=_ANSWER_TOKENS_LEAST,
    )
    reply = await completed(ports, task)
    if reply is None:
        return None
    return "declined" if answering.declines(reply) else answering.answer_from(reply, question, likely)


async def _unless_stopping(ports: Ports, task: Task) -> Mapping[str, object] | None:
    """Like `completed`, but a process that was asked to stop waits for no model."""
    asking = asyncio.create_task(completed(ports, task))
    try:
        while not ports.bell.is_stopping:
            done, _ = await asyncio.wait({asking}, timeout=_LOOK_EVERY_S)
            if done:
                return asking.result()
    finally:
        asking.cancel()
    return None


def _task(readings: Sequence[Reading], owner: str | None, known: Sequence[str]) -> Task:
    chars = sum(len(one.text) for one in readings if one.wanted)
    return Task(
        name="facts",
        instructions=draft.instructions(),
        data=draft.data_of(readings, owner=owner, known=known),
        schema=draft.SCHEMA,
        max_tokens=max(_ANSWER_TOKENS_LEAST, chars),
    )


def _batches(readings: Sequence[Reading]) -> Iterator[tuple[int, int]]:
    """Bounds of parts of about `BATCH_CHARS` that hold something to read, in order."""
    first, chars = 0, 0
    for n, reading in enumerate(readings):
        chars += len(reading.text)
        if chars >= BATCH_CHARS or n == len(readings) - 1:
            if any(one.wanted and not one.is_agent for one in readings[first : n + 1]):
                yield first, n + 1
            first, chars = n + 1, 0


def _reserve(ports: Ports, tx: Transaction, tokens: int) -> bool:
    """Take tokens out of the day's budget before they are used; False, and nothing taken, when too few are left."""
    if ports.llm_tokens_a_day and _spent_today(ports, tx) + tokens > ports.llm_tokens_a_day:
        return False
    _spend(ports, tx, tokens)
    return True


def _spend(ports: Ports, tx: Transaction, tokens: int) -> None:
    today = f"{ports.clock.now():%Y-%m-%d}"
    tx.set_meta(_SPENT, f"{today} {max(0, _spent_today(ports, tx) + tokens)}")


def _spent_today(ports: Ports, tx: Transaction) -> int:
    day, _, spent = (tx.meta(_SPENT) or "").partition(" ")
    return int(spent) if day == f"{ports.clock.now():%Y-%m-%d}" and spent.isdecimal() else 0
