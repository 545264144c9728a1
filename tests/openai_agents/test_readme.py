"""What the README says of the OpenAI Agents SDK is true."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.integrations_readme import README, example, run
from tests.openai_agents.conftest import PORTO

HOST = "OpenAI Agents SDK"


async def test_the_example_remembers_a_user_from_one_conversation_to_the_next(
    base_url: str,
    api_key: str,
    space: str,
    sdk: Any,
    model: Callable[..., Any],
    learned_all: Callable[[], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GENIFFY_API_KEY", api_key)
    monkeypatch.setenv("GENIFFY_BASE_URL", base_url)
    monkeypatch.chdir(tmp_path)
    scripted = model("Noted.", "In Porto.")
    chat = run(HOST, model=scripted)["chat"]

    assert await chat({"id": space}, "chat-1", PORTO) == "Noted."
    learned_all()
    assert await chat({"id": space}, "chat-2", "Where does my sister Ana live?") == "In Porto."
    assert "Ana lives in Porto.  [" in scripted.calls[1].system_instructions
    assert sdk.sources.list().total == 2


def test_the_versions_it_names_are_those_of_the_tests() -> None:
    (row,) = re.findall(r"^\| \[OpenAI Agents SDK\].*$", README.read_text(), re.MULTILINE)

    assert f"openai-agents {version('openai-agents')} |" in row
    assert len([line for line in example(HOST).splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("package", ["agents", "openai", "pydantic"])
def test_without_the_sdk_the_import_names_the_extra(package: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; import geniffy_openai_agents"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)

    assert done.stderr.strip().endswith("pip install 'geniffy-agents[openai-agents]'.")
