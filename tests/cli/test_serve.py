"""The server as a person starts it: a process of its own, on a directory."""

from __future__ import annotations

import re
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import STOPS_WITHIN_S, Run, Serve, Served

KEY = re.compile(r"gnf_live_[\w-]{43}")
SETUP = re.compile(r"/app/setup\?token=(gnf_setup_[\w-]{43})")
LONG = "\n\n".join(
    f"Person{n} Smith moved to City{n} and works with Person{n + 1} on project {n}." for n in range(6000)
)

# 2,000,000 characters, of which the smallest slice is one turn: to read that takes some seconds.
TALK = [{"role": "user", "content": LONG.replace("\n\n", " ")[n : n + 50_000]} for n in range(0, 400_000, 10_000)]


def link_of(served: Served) -> str:
    """The setup link's token that a start printed, as far as it was read."""
    assert served.process.stdout is not None
    while (found := SETUP.search(served.printed)) is None:
        line = served.process.stdout.readline()
        assert line, served.printed
        served.printed += line
    return found.group(1)


def test_the_first_start_prints_a_key_that_works_and_later_starts_print_none(serve: Serve) -> None:
    first = serve()
    first.stop()
    key = KEY.search(first.printed)
    assert key

    second = serve()
    me = httpx.get(f"{second.base_url}/v1/memories", headers={"Authorization": f"Bearer {key.group()}"})

    assert me.status_code == 200
    assert f"{first.base_url}/mcp" in first.printed
    assert f"{first.base_url}/v1" in first.printed
    second.stop()
    assert second.printed.splitlines()[:4] == [
        f"Geniffy Agents is at {second.base_url}",
        f"  Web   {second.base_url}/app",
        f"  REST  {second.base_url}/v1",
        f"  MCP   {second.base_url}/mcp",
    ]
    assert KEY.search(second.printed) is None


def test_each_start_prints_a_fresh_setup_link_until_the_owner_has_a_password(serve: Serve) -> None:
    first = serve()
    first.stop()
    second = serve()
    token = link_of(second)
    with httpx.Client(base_url=second.base_url) as http:
        assert http.get("/app/setup", params={"token": link_of(first)}).status_code == 404
        form = http.get("/app/setup", params={"token": token})
        csrf = re.search(r'name="csrf" value="(\w+)"', form.text)
        assert csrf
        fields = {"token": token, "name": "Ana", "email": "ana@example.com", "password": "a few plain words"}
        assert http.post("/app/setup", data={"csrf": csrf.group(1), **fields}).status_code == 303
    second.stop()
    third = serve()
    third.stop()
    assert "/app/setup" not in third.printed


def test_it_stops_well_when_interrupted(serve: Serve) -> None:
    assert serve().stop(signal.SIGINT) == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_it_stops_well_and_answers_a_long_poll_that_is_open(serve: Serve, run: Run, data: Path, workers: int) -> None:
    served = serve("--workers", workers)
    key = run("key", "create", "--data", data).last_line
    waiting = threading.Event()
    with (
        httpx.Client(base_url=served.base_url, headers={"Authorization": f"Bearer {key}"}, timeout=60.0) as client,
        ThreadPoolExecutor(1) as threads,
    ):
        source = client.post("/v1/memories", json={"messages": TALK}).raise_for_status().json()["source"]

        def poll() -> httpx.Response:
            with client.stream("GET", f"/v1/sources/{source['id']}?wait=30", extensions={"trace": trace}) as reply:
                reply.read()
                return reply

        def trace(event: str, _: object) -> None:
            if event.endswith("send_request_body.complete"):
                waiting.set()

        polled = threads.submit(poll)
        assert waiting.wait(10)
        assert served.stop() == 0
        reply = polled.result(10)

    assert reply.status_code == 200
    assert reply.json()["source"]["status"] == "reading"


def test_what_was_left_unlearned_is_learned_by_the_next_start(serve: Serve, run: Run, data: Path) -> None:
    served = serve()
    key = run("key", "create", "--data", data).last_line
    headers = {"Authorization": f"Bearer {key}"}
    text = "\n\n".join(LONG.split("\n\n")[:300])
    added = httpx.post(f"{served.base_url}/v1/memories", json={"text": text}, headers=headers)
    served.process.kill()

    again = serve()
    url = f"{again.base_url}/v1/sources/{added.json()['source']['id']}?wait=30"
    source = httpx.get(url, headers=headers, timeout=60.0).json()["source"]

    assert source["status"] == "learned"


def test_several_processes_serve_one_directory(serve: Serve, run: Run, data: Path) -> None:
    served = serve("--workers", 2)
    key = run("key", "create", "--data", data).last_line
    headers = {"Authorization": f"Bearer {key}"}

    def add(number: int) -> int:
        body = {"text": f"Person{number} moved to City{number}."}
        return httpx.post(f"{served.base_url}/v1/memories", json=body, headers=headers, timeout=60.0).status_code

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(add, range(12)))
    listed = httpx.get(f"{served.base_url}/v1/sources", headers=headers).json()

    assert answers == [201] * 12
    assert listed["total"] == 12


def test_workers_end_when_the_process_that_started_them_is_killed(serve: Serve) -> None:
    served = serve("--workers", 2)

    served.process.kill()
    # Workers hold the pipe that `serve` printed to: it ends when the last of them has.
    reader = ThreadPoolExecutor(1)
    rest = reader.submit(served.process.stdout.read)

    assert rest.result(STOPS_WITHIN_S) is not None
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{served.base_url}/healthz")
    reader.shutdown()


def test_a_taken_port_is_one_sentence_and_makes_no_memory(serve: Serve, run: Run, tmp_path: Path) -> None:
    port = serve().base_url.rpartition(":")[2]

    ran = run("serve", "--data", tmp_path / "other", "--port", port)

    assert ran.status == 1
    assert ran.err == (f"Port {port} on 127.0.0.1 is taken; stop what listens there, or choose another with --port.\n")
    assert not (tmp_path / "other").exists()


def test_a_directory_that_cannot_be_used_is_one_sentence(run: Run, data: Path) -> None:
    data.write_text("a file")

    ran = run("serve", "--data", data, "--port", "0")

    assert ran.status == 1
    assert ran.err.startswith(f"The store's directory '{data}' can't be used")
    assert len(ran.err.splitlines()) == 1


def test_the_log_shows_no_secret_and_nothing_that_was_said(serve: Serve, run: Run, data: Path) -> None:
    served = serve()
    key = run("key", "create", "--data", data).last_line
    httpx.post(
        f"{served.base_url}/v1/memories",
        json={"text": "Priya Nair prefers tea."},
        headers={"Authorization": f"Bearer {key}"},
    )
    served.stop()

    assert key not in served.logged
    assert "Priya" not in served.logged
