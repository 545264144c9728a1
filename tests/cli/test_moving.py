"""Spaces listed, exported, imported, erased and looked for from a shell."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Run, serving

PRIYA = "Priya Nair prefers tea to coffee."
KIM = "Kim Park moved to Berlin."


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a store in which two spaces know one thing each."""
    folder = tmp_path_factory.mktemp("filled")
    with serving(folder / "log", folder / "memory") as served:
        command = [sys.executable, "-m", "geniffy_server", "key", "create", "--data", str(folder / "memory")]
        made = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        with httpx.Client(base_url=served.base_url, timeout=60.0) as client:
            client.headers["Authorization"] = f"Bearer {made.stdout.splitlines()[-1]}"
            for space, text in (("priya", PRIYA), ("kim", KIM)):
                client.headers["X-Geniffy-Space"] = space
                source = client.post("/v1/memories", json={"text": text}).raise_for_status().json()["source"]
                client.get(f"/v1/sources/{source['id']}?wait=30").raise_for_status()
        served.stop()
    return folder / "memory"


@pytest.fixture
def told(filled: Path, data: Path) -> Path:
    """A copy of that store of the test's own; no server runs on it."""
    shutil.copytree(filled, data)
    return data


def test_the_spaces_that_hold_something_are_listed(run: Run, told: Path) -> None:
    listed = json.loads(run("space", "list", "--data", told, "--json").out)["spaces"]

    assert [(one["name"], one["sources"], one["memories"]) for one in listed] == [("kim", 1, 1), ("priya", 1, 1)]


def test_an_erased_space_is_nowhere_in_the_store_and_the_other_is_whole(run: Run, told: Path) -> None:
    before = run("scan", "--data", told, "Priya Nair")

    erased = run("space", "forget", "priya", "--data", told)
    after = run("scan", "--data", told, "Priya Nair")
    other = run("scan", "--data", told, "Kim Park", "--json")

    assert (before.status, erased.status, after.status, other.status) == (1, 0, 0, 1)
    assert erased.out == "The space priya is erased, with 1 source.\n"
    assert after.out == "Nothing here holds the text.\n"
    assert {"memories", "sources"} <= {one["table"] for one in json.loads(other.out)["findings"]}


def test_a_space_that_is_not_there_cannot_be_forgotten(run: Run, told: Path) -> None:
    ran = run("space", "forget", "pria", "--data", told)

    assert ran.status == 1
    assert ran.err.startswith("There is no space 'pria' here")


def test_what_was_exported_can_be_imported_elsewhere(run: Run, told: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "all.jsonl", tmp_path / "other"

    out = run("export", "--data", told, file)
    back = run("import", "--data", other, file)

    assert (out.status, back.status) == (0, 0)
    assert out.out == f"2 spaces with 2 sources and 2 memories written to {file}.\n"
    assert run("scan", "--data", other, PRIYA).status == 1
    assert json.loads(run("space", "list", "--data", other, "--json").out)["spaces"] != []


def test_one_space_alone_can_be_exported(run: Run, told: Path, tmp_path: Path) -> None:
    file = tmp_path / "kim.jsonl"

    moved = json.loads(run("export", "--data", told, "--space", "kim", file, "--json").out)

    assert moved == {"spaces": ["kim"], "sources": 1, "memories": 1}
    assert "Priya" not in file.read_text()


@pytest.mark.parametrize("text", ["not an archive\n", "", None])
def test_an_import_of_what_is_no_archive_makes_no_store(run: Run, tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "letter.txt"
    if text is not None:
        file.write_text(text)

    refused = run("import", "--data", tmp_path / "new", file)

    assert refused.status == 1
    assert ("is no archive of spaces" if text is not None else "can't be read") in refused.err
    assert not (tmp_path / "new").exists()


def test_an_export_overwrites_nothing_and_an_import_mixes_nothing(run: Run, told: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    run("export", "--data", told, file)
    written = file.read_bytes()

    again = run("export", "--data", told, file)
    onto = run("import", "--data", told, file)

    assert (again.status, onto.status) == (1, 1)
    assert file.read_bytes() == written
    assert [one["sources"] for one in json.loads(run("space", "list", "--data", told, "--json").out)["spaces"]] == [
        1,
        1,
    ]
    assert len((again.err + onto.err).splitlines()) == 2
