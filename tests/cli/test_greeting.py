"""What the first start prints can be pasted as it is."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from geniffy_server.commands.greeting import first_steps

KEY = "gnf_live_" + "k" * 43
BASE = "http://127.0.0.1:8787"


@pytest.fixture
def blocks(tmp_path: Path) -> dict[str, str]:
    """Each title's text, without its indent."""
    text = first_steps(BASE, KEY, tmp_path / "a folder")
    parts = re.findall(r"^(\S.*):\n((?:  .*\n?)+)", text, re.MULTILINE)
    return {title.split(",")[0]: "\n".join(line[2:] for line in body.splitlines()) for title, body in parts}


def test_the_key_stands_on_a_line_of_its_own(blocks: dict[str, str]) -> None:
    assert blocks["Your API key"] == KEY


def test_claude_code_is_given_the_address_and_the_key(blocks: dict[str, str]) -> None:
    words = shlex.split(blocks["Claude Code"])

    assert words[:4] == ["claude", "mcp", "add", "--transport"]
    assert words[-3:] == [f"{BASE}/mcp", "--header", f"Authorization: Bearer {KEY}"]


def test_claude_desktop_starts_this_program_on_this_directory(blocks: dict[str, str], tmp_path: Path) -> None:
    server = json.loads(blocks["Claude Desktop"])["mcpServers"]["geniffy"]

    assert Path(server["command"]).is_file()
    assert server["args"][-3:] == ["stdio", "--data", str(tmp_path / "a folder")]


def test_cursor_and_vs_code_are_given_the_address_and_the_key(blocks: dict[str, str]) -> None:
    cursor = json.loads(blocks["Cursor"])["mcpServers"]["geniffy"]
    program, option, given = shlex.split(blocks["VS Code"])
    code = json.loads(given)

    assert (program, option) == ("code", "--add-mcp")
    assert (code["name"], code["type"]) == ("geniffy", "http")
    for server in (cursor, code):
        assert server["url"] == f"{BASE}/mcp"
        assert server["headers"] == {"Authorization": f"Bearer {KEY}"}
