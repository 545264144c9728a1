"""An agent of the SDK whose memory is a directory: no server, no key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agents import Runner

from geniffy_agents import AsyncGeniffy, Geniffy
from geniffy_openai_agents import GeniffyMemory
from tests.openai_agents.conftest import ASKED, User


@pytest.mark.parametrize("kind", [Geniffy, AsyncGeniffy])
async def test_a_directory_remembers_over_restarts_of_all(
    kind: type[Any],
    tmp_path: Path,
    session: Callable[..., Any],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    faults: list[Exception],
) -> None:
    scripted, user = model("Noted.", "Fine.", "In Porto."), User("user-42")
    for words in ASKED:
        client, chat = kind.local(tmp_path / "data"), session()
        one = GeniffyMemory(space=lambda user: user.id, client=client, on_error=faults.append)
        result = await Runner.run(agent(scripted), words, context=user, session=chat, run_config=one.run_config())
        await one.save(user, result, session=chat)
        with Geniffy.local(tmp_path / "data", space=user.id) as reader:
            source = reader.sources.wait(reader.sources.get(external_id="chat-1"))
        closed = client.close()
        if closed is not None:
            await closed

    assert faults == []
    assert source.labels["geniffy-saved"].startswith("6:")
    assert "Ana lives in Porto.  [" in (scripted.calls[2].system_instructions or "")
