"""Conversations saved after every run: what a host hands over again is not sent again, and nothing is left out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Barrier, Thread
from typing import Any

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from geniffy_agents import GeniffyError
from geniffy_agents.clients import Clients
from geniffy_agents.conversations import LABEL, Conversations, Place, Talk, run_start
from geniffy_agents.turns import ToolCall, Turn
from tests.sdk.capture import SOURCE, Wire
from tests.sdk.line import Line

PORTO = Turn("user", "My sister Ana lives in Porto.")
NOTED = Turn("assistant", "Noted, I'll keep that in mind.")
VIOLIN = Turn("user", "My friend Mia plays the violin in an orchestra.")
NICE = Turn("assistant", "That's a fine instrument to play.")
OKAY = Turn("user", "Okay.")
FINE = Turn("assistant", "Fine.")


class Saved:
    """The conversations of one process. Another one is a process that was restarted, or a second one."""

    def __init__(self, line: Line, key: str, base_url: str, *, is_blocking: bool) -> None:
        self._is_blocking = is_blocking
        made: Any = line.client(key, base_url) if is_blocking else line.async_client(key, base_url)
        self.seen: list[str] = []
        self.conversations = Conversations(
            Clients.of("tests/1", made), lambda client: self.seen.append(client.space_id)
        )

    async def save(self, space: str | None, session: str, turns: Sequence[Turn], **options: Any) -> None:
        talk = Talk(session, turns, **{"run": run_start(turns), **options})
        if self._is_blocking:
            await asyncio.to_thread(self.conversations.save, space, talk)
        else:
            await self.conversations.asave(space, talk)


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture(params=["blocking", "asyncio"])
def process(request: pytest.FixtureRequest, line: Line, api_key: str, base_url: str) -> Callable[[], Saved]:
    return lambda: Saved(line, api_key, base_url, is_blocking=request.param == "blocking")


@pytest.fixture
def kept(sdk: Any, turns: Callable[[str], Any]) -> Callable[..., list[str]]:
    """The words of the turns that the server keeps of a conversation."""
    return lambda session: [turn.text for turn in turns(sdk.sources.get(external_id=session).id)]


def words(*turns: Turn) -> list[str]:
    return [turn.text for turn in turns]


@contextmanager
def refused() -> Iterator[None]:
    with pytest.raises(GeniffyError):
        yield


async def test_a_conversation_that_grows_is_sent_once_also_after_a_restart(
    process: Callable[[], Saved], space: str, kept: Any, line: Line
) -> None:
    first = process()
    await first.save(space, "chat", [PORTO, NOTED])
    await first.save(space, "chat", [PORTO, NOTED])
    await process().save(space, "chat", [PORTO, NOTED])
    await process().save(space, "chat", [PORTO, NOTED, VIOLIN, NICE])

    assert kept("chat") == words(PORTO, NOTED, VIOLIN, NICE)
    assert line.adds == 2


async def test_two_processes_that_take_turns_send_each_run_once(
    process: Callable[[], Saved], space: str, kept: Any
) -> None:
    left, right = process(), process()
    whole = [PORTO, NOTED, VIOLIN, NICE, OKAY, FINE]

    await left.save(space, "chat", whole[:2])
    await right.save(space, "chat", whole[:4])
    await left.save(space, "chat", whole)
    await right.save(space, "chat", whole[:4])  # it comes late, with what is there already

    assert kept("chat") == words(*whole)


async def test_what_could_not_be_sent_goes_with_the_next_save(
    process: Callable[[], Saved], space: str, kept: Any, line: Line
) -> None:
    saved = process()
    line.cut = "away"
    with refused():
        await saved.save(space, "chat", [PORTO, NOTED])
    line.cut = ""
    await saved.save(space, "chat", [PORTO, NOTED, VIOLIN, NICE])

    assert kept("chat") == words(PORTO, NOTED, VIOLIN, NICE)


async def test_what_could_not_be_sent_before_a_restart_goes_with_the_next_save_after_it(
    process: Callable[[], Saved], space: str, kept: Any, line: Line
) -> None:
    await process().save(space, "chat", [PORTO, NOTED])
    line.cut = "away"
    with refused():
        await process().save(space, "chat", [PORTO, NOTED, VIOLIN, NICE])
    line.cut = ""
    await process().save(space, "chat", [PORTO, NOTED, VIOLIN, NICE, OKAY, FINE])

    assert kept("chat") == words(PORTO, NOTED, VIOLIN, NICE, OKAY, FINE)


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_what_arrived_without_an_answer_is_not_sent_again(
    process: Callable[[], Saved], space: str, kept: Any, line: Line, is_restarted: bool
) -> None:
    saved = process()
    line.cut = "answer lost"
    with refused():
        await saved.save(space, "chat", [PORTO, NOTED])
    line.cut = ""
    await (process() if is_restarted else saved).save(space, "chat", [PORTO, NOTED, VIOLIN, NICE])

    assert kept("chat") == words(PORTO, NOTED, VIOLIN, NICE)
    assert line.adds == 2


async def test_a_host_that_hands_over_each_run_alone_loses_none_and_repeats_none(
    process: Callable[[], Saved], space: str, kept: Any, line: Line
) -> None:
    saved = process()
    await saved.save(space, "chat", [PORTO, NOTED])
    line.cut = "away"
    with refused():
        await saved.save(space, "chat", [VIOLIN, NICE])
    line.cut = ""
    for _ in range(2):
        await saved.save(space, "chat", [OKAY, FINE])
        await process().save(space, "chat", [OKAY, FINE])

    assert kept("chat") == words(PORTO, NOTED, VIOLIN, NICE, OKAY, FINE)


async def test_a_host_that_tells_what_it_handed_over_before_has_the_same_words_saved_each_time(
    process: Callable[[], Saved], space: str, kept: Any, line: Line
) -> None:
    saved = process()
    await saved.save(space, "chat", [OKAY, FINE], is_new=True)
    for cut in ("", "answer lost", "away", "answer lost"):
        line.cut = cut
        with refused() if cut else contextlib.nullcontext():
            await saved.save(space, "chat", [OKAY, FINE], fresh=0)
    line.cut = ""
    await saved.save(space, "chat", [OKAY, FINE, OKAY, FINE], fresh=2)
    await saved.save(space, "chat", [OKAY, FINE, OKAY, FINE], fresh=4)

    assert kept("chat") == words(*[OKAY, FINE] * 6)


async def test_what_another_conversation_owes_goes_with_the_next_save_of_any(
    process: Callable[[], Saved], space: str, kept: Any, line: Line
) -> None:
    saved = process()
    line.cut = "away"
    with refused():
        await saved.save(space, "first", [PORTO, NOTED])
    line.cut = ""
    await saved.save(space, "second", [VIOLIN, NICE])

    assert kept("first") == words(PORTO, NOTED)
    assert kept("second") == words(VIOLIN, NICE)


async def test_a_history_cut_at_its_start_is_gone_on_with_where_it_stands(
    process: Callable[[], Saved], space: str, kept: Any
) -> None:
    await process().save(space, "chat", [PORTO, NOTED, VIOLIN, NICE])
    await process().save(space, "chat", [VIOLIN, NICE, OKAY, FINE])

    assert kept("chat") == words(PORTO, NOTED, VIOLIN, NICE, OKAY, FINE)


async def test_a_history_that_was_rewritten_is_sent_whole_rather_than_losing_a_turn(
    process: Callable[[], Saved], space: str, kept: Any
) -> None:
    await process().save(space, "chat", [PORTO, NOTED])
    summary = Turn("user", "Summary: Ana lives in Porto.")
    await process().save(space, "chat", [summary, VIOLIN, NICE])

    assert kept("chat") == words(PORTO, NOTED, summary, VIOLIN, NICE)


async def test_a_conversation_whose_source_was_deleted_starts_afresh_with_what_is_new(
    process: Callable[[], Saved], space: str, kept: Any, sdk: Any
) -> None:
    saved = process()
    await saved.save(space, "chat", [PORTO, NOTED])
    sdk.sources.delete(sdk.sources.get(external_id="chat").id)
    await saved.save(space, "chat", [PORTO, NOTED, VIOLIN, NICE])

    assert kept("chat") == words(VIOLIN, NICE)


async def test_a_conversation_that_something_else_saved_is_gone_on_with_at_its_run(
    process: Callable[[], Saved], space: str, kept: Any, sdk: Any
) -> None:
    sdk.memories.add(messages=[PORTO.message(), NOTED.message()], session="chat", labels={"team": "sales"})
    await process().save(space, "chat", [PORTO, NOTED, VIOLIN, NICE], labels={"project": "lumen"})

    assert kept("chat") == words(PORTO, NOTED, VIOLIN, NICE)
    labels = sdk.sources.get(external_id="chat").labels
    assert (labels["team"], labels["project"]) == ("sales", "lumen")


async def test_an_app_that_replaces_the_labels_makes_nothing_arrive_twice(
    process: Callable[[], Saved], space: str, kept: Any, sdk: Any
) -> None:
    saved = process()
    await saved.save(space, "chat", [PORTO, NOTED])
    sdk.memories.add(messages=[OKAY.message()], session="chat", labels={"team": "sales"})
    await saved.save(space, "chat", [PORTO, NOTED, VIOLIN, NICE])

    assert kept("chat") == words(PORTO, NOTED, OKAY, VIOLIN, NICE)
    assert sdk.sources.get(external_id="chat").labels["team"] == "sales"


async def test_a_source_with_all_the_labels_it_may_have_is_saved_to_all_the_same(
    process: Callable[[], Saved], space: str, kept: Any, sdk: Any
) -> None:
    full = {f"label-{n}": "x" for n in range(20)}
    sdk.memories.add(messages=[OKAY.message()], session="chat", labels=full)
    saved = process()
    await saved.save(space, "chat", [OKAY, FINE, PORTO, NOTED])
    await saved.save(space, "chat", [OKAY, FINE, PORTO, NOTED, VIOLIN, NICE])

    assert kept("chat") == words(OKAY, PORTO, NOTED, VIOLIN, NICE)
    assert sdk.sources.get(external_id="chat").labels == full


async def test_a_long_conversation_goes_in_parts_each_of_which_says_where_it_ends(
    process: Callable[[], Saved], space: str, kept: Any, sdk: Any, line: Line
) -> None:
    talk = [Turn("user" if n % 2 == 0 else "assistant", f"thanks! ({n})") for n in range(700)]
    await process().save(space, "chat", talk)
    await process().save(space, "chat", talk)

    assert kept("chat") == words(*talk)
    assert line.adds == 2
    assert sdk.sources.get(external_id="chat").labels[LABEL].startswith("700:")


def test_very_long_turns_go_in_calls_that_the_server_takes() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"sources": []} if request.method == "GET" else {"source": SOURCE})

    wire = Wire(answer)
    talk = [Turn("user" if n % 2 == 0 else "assistant", f"{n} " + "語" * 49_990) for n in range(130)]
    Conversations(Clients("tests/1", wire.client())).save("a", Talk("chat", talk))

    adds = [request for request in wire.sent if request.method == "POST"]
    assert all(len(request.content) < 32 << 20 for request in adds)
    assert sum(len(json.loads(request.content)["messages"]) for request in adds) == len(talk)


async def test_it_is_titled_by_what_the_user_said_first_and_turns_that_hold_nothing_are_left_out(
    process: Callable[[], Saved], space: str, kept: Any, sdk: Any
) -> None:
    called = Turn("assistant", "", tool_calls=(ToolCall("lookup", {"order": 7}, "c1"),))
    given = Turn("tool", "", tool_call_id="c1")  # the server keeps it with its call
    await process().save(space, "chat", [Turn("assistant", " "), PORTO, called, given])

    assert kept("chat") == [PORTO.text, ""]
    assert sdk.sources.get(external_id="chat").title == PORTO.text


async def test_nothing_is_called_when_there_is_nothing_to_save(
    process: Callable[[], Saved], space: str, line: Line
) -> None:
    saved = process()
    await saved.save(space, "chat", [])
    await saved.save(space, "chat", [PORTO, NOTED])
    calls = len(line.sent)
    await saved.save(space, "chat", [PORTO, NOTED])

    assert len(line.sent) == calls
    assert saved.seen == [space]


async def test_the_owners_own_memory_has_conversations_too(
    process: Callable[[], Saved], client: Any, turns: Callable[[str], Any]
) -> None:
    saved = process()
    await saved.save(None, "chat", [PORTO, NOTED])

    assert client.sources.get(external_id="chat").labels[LABEL].startswith("2:")
    assert saved.seen == [""]


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_befalls_it_a_conversation_arrives_whole_once_and_in_order(
    process: Callable[[], Saved], space: str, kept: Any, line: Line, seed: int
) -> None:
    chance = random.Random(seed)
    said = [OKAY.text, PORTO.text, "Yes.", "Where does my sister Ana live, and since when?"]
    processes, whole = [process(), process()], list[Turn]()
    for _ in range(12):
        run = whole[-2:]
        while run == whole[-2:]:  # a run said again word for word is one that the server takes for a call sent again
            run = [Turn("user", chance.choice(said)), Turn("assistant", chance.choice(said))]
        whole += run
        line.cut = chance.choice(["", "", "away", "answer lost"])
        at = chance.randrange(len(processes))
        if chance.random() < 0.3:
            processes[at] = process()  # it was restarted
        with contextlib.suppress(GeniffyError):
            await processes[at].save(space, "chat", whole)
    line.cut = ""
    await process().save(space, "chat", whole)

    assert kept("chat") == words(*whole)


async def test_saves_of_one_conversation_at_once_send_each_turn_once(
    line: Line, api_key: str, base_url: str, space: str, kept: Any
) -> None:
    saved = Saved(line, api_key, base_url, is_blocking=False)
    whole = [PORTO, NOTED, VIOLIN, NICE]

    await asyncio.gather(*(saved.save(space, "chat", whole[: 2 + 2 * (n > 3)]) for n in range(8)))

    assert kept("chat") == words(*whole)


def test_saves_of_one_conversation_in_many_threads_send_each_turn_once(
    line: Line, api_key: str, base_url: str, space: str, kept: Any
) -> None:
    saved = Saved(line, api_key, base_url, is_blocking=True)
    barrier = Barrier(6)

    def save() -> None:
        barrier.wait(30)
        saved.conversations.save(space, Talk("chat", [PORTO, NOTED]))

    threads = [Thread(target=save) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert kept("chat") == words(PORTO, NOTED)


# Places, without a server.


def marks_of(turns: Sequence[Turn]) -> Sequence[str]:
    return Talk("chat", turns).marks


@pytest.mark.parametrize("label", [None, "", "x", ":", "3:", ":a", "-1:a,b", "³:a"])
def test_a_label_that_is_no_place_is_read_as_none(label: str | None) -> None:
    assert Place.read(label) is None


def test_a_place_fits_a_label_and_comes_back_from_it() -> None:
    place = Place().after([f"{n:010x}" for n in range(999_999)])

    assert len(place.label()) <= 256
    assert Place.read(place.label()) == place


def test_marks_differ_between_conversations_so_that_none_tells_what_was_said_elsewhere() -> None:
    assert set(Talk("left", [PORTO]).marks).isdisjoint(Talk("right", [PORTO]).marks)


_WORDS = st.sampled_from(["Okay.", "Yes.", "Hello there, how are you doing today?", "Where does my sister Ana live?"])
_RUNS = st.lists(st.tuples(_WORDS, _WORDS), min_size=1, max_size=30)


@given(_RUNS, st.integers(0, 30))
@example([("Okay.", "Okay.")] * 30, 10)
def test_a_conversation_that_only_grew_is_found_where_it_was_left(runs: list[tuple[str, str]], left: int) -> None:
    turns = [Turn(role, said) for run in runs for role, said in zip(("user", "assistant"), run, strict=True)]
    at = min(2 * left, len(turns))
    place = Place().after(marks_of(turns[:at]))

    assert place.find(marks_of(turns)) == (at or None)


@given(st.integers(1, 40), st.integers(0, 39), st.integers(0, 20))
def test_a_conversation_that_was_cut_at_its_start_is_found_where_it_was_left(saved: int, cut: int, new: int) -> None:
    turns = [Turn("user" if n % 2 == 0 else "assistant", f"This is what was said in turn {n:04}.") for n in range(60)]
    held = turns[min(cut, saved) : saved + new]
    place = Place().after(marks_of(turns[:saved]))
    at = max(0, saved - cut)

    found = place.find(marks_of(held))

    assert found == (at or None)


def test_a_run_begins_behind_the_agents_last_answer_before_the_users_last_words() -> None:
    assert run_start([PORTO, NOTED, OKAY, VIOLIN, NICE]) == 2
    assert run_start([PORTO, NOTED]) == 0
    assert run_start([PORTO, Turn("assistant", "", tool_calls=(ToolCall("t"),)), VIOLIN]) == 0
    assert run_start([NOTED]) == 0
    assert run_start([]) == 0
