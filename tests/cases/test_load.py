"""Many writers, readers and processes at once: nothing is refused, lost, mixed or learned twice."""

from __future__ import annotations

import asyncio
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters

from tests.cases.conftest import Pair
from tests.conftest import LEARNING_S, learned
from tests.faults.people import names


def people(count: int) -> list[str]:
    """As many names as are wanted, each of another person."""
    found = names()
    return [next(found) for _ in range(count)]


def opened(base_url: str, key: str, space: str = "shared") -> httpx.Client:
    headers = {"Authorization": f"Bearer {key}", "X-Geniffy-Space": space}
    return httpx.Client(base_url=base_url, headers=headers, timeout=60.0)


def wait_until_learned(http: httpx.Client) -> None:
    """Wait for every source of the space; the test fails when one can't be learned."""
    give_up_at = time.monotonic() + LEARNING_S
    cursor: int | None = 0
    while cursor is not None:
        page = http.get("/v1/sources", params={"limit": 200, "cursor": cursor}).json()
        for source in page["sources"]:
            while source["status"] == "reading" and time.monotonic() < give_up_at:
                path = f"/v1/sources/{source['id']}"
                source = http.get(path, params={"wait": "10"}).json()["source"]
            assert source["status"] == "learned", source
        cursor = page["next"]


def every_text(http: httpx.Client) -> list[str]:
    found: list[str] = []
    cursor: int | None = 0
    while cursor is not None:
        page = http.get("/v1/memories", params={"limit": 200, "cursor": cursor}).json()
        found += [one["text"] for one in page["memories"]]
        cursor = page["next"]
    return found


def test_two_servers_on_one_directory_write_and_learn_together(pair: Pair) -> None:
    own, common = people(40), ["Ana lives in Porto.", "Mia plays the violin."]

    def write(base_url: str, some: list[str]) -> None:
        with opened(base_url, pair.key) as http:
            for number, name in enumerate(some):
                text = f"{name} lives in Leeds.\n\n{common[number % 2]}"
                answer = http.post("/v1/memories", json={"text": text, "external_id": name})
                assert answer.status_code == 201, answer.text

    with ThreadPoolExecutor(2) as writers:
        halves = ((pair.one, own[:20]), (pair.two, own[20:]))
        for written in [writers.submit(write, server.base_url, some) for server, some in halves]:
            written.result(LEARNING_S)
    with opened(pair.one.base_url, pair.key) as first, opened(pair.two.base_url, pair.key) as second:
        wait_until_learned(first)
        texts = every_text(first)
        seen = every_text(second)
        totals = [http.get("/v1/sources").json()["total"] for http in (first, second)]
        found = [http.post("/v1/search", json={"q": own[7]}).json()["memories"][0] for http in (first, second)]
    logs = pair.one.logged + pair.two.logged

    assert totals == [40, 40]
    assert sorted(texts) == sorted([*common, *(f"{name} lives in Leeds." for name in own)])
    assert seen == texts
    assert [one["text"] for one in found] == [f"{own[7]} lives in Leeds."] * 2
    assert "ERROR" not in logs
    assert "WARNING" not in logs


async def test_a_process_on_stdio_and_a_server_see_each_others_writes_at_the_next_call(pair: Pair) -> None:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "geniffy_server", "stdio", "--data", str(pair.data)]
    )
    headers = {"Authorization": f"Bearer {pair.key}"}
    async with (
        Client(command, read_timeout_seconds=LEARNING_S) as tools,
        httpx.AsyncClient(base_url=pair.one.base_url, headers=headers, timeout=60.0) as http,
    ):

        async def call(name: str, **arguments: Any) -> dict[str, Any]:
            result = await tools.call_tool(name, arguments)
            assert not result.is_error, result
            assert result.structured_content is not None
            return result.structured_content

        added = (await call("remember", text="Kim Park works at Acme as CFO."))["source"]["id"]
        source = added.removeprefix("source:")
        assert (await http.get(f"/v1/sources/{source}", params={"wait": "30"})).json()["source"]["status"] == "learned"
        (kim,) = (await http.post("/v1/search", json={"q": "Where does Kim Park work?"})).json()["memories"]

        told = (await http.post("/v1/memories", json={"text": "Ana lives in Porto."})).json()["source"]["id"]
        assert (await http.get(f"/v1/sources/{told}", params={"wait": "30"})).json()["source"]["status"] == "learned"
        assert "Porto" in str(await call("search", query="Where does Ana live?"))

        await call("forget", id=f"memory:{kim['id']}")
        assert (await http.get(f"/v1/memories/{kim['id']}")).status_code == 404
        found = (await http.post("/v1/search", json={"q": "Where does Kim Park work?"})).json()["memories"]
        assert [one["text"] for one in found] == ["Ana lives in Porto."]

        right = {"text": "Ana lives in Leiria."}
        assert (await http.patch(f"/v1/memories/{found[0]['id']}", json=right)).status_code == 200
        listed = (await call("list_memories"))["memories"]
        assert [one["text"] for one in listed] == ["Ana lives in Leiria."]


def test_an_import_with_readers_and_writers_beside_it_meets_no_error(
    base_url: str, client: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    everyone = people(200)
    keys = [client.space("shared").keys.create().key for _ in range(13)]
    took: dict[str, list[float]] = {"read": [], "write": []}

    def timed(kind: str, http: httpx.Client, method: str, path: str, **more: Any) -> httpx.Response:
        began = time.perf_counter()
        answer = http.request(method, path, **more)
        took[kind].append(time.perf_counter() - began)
        assert answer.status_code < 300 or answer.status_code == 429, (path, answer.text)
        return answer

    def bring(key: str) -> None:
        items = [{"text": f"{name} lives in Leeds.", "external_id": name} for name in everyone]
        with opened(base_url, key) as http:
            for at in range(0, len(items), 100):
                answer = http.post("/v1/memories/batch", json={"items": items[at : at + 100]})
                assert (answer.status_code, answer.json()["added"]) == (202, 100)

    def read(key: str, number: int) -> None:
        with opened(base_url, key) as http:
            for _ in range(40):
                timed("read", http, "POST", "/v1/search", json={"q": f"Where does {everyone[number]} live?"})
                timed("read", http, "POST", "/v1/context", json={"question": f"Where does {everyone[number]} live?"})
                timed("read", http, "GET", "/v1/memories", params={"limit": 50})

    def write(key: str, number: int) -> None:
        with opened(base_url, key) as http:
            for count in range(25):
                text = f"The number {count} of writer {number} is kept here."
                timed("write", http, "PUT", "/v1/files", json={"path": f"/w{number}.md", "text": text})
                added = {"text": "ok", "external_id": f"w{number}/{count}"}
                timed("write", http, "POST", "/v1/memories", json=added)

    with ThreadPoolExecutor(13) as crowd:
        running = [crowd.submit(read, key, number) for number, key in enumerate(keys[:8])]
        running += [crowd.submit(write, key, number) for number, key in enumerate(keys[8:12])]
        running += [crowd.submit(bring, keys[12])]
        for one in running:
            one.result(LEARNING_S)

    with opened(base_url, keys[12]) as http:
        wait_until_learned(http)
        texts = every_text(http)
    assert sorted(text for text in texts if "lives in Leeds" in text) == sorted(
        f"{one} lives in Leeds." for one in everyone
    )
    with capsys.disabled():
        for kind, times in took.items():
            times.sort()
            print(f" {len(times)} {kind}s, p95 {times[int(len(times) * 0.95)] * 1000:.0f} ms", end="")


async def test_of_ten_writes_of_one_path_at_once_one_is_whole_and_is_what_is_remembered(
    base_url: str, api_key: str, space: str
) -> None:
    from geniffy import AsyncGeniffy

    written = ["\n\n".join(f"{name} owns boat {number}." for name in people(5 + number)) for number in range(10)]
    async with AsyncGeniffy(api_key, base_url=base_url, max_retries=0) as client:
        sdk = client.space(space)
        for _ in range(3):
            infos = await asyncio.gather(*(sdk.files.put("/one.md", text) for text in written))
            source = await sdk.sources.wait(infos[0].source.id, timeout=LEARNING_S)

            assert len({info.source.id for info in infos}) == 1
            assert source.status == "learned"
            text = (await sdk.files.get("/one.md")).text
            assert text in written
            assert {one.text async for one in sdk.memories.iter()} == set(text.split("\n\n"))
            assert (await sdk.sources.list()).total == 1


@pytest.mark.parametrize("way", ["file", "note", "talk"])
def test_a_source_that_changes_while_it_is_learned_ends_as_its_last_text_says(sdk: Any, space: str, way: str) -> None:
    def change(number: int) -> Any:
        # Each time a line goes, one comes, one is written otherwise and the rest stay.
        lines = [
            f"{name} lives in {'Leeds' if (place + number) % 7 else 'Porto'}." for place, name in enumerate(everyone)
        ]
        lines = lines[number : number + 12]
        if way == "file":
            return lines, sdk.files.put("/one.md", "\n\n".join(lines)).source
        if way == "note":
            return lines, sdk.memories.add("\n\n".join(lines), external_id="crm/1")
        turns = [{"role": "user", "content": line} for line in lines]
        return lines, sdk.memories.add(messages=turns, external_id="crm/1")

    everyone = people(42)
    for number in range(30):
        lines, source = change(number)
    learned(sdk, source)

    assert sorted(one.text for one in sdk.memories.iter()) == sorted(lines)
    assert sdk.sources.get(source.id).facts == 12
    lines, source = change(0)
    learned(sdk, source)
    assert sorted(one.text for one in sdk.memories.iter()) == sorted(lines)
