"""What of a thread was saved: whatever happens to its messages, each goes once and in order."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from geniffy_agents.turns import ToolCall, Turn
from geniffy_langchain.ledger import Seen, closed, earlier, opened, owed, unsaved
from geniffy_langchain.messages import turn_from

RUNS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6), st.booleans()), max_size=8)


@given(RUNS)
def test_each_message_is_due_until_it_is_saved_and_never_again_however_the_history_is_cut(
    course: list[tuple[int, int, bool]],
) -> None:
    messages: list[BaseMessage] = []
    ledger = opened(messages)
    seen = Seen()
    told: list[str] = []
    sent: list[str] = []

    for number, (steps, kept, is_saved) in enumerate([*course, (0, 9, True)]):
        for step in range(steps + 1):
            made = HumanMessage(f"{number}.{step}", id=f"{number}.{step}")
            messages = [*messages, made]
            told.append(made.text)
            seen.note(ledger["run"], unsaved(messages, ledger))
            messages = messages[-kept:] if kept else []  # as a summary cuts it within a run
        due = owed(messages, ledger, seen.take(ledger["run"]))
        sent += [turn.text for turn in due.values()] if is_saved else []
        ledger = closed(messages, ledger, due, len(told) if is_saved else None)
        ledger = json.loads(json.dumps(ledger))  # as a checkpointer keeps it

        assert set(ledger["saved"]) <= {message.id for message in messages}

    assert sent == told
    assert ledger["unsent"] == {}
    assert ledger["count"] == len(told)


def test_a_thread_without_a_ledger_begins_with_the_turn_at_hand() -> None:
    messages = [HumanMessage("a", id="1"), AIMessage("b", id="2"), HumanMessage("c", id="3"), HumanMessage("d", id="4")]

    ledger = opened(messages)
    due = owed(messages, ledger, {})

    assert [turn.text for turn in due.values()] == ["c", "d"]
    assert [turn.text for turn in earlier(messages, due)] == ["a", "b"]
    assert ledger["count"] == 0


def test_a_message_that_was_changed_within_a_run_is_saved_as_it_is_at_its_end() -> None:
    ledger = opened([])
    seen = {"1": Turn("user", "My card is 4111.")}

    due = owed([HumanMessage("My card is [gone].", id="1"), AIMessage("Fine.", id="2")], ledger, seen)

    assert [turn.text for turn in due.values()] == ["My card is [gone].", "Fine."]


def test_what_could_not_be_sent_is_kept_as_it_would_have_been_sent() -> None:
    called = AIMessage("", id="1", tool_calls=[{"name": "lookup", "args": {"n": 7}, "id": "c"}])
    messages = [called, ToolMessage("Shipped.", id="2", name="lookup", tool_call_id="c")]
    ledger = opened(messages)

    kept = closed([], ledger, owed(messages, ledger, {}), None)

    assert [turn_from(message) for message in json.loads(json.dumps(kept["unsent"])).values()] == [
        Turn("assistant", "", tool_calls=(ToolCall("lookup", {"n": 7}, "c"),)),
        Turn("tool", "Shipped.", name="lookup", tool_call_id="c"),
    ]


def test_only_the_latest_runs_are_seen() -> None:
    seen = Seen()

    for number in range(300):
        seen.note(str(number), {"k": Turn("user", str(number))})

    assert seen.take("0") == {}
    assert seen.take("299") == {"k": Turn("user", "299")}
    assert seen.take("299") == {}
