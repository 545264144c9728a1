"""Learning goes on whatever happens to what it reads."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.conftest import Server


def test_a_space_that_is_erased_while_its_vectors_are_made_is_left_alone(
    server: Server,
    client: Any,
    learned: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    embedder = type(server.ports.embedder)
    embed = embedder.embed
    is_away = True

    def embed_slowly(self: Any, texts: Sequence[str]) -> Any:
        if is_away:
            raise RuntimeError("away")
        if "Ana lives in Porto." in texts:
            client.forget_space("going")
        return embed(self, texts)

    monkeypatch.setattr(embedder, "embed", embed_slowly)
    for name in ("going", "staying"):
        space = client.space(name)
        learned(space, space.memories.add("Ana lives in Porto." if name == "going" else "Mia plays the violin."))
    with caplog.at_level(logging.WARNING):
        caplog.clear()
        is_away = False
        learned(space, space.memories.add("Ben owns a boat."))
        found = space.search("Who plays an instrument?")

    assert [one.text for one in found] == ["Mia plays the violin.", "Ben owns a boat."]
    # A try that began while the embedder was away may be told of after that.
    faults = [one.exc_info[1] for one in caplog.records if one.exc_info and "met a fault" in one.getMessage()]
    assert [str(fault) for fault in faults if str(fault) != "away"] == []
    assert client.space("going").memories.list().total == 0
