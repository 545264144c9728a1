"""The whole server in this process: `Geniffy.local` and `AsyncGeniffy.local`."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import geniffy_agents
from geniffy_agents import APIConnectionError, AsyncGeniffy, Geniffy, GeniffyError
from tests.cli.conftest import serving
from tests.sdk.capture import outcome
from tests.sdk.story import told

WAIT_S = 60.0
HELD_S = 30.0  # how long the server holds a wait for learning, unless it is told to stop
TEA = "Ana prefers tea to coffee."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Where the memory is kept; nothing is there yet."""
    return tmp_path / "memory"


@pytest.fixture(autouse=True)
def _all_closed() -> Iterator[None]:
    """Every test gives its servers back. Those that other tests of the session hold open don't count here."""
    _OF_OTHERS.clear()
    _OF_OTHERS.update(threading.enumerate())
    yield
    assert servers() == []


_OF_OTHERS: set[threading.Thread] = set()


def servers() -> list[str]:
    new = (thread for thread in threading.enumerate() if thread not in _OF_OTHERS)
    return [thread.name for thread in new if thread.name == "geniffy-local"]


def texts(client: Geniffy) -> list[str]:
    return sorted(memory.text for memory in client.memories.iterate())


class Held:
    """A model that waits from `hold` to `release`: until then nothing is learned or found, where there is something."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self._released = threading.Event()
        self._released.set()

    def hold(self) -> None:
        self._released.clear()

    def release(self) -> None:
        self._released.set()

    def wait(self) -> None:
        if not self._released.is_set():
            self.entered.set()
            assert self._released.wait(WAIT_S)


@pytest.fixture
def held_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    from geniffy_server.models.minilm import MiniLM

    held = Held()
    embed = MiniLM.embed

    def waiting(self: Any, texts: Any) -> Any:
        held.wait()
        return embed(self, texts)

    monkeypatch.setattr(MiniLM, "embed", waiting)
    yield held
    held.release()


async def test_every_call_comes_to_the_same_as_over_http(
    server: Any, make_account: Callable[..., Any], tmp_path: Path
) -> None:
    with Geniffy(make_account(server, None).key, base_url=server.base_url) as over_http:
        expected = await told(over_http)
    with Geniffy.local(tmp_path / "one") as blocking:
        first = await told(blocking)
    async with AsyncGeniffy.local(tmp_path / "two") as waiting:
        second = await told(waiting)

    for name, what in expected.items():
        assert first[name] == what, name
        assert second[name] == what, name


def test_what_was_told_is_there_when_the_directory_is_opened_again(data: Path) -> None:
    with Geniffy.local(data) as client:
        mem = client.space("ana")
        mem.sources.wait(mem.memories.add(TEA))
    with Geniffy.local(data, space="ana") as mem:
        assert texts(mem) == [TEA]
        assert mem.ask("What does Ana prefer?").answer == TEA
    with Geniffy.local(data) as client:
        assert texts(client) == []


def test_clients_of_one_directory_share_a_server_until_the_last_one_closes(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Geniffy.local(data)
    second = Geniffy.local(str(data))
    monkeypatch.chdir(data.parent)
    third = AsyncGeniffy.local(data.name)
    assert len(servers()) == 1

    first.close()
    second.files.put("/a.md", "x")
    second.close()
    assert asyncio.run(third.files.get("/a.md")).text == "x"
    asyncio.run(third.aclose())
    assert servers() == []


def test_directories_have_servers_of_their_own(tmp_path: Path) -> None:
    with Geniffy.local(tmp_path / "one") as one, Geniffy.local(tmp_path / "two") as two:
        one.files.put("/a.md", "x")

        assert len(servers()) == 2
        assert two.files.list().total == 0


@pytest.mark.parametrize("made", [Geniffy, AsyncGeniffy])
async def test_closing_twice_is_fine_and_a_call_after_it_is_an_error_of_the_sdk(data: Path, made: Any) -> None:
    client = made.local(data)
    bound = client.space("ana")
    await outcome(bound.close())
    await outcome(bound.me())

    await outcome(client.close())
    await outcome(client.close())

    for closed in (client, bound):
        with pytest.raises(APIConnectionError, match="closed"):
            await outcome(closed.me())
        with pytest.raises(APIConnectionError, match="closed"):
            await outcome(closed.memories.add("x"))


def test_closing_one_client_leaves_the_calls_of_another(data: Path) -> None:
    with Geniffy.local(data) as other:
        closed = Geniffy.local(data)
        closed.close()

        with pytest.raises(APIConnectionError, match="closed"):
            closed.me()
        assert other.me()["space"] is None


def test_closing_ends_what_waits_for_learning_and_what_was_begun_is_learned(
    data: Path, held_model: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    from geniffy_agents import local

    monkeypatch.setattr(local, "_END_S", WAIT_S)  # so that nothing is cut off: what waits comes back by itself
    held_model.hold()
    client = Geniffy.local(data)
    source = client.memories.add(TEA)
    assert held_model.entered.wait(WAIT_S)

    with ThreadPoolExecutor(2) as threads:
        waiting = threads.submit(client.sources.wait, source, WAIT_S, interval=0.01)
        closing = threads.submit(client.close)
        with pytest.raises(APIConnectionError, match="closed"):
            waiting.result(HELD_S / 2)
        assert not closing.done()
        held_model.release()
        closing.result(WAIT_S)

    with Geniffy.local(data) as again:
        assert again.sources.wait(source).status == "learned"
        assert texts(again) == [TEA]


def test_a_call_that_does_not_end_is_cut_off_when_the_last_client_closes(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from geniffy_agents import local
    from geniffy_server.services import files

    begun = threading.Event()

    async def never(*args: Any, **options: Any) -> Any:
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(files, "list_files", never)
    monkeypatch.setattr(local, "_END_S", 0.01)
    client = Geniffy.local(data)

    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(client.files.list)
        assert begun.wait(WAIT_S)
        client.close()
        with pytest.raises(APIConnectionError, match="closed"):
            call.result(WAIT_S)


@pytest.mark.parametrize("made", [Geniffy, AsyncGeniffy])
async def test_a_timeout_holds_here_too(data: Path, held_model: Held, made: Any) -> None:
    with Geniffy.local(data) as teller:
        teller.sources.wait(teller.memories.add(TEA))
    client = made.local(data, timeout=0.05)
    held_model.hold()

    with pytest.raises(APIConnectionError, match="No answer in time"):
        await outcome(client.search("tea"))
    held_model.release()
    await outcome(client.close())


async def test_a_call_that_is_given_up_leaves_the_client_usable(data: Path, held_model: Held) -> None:
    async with AsyncGeniffy.local(data) as client:
        await client.sources.wait(await client.memories.add(TEA))
        held_model.hold()
        search = asyncio.create_task(client.search("tea"))
        await asyncio.to_thread(held_model.entered.wait, WAIT_S)
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        held_model.release()

        assert [found.text for found in await client.search("coffee")] == [TEA]


def test_a_server_in_another_process_and_this_one_see_each_others_writes(data: Path, tmp_path: Path) -> None:
    with serving(tmp_path / "log", data) as served, Geniffy.local(data, space="ana") as here:
        key = subprocess.run(
            [sys.executable, "-m", "geniffy_server", "key", "create", "--data", str(data)],
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=True,
        ).stdout.split()[-1]
        with Geniffy(key, base_url=served.base_url, space="ana") as there:
            here.files.put("/here.md", "Ana lives in Porto.")
            assert there.files.get("/here.md").text == "Ana lives in Porto."
            source = there.memories.add(TEA)
            assert here.sources.wait(source).status == "learned"
            for mem in (here, there):
                mem.sources.wait(mem.sources.get(external_id="file:/here.md"))
                assert mem.search("What does Ana drink?", limit=1)[0].text == TEA
            here.memories.delete(here.search("What does Ana drink?", limit=1)[0].id)
            assert texts(there) == ["Ana lives in Porto."]


def test_a_server_that_starts_beside_it_is_the_same_memory(data: Path, tmp_path: Path) -> None:
    with Geniffy.local(data, space="ana") as here:
        here.files.put("/a.md", "x")
        key = here.keys.create(name="beside").key
        with serving(tmp_path / "log", data) as served, Geniffy(key, base_url=served.base_url) as there:
            assert there.files.get("/a.md").text == "x"
            there.files.put("/a.md", "y")
        assert here.files.get("/a.md").text == "y"


WRITES = """
import sys
from geniffy_agents import Geniffy
with Geniffy.local(sys.argv[1], space="ana") as mem:
    print("open", flush=True)
    sys.stdin.readline()
    for number in range(20):
        mem.files.put(f"/there/{number}.md", f"There is {number}.")
"""


def test_two_processes_write_at_once_and_nothing_is_lost(data: Path) -> None:
    program = [sys.executable, "-c", WRITES, str(data)]
    with (
        Geniffy.local(data, space="ana") as mem,
        subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other,
    ):
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        assert other.stdin is not None
        other.stdin.write("go\n")
        other.stdin.close()
        for number in range(20):
            mem.files.put(f"/here/{number}.md", f"Here is {number}.")
        assert other.wait(WAIT_S) == 0

        assert mem.files.list(limit=200).total == 40


LEAVES_OPEN = """
import logging, sys
from geniffy_agents import AsyncGeniffy, Geniffy
# With -X dev asyncio also tells what took a tenth of a second, as anything may on a busy machine.
logging.getLogger("asyncio").addFilter(lambda record: not record.getMessage().startswith("Executing"))
mem = Geniffy.local(sys.argv[1], space="ana")
other = AsyncGeniffy.local(sys.argv[1])
mem.sources.wait(mem.memories.add("Ana prefers tea to coffee."))
mem.memories.add("Ana lives in Porto.")
"""


def test_a_script_that_closes_nothing_ends_quietly_and_leaves_all_in_order(data: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "ignore::DeprecationWarning", "-c", LEAVES_OPEN, str(data)],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert list((data / "workers").iterdir()) == []
    assert not (data / "main.db-wal").exists()
    with Geniffy.local(data, space="ana") as mem:
        for source in mem.sources.iterate():
            mem.sources.wait(source)
        assert texts(mem) == ["Ana lives in Porto.", TEA]


def test_threads_share_a_client(data: Path) -> None:
    with Geniffy.local(data, space="ana") as mem, ThreadPoolExecutor(8) as threads:
        put = threads.map(lambda number: mem.files.put(f"/{number}.md", f"Note {number}."), range(40))

        assert all(info.created for info in put)
        assert mem.files.list(limit=200).total == 40


def test_threads_open_and_close_one_directory_at_once(data: Path) -> None:
    def use(number: int) -> None:
        with Geniffy.local(data, space="ana") as mem:
            mem.files.put(f"/{number}.md", "x")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(use, range(12)))

    with Geniffy.local(data, space="ana") as mem:
        assert mem.files.list().total == 12


def test_event_loops_share_a_client_one_after_the_other_and_at_once(data: Path) -> None:
    client = AsyncGeniffy.local(data, space="ana")

    async def put(*names: str) -> None:
        await asyncio.gather(*(client.files.put(f"/{name}.md", "x") for name in names))

    asyncio.run(put("a", "b"))
    asyncio.run(put("c"))
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda names: asyncio.run(put(*names)), [("d", "e"), ("f", "g")]))

    assert asyncio.run(client.files.list()).total == 7
    asyncio.run(client.aclose())


async def test_a_blocking_client_works_inside_an_event_loop(data: Path) -> None:
    with Geniffy.local(data) as client:
        assert client.sources.wait(client.memories.add(TEA)).status == "learned"


def test_a_session_is_kept_as_it_goes(data: Path) -> None:
    with Geniffy.local(data, space="ana") as mem:
        session = mem.session("chat-1")
        history = [{"role": "user", "content": TEA}]
        first = session.save(history)
        second = session.save([*history, {"role": "user", "content": "She lives in Porto."}])

        assert first is not None
        assert second is not None
        assert first.id == second.id
        mem.sources.wait(second)
        assert TEA in texts(mem)


@pytest.mark.parametrize("made", [Geniffy, AsyncGeniffy])
def test_without_the_server_installed_the_extra_is_named(
    data: Path, monkeypatch: pytest.MonkeyPatch, made: Any
) -> None:
    monkeypatch.setitem(sys.modules, "geniffy_server.models.threads", None)

    with pytest.raises(ImportError, match=r"pip install 'geniffy-agents\[server\]'"):
        made.local(data)
    assert not data.exists()


@pytest.mark.parametrize("made", [Geniffy, AsyncGeniffy])
def test_a_directory_that_cannot_be_opened_is_an_error_of_the_sdk_and_can_be_tried_again(data: Path, made: Any) -> None:
    data.write_text("a file")
    with pytest.raises(GeniffyError, match="can't be opened") as refused:
        made.local(data)
    assert refused.value.code == "memory_unavailable"
    assert str(data) in str(refused.value)

    data.unlink()
    with Geniffy.local(data) as client:
        client.me()


def test_a_space_that_is_refused_opens_nothing(data: Path) -> None:
    for made in (Geniffy, AsyncGeniffy):
        with pytest.raises(ValueError, match="blank"):
            made.local(data, space=" ")
    assert not data.exists()


def test_a_blank_path_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    for path in ("", " "):
        with pytest.raises(ValueError, match="blank path"):
            Geniffy.local(path)

    assert list(tmp_path.iterdir()) == []


def test_no_variable_decides_which_memory_is_opened(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "GENIFFY_DATABASE_URL": "postgresql://nowhere/x",
        "GENIFFY_DATA": str(data.parent / "another"),
        "GENIFFY_BASE_URL": "http://nowhere.test",
        "GENIFFY_API_KEY": "gnf_other",
        "GENIFFY_REGION": "eu",
    }.items():
        monkeypatch.setenv(name, value)

    with Geniffy.local(data) as client:
        client.files.put("/a.md", "x")
    assert (data / "main.db").exists()
    assert not (data.parent / "another").exists()


def test_a_variable_that_cannot_be_is_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENIFFY_CERTAINTY", "sure")

    with pytest.raises(GeniffyError, match="GENIFFY_CERTAINTY"):
        Geniffy.local(data)


WATCHES = """
import os, sys

class Watch:
    def find_spec(self, name, *rest):
        if name == "numpy":
            print("numpy", os.environ.get("OPENBLAS_NUM_THREADS"))

sys.meta_path.insert(0, Watch())
before = dict(os.environ)
from geniffy_agents import Geniffy
Geniffy.local(sys.argv[1]).close()
assert dict(os.environ) == before
"""


def test_the_environment_stays_as_it_was_though_numpy_is_kept_to_one_thread(data: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}

    done = subprocess.run(
        [sys.executable, "-c", WATCHES, str(data)],
        env=environ,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "numpy 1\n", "")


def test_the_log_of_calls_knows_the_integration(data: Path) -> None:
    with Geniffy.local(data, space="ana") as mem:
        source = mem.through("geniffy-claude/0.1.0").memories.add(TEA)
        plain = mem.memories.add("Ana lives in Porto.")

    assert source.added_by == "geniffy-claude/0.1.0"
    assert plain.added_by == f"geniffy-agents/{geniffy_agents.__version__}"
