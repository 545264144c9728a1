"""`GeniffyStore` over the real server: LangGraph's semantics, search through recall, and a server that is away."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from geniffy_agents import APIConnectionError, BadRequestError, ChangedError, Geniffy, InternalServerError
from geniffy_langchain import GeniffyStore

ANA = ("users", "ana")
NOOR = ("users", "noor")


class Either:
    """A store called blocking or awaited: `await either.put(...)`."""

    def __init__(self, store: Any, is_blocking: bool) -> None:
        self.store, self._is_blocking = store, is_blocking

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any, **options: Any) -> Any:
            if self._is_blocking:
                return getattr(self.store, name)(*args, **options)
            return await getattr(self.store, f"a{name}")(*args, **options)

        return call


@pytest.fixture
def made(way: Any, space: str) -> Any:
    """Makes stores: `made()`, `made(space=..., on_error=...)`."""

    def make(**options: Any) -> Either:
        return Either(GeniffyStore(**{"space": space, **way.clients, **options}), way.name == "blocking")

    return make


@pytest.fixture
def store(made: Any) -> Either:
    return made()


async def test_an_item_comes_back_exactly_with_when_it_was_made_and_changed(store: Either) -> None:
    value = {"text": "  Füße\r\n\t😀 \u0000 \ud800", "n": 1.5, "deep": {"list": [1, None, True]}, "": ""}

    assert await store.get(ANA, "k") is None
    await store.put(ANA, "k", value)
    first = await store.get(ANA, "k")
    await store.put(ANA, "k", {"text": "new"})
    second = await store.get(ANA, "k")

    assert (first.value, first.key, first.namespace) == (value, "k", ANA)
    assert second.value == {"text": "new"}
    assert first.created_at == second.created_at == first.updated_at < second.updated_at


@pytest.mark.parametrize("key", ["", "a/b", "..", "%2e", "~x", "k" * 300, "日本 語", 7])
async def test_any_key_and_any_label_is_an_item_of_its_own(store: Either, key: Any) -> None:
    namespace = ("a/b", "%2F~", "l" * 300, " ")

    await store.put(namespace, key, {"n": 1})
    await store.put(("a", "b"), key, {"n": 2})

    found = await store.get(namespace, key)
    assert (found.namespace, found.key, found.value) == (namespace, str(key), {"n": 1})
    assert sorted(await store.list_namespaces()) == sorted([namespace, ("a", "b")])
    (item,) = await store.search(namespace[:3])
    assert item.namespace == namespace


async def test_what_is_deleted_is_gone_and_to_delete_nothing_is_no_error(store: Either, mem: Geniffy) -> None:
    await store.put(ANA, "k", {"text": "Ana lives in Porto."})
    await store.delete(ANA, "k")
    await store.delete(ANA, "k")

    assert await store.get(ANA, "k") is None
    assert await store.search(()) == []
    assert await store.list_namespaces() == []
    assert mem.sources.list().total == 0


async def test_without_a_query_the_newest_come_first_in_pages(store: Either) -> None:
    for number in range(5):
        await store.put(("n", str(number % 2)), str(number), {"n": number})
    await store.put(("n", "0"), "0", {"n": 0})

    async def keys(prefix: tuple[str, ...], **options: Any) -> list[str]:
        return [item.key for item in await store.search(prefix, **options)]

    assert await keys(("n",)) == ["0", "4", "3", "2", "1"]
    assert await keys(("n",), limit=2, offset=1) == ["4", "3"]
    assert await keys(("n", "1")) == ["3", "1"]
    assert await keys(("n",), filter={"n": {"$gte": 2}}, limit=2, offset=1) == ["3", "2"]
    assert await keys(("n",), limit=0) == []
    assert await keys(("n",), offset=9) == []
    assert await keys(("n", "01")) == []
    assert [item.score for item in await store.search(("n",))] == [None] * 5


async def test_in_a_batch_reads_see_what_was_there_before_and_the_last_write_wins(made: Any) -> None:
    store = made()
    await store.put(ANA, "k", {"n": 0})
    ops: list[Op] = [
        PutOp(ANA, "k", {"n": 1}),
        GetOp(ANA, "k"),
        PutOp(ANA, "k", {"n": 2}),
        PutOp(NOOR, "k", {"n": 3}),
        SearchOp(("users",)),
        ListNamespacesOp((MatchCondition("prefix", ("users", "*")),)),
    ]

    results = await store.batch(ops)

    assert [results[position] for position in (0, 2, 3)] == [None] * 3
    assert results[1].value == {"n": 0}
    assert [item.value for item in results[4]] == [{"n": 0}]
    assert results[5] == [ANA]
    assert (await store.get(ANA, "k")).value == {"n": 2}
    assert await store.batch([]) == []


NAMES = [("a",), ("a", "b"), ("a", "b", "c"), ("d",)]
KEYS = st.tuples(st.sampled_from(NAMES), st.sampled_from("xyz"))
MOVES = st.lists(
    st.one_of(
        st.tuples(KEYS, st.none() | st.fixed_dictionaries({"n": st.integers(0, 3)})).map(
            lambda it: PutOp(*it[0], it[1])
        ),
        KEYS.map(lambda it: GetOp(*it)),
        st.tuples(st.sampled_from([(), *NAMES, ("z",)]), st.sampled_from([None, {"n": {"$gt": 1}}])).map(
            lambda it: SearchOp(*it, limit=100)
        ),
        st.sampled_from([None, 1, 2]).map(lambda depth: ListNamespacesOp(max_depth=depth)),
    ),
    min_size=5,
    max_size=20,
)


@settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # to shrink a course takes minutes over a server
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(course=MOVES)
def test_any_course_of_operations_comes_to_what_langgraphs_own_store_comes_to(
    ours: Geniffy, course: Sequence[Op]
) -> None:
    mine: Any = GeniffyStore(space=uuid4().hex, client=ours)
    theirs: Any = InMemoryStore()

    for op in course:
        (came,), (expected,) = mine.batch([op]), theirs.batch([op])
        if isinstance(op, ListNamespacesOp):
            # Theirs goes on listing a namespace that holds nothing any more.
            assert came == sorted({item.namespace[: op.max_depth] for item in theirs.search((), limit=100)})
        else:
            assert _plain(came) == _plain(expected)


def _plain(result: Any) -> Any:
    if isinstance(result, list):
        return sorted((_plain(each) for each in result), key=repr)
    return (result.namespace, result.key, result.value) if isinstance(result, Item) else result


async def test_a_query_finds_items_by_what_they_say_best_first(store: Either) -> None:
    await store.put(ANA, "tea", {"kind": "Memory", "content": {"content": "Ana prefers green tea to coffee."}})
    await store.put(ANA, "home", {"text": "Ana lives in Porto with her son."})
    await store.put(NOOR, "home", {"text": "Noor lives in Amman."})
    await store.put(ANA, "food", {"dish": "pizza", "place": "Roma"})

    first, *others = await store.search(ANA, query="What does Ana like to drink?")
    assert (first.key, first.value["kind"]) == ("tea", "Memory")
    assert {item.key for item in others} == {"home", "food"}
    assert 1 > first.score > max(item.score or 0 for item in others)
    assert (await store.search(ANA, query="Where is her home?"))[0].key == "home"
    assert (await store.search(("users",), query="pizza"))[0].key == "food"
    assert [item.namespace for item in await store.search(("users",), query="Who lives in Amman?", limit=1)] == [NOOR]


async def test_a_query_has_filters_and_pages(store: Either) -> None:
    for number, city in enumerate(("Porto", "Rome", "Oslo", "Amman")):
        await store.put(ANA, city, {"text": f"Ana has been to {city} in {2020 + number}.", "n": number})

    every = [item.key for item in await store.search(ANA, query="Where has Ana been?")]
    pages = [await store.search(ANA, query="Where has Ana been?", limit=2, offset=offset) for offset in (0, 2)]

    assert [item.key for page in pages for item in page] == every
    assert sorted(every) == ["Amman", "Oslo", "Porto", "Rome"]
    some = await store.search(ANA, query="Where has Ana been?", filter={"n": {"$gt": 1}})
    assert {item.key for item in some} == {"Oslo", "Amman"}


def test_a_namespace_is_searched_as_if_it_were_alone(ours: Geniffy, space: str) -> None:
    store = GeniffyStore(space=space, client=ours, learning_wait_s=30.0)
    store.put(ANA, "tea", {"text": "Ana drinks tea at home."})
    store.batch([PutOp(NOOR, str(n), {"text": f"Noor drank tea in cafe number {n}."}) for n in range(110)])

    (item,) = store.search(ANA, query="In which cafe did Noor drink tea?")

    assert (item.key, item.score is not None) == ("tea", True)


async def test_items_that_say_the_same_are_each_found_though_it_is_one_memory(store: Either, mem: Geniffy) -> None:
    for namespace in (ANA, NOOR):
        await store.put(namespace, "tea", {"text": "Prefers green tea to coffee."})
        await store.put(namespace, "other", {"text": "Was at the dentist on Monday."})

    for namespace in (ANA, NOOR):
        first, _ = await store.search(namespace, query="tea or coffee?")
        assert (first.namespace, first.key) == (namespace, "tea")
        assert first.score is not None
    assert [memory.text for memory in mem.memories.list().memories].count("Prefers green tea to coffee.") == 1


@pytest.mark.parametrize("query", ["\x1b", "???", "a\ud800\x00b", "word " * 2_000])
async def test_any_query_can_be_asked(store: Either, query: str) -> None:
    await store.put(ANA, "k", {"text": "Ana lives in Porto."})

    assert [item.key for item in await store.search(ANA, query=query)] == ["k"]


async def test_what_recall_does_not_find_follows_without_a_score(store: Either) -> None:
    await store.put(ANA, "home", {"text": "Ana lives in Porto."})
    await store.put(ANA, "hidden", {"text": "Ana lives in a tower."}, index=False)
    await store.put(ANA, "draft", {"text": "Nothing of it", "about": "a boat"}, index=False)

    found = await store.search(ANA, query="Where does Ana live?")

    assert found[0].key == "home"
    assert {item.key: item.score for item in found[1:]} == {"hidden": None, "draft": None}


async def test_only_the_indexed_fields_are_learned(made: Any, mem: Geniffy, learned: Any) -> None:
    store = made(index=["text"])
    await store.put(ANA, "k", {"text": "Ana lives in Porto.", "note": "Her code name is Falcon."})
    await store.put(ANA, "own", {"text": "Noor is in Amman.", "note": "The gate is green."}, index=["note"])
    await store.put(ANA, "none", {"text": "It rained all day."}, index=False)
    for source in mem.sources.list().sources:
        learned(mem, source)

    assert {memory.text for memory in mem.memories.list().memories} == {"Ana lives in Porto.", "The gate is green."}


async def test_what_an_item_says_is_recalled_with_everything_else_and_goes_with_it(
    store: Either, mem: Geniffy, learned: Any
) -> None:
    await store.put(ANA, "home", {"text": "Ana lives in Porto."})
    learned(mem, mem.sources.list().sources[0])

    assert "Ana lives in Porto.  [/store/users/ana/home.md, " in mem.context("Where does Ana live?")
    await store.put(ANA, "home", {"text": "Ana lives in Rome."})
    learned(mem, mem.sources.list().sources[0])
    assert "Porto" not in mem.context("Where does Ana live?")
    await store.delete(ANA, "home")
    assert mem.memories.list().total == 0


async def test_many_writers_at_once_lose_no_item_and_tear_none(made: Any, ours: Geniffy, space: str) -> None:
    values = [{"writer": number, "text": f"Writer {number} was here. " * 20} for number in range(8)]
    store = made()
    if store._is_blocking:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda value: store.store.put(ANA, "shared", value), values))
            list(pool.map(lambda value: store.store.put(ANA, str(value["writer"]), value), values))
    else:
        await asyncio.gather(*(store.put(ANA, "shared", value) for value in values))
        await asyncio.gather(*(store.put(ANA, str(value["writer"]), value) for value in values))

    held = {item.key: item.value for item in await store.search(ANA, limit=20)}
    assert held.pop("shared") in values
    assert held == {str(number): value for number, value in enumerate(values)}


async def test_a_store_in_another_process_sees_each_change_at_once(made: Any) -> None:
    one, other = made(), made()

    await one.put(ANA, "k", {"n": 1})
    assert [item.value for item in await other.search(ANA)] == [{"n": 1}]
    await one.put(ANA, "k", {"n": 2})
    assert [item.value for item in await other.search(ANA)] == [{"n": 2}]
    await one.delete(ANA, "k")
    assert await other.search(ANA) == []


async def test_a_function_names_the_space_by_the_namespace(made: Any, ours: Geniffy, space: str) -> None:
    store = made(space=lambda namespace: f"{space}-{namespace[1]}")

    await store.put(ANA, "k", {"text": "Ana lives in Porto."})
    await store.put(NOOR, "k", {"text": "Noor lives in Amman."})

    assert {one["space"] for one in ours.spaces()} == {f"{space}-ana", f"{space}-noor"}
    assert [item.namespace for item in await store.search(ANA, query="Who lives in Amman?")] == [ANA]
    assert await store.list_namespaces(prefix=("users", "noor")) == [NOOR]


@pytest.mark.parametrize("missing", [None, "", " "])
async def test_a_namespace_that_names_no_user_is_refused_before_any_call(
    made: Any, ours: Geniffy, missing: str | None
) -> None:
    store = made(space=lambda namespace: missing)

    for call in (
        store.put(ANA, "k", {"n": 1}),
        store.get(ANA, "k"),
        store.search(ANA, query="x"),
        store.delete(ANA, "k"),
        store.list_namespaces(),
    ):
        with pytest.raises(InvalidNamespaceError, match="names no user"):
            await call
    assert ours.spaces() == []
    assert ours.files.list("/").total == 0


async def test_what_langgraph_refuses_is_refused(store: Either) -> None:
    for namespace in ((), ("a.b",), ("",), ("langgraph",), ("a\x00",)):
        with pytest.raises(InvalidNamespaceError):
            await store.put(namespace, "k", {"n": 1})
    with pytest.raises(InvalidNamespaceError):
        await store.batch([GetOp(("a.b",), "k")])
    with pytest.raises(NotImplementedError, match="TTL"):
        await store.put(ANA, "k", {"n": 1}, ttl=1.0)
    with pytest.raises(ValueError, match="neither"):
        await store.batch(["get"])
    with pytest.raises(TypeError):
        await store.batch([PutOp(ANA, "good", {"n": 1}), PutOp(ANA, "bad", {"n": {1, 2}})])

    assert await store.search(()) == []


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, TypeError),
        ({"space": " "}, ValueError),
        ({"space": True}, TypeError),
        ({"space": "a", "index": "x"}, TypeError),
    ],
)
def test_what_can_not_be_is_refused_when_it_is_made(options: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        GeniffyStore(**options)


async def test_a_server_that_is_away_never_stops_a_run(made: Any, way: Any, away: str) -> None:
    store = made(**way.of(away, max_retries=0))

    assert await store.get(ANA, "k") is None
    assert await store.search(ANA) == []
    await store.put(ANA, "other", {"n": 1})
    assert await store.list_namespaces() == []
    assert (await store.get(ANA, "other")).value == {"n": 1}


async def test_an_on_error_that_raises_makes_errors_raise(made: Any, way: Any, away: str) -> None:
    def raising(error: Exception) -> None:
        raise error

    store = made(on_error=raising, **way.of(away, max_retries=0))

    for call in (store.get(ANA, "k"), store.search(ANA), store.put(ANA, "k", {"n": 1}), store.list_namespaces()):
        with pytest.raises(APIConnectionError):
            await call


@pytest.mark.parametrize("read", ["get", "search"])
async def test_what_could_not_be_read_is_not_written_over(
    made: Any, way: Any, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    store = made(on_error=way.faults.append)
    await store.put(ANA, "k", {"n": 0})
    with monkeypatch.context() as broken:
        for name in ("get", "iterate"):
            broken.setattr(f"geniffy_agents._files.FilesCalls.{name}.flow", _raises)
        assert not await (store.get(ANA, "k") if read == "get" else store.search(ANA))

    await store.put(ANA, "k", {"n": 1})
    await store.put(ANA, "new", {"n": 1})
    assert [type(fault) for fault in way.faults] == [APIConnectionError, ChangedError]
    found = await store.search(ANA)
    assert {item.key: item.value for item in found} == {"k": {"n": 0}, "new": {"n": 1}}

    assert (await store.get(ANA, "k")).value == {"n": 0}
    await store.put(ANA, "k", {"n": 2})
    assert (await store.get(ANA, "k")).value == {"n": 2}


@pytest.mark.parametrize("shown_by", ["get", "search", "put"])
async def test_what_was_read_or_written_since_may_be_written_over(
    made: Any, way: Any, monkeypatch: pytest.MonkeyPatch, shown_by: str
) -> None:
    store = made(on_error=way.faults.append)
    if shown_by != "put":
        await store.put(ANA, "k", {"n": 0})
    with monkeypatch.context() as broken:
        broken.setattr("geniffy_agents._files.FilesCalls.iterate.flow", _raises)
        broken.setattr("geniffy_agents._files.FilesCalls.get.flow", _raises)
        await store.search(("users",))
        await store.get(ANA, "k")

    if shown_by == "get":
        assert (await store.get(ANA, "k")).value == {"n": 0}
    elif shown_by == "search":
        assert [item.value for item in await store.search(ANA)] == [{"n": 0}]
    else:
        await store.put(ANA, "k", {"n": 0})
    await store.put(ANA, "k", {"n": 1})

    assert (await store.get(ANA, "k")).value == {"n": 1}
    assert {type(fault) for fault in way.faults} == {APIConnectionError}


async def test_a_write_that_is_held_is_read_from_here_also_when_reading_works(
    made: Any, way: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = made(on_error=way.faults.append)
    await store.put(ANA, "k", {"n": 0})
    await store.put(ANA, "gone", {"n": 0})

    with monkeypatch.context() as broken:
        for name in ("put", "delete"):
            broken.setattr(f"geniffy_agents._files.FilesCalls.{name}.flow", _fails)
        await store.put(ANA, "k", {"n": 1})
        await store.delete(ANA, "gone")
        assert (await store.get(ANA, "k")).value == {"n": 1}
        assert await store.get(ANA, "gone") is None

    assert [item.value for item in await store.search(ANA)] == [{"n": 1}]


async def test_a_held_write_that_was_read_from_here_may_be_written_over(
    made: Any, way: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = made(on_error=way.faults.append)
    await store.put(ANA, "k", {"n": 0})

    with monkeypatch.context() as broken:
        for name in ("get", "put", "iterate"):
            broken.setattr(f"geniffy_agents._files.FilesCalls.{name}.flow", _raises)
        await store.put(ANA, "k", {"n": 1})
        assert (await store.get(ANA, "k")).value == {"n": 1}
        assert await store.search(ANA) == []
        await store.put(ANA, "k", {"n": 2})

    assert (await store.get(ANA, "k")).value == {"n": 2}
    assert {type(fault) for fault in way.faults} == {APIConnectionError}


async def test_what_is_held_waits_for_the_server_once_a_call_however_much_it_is(
    made: Any, way: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, tried = made(on_error=way.faults.append), list[str]()

    def put(files: Any, path: str, *args: Any, **options: Any) -> Any:
        tried.append(path)
        return _raises()

    with monkeypatch.context() as broken:
        for name in ("get", "iterate"):
            broken.setattr(f"geniffy_agents._files.FilesCalls.{name}.flow", _raises)
        broken.setattr("geniffy_agents._files.FilesCalls.put.flow", put)
        for number in range(20):
            await store.put(ANA, str(number), {"n": number})
        tried.clear()
        way.faults.clear()
        assert await store.search(ANA) == []
        assert len(tried) < 10
        assert len(way.faults) < 10

    assert len(await store.search(ANA, limit=30)) == 20


def test_what_is_held_survives_an_interruption(ours: Geniffy, space: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = GeniffyStore(space=space, client=ours, on_error=lambda error: None)
    with monkeypatch.context() as broken:
        for name in ("get", "put"):
            broken.setattr(f"geniffy_agents._files.FilesCalls.{name}.flow", _raises)
        store.put(ANA, "k", {"n": 1})
        store.put(ANA, "other", {"n": 2})
        broken.setattr("geniffy_agents._files.FilesCalls.get.flow", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.get(ANA, "k")

    assert {item.key for item in store.search(ANA)} == {"k", "other"}


async def test_with_on_error_the_run_goes_on_and_what_was_not_written_goes_with_the_next_call(
    made: Any, way: Any, mem: Geniffy, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = made(on_error=way.faults.append)
    await store.put(ANA, "old", {"n": 0})

    with monkeypatch.context() as broken:
        for name in ("get", "put", "delete", "iterate"):
            broken.setattr(f"geniffy_agents._files.FilesCalls.{name}.flow", _raises)
        await store.put(ANA, "k", {"n": 1})
        await store.put(ANA, "k", {"n": 2})
        await store.delete(ANA, "old")
        assert (await store.get(ANA, "k")).value == {"n": 2}
        assert await store.get(ANA, "old") is None
        assert await store.search(ANA) == []
        assert await store.list_namespaces() == []
    assert {type(fault) for fault in way.faults} == {APIConnectionError}
    assert mem.files.list("/").total == 1

    assert [item.value for item in await store.search(ANA)] == [{"n": 2}]
    assert [file.path for file in mem.files.list("/").files] == ["/store/users/ana/k.md"]


def _raises(*args: Any, **options: Any) -> Any:
    raise APIConnectionError("Away.")
    yield


def _fails(*args: Any, **options: Any) -> Any:
    raise InternalServerError("The disk is full.", status=500)
    yield


def _interrupted(*args: Any, **options: Any) -> Any:
    raise KeyboardInterrupt
    yield


async def test_with_on_error_what_the_server_refuses_is_not_tried_again(made: Any, way: Any) -> None:
    store = made(on_error=way.faults.append)

    await store.put(ANA, "long", {"text": "x" * 2_000_001})
    await store.put(ANA, "k", {"n": 1})

    (fault,) = way.faults
    assert isinstance(fault, BadRequestError)
    assert [item.key for item in await store.search(ANA)] == ["k"]


async def test_an_older_files_folder_of_someone_else_is_left_alone(store: Either, mem: Geniffy) -> None:
    mem.files.put("/store/users/ana/readme.md", "Not an item.")
    mem.files.put("/memories/notes.md", "Ana lives in Porto.")

    assert await store.get(ANA, "readme") is None
    assert await store.search((), query="Where does Ana live?") == []
    await store.put(ANA, "k", {"n": 1})
    assert [item.key for item in await store.search(())] == ["k"]
