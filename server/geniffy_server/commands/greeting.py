"""What `serve` prints: where it is, and on the first start what to paste where."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path


def addresses(base_url: str) -> str:
    """Where a server is reached, as every start prints it."""
    return f"Geniffy Agents is at {base_url}\n  Web   {base_url}/app\n  REST  {base_url}/v1\n  MCP   {base_url}/mcp"


def setup(link: str) -> str:
    """The way to the pages, as every start prints it until the owner has chosen a password."""
    return f"Open this link to choose your password; it works once, for a day:\n  {link}"


def first_steps(base_url: str, key: str, data: Path) -> str:
    """What to do next, with the first API key: shown once, when a store is new."""
    bearer = f"Authorization: Bearer {key}"
    command = [*this_command(), "stdio", "--data", str(data.resolve())]
    desktop = {"mcpServers": {"geniffy": {"command": command[0], "args": command[1:]}}}
    cursor = {"mcpServers": {"geniffy": {"url": f"{base_url}/mcp", "headers": {"Authorization": f"Bearer {key}"}}}}
    code = {"name": "geniffy", "type": "http", **cursor["mcpServers"]["geniffy"]}
    parts = [
        ("Your API key, shown this once; `geniffy-server key create` makes more", key),
        (
            "Try it in a shell",
            f"curl -s {base_url}/v1/memories -H {shlex.quote(bearer)} -H 'Content-Type: application/json' \\\n"
            """  -d '{"text": "The Acme renewal moved to June because SSO slipped."}'\n"""
            f"curl -s {base_url}/v1/ask -H {shlex.quote(bearer)} -H 'Content-Type: application/json' \\\n"
            """  -d '{"question": "When does Acme renew?"}'""",
        ),
        (
            "Claude Code",
            f"claude mcp add --transport http geniffy {base_url}/mcp --header {shlex.quote(bearer)}",
        ),
        ("Claude Desktop, in claude_desktop_config.json", json.dumps(desktop, indent=2, ensure_ascii=False)),
        ("Cursor, in ~/.cursor/mcp.json", json.dumps(cursor, indent=2)),
        ("VS Code", f"code --add-mcp {shlex.quote(json.dumps(code))}"),
    ]
    return "\n\n".join(f"{title}:\n{_indented(text)}" for title, text in parts)


def this_command() -> Sequence[str]:
    """How to start this program again from anywhere."""
    started = Path(os.path.abspath(sys.argv[0]))
    if started.name == "geniffy-server" and started.is_file():
        return [str(started)]
    return [sys.executable, "-m", "geniffy_server"]


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
