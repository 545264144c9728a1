"""The command `geniffy-agents`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from geniffy_agents import Geniffy
from geniffy_agents.cli import main
from tests.sdk.capture import ANSWER, BASE_URL, KEY, MEMORY, SOURCE, Wire, body_of


class Shell:
    """Runs a command line against a wire."""

    def __init__(self, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.wire = Wire()
        self._capfd = capfd
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str, stdin: bytes = b"") -> tuple[int, str, str]:
        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = main(words, connect=self.connect)
        out, err = self._capfd.readouterr()
        return status, out, err

    def connect(self, **settings: Any) -> Geniffy:
        settings["base_url"] = settings["base_url"] or BASE_URL
        return Geniffy(KEY, http_client=self.wire.http(), max_retries=0, **settings)


@pytest.fixture
def shell(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capfd, monkeypatch)


def test_a_note_is_added_with_its_title_labels_and_date(shell: Shell) -> None:
    labels = ["--label", "team=sales", "--label", "a=b=c"]

    status, out, err = shell("add", "I moved to Pune.", "--title", "Home", *labels, "--said-at", "2026-10-05")

    assert (status, err) == (0, "")
    assert out == f"Learned 1 memory from {SOURCE['id']} (Lumen).\n"
    assert body_of(shell.wire.sent[0]) == {
        "text": "I moved to Pune.",
        "title": "Home",
        "labels": {"team": "sales", "a": "b=c"},
        "said_at": "2026-10-05",
    }


def test_a_note_is_read_from_standard_input(shell: Shell) -> None:
    shell("add", "-", stdin="Ça va.\r\n".encode())

    assert body_of(shell.wire.sent[0]) == {"text": "Ça va.\r\n"}


def test_adding_can_wait_for_what_was_learned(shell: Shell) -> None:
    shell("add", "I moved to Pune.", "--wait")

    assert [request.method for request in shell.wire.sent] == ["POST", "GET"]


def test_a_conversation_is_added_from_its_json(shell: Shell, tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "Hello."}]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(messages))

    assert shell("add", "--messages", str(path), "--session", "s-1")[0] == 0
    assert body_of(shell.wire.sent[0]) == {"messages": messages, "session": "s-1"}


@pytest.mark.parametrize("text", ["{", "{}", '["hello"]'])
def test_what_is_no_conversation_is_refused(shell: Shell, text: str) -> None:
    status, out, err = shell("add", "--messages", "-", stdin=text.encode())

    assert (status, out) == (1, "")
    assert err.startswith("geniffy-agents: The messages are")


def test_a_document_is_added(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Notes")

    assert shell("add", "--file", str(path), "--external-id", "n-1")[0] == 0
    assert b'filename="notes.md"' in shell.wire.sent[0].content


def test_a_page_that_could_not_be_learned_exits_with_1(shell: Shell) -> None:
    failed = {**SOURCE, "status": "failed", "error": "It is a scan."}
    shell.wire.answer = lambda request: httpx.Response(200, json={"source": failed})

    status, _, err = shell("add", "--url", "https://example.com", "--wait")

    assert (status, err) == (1, "geniffy-agents: It is a scan.\n")


def test_a_search_shows_each_memory_with_its_id_and_where_it_is_from(shell: Shell) -> None:
    status, out, _ = shell("search", "renewal", "--limit", "3", "--kind", "plan", "--label", "team=sales")

    assert status == 0
    assert out == "3  Priya Nair signs the renewal.\n   plan, about Priya Nair, said 2026-10-06, in Lumen\n"
    assert body_of(shell.wire.sent[0]) == {"q": "renewal", "limit": 3, "kind": "plan", "labels": {"team": ["sales"]}}


def test_a_search_that_finds_nothing_says_so(shell: Shell) -> None:
    shell.wire.answer = lambda request: httpx.Response(200, json={"memories": []})

    assert shell("search", "renewal") == (0, "Nothing found.\n", "")


def test_an_answer_is_shown_with_the_lines_it_rests_on(shell: Shell) -> None:
    assert shell("ask", "When?") == (0, "May.\n  [3] Priya Nair signs the renewal.\n", "")


def test_an_answer_that_nothing_supports_is_the_servers_sentence(shell: Shell) -> None:
    shell.wire.answer = lambda request: httpx.Response(200, json={"answer": None, "message": "Nothing says that."})

    assert shell("ask", "When?") == (0, "Nothing says that.\n", "")


def test_a_context_is_printed_as_it_goes_into_a_prompt(shell: Shell) -> None:
    assert shell("context", "the renewal", "--no-sources")[1] == ANSWER["context"] + "\n"
    assert body_of(shell.wire.sent[0])["with_sources"] is False


def test_a_memory_is_corrected_and_forgotten_by_its_id(shell: Shell) -> None:
    assert shell("correct", "3", "In May.")[0] == 0
    assert shell("forget", "3")[0] == 0
    assert shell.wire.lines == ['PATCH /pre/v1/memories/3 {"text": "In May."}', "DELETE /pre/v1/memories/3"]


@pytest.mark.parametrize(
    ("words", "data"),
    [
        (["add", "t", "--json"], SOURCE),
        (["--json", "search", "q"], [MEMORY]),
        (["ask", "q", "--json"], ANSWER),
        (["context", "--json", "q"], ANSWER),
        (["files", "list", "--json"], ANSWER["files"]),
        (["files", "--json", "move", "/a", "/b"], {"moved": 1}),
        (["files", "get", "/m/a.md", "--json"], {**ANSWER, "etag": None}),
    ],
)
def test_json_is_what_the_server_sent(shell: Shell, words: list[str], data: Any) -> None:
    status, out, _ = shell(*words)

    assert status == 0
    assert json.loads(out) == data


@pytest.mark.parametrize("text", ["# Lumen\r\n\ttabs  \n", "", "\ufeffx😀", "no end"])
def test_a_file_is_read_and_written_to_the_character(shell: Shell, text: str) -> None:
    shell.wire.answer = lambda request: httpx.Response(200, json={**ANSWER, "text": text})

    assert shell("files", "get", "/m/a.md")[1] == text
    shell("files", "put", "/m/a.md", stdin=text.encode())
    assert body_of(shell.wire.sent[1]) == {"path": "/m/a.md", "text": text}


def test_a_file_is_written_from_another_only_where_it_is_new(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(b"a\r\n")

    shell("files", "put", "/m/a.md", str(path), "--new", "--label", "a=b")

    assert body_of(shell.wire.sent[0]) == {"path": "/m/a.md", "text": "a\r\n", "labels": {"a": "b"}}
    assert shell.wire.sent[0].headers["if-none-match"] == "*"


def test_files_are_listed_moved_and_deleted(shell: Shell) -> None:
    assert shell("files", "list", "/m/")[1] == "1  2026-10-06  /m/a.md\n"
    assert shell("files", "move", "/a", "/b")[1] == "Moved 1 file.\n"
    assert shell("files", "delete", "/a")[1] == "Deleted 1 file.\n"
    assert shell("files", "delete", "--prefix", "/m/")[1] == "Deleted 1 file.\n"
    assert [request.method for request in shell.wire.sent] == ["GET", "POST", "DELETE", "DELETE"]


@pytest.mark.parametrize("words", [["--space", "42", "ask", "q"], ["ask", "q", "--space", "42"]])
def test_the_space_may_be_named_before_or_after_the_command(shell: Shell, words: list[str]) -> None:
    shell(*words)

    assert shell.wire.sent[0].headers["x-geniffy-space"] == "42"


def test_a_blank_space_is_refused_and_never_the_owners_memory(shell: Shell) -> None:
    status, out, err = shell("ask", "q", "--space", "")

    assert (status, out) == (1, "")
    assert "blank" in err
    assert shell.wire.sent == []


def test_the_address_may_be_named(shell: Shell) -> None:
    shell("ask", "q", "--base-url", "http://own.test")

    assert str(shell.wire.sent[0].url) == "http://own.test/v1/ask"


def test_a_refusal_is_one_sentence_on_standard_error(shell: Shell) -> None:
    error = {"error": {"code": "not_found", "message": "No file has that path."}}
    shell.wire.answer = lambda request: httpx.Response(404, headers={"X-Request-ID": "r-1"}, json=error)

    assert shell("files", "get", "/a") == (1, "", "geniffy-agents: No file has that path. (request r-1)\n")


@pytest.mark.parametrize(
    "words",
    [["add", "--file", "/nowhere/at/all"], ["files", "put", "/a", "/nowhere"], ["search", "q", "--label", "x"]],
)
def test_what_can_not_be_done_is_said_without_a_traceback(shell: Shell, words: list[str]) -> None:
    status, out, err = shell(*words)

    assert (status, out) == (1, "")
    assert err.startswith("geniffy-agents: ")
    assert err.count("\n") == 1


def test_bytes_that_are_no_text_are_refused(shell: Shell) -> None:
    status, _, err = shell("files", "put", "/a", stdin=b"\xff\xfe")

    assert (status, err) == (1, "geniffy-agents: What was read is not text in UTF-8. Add a document with --file.\n")


def test_a_missing_key_is_said_in_one_sentence(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GENIFFY_API_KEY", raising=False)

    assert main(["ask", "q"]) == 1
    assert "GENIFFY_API_KEY" in capfd.readouterr().err


def test_nothing_remembered_can_steer_a_terminal(shell: Shell) -> None:
    memory = {**MEMORY, "text": "\x1b[2Jgone\x07 \u202eback"}
    shell.wire.answer = lambda request: httpx.Response(200, json={"memories": [memory]})

    out = shell("search", "q")[1]

    assert out.startswith("3  \\x1b[2Jgone\\x07 \\u202eback\n")


@pytest.mark.parametrize("words", [[], ["add"], ["add", "t", "--url", "http://x"], ["forget", "x"], ["files"]])
def test_a_command_line_that_means_nothing_exits_with_2(shell: Shell, words: list[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        shell(*words)

    assert raised.value.code == 2


@pytest.mark.parametrize("command", ["add", "search", "ask", "context", "correct", "forget", "files"])
def test_every_command_helps_with_an_example(shell: Shell, command: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        shell(command, "--help")

    assert raised.value.code == 0
    assert f"example: geniffy-agents {command}" in capfd.readouterr().out
