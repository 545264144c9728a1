"""What the README says of LangChain and LangGraph is true, and without LangChain it is said what to install."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import pytest

from geniffy_agents import Geniffy
from tests.integrations_readme import README, example, run

HOST = "LangChain and LangGraph"
PORTO = "My sister Ana lives in Porto."


@pytest.fixture(autouse=True)
def _environment(base_url: str, api_key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENIFFY_API_KEY", api_key)
    monkeypatch.setenv("GENIFFY_BASE_URL", base_url)


def test_the_example_remembers_a_user_from_one_conversation_to_the_next(
    space: str, mem: Geniffy, scripted: Any, learn: Any
) -> None:
    model = scripted("Noted.", "In Porto.", "I don't know.")
    chat = run(HOST, model=model)["chat"]

    assert chat(space, "chat-1", PORTO) == "Noted."
    learn(mem)
    assert chat(space, "chat-2", "Where does my sister Ana live?") == "In Porto."
    chat(f"{space}-other", "chat-3", "Where does my sister Ana live?")

    assert [PORTO in prompt[0].text for prompt in model.prompts] == [False, True, False]
    assert mem.sources.list().total == 2


def test_the_example_of_the_store_finds_what_it_put() -> None:
    section = README.read_text().split(f"\n## {HOST}\n", 1)[1].split("\n## ", 1)[0]
    _, store = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}

    exec(compile(store, "README: the store", "exec"), names)

    (item,) = names["found"]
    assert (item.key, item.value) == ("tea", {"text": "Prefers green tea to coffee."})
    assert item.score is not None


def test_the_versions_it_names_are_those_of_the_tests() -> None:
    (row,) = re.findall(rf"^\| \[{HOST}\].*$", README.read_text(), re.MULTILINE)

    for package in ("langchain", "langgraph", "langmem"):
        assert f"{package} {version(package)}" in row
    assert len([line for line in example(HOST).splitlines() if line.strip()]) <= 10


_WITHOUT = """
import sys
sys.modules[sys.argv[1]] = None
try:
    import geniffy_langchain
except ImportError as missing:
    print(missing)
"""


@pytest.mark.parametrize("package", ["langchain", "langchain_core", "langgraph"])
def test_without_langchain_the_import_names_the_extra(package: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT, package], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout == "geniffy_langchain needs LangChain: pip install 'geniffy-agents[langchain]'.\n"
