"""Learning goes on whatever happens to what it reads."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from geniffy_server.app import opened
from geniffy_server.caller import Caller
from geniffy_server.domain.space import OWN
from geniffy_server.learn import learn as reading
from geniffy_server.models.minilm import MiniLM
from geniffy_server.recall.recall import ShardRecall
from geniffy_server.services import learning
from geniffy_server.services.accounts import ensure_owner
from geniffy_server.services.memories import list_memories
from geniffy_server.services.notes import NewNote, add_note
from geniffy_server.settings import Settings
from geniffy_server.worker import LocalBell
from tests.conftest import Server
from tests.faults.restarting import soon

BOXES = "\n".join(f"- Box {number} holds {number * 7} red bricks." for number in range(1, 41))


@pytest.mark.parametrize(
    ("place", "name"),
    [(reading, "language_of"), (MiniLM, "embed"), (ShardRecall, "near")],
    ids=["reading", "embedding", "comparing"],
)
async def test_a_slice_that_is_under_way_when_the_process_stops_is_given_back_and_learned_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Any, name: str
) -> None:
    async with opened(Settings(data=tmp_path / "data")) as it:
        caller = Caller((await ensure_owner(it.ports))[0].id, OWN)
        await add_note(it.ports, caller, NewNote(BOXES))
        work = getattr(place, name)

        def stopped_meanwhile(*given: Any, **more: Any) -> Any:
            it.bell.stop()
            return work(*given, **more)

        async def held() -> int:
            return (await list_memories(it.ports, caller, None, {}, limit=1, cursor=0)).total

        monkeypatch.setattr(place, name, stopped_meanwhile)
        assert await learning.learn_next(it.ports)
        assert await held() == 0

        monkeypatch.setattr(place, name, work)
        assert await learning.learn_next(replace(it.ports, bell=LocalBell()))
        assert await held() == 40


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
        assert soon(lambda: not server.run(server.ports.store.read(lambda tx: tx.memories.without_vector(1))))
        found = space.search("Who plays an instrument?")

    assert [one.text for one in found] == ["Mia plays the violin.", "Ben owns a boat."]
    # A try that began while the embedder was away may be told of after that.
    faults = [one.exc_info[1] for one in caplog.records if one.exc_info and "met a fault" in one.getMessage()]
    assert [str(fault) for fault in faults if str(fault) != "away"] == []
    assert client.space("going").memories.list().total == 0
