"""LangChain's messages as turns."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)

from geniffy_agents.turns import ToolCall, Turn
from geniffy_langchain.messages import last_words, turn_of, turn_start, turns_by_key

SUMMARY = HumanMessage("Here is a summary.", additional_kwargs={"lc_source": "summarization"})
BLOCKS: Any = [
    {"type": "thinking", "thinking": "hmm"},
    {"type": "text", "text": "Look"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,xx"}},
    {"type": "text", "text": " here."},
]


@pytest.mark.parametrize(
    ("message", "turn"),
    [
        (HumanMessage("Hi.", name="Ana"), Turn("user", "Hi.", name="Ana")),
        (HumanMessage(BLOCKS), Turn("user", "Look here.")),
        (AIMessage("Hello."), Turn("assistant", "Hello.")),
        (AIMessageChunk("Hello."), Turn("assistant", "Hello.")),
        (
            AIMessage("", tool_calls=[{"name": "lookup", "args": {"n": 7}, "id": "c1"}]),
            Turn("assistant", "", tool_calls=(ToolCall("lookup", {"n": 7}, "c1"),)),
        ),
        (
            ToolMessage("Shipped.", name="lookup", tool_call_id="c1", artifact={"raw": 1}),
            Turn("tool", "Shipped.", name="lookup", tool_call_id="c1"),
        ),
        (FunctionMessage("Shipped.", name="lookup"), Turn("tool", "Shipped.", name="lookup")),
        (ChatMessage("Hi.", role="user"), Turn("user", "Hi.")),
        (ChatMessage("Hi.", role="Assistant"), Turn("assistant", "Hi.")),
        (ChatMessage("Hi.", role="Noor"), Turn("user", "Hi.", name="Noor")),
        (ChatMessage("Be kind.", role="developer"), None),
        (SystemMessage("Be kind."), None),
        (RemoveMessage(id="1"), None),
        (SUMMARY, None),
    ],
)
def test_a_message_is_a_turn_of_who_said_it_and_what_nobody_said_is_none(
    message: BaseMessage, turn: Turn | None
) -> None:
    assert turn_of(message) == turn


def test_the_users_last_words_are_their_own() -> None:
    messages = [HumanMessage(" Where? "), AIMessage("There."), SUMMARY, ToolMessage("x", tool_call_id="1")]

    assert last_words(messages) == "Where?"
    assert last_words([AIMessage("Welcome.")]) == ""


@pytest.mark.parametrize(
    ("kinds", "start"),
    [
        ("", 0),
        ("h", 0),
        ("hh", 0),
        ("hah", 2),
        ("hatah", 4),
        ("hahh", 2),
        ("hahata", 2),
        ("a", 0),
        ("ah", 1),
        ("haSh", 2),
    ],
)
def test_a_turn_begins_behind_the_agents_last_answer_before_the_users_last_words(kinds: str, start: int) -> None:
    made = {
        "h": HumanMessage("h"),
        "a": AIMessage("a"),
        "t": ToolMessage("t", tool_call_id="1"),
        "S": SUMMARY,
    }

    assert turn_start([made[kind] for kind in kinds]) == start


def test_turns_are_known_by_the_ids_of_their_messages_and_else_by_their_words() -> None:
    turns = turns_by_key(
        [HumanMessage("Hi.", id="m1"), AIMessage("", id="m2"), HumanMessage("Hi."), SystemMessage("x")]
    )

    assert [turn.text for turn in turns.values()] == ["Hi.", "Hi."]
    assert next(iter(turns)) == "m1"
    assert turns.keys() == turns_by_key([HumanMessage("Hi.", id="m1"), HumanMessage("Hi.")]).keys()
