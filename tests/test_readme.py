"""The README is true: its blocks are run, in order, against the server that its first block starts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from geniffy_server.settings import DEFAULT_PORT, Settings
from tests.ports import kept_port

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
START, EXPORT = 0, 1  # these two say how to start, and how to hand the key to a shell
WITHIN_S = 300


@dataclass(frozen=True)
class Desk:
    """A server that the README's first block started, and a shell to type the others in."""

    base_url: str
    variables: dict[str, str]
    folder: Path

    def type(self, language: str, block: str) -> subprocess.CompletedProcess[str]:
        """Run one block as it stands, but for the address."""
        text = block.replace(f"http://127.0.0.1:{DEFAULT_PORT}", self.base_url)
        command = ["bash", "-euo", "pipefail", "-c"] if language == "bash" else [sys.executable, "-c"]
        return subprocess.run(
            [*command, text],
            env=self.variables,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
            check=False,
        )

    def learned(self) -> None:
        """Wait until everything that was added has been learned."""
        with httpx.Client(base_url=self.base_url, timeout=60.0) as client:
            client.headers["Authorization"] = f"Bearer {self.variables['GENIFFY_API_KEY']}"
            for space in (None, "customer_1042"):
                headers = {"X-Geniffy-Space": space} if space else {}
                for source in client.get("/v1/sources", headers=headers).json()["sources"]:
                    client.get(f"/v1/sources/{source['id']}?wait=30", headers=headers).raise_for_status()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with kept_port() as one:
        yield one


@pytest.fixture(scope="module")
def desk(port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("readme")
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GENIFFY_")}
    variables |= {
        "GENIFFY_DATA": str(folder / "data"),
        "GENIFFY_PORT": str(port),
        "GENIFFY_BASE_URL": f"http://127.0.0.1:{port}",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    # The environment that runs the tests is set up already: `-o` lets make take its stamp for new.
    venv = os.path.relpath(sys.prefix, ROOT)
    make = [*BLOCKS[START][1].split(), f"VENV={venv}", "-o", f"{venv}/.server", "-o", f"{venv}/bin/python"]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(make, env=variables, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True) as server,
    ):
        try:
            printed = ""
            while "gnf_live_" not in printed:
                assert server.stdout
                line = server.stdout.readline()
                assert line, (folder / "log").read_text()
                printed += line
            key = re.search(r"gnf_live_\S+", printed)
            assert key
            yield Desk(variables["GENIFFY_BASE_URL"], variables | {"GENIFFY_API_KEY": key.group()}, folder)
        finally:
            server.terminate()
            server.communicate(timeout=WITHIN_S)


def test_the_first_block_starts_the_server_and_the_second_keeps_the_key() -> None:
    assert BLOCKS[START] == ("bash", "make serve\n")
    assert BLOCKS[EXPORT] == ("bash", "export GENIFFY_API_KEY=gnf_live_...\n")


@pytest.mark.skipif(
    shutil.which("curl") is None or shutil.which("make") is None, reason="curl and make are typed in it"
)
def test_every_other_block_does_what_the_readme_says(desk: Desk) -> None:
    printed = []
    for language, block in BLOCKS[EXPORT + 1 :]:
        done = desk.type(language, block)
        assert done.returncode == 0, (block, done.stdout, done.stderr)
        assert '"error":{' not in done.stdout, block
        printed.append(done.stdout)
        desk.learned()
    added, asked, unknown, published, ours, tools, omi, shell, *_ = printed

    assert '"status":"reading"' in added
    assert "moved to June" in asked
    assert '"answer":null' in unknown
    assert "Priya Nair signs our renewal." in published
    assert "WhatsApp" in published
    assert ours == "# Lumen\n- Priya Nair is in Pune until March.\n\n"
    assert "moved to June" in tools
    assert omi == "I take my coffee without sugar.\n"
    assert "Berlin" in shell


def test_every_setting_is_in_the_readme() -> None:
    named = set(re.findall(r"^\| `(GENIFFY_\w+)` \|", README, re.MULTILINE))

    assert named == {f"GENIFFY_{name.upper()}" for name in Settings.model_fields}


def test_every_path_that_the_readme_names_is_there() -> None:
    table = README[README.index("## Where things are") :]
    paths = re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)

    assert len(paths) >= 6
    assert [path for path in paths if not (ROOT / path).exists()] == []
