"""Lists read to their end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from geniffy_agents import GeniffyError
from tests.sdk.capture import SOURCE, Wire, outcome, script

ROWS: dict[str, Callable[[int], dict[str, Any]]] = {
    "memories": lambda n: {"id": n, "text": f"Fact {n}."},
    "sources": lambda n: {**SOURCE, "id": f"{n}"},
    "files": lambda n: {"path": f"/{n:03}", "size": 1},
}


def shelf(noun: str, total: int) -> Callable[[httpx.Request], httpx.Response]:
    """A list of `total` rows, paged as the contract says, 200 at most."""

    def answer(request: httpx.Request) -> httpx.Response:
        start, limit = int(request.url.params["cursor"]), min(200, int(request.url.params["limit"]))
        end = min(total, start + limit)
        rows = [ROWS[noun](n) for n in range(start, end)]
        return httpx.Response(200, json={noun: rows, "total": total, "next": end if end < total else None})

    return answer


@pytest.mark.parametrize("noun", list(ROWS))
@pytest.mark.parametrize("total", [0, 1, 100, 101, 450])
async def test_iterating_yields_every_row_once_and_in_order(noun: str, total: int) -> None:
    blocking, waiting = Wire(shelf(noun, total)), Wire(shelf(noun, total))

    here = await outcome(getattr(blocking.client(), noun).iterate())
    there = await outcome(getattr(waiting.async_client(), noun).iterate())

    assert here == there
    assert [row.raw for row in here] == [ROWS[noun](n) for n in range(total)]
    assert len(blocking.sent) == len(waiting.sent) == max(1, -(-total // 100))


async def test_files_are_iterated_by_pages_of_the_size_that_is_asked_for() -> None:
    wire = Wire(shelf("files", 450))

    files = list(wire.client().files.iterate("/", page_size=200))

    assert len(files) == 450
    assert [request.url.params["cursor"] for request in wire.sent] == ["0", "200", "400"]


@pytest.mark.parametrize("end", [{}, {"next": None}, {"next": 0}])
def test_a_missing_or_empty_cursor_is_the_end(end: dict[str, Any]) -> None:
    wire = Wire(lambda request: httpx.Response(200, json={"memories": [{"id": 1}], **end}))

    assert len(list(wire.client().memories.iterate())) == 1


def test_a_cursor_that_leads_back_is_an_error_and_not_a_loop() -> None:
    page = {"memories": [{"id": 1}], "next": 1}
    wire = Wire(script(httpx.Response(200, json=page), httpx.Response(200, json=page)))

    with pytest.raises(GeniffyError, match="never ends"):
        list(wire.client().memories.iterate())

    assert len(wire.sent) == 2


def test_only_the_pages_that_are_read_are_fetched() -> None:
    wire = Wire(shelf("memories", 450))

    for memory in wire.client().memories.iterate():
        if memory.id == 50:
            break

    assert len(wire.sent) == 1


def test_nothing_is_fetched_before_the_first_row_is_asked_for() -> None:
    wire = Wire(shelf("memories", 1))

    wire.client().memories.iterate()

    assert wire.sent == []
