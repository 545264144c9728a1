"""Every command explains itself, and misuse is answered by a sentence."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

COMMANDS = [
    "serve",
    "stdio",
    "key create",
    "key list",
    "key revoke",
    "account add",
    "account list",
    "account close",
    "account open",
    "account link",
    "space list",
    "space forget",
    "scan",
    "export",
    "import",
    "doctor",
    "bench recall",
    "bench speed",
    "bench load",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(run: Run, command: str) -> None:
    ran = run(*command.split(), "--help")

    assert ran.status == 0
    assert f"Example: geniffy-server {command}" in ran.out


def test_the_help_names_every_command(run: Run) -> None:
    ran = run("--help")

    assert all(f" {command.split()[0]} " in ran.out for command in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["doctr"], "No such command 'doctr'"),
        (["serve", "--prot", "1"], "No such option: --prot"),
        (["serve", "--port", "many"], "Invalid value for '--port'"),
        (["key", "revoke"], "Missing argument 'ID'"),
        (["scan"], "Missing argument 'TEXT'"),
    ],
)
def test_misuse_is_answered_by_one_sentence_on_standard_error(run: Run, arguments: list[str], says: str) -> None:
    ran = run(*arguments)

    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith(says)
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("command", ["key list", "space list", "scan x", "export out.jsonl", "space forget x"])
def test_a_command_on_a_directory_without_a_memory_says_so_and_makes_none(
    run: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)

    ran = run(*command.split(), "--data", data)

    assert ran.status == 1
    assert ran.err.startswith(f"There is no memory in '{data}'")
    assert len(ran.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["serve --port 0", "key list", "scan x", "export f", "stdio"])
def test_a_database_url_is_answered_by_one_sentence(
    run: Run, data: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("GENIFFY_DATABASE_URL", "postgresql://somebody:secret@localhost/memory")

    ran = run(*command.split(), "--data", data)

    assert (ran.status, ran.err) == (
        1,
        "PostgreSQL is not supported yet; leave --database-url out to keep the data in --data.\n",
    )


def test_a_fault_nobody_foresaw_is_one_sentence_too(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("geniffy_server.storage.scan.scan", fail)

    ran = run("scan", "--data", data, "x")

    assert ran.status == 1
    assert ran.err == "A fault stopped the command; please report it: ZeroDivisionError: division by zero\n"


def test_a_reader_that_has_seen_enough_is_no_fault(data: Path) -> None:
    lines = f"{shlex.quote(sys.executable)} -m geniffy_server --help | head -1"

    done = subprocess.run(
        ["bash", "-c", lines], capture_output=True, text=True, timeout=60, env=os.environ, check=False
    )

    assert done.stderr == ""


def test_without_the_server_installed_the_command_names_the_extra() -> None:
    program = "import sys; sys.modules['typer'] = None; import geniffy_server.cli"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stderr) == (
        1,
        "geniffy-server needs the server: pip install 'geniffy-agents[server]'.\n",
    )
