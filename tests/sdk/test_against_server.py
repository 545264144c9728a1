"""Every call of the SDK against the real server: both clients, the same results, and those of the published client."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import geniffy
import pytest

import geniffy_agents
from geniffy_agents._flow import Calls, call, stream
from tests.sdk.capture import outcome
from tests.sdk.story import STEPS, told

SCRIPT = Path(__file__).with_name("a_script.py")


async def story_of(made: Any, base_url: str, key: str) -> dict[str, Any]:
    """What came of every call of a client of the class `made`."""
    if made.__name__ == "Geniffy":
        with made(key, base_url=base_url) as blocking:
            return await told(blocking)
    async with made(key, base_url=base_url) as waiting:
        return await told(waiting)


async def test_both_clients_and_the_published_ones_are_told_the_same_by_the_server(
    server: Any, make_account: Callable[..., Any]
) -> None:
    stories = {
        made: await story_of(made, server.base_url, make_account(server, None).key)
        for made in (geniffy.Geniffy, geniffy.AsyncGeniffy, geniffy_agents.Geniffy, geniffy_agents.AsyncGeniffy)
    }

    published, *others = stories.values()
    assert list(published) == [name for name, _ in STEPS]
    for other in others:
        for name, what in published.items():
            assert other[name] == what, name


async def test_the_story_holds_what_it_is_there_to_show(server: Any, make_account: Callable[..., Any]) -> None:
    came = await story_of(geniffy_agents.Geniffy, server.base_url, make_account(server, None).key)

    raised = {what["raised"] for what in came.values() if isinstance(what, dict) and "raised" in what}
    assert raised == {"BadRequestError", "NotFoundError", "UnreadableError", "ValueError"}
    assert came["ask"]["answer"] == "Priya Nair signs the Lumen renewal."
    assert came["save nothing new"] is None
    assert came["note again"]["id"] == came["note"]["id"]
    assert came["delete labelled but"] == 1
    assert [each["path"] for each in came["files"]["files"]] == ["/memories/a/b/empty.md"]


async def test_every_call_of_the_sdk_is_in_the_story(
    monkeypatch: pytest.MonkeyPatch, base_url: str, api_key: str
) -> None:
    made: set[str] = set()
    for noun in _subclasses(Calls):
        for name, what in list(vars(noun).items()):
            if isinstance(what, call | stream) and not name.startswith("_"):
                monkeypatch.setattr(noun, name, _noted(what, f"{noun.__name__}.{name}", made))

    await story_of(geniffy_agents.Geniffy, base_url, api_key)

    known = {
        f"{noun.__name__}.{name}"
        for noun in _subclasses(Calls)
        for name, what in vars(noun).items()
        if isinstance(what, call | stream)
    }
    assert known - made == {
        "FilesCalls.iterate",
        "MemoriesCalls.iterate",
        "SourcesCalls.iterate",
    }  # of many pages: below


def _subclasses(parent: type) -> set[type]:
    found = {child for each in parent.__subclasses__() for child in (each, *_subclasses(each))}
    return {each for each in found if each.__module__.startswith("geniffy_agents.")}


def _noted(what: Any, name: str, made: set[str]) -> Any:
    def flow(self: Any, *args: Any, **options: Any) -> Any:
        made.add(name)
        return what.flow(self, *args, **options)

    return type(what)(flow)


async def test_pages_are_read_one_after_the_other_to_their_end(
    base_url: str, api_key: str, space: str, sdk: Any
) -> None:
    for number in range(5):
        sdk.files.put(f"/f/{number}.md", f"Note {number}.")
    for source in sdk.sources.list().sources:
        sdk.sources.wait(source.id)
    paths = [f"/f/{number}.md" for number in range(5)]

    with geniffy_agents.Geniffy(api_key, base_url=base_url, space=space) as mem:
        assert [file.path for file in mem.files.iterate("/f/", page_size=2)] == paths
        assert [source.title for source in mem.sources.iterate(page_size=2)] == paths[::-1]
        assert len(list(mem.memories.iterate(page_size=2))) == mem.memories.list().total
    async with geniffy_agents.AsyncGeniffy(api_key, base_url=base_url, space=space) as mem:
        assert [file.path async for file in mem.files.iterate("/f/", page_size=2)] == paths
        assert [source.title async for source in mem.sources.iterate(page_size=2)] == paths[::-1]
        assert len([each async for each in mem.memories.iterate(page_size=2)]) == (await mem.memories.list()).total


def test_a_file_is_written_only_over_the_text_that_was_read(base_url: str, api_key: str, space: str) -> None:
    with geniffy_agents.Geniffy(api_key, base_url=base_url, space=space) as mem:
        first = mem.files.put("/a.md", "one", if_none_match="*")
        mem.files.put("/a.md", "two", if_match=first.etag)

        for condition in ({"if_match": first.etag}, {"if_none_match": "*"}):
            with pytest.raises(geniffy_agents.ChangedError) as refused:
                mem.files.put("/a.md", "three", **condition)
            assert (refused.value.status, refused.value.code) == (412, "changed")
        assert mem.files.get("/a.md").text == "two"
        assert mem.files.put("/a.md", "two", if_match=first.etag).etag == mem.files.get("/a.md").etag


async def test_a_limited_key_reaches_its_space_and_no_other(base_url: str, api_key: str, space: str) -> None:
    with geniffy_agents.Geniffy(api_key, base_url=base_url) as owner:
        key = owner.space(space).keys.create(name="phone").key
    assert key is not None

    with geniffy_agents.Geniffy(key, base_url=base_url) as limited:
        assert limited.me()["space"] == space
        with pytest.raises(geniffy_agents.AuthenticationError) as elsewhere:
            limited.space("another").me()
        with pytest.raises(geniffy_agents.AuthenticationError) as above:
            limited.spaces()

    assert (elsewhere.value.status, elsewhere.value.code) == (403, "wrong_space")
    assert (above.value.status, above.value.code) == (403, "not_allowed")


@pytest.mark.parametrize("made", [geniffy_agents.Geniffy, geniffy_agents.AsyncGeniffy])
async def test_a_key_that_nobody_has_is_an_authentication_error(base_url: str, made: Any) -> None:
    client = made("gnf_nobody", base_url=base_url)

    with pytest.raises(geniffy_agents.AuthenticationError) as refused:
        await outcome(client.me())
    await outcome(client.close())

    assert (refused.value.status, refused.value.code) == (401, "bad_key")


async def test_a_client_that_was_closed_says_so_and_no_connection_is_tried(base_url: str, api_key: str) -> None:
    blocking = geniffy_agents.Geniffy(api_key, base_url=base_url)
    blocking.me()
    blocking.close()
    blocking.close()
    waiting = geniffy_agents.AsyncGeniffy(api_key, base_url=base_url)
    await waiting.me()
    await waiting.close()
    await waiting.aclose()

    for client in (blocking, blocking.space("ana")):
        with pytest.raises(geniffy_agents.APIConnectionError, match="closed"):
            client.me()
    for client in (waiting, waiting.space("ana")):
        with pytest.raises(geniffy_agents.APIConnectionError, match="closed"):
            await client.me()


def test_event_loops_use_a_client_one_after_the_other_and_at_once(base_url: str, api_key: str, space: str) -> None:
    client = geniffy_agents.AsyncGeniffy(api_key, base_url=base_url, space=space)

    async def put(*names: str) -> None:
        await asyncio.gather(*(client.files.put(f"/{name}.md", "x") for name in names))

    for names in (("a", "b"), ("c",)):
        asyncio.run(put(*names))
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda names: asyncio.run(put(*names)), [("d", "e"), ("f", "g")]))

    assert asyncio.run(client.files.list()).total == 7
    asyncio.run(client.aclose())
    with pytest.raises(geniffy_agents.APIConnectionError, match="closed"):
        asyncio.run(client.me())


async def test_closing_closes_the_connections_of_every_loop_that_runs(base_url: str, api_key: str) -> None:
    client = geniffy_agents.AsyncGeniffy(api_key, base_url=base_url)
    http: Any = client._http
    opened: list[Any] = []
    used, end = threading.Event(), threading.Event()

    async def elsewhere() -> None:
        await client.me()
        opened.append(http.of_this_loop())
        used.set()
        await asyncio.to_thread(end.wait, 60)
        # The close was handed over before `end` was set, so its task is here by now.
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))

    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(asyncio.run, elsewhere())
        await asyncio.to_thread(used.wait, 60)
        await client.me()
        opened.append(http.of_this_loop())
        await client.aclose()
        end.set()
        await asyncio.wrap_future(running)

    assert [each.is_closed for each in opened] == [True, True]


def test_the_log_shows_the_integration_that_called(base_url: str, api_key: str, logged: Callable[[str], Any]) -> None:
    with geniffy_agents.Geniffy(api_key, base_url=base_url) as client:
        with pytest.raises(geniffy_agents.NotFoundError) as plain:
            client.memories.get(1)
        with pytest.raises(geniffy_agents.NotFoundError) as through:
            client.space("ana").through("geniffy-claude/0.1.0").memories.get(1)

    assert logged(str(plain.value.request_id)).app == f"geniffy-agents/{geniffy_agents.__version__}"
    assert logged(str(through.value.request_id)).app == "geniffy-claude/0.1.0"


def test_a_script_for_the_published_client_runs_with_the_import_changed(
    server: Any, make_account: Callable[..., Any], tmp_path: Path
) -> None:
    printed = {}
    for package in ("geniffy", "geniffy_agents"):
        script = SCRIPT.read_text("utf-8").replace("from geniffy_agents import", f"from {package} import")
        environ = {"GENIFFY_API_KEY": make_account(server).key, "GENIFFY_BASE_URL": server.base_url}
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=environ,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        printed[package] = done.stdout

    assert printed["geniffy_agents"] == printed["geniffy"]
    assert printed["geniffy"].splitlines()[0] == "learned"
