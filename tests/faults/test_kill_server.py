"""A server that is killed again and again while people write to it and it learns loses nothing it acknowledged."""

from __future__ import annotations

import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from pysqlite3 import dbapi2

from tests.cases.conftest import traces_in
from tests.conftest import LEARNING_S
from tests.faults.people import SPACE, Held, Known, People
from tests.faults.restarting import key_of, restarting, soon

KILLS = 20
MOST_KILLS = 3 * KILLS
CLIENTS = 5


async def test_nothing_that_was_acknowledged_is_lost_and_nothing_forgotten_comes_back(tmp_path: Path) -> None:
    data, chance = tmp_path / "data", random.Random(20)
    with restarting(data, tmp_path / "log") as server:
        server.start()
        keys = await asyncio.to_thread(lambda: list(keys_of(data, server.base_url)))
        people = People(server.base_url, keys[1:], chance)
        kills = 0
        # The fastest clients get the most done before a kill: go on until the slowest too was answered in time.
        while kills < KILLS or (kills < MOST_KILLS and not (put_right(people.known) and people.known.forgotten)):
            if kills:
                await asyncio.to_thread(server.start)
            kills += 1
            enough = asyncio.create_task(people.answered(chance.randrange(5, 25)))
            working = asyncio.create_task(people.work())
            await asyncio.wait([working, enough], timeout=LEARNING_S, return_when=asyncio.FIRST_COMPLETED)
            assert not working.done(), working.exception()
            assert enough.done(), "too little was answered"
            # The kill meets any moment of what goes on then: a write, learning, a scrub.
            await asyncio.wait([working], timeout=chance.uniform(0.0, 0.1))
            await asyncio.to_thread(server.kill, with_children=chance.random() < 0.5)
            await working
        await asyncio.to_thread(server.start)
        with opened(server.base_url, keys[0]) as http:
            await asyncio.to_thread(all_learned, http)
            await asyncio.to_thread(as_known, http, people.known)
        assert await asyncio.to_thread(soon_cleaned, data, people.known.forgotten)

    assert "Traceback" not in (tmp_path / "log").read_text()
    sound(data, people.known)
    assert people.known.lost == kills * CLIENTS
    assert people.known.forgotten
    assert put_right(people.known)


def put_right(known: Known) -> list[Held]:
    """What was corrected for certain."""
    return [held for held in known.corrected.values() if "Wrong" not in str(held.possible)]


def opened(base_url: str, key: str) -> httpx.Client:
    """Plain HTTP in the space that everyone writes to."""
    headers = {"Authorization": f"Bearer {key}", "X-Geniffy-Space": SPACE}
    return httpx.Client(base_url=base_url, headers=headers, timeout=60.0)


def keys_of(data: Path, base_url: str) -> Iterator[str]:
    """A key of the whole account, and then one for each client."""
    made = key_of(data)
    yield made
    with opened(base_url, made) as http:
        for _ in range(CLIENTS):
            yield http.post("/v1/keys", json={}).json()["key"]


def every(http: httpx.Client, what: str) -> list[dict[str, Any]]:
    """All memories, or all sources."""
    found: list[dict[str, Any]] = []
    cursor: int | None = 0
    while cursor is not None:
        page = http.get(f"/v1/{what}", params={"limit": 200, "cursor": cursor}).json()
        found, cursor = [*found, *page[what]], page["next"]
    return found


def all_learned(http: httpx.Client) -> None:
    assert soon(lambda: all(one["status"] != "reading" for one in every(http, "sources")))
    assert {one["status"] for one in every(http, "sources")} == {"learned"}


def as_known(http: httpx.Client, known: Known) -> None:
    """Every acknowledged write is there; one that was not is there whole, or not at all."""
    sources = {one["external_id"]: one["id"] for one in every(http, "sources")}
    memories = every(http, "memories")
    taught: dict[str, set[str]] = defaultdict(set)
    for memory in memories:
        taught[memory["source"]["id"]].add(memory["text"])
    texts = [memory["text"] for memory in memories]

    for name, held in known.notes.items():
        state = frozenset(taught[sources[name]]) if name in sources else None
        assert state in held.possible, name
    for path, held in known.files.items():
        answer = http.get("/v1/files", params={"path": path})
        text = answer.json()["text"] if answer.status_code == 200 else None
        assert text in held.possible, path
        said = {line.removeprefix("- ") for line in text.splitlines() if "lives in" in line} if text else set()
        source = sources.get(f"file:{path}")
        assert (source is None) == (text is None), path
        assert taught.get(source or "", set()) == said, path
    for name, talk in known.talks.items():
        said = taught[sources[name]] if name in sources else set()
        assert {turn for turn, is_certain in talk.turns if is_certain} <= said <= {turn for turn, _ in talk.turns}
    for name, held in known.corrected.items():
        state = frozenset(text for text in texts if name in text) or None
        assert state in held.possible, name
    told = json.dumps(http.get("/v1/export").json())
    assert not [statement for statement in known.forgotten if statement in told]


def soon_cleaned(data: Path, forgotten: set[str]) -> bool:
    """No byte of the store tells what was forgotten, once the scrubs that killed servers owed are done."""
    return soon(lambda: not traces_in(data, *(statement.encode() for statement in forgotten)), every_s=1.0)


CHECKS = {
    "the database is whole": "SELECT * FROM pragma_integrity_check WHERE integrity_check != 'ok'",
    "every row belongs to what it names": "SELECT * FROM pragma_foreign_key_check",
    "nothing waits to be learned": "SELECT * FROM jobs",
    "every passage was learned": "SELECT * FROM passages WHERE NOT learned",
    "every memory has a vector": """
        SELECT id FROM memories LEFT JOIN memory_vectors ON memory_id = id WHERE coalesce(length(vec), 0) != 768""",
    "every memory has a line": "SELECT id FROM memories WHERE id NOT IN (SELECT memory_id FROM memory_lines)",
    "the line that is shown is there": """
        SELECT id FROM memories
        WHERE NOT EXISTS (SELECT 1 FROM memory_lines WHERE memory_id = id AND n = first_line)""",
    "every quote stands in its source": """
        SELECT quote FROM memory_lines l JOIN passages p ON p.id = l.passage_id
        LEFT JOIN source_texts x ON x.source_id = l.source_id
        LEFT JOIN turns t ON t.source_id = l.source_id AND t.position = p.turn
        WHERE substr(CASE WHEN p.turn IS NULL THEN x.text ELSE t.text END, p.start + l.start + 1, l."end" - l.start)
            IS NOT quote""",
    "nothing is held twice": """
        SELECT statement FROM memories WHERE status IN ('current', 'clash') GROUP BY space_id, statement
        HAVING count(*) > 1""",
    "every file has its text": "SELECT path FROM files WHERE source_id NOT IN (SELECT source_id FROM source_texts)",
    "every size is that of its text": """
        SELECT path FROM files JOIN source_texts USING (source_id) WHERE size != length(text)""",
}


def sound(data: Path, known: Known) -> None:
    """The rows hang together."""
    store = dbapi2.connect(str(data / "main.db"))
    try:
        assert {name: found for name, sql in CHECKS.items() if (found := store.execute(sql).fetchall())} == {}
        for name, talk in known.talks.items():
            turns = "SELECT text FROM turns JOIN sources USING (space_id) WHERE id = source_id AND external_id = ?"
            rows = store.execute(f"{turns} AND role = 'user' ORDER BY position", (name,))
            in_order = iter(talk.turns)
            for (text,) in rows:  # each once, in their order, and none that was acknowledged left out
                for said, is_certain in in_order:
                    if said == text:
                        break
                    assert not is_certain, said
                else:
                    raise AssertionError(f"{text} stands in {name} where nobody said it")
            assert not [said for said, is_certain in in_order if is_certain]
    finally:
        store.close()
