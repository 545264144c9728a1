"""What one space holds is never another's, whatever a caller names, labels or asks for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import Server

Learned = Callable[..., Any]

MINE, THEIRS = "bluebird", "greenfinch"
TOLD = (
    "Kim Park keeps the {word} code at Acme.\n\nI prefer {word} tea.\n\nKim Park meets me on 3 May 2027 in {word} hall."
)


def fill(space: Any, learned: Learned, word: str) -> None:
    """The same in either space but for one word, as a note, talk and a file."""
    learned(space, space.memories.add(TOLD.format(word=word), title=f"On {word}", labels={"team": "sales"}))
    turns = [{"role": "user", "content": f"My {word} is called Rex."}]
    learned(space, space.memories.add(messages=turns, session="run/1"))
    learned(space, space.files.put("/memories/a.md", f"The {word} door opens with a card.").source)


@pytest.fixture
def two(client: Any, learned: Learned) -> tuple[Any, Any]:
    """Two spaces of one account."""
    mine, theirs = client.space("mine"), client.space("theirs")
    fill(mine, learned, MINE)
    fill(theirs, learned, THEIRS)
    return mine, theirs


async def test_no_tool_tells_the_other_spaces_word(two: tuple[Any, Any], connect: Any, api_key: str) -> None:
    mine, theirs = two
    ids = [f"memory:{one.id}" for one in theirs.memories.iter()]
    sources = [f"source:{one.id}" for one in theirs.sources.list().sources]
    before = {space: space.export() for space in (mine, theirs)}
    said: list[Any] = []
    async with (
        connect(mine.keys.create().key) as limited,
        connect(api_key, headers={"X-Geniffy-Space": "mine"}) as headed,
        connect(api_key) as whole,
    ):
        for tools, where in ((limited, {}), (headed, {}), (whole, {"space": "mine"})):
            for words in (THEIRS, "Kim Park's code", "What tea do I prefer?", "Which door opens with a card?", "Rex"):
                for name in ("search", "ask"):
                    argument = {"query" if name == "search" else "question": words}
                    answered = await tools.call(name, **argument, **where)
                    said.append({**answered, "question": ""})
            said.append(await tools.call("profile", **where))
            said.append(await tools.call("profile", subject="Kim Park", **where))
            said.append(await tools.call("list_memories", limit=50, **where))
            for one in (*ids, *sources):
                said.append(await tools.refusal("fetch", id=one, **where))
                said.append(await tools.refusal("forget", id=one, **where))
            for one in ids:
                said.append(await tools.refusal("correct", id=one, text="Kim Park left.", **where))

    assert THEIRS not in json.dumps(said)
    assert MINE in json.dumps(said)
    for space, held in before.items():
        assert {**space.export(), "exported_at": None} == {**held, "exported_at": None}


def test_an_id_of_another_space_is_not_found_by_any_call(two: tuple[Any, Any]) -> None:
    from geniffy import NotFoundError

    mine, theirs = two
    before = theirs.export()
    memories = [one.id for one in theirs.memories.iter()]
    sources = [one.id for one in theirs.sources.list().sources]
    for one in memories:
        for call in (mine.memories.get, mine.memories.delete, lambda memory: mine.memories.correct(memory, "No.")):
            with pytest.raises(NotFoundError):
                call(one)
    for one in sources:
        for call in (mine.sources.get, mine.sources.delete):
            with pytest.raises(NotFoundError):
                call(one)

    assert {**theirs.export(), "exported_at": None} == {**before, "exported_at": None}


def test_what_happens_in_one_space_leaves_another_byte_for_byte(
    two: tuple[Any, Any], server: Server, learned: Learned, tmp_path: Path, account: Any
) -> None:
    from geniffy_server.services.categorizing import categorize_next
    from geniffy_server.storage.archive import write_spaces

    mine, theirs = two
    # What memories are about is detected a moment after they are learned.
    while server.run(categorize_next(server.ports, server.read(lambda tx: tx.spaces.find(account.id, "theirs").id))):
        pass

    def copied(name: str) -> tuple[bytes, Any]:
        path = tmp_path / name
        write_spaces(server.data, account.id, ["theirs"], path, lambda *_: None)
        return path.read_bytes(), {**theirs.export(), "exported_at": None}

    before = copied("before")
    mine.memories.delete(next(mine.memories.iter()).id)
    learned(mine, mine.memories.add(TOLD.format(word=THEIRS), title=f"On {THEIRS}", labels={"team": "sales"}))
    for one in list(mine.memories.iter()):
        mine.memories.delete(one.id)
    mine.sources.delete_labelled({"team": "sales"})
    mine.files.delete_prefix("/")

    assert mine.memories.list().total == 0
    assert copied("after") == before


ODD = [
    "' OR 1=1 --",
    '{"$ne": null}',
    'a*b:"(',
    "%",
    "_",
    "*",
    "\\",
    '"; DROP TABLE memories; --',
    "NEAR(a b)",
    "a AND b",
]


@pytest.mark.parametrize("odd", ODD)
def test_words_that_mean_something_to_a_database_are_only_words(
    two: tuple[Any, Any], http: httpx.Client, learned: Learned, odd: str
) -> None:
    mine, theirs = two
    http.headers["X-Geniffy-Space"] = "mine"
    key = odd.replace(":", ";")
    note = {"text": f"The {odd} sign is red.", "external_id": odd, "labels": {key: odd}, "title": odd}
    source = learned(mine, mine.memories.add(**note))
    turns = [{"role": "user", "name": odd, "content": f"I saw {odd} today."}]
    learned(mine, mine.memories.add(messages=turns, session=f"{odd}/2"))
    (memory,) = list(mine.memories.iter(labels={key: odd}))

    assert (source.external_id, dict(source.labels), source.title) == (odd, {key: odd}, odd)
    assert odd in memory.text
    assert [one.id for one in mine.sources.list(labels={key: odd}).sources] == [source.id]
    assert [one["id"] for one in http.get("/v1/sources", params={"external_id": odd}).json()["sources"]] == [source.id]
    assert [one.id for one in mine.search("sign", labels={key: odd})] == [memory.id]
    assert mine.search("sign", labels={key: "red"}) == []
    for answer in (
        http.post("/v1/search", json={"q": odd}),
        http.post("/v1/ask", json={"question": odd}),
        http.post("/v1/context", json={"question": odd}),
        http.get("/v1/profile", params={"subject": odd}),
        http.get("/v1/memories", params={"kind": odd}),
        http.get("/v1/memories", headers={"X-Geniffy-Space": odd}),
        http.get("/v1/files", params={"prefix": f"/{odd}"}),
    ):
        assert answer.status_code < 500
        assert THEIRS not in answer.text
    assert http.delete("/v1/sources", params={"external_id": f"{odd}!"}).status_code == 404
    assert mine.sources.delete_labelled({key: "red"}) == 0
    assert theirs.memories.list().total == 5


@pytest.mark.parametrize("way", ["note", "talk", "file"])
def test_labels_that_name_a_space_or_a_user_are_labels_and_nothing_more(
    client: Any, space: str, learned: Learned, way: str
) -> None:
    mine, victim = client.space(space), client.space("victim")
    labels = {"space": "victim", "user_id": "victim", "account_id": "1", "X-Geniffy-Space": "victim"}
    text = "Ana lives in Porto."
    if way == "note":
        source = learned(mine, mine.memories.add(text, labels=labels))
    elif way == "talk":
        source = learned(mine, mine.memories.add(messages=[{"role": "user", "content": text}], labels=labels))
    else:
        source = learned(mine, mine.files.put("/victim/a.md", text, labels=labels).source)

    assert dict(mine.sources.get(source.id).labels) == labels
    assert [one.text for one in mine.search("Where does Ana live?", labels=labels)] == [text]
    assert victim.memories.list().total == victim.sources.list().total == victim.files.list().total == 0
    assert "victim" not in [one["space"] for one in client.spaces()]


async def test_calls_in_many_spaces_at_once_never_meet(base_url: str, api_key: str) -> None:
    from geniffy import AsyncGeniffy

    async def live(client: AsyncGeniffy, name: str) -> list[str]:
        space = client.space(name)
        source = await space.memories.add(f"The {name} code is kept by Kim Park.")
        await space.sources.wait(source.id, timeout=60)
        found = [one.text for one in await space.search("Who keeps the code?", limit=50)]
        context = await space.context("Who keeps the code?")
        asked = await space.ask("Who keeps the code?")
        return [*found, str(context), str(asked.answer)]

    names = [f"user{number}-bird" for number in range(12)]
    async with AsyncGeniffy(api_key, base_url=base_url, max_retries=0) as client:
        told = await asyncio.gather(*(live(client, name) for name in names))

    for name, said in zip(names, told, strict=True):
        assert f"The {name} code" in said[0]
        assert not [other for other in names if other != name and other in " ".join(said)]
