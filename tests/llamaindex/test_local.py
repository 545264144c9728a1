"""An agent of LlamaIndex whose memory is a directory: no server, no key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.memory import Memory

from geniffy_agents import AsyncGeniffy, Geniffy
from geniffy_llamaindex import GeniffyMemoryBlock
from tests.llamaindex.test_agent import ASKED


@pytest.mark.parametrize("kind", [Geniffy, AsyncGeniffy])
async def test_a_directory_remembers_over_restarts_of_all(
    kind: type[Any],
    tmp_path: Path,
    memory: Callable[..., Memory],
    model: Callable[..., Any],
    faults: list[Exception],
) -> None:
    scripted = model("Noted.", "Fine.", "In Porto.")
    for words in ASKED:
        client = kind.local(tmp_path / "data")
        chat = memory(GeniffyMemoryBlock(space="user-42", client=client, on_error=faults.append))
        await scripted.agent().run(user_msg=words, memory=chat)
        with Geniffy.local(tmp_path / "data", space="user-42") as reader:
            source = reader.sources.wait(reader.sources.get(external_id="chat-1"))
        closed = client.close()
        if closed is not None:
            await closed

    assert faults == []
    assert source.labels["geniffy-saved"].startswith("6:")
    assert "Ana lives in Porto.  [" in scripted.prompt(2)
