"""Waiting for learning, and deleting by label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from geniffy_agents._flow import Policy
from geniffy_agents._request import Outcome, Reply, Sleep, Step
from geniffy_agents._sources import AsyncSources, Sources
from geniffy_agents.types import Source
from tests.sdk.capture import SOURCE, Wire, outcome


class Clock:
    """Time that passes only by being told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class LearningServer:
    """Holds every wait for `held_s`, then says that the source is still being read, until `learned_at`."""

    def __init__(self, clock: Clock, held_s: float, learned_at: float) -> None:
        self.clock, self.held_s, self.learned_at = clock, held_s, learned_at
        self.steps: list[str] = []

    def __call__(self, step: Step) -> Outcome | None:
        if isinstance(step, Sleep):
            self.steps.append(f"sleep {step.seconds:g}")
            self.clock.now += step.seconds
            return None
        asked = float(dict(step.params)["wait"])
        self.steps.append(f"wait {asked:g}")
        self.clock.now += min(asked, self.held_s, max(0.0, self.learned_at - self.clock.now))
        status = "learned" if self.clock.now >= self.learned_at else "reading"
        return Reply(200, {}, b'{"source": {"id": "a", "status": "%s"}}' % status.encode())

    async def later(self, step: Step) -> Outcome | None:
        return self(step)


@pytest.mark.parametrize(
    ("held_s", "learned_at", "longest_hold_s", "within_s", "steps", "done"),
    [
        (30.0, 4.0, 30.0, 120.0, ["wait 30"], True),
        (30.0, 70.0, 30.0, 120.0, ["wait 30", "wait 30", "wait 30"], True),
        (30.0, 999.0, 30.0, 45.0, ["wait 30", "wait 15"], False),
        (30.0, 999.0, 30.0, 0.0, ["wait 0"], False),
        (0.0, 5.0, 0.0, 120.0, ["wait 0", "sleep 2", "wait 0", "sleep 2", "wait 0", "sleep 2", "wait 0"], True),
        (0.0, 999.0, 30.0, 3.0, ["wait 3", "sleep 2", "wait 1", "sleep 1", "wait 0"], False),
        (30.0, 9.0, 5.0, 120.0, ["wait 5", "wait 5"], True),
    ],
)
async def test_waiting_lets_the_server_hold_the_call_and_ends_at_the_deadline(
    held_s: float, learned_at: float, longest_hold_s: float, within_s: float, steps: list[str], done: bool
) -> None:
    for asynchronous in (False, True):
        clock = Clock()
        server = LearningServer(clock, held_s, learned_at)
        policy = Policy(0, longest_hold_s, clock)
        sources = AsyncSources(server.later, policy) if asynchronous else Sources(server, policy)

        source = await outcome(sources.wait("a", timeout=within_s))

        assert server.steps == steps
        assert source.done is done


@pytest.mark.parametrize(
    ("timeout", "wait"), [(None, "30.0"), (60.0, "30.0"), (20.0, "15.0"), (5.0, "0.0"), (1.0, "0.0")]
)
def test_the_server_is_never_asked_to_hold_longer_than_this_client_waits(timeout: float | None, wait: str) -> None:
    from geniffy_agents import Geniffy

    wire = Wire()

    Geniffy("k", http_client=wire.http(timeout)).sources.wait("a")

    assert wire.sent[0].url.params["wait"] == wait


def test_a_source_can_be_waited_for_itself() -> None:
    wire = Wire()

    done = wire.client().sources.wait(Source.from_json(SOURCE), 5)

    assert done.status == "learned"
    assert wire.sent[0].url.path == f"/pre/v1/sources/{SOURCE['id']}"


@pytest.mark.parametrize(
    ("status", "done"), [("reading", False), ("waiting", False), ("learned", True), ("failed", True)]
)
def test_a_source_is_done_when_it_was_learned_or_failed(status: str, done: bool) -> None:
    assert Source.from_json({**SOURCE, "status": status}).done is done


def mailbox(total: int) -> Callable[[httpx.Request], httpx.Response]:
    """Sources `0` to `total - 1`; deleting one that was never there is 404, as is deleting `1`."""
    left = {str(n): f"ext-{n}" for n in range(total)}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            start = int(request.url.params["cursor"])
            rows = [{"id": n, "external_id": e} for n, e in left.items()]
            end = start + int(request.url.params["limit"])
            page = rows[start:end]
            return httpx.Response(200, json={"sources": page, "next": end if end < len(rows) else None})
        if request.url.path.endswith("/sources"):
            gone = list(left)[:100]
            for n in gone:
                del left[n]
            return httpx.Response(200, json={"sources_deleted": len(gone), "more": bool(left)})
        found = left.pop(request.url.path.rpartition("/")[2], None)
        if found in (None, "ext-1"):
            return httpx.Response(404, json={"error": {"code": "not_found", "message": "Gone."}})
        return httpx.Response(200, json={"deleted": True})

    answer.left = left  # type: ignore[attr-defined]
    return answer


@pytest.mark.parametrize("total", [0, 1, 100, 250])
async def test_deleting_by_label_goes_on_while_there_is_more(total: int) -> None:
    blocking, waiting = Wire(mailbox(total)), Wire(mailbox(total))

    assert await outcome(blocking.client().sources.delete_labelled({"channel": "gmail"})) == total
    assert await outcome(waiting.async_client().sources.delete_labelled({"channel": "gmail"})) == total
    assert blocking.lines == waiting.lines
    assert len(blocking.sent) == max(1, -(-total // 100))


async def test_deleting_by_label_leaves_exactly_what_is_to_be_kept() -> None:
    kept = {f"ext-{n}" for n in range(0, 250, 2)}
    for waits in (False, True):
        server = mailbox(250)
        wire = Wire(server)
        client: Any = wire.async_client() if waits else wire.client()

        deleted = await outcome(client.sources.delete_labelled({"channel": "gmail"}, keep=kept))

        assert set(server.left.values()) == kept  # type: ignore[attr-defined]
        assert deleted == 124  # of 125, one had been deleted by someone else meanwhile


@pytest.mark.parametrize("labels", [{}, {"channel": []}, {"channel": ["a"], "team": []}, None])
@pytest.mark.parametrize("keep", [None, set(), {"ext-1"}])
async def test_a_filter_that_picks_everything_deletes_nothing(labels: Any, keep: Any) -> None:
    wire = Wire(mailbox(3))

    for client in (wire.client(), wire.async_client()):
        with pytest.raises(ValueError, match="label"):
            await outcome(client.sources.delete_labelled(labels, keep=keep))
    assert wire.sent == []


@pytest.mark.parametrize("keep", ["ext-1", b"ext-1"])
def test_one_id_to_keep_is_not_read_letter_by_letter(keep: Any) -> None:
    wire = Wire(mailbox(3))

    with pytest.raises(TypeError, match="collection"):
        wire.client().sources.delete_labelled({"channel": "gmail"}, keep=keep)

    assert wire.sent == []


@pytest.mark.parametrize(
    "read",
    [
        lambda client, labels: client.search("q", labels=labels),
        lambda client, labels: client.context("q", labels=labels),
        lambda client, labels: client.ask("q", labels=labels),
        lambda client, labels: client.memories.list(labels=labels),
        lambda client, labels: client.sources.list(labels=labels),
        lambda client, labels: client.brief(labels=labels),
    ],
)
def test_a_label_without_a_value_is_refused_rather_than_read_as_no_filter(read: Any) -> None:
    wire = Wire()

    with pytest.raises(ValueError, match="'channel' names no value"):
        read(wire.client(), {"channel": []})

    assert wire.sent == []


@pytest.mark.parametrize("values", [("a", "b"), ["a", "b"], {"a": 1, "b": 2}.keys()])
def test_the_values_of_a_label_may_come_in_any_collection(values: Any) -> None:
    wire = Wire()

    wire.client().sources.list(labels={"channel": values})
    wire.client().ask("q", labels={"channel": values})

    assert wire.sent[0].url.params.get_list("label") == ["channel:a", "channel:b"]
    assert wire.lines[1].endswith('{"labels": {"channel": ["a", "b"]}, "question": "q"}')


@pytest.mark.parametrize("names", [{}, {"source_id": "a", "external_id": "e"}])
def test_a_source_is_named_by_one_of_its_ids(names: dict[str, str]) -> None:
    wire = Wire()

    for call in (wire.client().sources.get, wire.client().sources.delete):
        with pytest.raises(TypeError, match="one of the two"):
            call(**names)
    assert wire.sent == []


def test_an_external_id_that_names_nothing_is_not_found() -> None:
    from geniffy_agents import NotFoundError

    wire = Wire(lambda request: httpx.Response(200, json={"sources": [], "total": 0, "next": None}))

    with pytest.raises(NotFoundError) as raised:
        wire.client().sources.get(external_id="x")

    assert (raised.value.status, raised.value.code) == (404, "not_found")
