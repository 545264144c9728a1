"""What `doctor` sees, and what it says to do."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from geniffy_server.storage.store import MAIN
from tests.cli.conftest import Run, Serve

PAGE = 4096


@pytest.fixture
def examined(run: Run, data: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs `doctor` on the test's directory: its exit status, and its findings by what they are about."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        monkeypatch.setenv("GENIFFY_PORT", str(free.getsockname()[1]))

    def look() -> tuple[int, dict[str, Any]]:
        ran = run("doctor", "--data", data, "--json")
        return ran.status, {one["about"]: one for one in json.loads(ran.out)["findings"]}

    return look


def test_a_machine_that_is_ready_for_its_first_start_is_well_and_left_as_it_was(examined: Any, data: Path) -> None:
    status, found = examined()

    assert status == 0
    assert {one["state"] for one in found.values()} == {"ok"}
    assert not data.exists()


def test_a_store_in_use_is_well(run: Run, examined: Any, data: Path) -> None:
    run("key", "create", "--data", data)

    status, found = examined()

    assert status == 0
    assert [found[about]["state"] for about in ("main.db", "log.db", "schema", "embedder")] == ["ok"] * 4


def test_a_damaged_database_is_wrong_and_the_exit_status_says_so(run: Run, examined: Any, data: Path) -> None:
    run("key", "create", "--data", data)
    content = bytearray((data / MAIN).read_bytes())
    content[2 * PAGE : 3 * PAGE] = b"\x55" * PAGE
    (data / MAIN).write_bytes(content)

    status, found = examined()

    assert status == 1
    assert found["main.db"]["state"] == "wrong"
    assert "backup" in found["main.db"]["todo"]


def test_a_main_file_that_is_no_database_is_told_in_the_words_of_sqlite_alone(examined: Any, data: Path) -> None:
    data.mkdir(mode=0o700)
    (data / MAIN).write_bytes(b"\x55" * PAGE)

    status, found = examined()

    assert status == 1
    assert found["main.db"]["sentence"] == "main.db can't be read: file is not a database."
    assert found["schema"]["sentence"] == "The schema can't be read: file is not a database."


def test_databases_in_a_directory_that_can_not_be_used_are_not_blamed(
    run: Run, examined: Any, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("key", "create", "--data", data)
    # Root, as whom tests may run, can write in any directory.
    monkeypatch.setattr("os.access", lambda path, mode, **_: not (mode & os.W_OK and Path(path) == data))

    status, found = examined()

    assert status == 1
    assert found["directory"]["state"] == "wrong"
    assert not {"main.db", "log.db", "schema"} & set(found)


def test_a_file_in_the_place_of_the_directory_is_wrong(examined: Any, data: Path) -> None:
    data.write_text("not a directory")

    status, found = examined()

    assert (status, found["directory"]["state"]) == (1, "wrong")


def test_a_directory_that_others_can_reach_is_a_warning(run: Run, examined: Any, data: Path) -> None:
    run("key", "create", "--data", data)
    data.chmod(0o755)

    status, found = examined()

    assert (status, found["directory"]["state"]) == (0, "warning")
    assert found["directory"]["todo"] == f"Run: chmod go-rwx {data}"


def test_our_own_server_on_the_port_is_well_and_anything_else_is_wrong(
    examined: Any, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve()
    monkeypatch.setenv("GENIFFY_PORT", served.base_url.rpartition(":")[2])

    ours, found = examined()

    assert (ours, found["port"]["state"]) == (0, "ok")
    served.stop()
    with socket.create_server(("127.0.0.1", int(served.base_url.rpartition(":")[2]))):
        status, found = examined()
    assert (status, found["port"]["state"]) == (1, "wrong")


def test_a_folder_without_a_model_is_wrong(examined: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GENIFFY_EMBEDDER", str(tmp_path))

    status, found = examined()

    assert (status, found["embedder"]["state"]) == (1, "wrong")
    assert "model.onnx" in found["embedder"]["sentence"]


def test_a_language_model_that_does_not_answer_is_a_warning(examined: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENIFFY_LLM_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("GENIFFY_LLM_MODEL", "small")

    status, found = examined()

    assert (status, found["language_model"]["state"]) == (0, "warning")
    assert "built-in way" in found["language_model"]["todo"]


def test_half_a_language_model_is_wrong(examined: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENIFFY_LLM_BASE_URL", "http://127.0.0.1:1/v1")

    status, found = examined()

    assert (status, found["settings"]["state"]) == (1, "wrong")
    assert "GENIFFY_LLM_MODEL" in found["settings"]["sentence"]


def test_the_published_package_that_writes_into_ours_is_a_warning(
    examined: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed = tmp_path / "openai_agents_geniffy-0.2.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: openai-agents-geniffy\nVersion: 0.2.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    status, found = examined()

    assert (status, found["packages"]["state"]) == (0, "warning")
    assert "openai-agents-geniffy 0.2.0" in found["packages"]["sentence"]


def test_settings_that_cannot_be_are_a_finding_and_not_a_failure_to_look(
    examined: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENIFFY_WORKERS", "none")

    status, found = examined()

    assert (status, found["settings"]["state"]) == (1, "wrong")


def test_a_grace_for_used_refresh_tokens_is_a_warning(examined: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENIFFY_REFRESH_GRACE_S", "10")

    status, found = examined()

    assert (status, found["refresh_grace"]["state"]) == (0, "warning")
    assert "10 s" in found["refresh_grace"]["sentence"]


def test_people_are_told_the_same_a_line_a_finding(run: Run, data: Path) -> None:
    ran = run("doctor", "--data", data)

    assert all(line[:7] in ("ok     ", "warning", "WRONG  ") for line in ran.out.splitlines())
    assert len(ran.out.splitlines()) >= 6
