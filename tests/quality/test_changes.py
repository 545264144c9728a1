"""What becomes of what was held, through the product: statements told one after the other, then what is current.

`changes.jsonl` holds the tellings, each statement a note of its own with the day it was said, and what must be current,
history and clash in the end.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TELLINGS = [json.loads(line) for line in Path(__file__).with_name("changes.jsonl").read_text("utf-8").splitlines()]


def told(sdk: Any, learned: Callable[..., Any], telling: dict[str, Any]) -> dict[str, list[str]]:
    """What a memory that was told these statements holds, by status."""
    for text, said_at in telling["says"]:
        learned(sdk, sdk.memories.add(text, said_at=said_at))
    held = list(sdk.memories.iter())
    found = {status: sorted(one.text for one in held if one.status == status) for status in ("current", "clash")}
    earlier = [before.text for one in held for before in sdk.memories.get(one.id).history]
    return found | {"history": sorted(earlier)}


@pytest.mark.parametrize("telling", TELLINGS, ids=[telling["id"] for telling in TELLINGS])
def test_what_is_told_leaves_what_holds_and_keeps_the_rest(
    sdk: Any, learned: Callable[..., Any], telling: dict[str, Any]
) -> None:
    wanted = {status: sorted(telling[status]) for status in ("current", "clash", "history")}

    assert told(sdk, learned, telling) == wanted
