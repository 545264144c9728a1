"""The example of the README runs as it stands."""

from __future__ import annotations

import pytest

from geniffy_agents import Geniffy
from tests.claude.scripted import Scripted, listening, says, uses
from tests.integrations_readme import run


def test_the_example_keeps_a_users_note(
    base_url: str, api_key: str, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = {"command": "create", "path": "/memories/notes.md", "file_text": "Prefers email.\n"}
    scripted = Scripted([uses(note), says("I'll remember.")])
    monkeypatch.setenv("GENIFFY_API_KEY", api_key)
    monkeypatch.setenv("GENIFFY_BASE_URL", base_url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "scripted")

    with listening(scripted) as address:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
        said = run("Claude's memory tool")["chat"](space, "Remember that I prefer email.")

    assert said == "I'll remember."
    assert scripted.results == [("File created successfully at: /memories/notes.md", False)]
    with Geniffy(api_key, base_url=base_url, space=space) as mem:
        assert mem.files.get("/memories/notes.md").text == "Prefers email.\n"
