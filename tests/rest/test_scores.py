"""What a search says beside each memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx


async def test_each_memory_of_a_search_says_how_near_it_is_and_no_other_list_does(
    memory: Any, tell: Callable[..., Any], http: httpx.Client
) -> None:
    await tell(memory, "Ana lives in Porto.\n\nThe boiler was serviced in May.")

    found = http.post("/v1/search", json={"q": "Where does Ana live?"}).json()["memories"]

    assert [one["text"] for one in found] == ["Ana lives in Porto.", "The boiler was serviced in May."]
    assert isinstance(found[0]["score"], float)
    assert found[0]["score"] > found[1]["score"]
    assert "score" not in http.get("/v1/memories").json()["memories"][0]
