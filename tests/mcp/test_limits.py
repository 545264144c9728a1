"""Limits of the eight tools to the very character: what just fits is done, one more is refused in a sentence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

KIM = "Kim Park works at Acme as CFO."
Learn = Callable[..., Awaitable[str]]


def words(chars: int) -> str:
    """So many characters of plain words, with one beyond the basic plane: characters are code points."""
    return ("😀 tea " * chars)[: chars - 1] + "."


@pytest.mark.statement(243)
@pytest.mark.parametrize(
    ("name", "argument", "most", "others"),
    [
        ("search", "query", 2_000, {}),
        ("ask", "question", 2_000, {}),
        ("profile", "subject", 500, {}),
        ("remember", "title", 500, {"text": KIM}),
    ],
)
async def test_a_text_of_just_the_limit_is_taken_and_one_character_more_is_refused(
    tools: Any, name: str, argument: str, most: int, others: dict[str, Any]
) -> None:
    await tools.call(name, **others, **{argument: words(most)})

    refused = await tools.refusal(name, **others, **{argument: words(most + 1)})

    assert refused == f"{argument!r} has {most + 1:,} characters; the limit is {most:,}."


@pytest.mark.statement(243)
@pytest.mark.parametrize(
    ("name", "argument", "least", "most"),
    [("search", "limit", 1, 25), ("list_memories", "limit", 1, 50), ("list_memories", "cursor", 0, (1 << 53) - 1)],
)
async def test_the_least_and_the_most_are_taken_and_what_lies_beyond_is_refused(
    tools: Any, name: str, argument: str, least: int, most: int
) -> None:
    others = {"query": "tea"} if name == "search" else {}
    for fits in (least, most):
        await tools.call(name, **others, **{argument: fits})
    for beyond in (least - 1, most + 1):
        refused = await tools.refusal(name, **others, **{argument: beyond})
        assert refused == f"{argument!r} must be from {least} to {most}."


async def test_as_many_results_come_as_are_asked_for(tools: Any, learn: Learn) -> None:
    await learn(tools, "\n\n".join(f"Box {number} holds {number * 7} red bricks." for number in range(1, 56)))

    searched = {most: len((await tools.call("search", query="red bricks", limit=most))["results"]) for most in (1, 25)}
    listed = {most: (await tools.call("list_memories", limit=most))["memories"] for most in (1, 50)}
    defaults = await tools.call("search", query="red bricks"), await tools.call("list_memories")

    assert searched == {1: 1, 25: 25}
    assert {most: len(found) for most, found in listed.items()} == {1: 1, 50: 50}
    assert (len(defaults[0]["results"]), len(defaults[1]["memories"])) == (10, 20)
    last = await tools.call("list_memories", limit=50, cursor=(await tools.call("list_memories", limit=50))["next"])
    assert (len(last["memories"]), last["total"], last["next"]) == (5, 55, None)


@pytest.mark.statement(249)
async def test_a_correction_of_2000_characters_is_one_memory_whole_and_one_of_2001_changes_nothing(
    tools: Any, learn: Learn
) -> None:
    await learn(tools, KIM)
    (held,) = (await tools.call("list_memories"))["memories"]

    assert "2,001 characters" in await tools.refusal("correct", id=held["id"], text=words(2_001))
    assert (await tools.call("list_memories"))["memories"] == [held]
    await tools.call("correct", id=held["id"], text=words(2_000))

    (right,) = (await tools.call("list_memories"))["memories"]
    assert right["text"] == words(2_000)


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("memory:9999999999999999", "There is no memory 9999999999999999"),
        ("memory:10000000000000000", "names neither"),
        ("memory:01", "names neither"),
        (" memory:1", "names neither"),
        ("source:" + "0" * 33, "names neither"),
        ("source:" + "A" * 32, "names neither"),
        ("m" * 80, "names neither"),
        ("m" * 81, "'id' has 81 characters; the limit is 80."),
    ],
)
async def test_an_id_that_names_nothing_is_refused_in_a_sentence(tools: Any, named: str, says: str) -> None:
    for name, others in (("fetch", {}), ("forget", {}), ("correct", {"text": KIM})):
        assert says in await tools.refusal(name, id=named, **others)
