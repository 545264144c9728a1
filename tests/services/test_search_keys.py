"""A store that an earlier version wrote is found by the words of this one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from geniffy_server.app import opened
from geniffy_server.caller import Caller
from geniffy_server.domain.memory import MemoryId, parted_tokens
from geniffy_server.domain.space import OWN
from geniffy_server.ports import SEARCH_KEYS_NOTE, Transaction
from geniffy_server.recall.tokens import KEYS_VERSION, keys
from geniffy_server.services import learning
from geniffy_server.services.accounts import ensure_owner
from geniffy_server.services.notes import NewNote, add_note
from geniffy_server.services.search_keys import renew_keys
from geniffy_server.settings import Settings


async def test_words_that_are_read_otherwise_now_are_added_to_what_is_held(tmp_path: Path) -> None:
    async with opened(Settings(data=tmp_path / "data")) as it:
        caller = Caller((await ensure_owner(it.ports))[0].id, OWN)
        await add_note(it.ports, caller, NewNote("Kim's kids play chess."))
        assert await learning.learn_next(it.ports)
        store = it.ports.store

        def as_before(tx: Transaction) -> None:
            ((space, memory, text, _, stored),) = tx.memories.keyed_behind(MemoryId(0), 9)
            own = np.frombuffer(parted_tokens(stored)[0], "<u4")
            older = own[~np.isin(own, keys(text))]
            tx.memories.set_keys([(space, memory, older.tobytes(), tx.spaces.bump(space))])
            tx.set_meta(SEARCH_KEYS_NOTE, "1")

        def held(tx: Transaction) -> set[int]:
            return set(np.frombuffer(tx.memories.keyed_behind(MemoryId(0), 9)[0][4], "<u4").tolist())

        await store.write(as_before)
        assert not set(keys("kids chess")) & await store.read(held)

        assert await renew_keys(it.ports)
        assert set(keys("kids chess")) <= await store.read(held)
        assert not await renew_keys(it.ports)
        assert await store.read(lambda tx: tx.meta(SEARCH_KEYS_NOTE)) == KEYS_VERSION


async def test_a_new_store_has_nothing_to_renew(tmp_path: Path) -> None:
    async with opened(Settings(data=tmp_path / "data")) as it:
        assert not await renew_keys(it.ports)
        assert await it.ports.store.read(lambda tx: tx.meta(SEARCH_KEYS_NOTE)) == KEYS_VERSION
