"""Calls as flows: written once, run by either client."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import pytest

from geniffy_agents._flow import (
    Async,
    Calls,
    Flow,
    Item,
    Policy,
    Stream,
    Sync,
    call,
    exchange,
    run,
    run_async,
    stream,
)
from geniffy_agents._request import Outcome, Reply, Request, Sleep, Step, Unreached
from geniffy_agents.errors import APIConnectionError, GeniffyError, InternalServerError, NotFoundError

POLICY = Policy(max_retries=2, longest_hold_s=30.0, clock=lambda: 0.0, jitter=lambda: 0.5)
FINE = Reply(200, {}, b'{"ok": true}')


class Script:
    """Performs steps from a list of outcomes and notes them."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.left = list(outcomes)
        self.steps: list[Step] = []

    def __call__(self, step: Step) -> Outcome | None:
        self.steps.append(step)
        return None if isinstance(step, Sleep) else self.left.pop(0)

    async def later(self, step: Step) -> Outcome | None:
        return self(step)


def sent(steps: Sequence[Step]) -> list[str]:
    return [f"sleep {step.seconds}" if isinstance(step, Sleep) else step.method for step in steps]


class Counting(Calls):
    @call
    def size(self, path: str) -> Flow[int]:
        """How many characters."""
        reply = yield from self._send("GET", "/v1/files", params=[("path", path)])
        return int(reply.body["size"])

    @stream
    def sizes(self, *paths: str) -> Stream[int]:
        for path in paths:
            reply = yield from self._send("GET", path)
            yield Item(int(reply.body["size"]))


class Blocking(Counting, Sync): ...


class Awaited(Counting, Async): ...


def test_a_reply_that_succeeded_is_handed_on() -> None:
    script = Script(FINE)

    assert run(exchange(Request("GET", "/v1/me"), POLICY), script).body == {"ok": True}
    assert sent(script.steps) == ["GET"]


def test_a_read_is_sent_again_until_it_succeeds() -> None:
    script = Script(Reply(503, {}, b""), Unreached("broke", opened=True), FINE)

    run(exchange(Request("GET", "/v1/me"), POLICY), script)

    assert sent(script.steps) == ["GET", "sleep 0.5", "GET", "sleep 1.0", "GET"]


def test_the_last_answer_is_raised_when_the_attempts_are_used_up() -> None:
    script = Script(
        *[Reply(503, {"retry-after": "2"}, b'{"error":{"code":"memory_unavailable","message":"Down."}}')] * 3
    )

    with pytest.raises(InternalServerError, match=r"^Down\.$"):
        run(exchange(Request("GET", "/v1/me"), POLICY), script)

    assert sent(script.steps) == ["GET", "sleep 2.0", "GET", "sleep 2.0", "GET"]


@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize("outcome", [Reply(500, {}, b""), Reply(503, {}, b""), Unreached("broke", opened=True)])
def test_an_add_is_never_sent_twice_once_it_may_have_arrived(method: str, outcome: Outcome) -> None:
    script = Script(outcome)

    with pytest.raises(GeniffyError):
        run(exchange(Request(method, "/v1/memories", json={}), POLICY), script)  # type: ignore[arg-type]

    assert sent(script.steps) == [method]


@pytest.mark.parametrize(
    ("earlier", "is_repeated"),
    [
        (Unreached("broke", opened=True), True),
        (Reply(504, {}, b""), True),
        (Unreached("nobody", opened=False), False),
        (Reply(429, {}, b""), False),
    ],
)
def test_an_error_says_whether_the_call_was_sent_before_and_may_have_arrived(
    earlier: Outcome, is_repeated: bool
) -> None:
    script = Script(earlier, Reply(404, {}, b'{"error":{"code":"not_found","message":"No."}}'))

    with pytest.raises(NotFoundError) as missing:
        run(exchange(Request("DELETE", "/v1/files"), POLICY), script)

    assert missing.value.is_repeated is is_repeated


def test_an_add_that_never_left_is_sent_again() -> None:
    script = Script(Unreached("refused", opened=False), Reply(429, {"retry-after": "1"}, b""), FINE)

    run(exchange(Request("POST", "/v1/memories", json={}), POLICY), script)

    assert sent(script.steps) == ["POST", "sleep 0.5", "POST", "sleep 1.0", "POST"]


def test_no_answer_at_all_is_a_connection_error_with_the_reason() -> None:
    with pytest.raises(APIConnectionError, match=r"^Nothing answers\.$"):
        run(exchange(Request("POST", "/x"), POLICY), Script(Unreached("Nothing answers.", opened=True)))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_an_error_and_not_an_empty_result(status: int) -> None:
    with pytest.raises(GeniffyError, match="redirect"):
        run(exchange(Request("GET", "/v1/me"), POLICY), Script(Reply(status, {"location": "/x"}, b"")))


async def test_one_body_serves_both_clients() -> None:
    reply = Reply(200, {}, b'{"size": 40}')

    assert Blocking(Script(reply), POLICY).size("/a") == 40
    assert await Awaited(Script(reply).later, POLICY).size("/a") == 40


async def test_a_stream_is_an_iterator_on_one_client_and_asynchronous_on_the_other() -> None:
    replies = [Reply(200, {}, b'{"size": %d}' % size) for size in (1, 2)]

    assert list(Blocking(Script(*replies), POLICY).sizes("/a", "/b")) == [1, 2]
    assert [size async for size in Awaited(Script(*replies).later, POLICY).sizes("/a", "/b")] == [1, 2]


def test_a_stream_asks_for_no_more_than_is_read() -> None:
    script = Script(Reply(200, {}, b'{"size": 1}'))

    assert next(Blocking(script, POLICY).sizes("/a", "/b")) == 1
    assert sent(script.steps) == ["GET"]


def test_a_call_keeps_its_name_its_words_and_its_arguments() -> None:
    bound = Blocking(Script(), POLICY).size

    assert bound.__name__ == "size"
    assert bound.__doc__ == "How many characters."
    assert list(inspect.signature(bound).parameters) == ["path"]
    assert inspect.iscoroutinefunction(Awaited(Script().later, POLICY).size)


async def test_what_interrupts_a_request_ends_its_flow() -> None:
    ended: list[str] = []

    def interrupted() -> Flow[None]:
        try:
            yield Request("GET", "/v1/me")
        finally:
            ended.append("ended")

    def interrupt(step: Step) -> Outcome | None:
        raise KeyboardInterrupt

    async def cancel(step: Step) -> Outcome | None:
        raise TimeoutError

    with pytest.raises(KeyboardInterrupt):
        run(interrupted(), interrupt)
    with pytest.raises(TimeoutError):
        await run_async(interrupted(), cancel)
    assert ended == ["ended", "ended"]


def test_a_flow_may_catch_the_error_of_its_own_call() -> None:
    def exists() -> Flow[bool]:
        try:
            yield from exchange(Request("GET", "/v1/files"), POLICY)
        except NotFoundError:
            return False
        return True

    assert run(exists(), Script(Reply(404, {}, b""))) is False
    assert run(exists(), Script(FINE)) is True
