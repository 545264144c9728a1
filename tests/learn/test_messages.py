"""Every shape of message becomes turns."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_server.domain.source import ToolUse, Turn
from geniffy_server.errors import BadInput
from geniffy_server.learn.messages import turns_of


def said(role: Any, text: str, name: str | None = None, *tools: ToolUse) -> Turn:
    return Turn(role=role, name=name, text=text, said_at=None, tools=tools)


def call(name: str | None, call_id: str | None, text: str) -> ToolUse:
    return ToolUse(name, call_id, text, is_output=False)


def output(name: str | None, call_id: str | None, text: str) -> ToolUse:
    return ToolUse(name, call_id, text, is_output=True)


@pytest.mark.parametrize(
    ("message", "turn"),
    [
        # OpenAI chat
        ({"role": "user", "content": "hi"}, said("user", "hi")),
        (
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            said("user", "a\nb"),
        ),
        (
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}],
            },
            said("assistant", "", None, call("f", "1", '{"a":1}')),
        ),
        (
            {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{}"}},
            said("assistant", "", None, call("f", None, "{}")),
        ),
        (
            {"role": "tool", "tool_call_id": "1", "content": "21 degrees"},
            said("tool", "", None, output(None, "1", "21 degrees")),
        ),
        ({"role": "function", "name": "f", "content": "x"}, said("tool", "", None, output("f", None, "x"))),
        # OpenAI Responses
        ({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}, said("user", "hi")),
        (
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
            said("assistant", "hi"),
        ),
        (
            {"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"},
            said("assistant", "", None, call("n", "c", "{}")),
        ),
        (
            {"type": "function_call_output", "call_id": "c", "output": "o"},
            said("tool", "", None, output(None, "c", "o")),
        ),
        # Anthropic
        (
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "so"},
                    {"type": "tool_use", "id": "t", "name": "n", "input": {"q": 1}},
                ],
            },
            said("assistant", "so", None, call("n", "t", '{"q": 1}')),
        ),
        (
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "I love rain"}]},
                    {"type": "text", "text": "mine"},
                ],
            },
            said("user", "mine", None, output(None, "t", "I love rain")),
        ),
        # Vercel AI SDK
        ({"role": "user", "content": "", "parts": [{"type": "text", "text": "ui"}]}, said("user", "ui")),
        (
            {
                "role": "assistant",
                "parts": [{"type": "tool-weather", "toolCallId": "t", "input": {"c": 1}, "output": "sun"}],
            },
            said("assistant", "", None, call("weather", "t", '{"c": 1}'), output("weather", "t", "sun")),
        ),
        (
            {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "t", "toolName": "w", "args": {}}]},
            said("assistant", "", None, call("w", "t", "{}")),
        ),
        (
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "t",
                        "toolName": "w",
                        "output": {"type": "text", "value": "sun"},
                    }
                ],
            },
            said("tool", "", None, output("w", "t", "sun")),
        ),
        # Gemini
        (
            {"role": "model", "parts": [{"text": "g"}, {"functionCall": {"name": "a", "args": {"b": 1}}}]},
            said("assistant", "g", None, call("a", None, '{"b": 1}')),
        ),
        (
            {"role": "user", "parts": [{"function_response": {"name": "a", "response": {"x": 1}}}]},
            said("user", "", None, output("a", None, '{"x": 1}')),
        ),
        # LangChain
        ({"type": "human", "data": {"content": "lc"}}, said("user", "lc")),
        (
            {"type": "ai", "content": "lc", "tool_calls": [{"name": "q", "args": {"a": 1}, "id": "7"}]},
            said("assistant", "lc", None, call("q", "7", '{"a": 1}')),
        ),
        (
            {"lc": 1, "type": "constructor", "id": ["langchain", "HumanMessage"], "kwargs": {"content": "k"}},
            said("user", "k"),
        ),
        (
            {"type": "tool", "tool_call_id": "7", "name": "q", "content": "r"},
            said("tool", "", None, output("q", "7", "r")),
        ),
        # Ours
        (
            {"role": "assistant", "content": "", "tool_calls": [{"name": "a", "args": "{…}", "id": "z"}]},
            said("assistant", "", None, call("a", "z", "{…}")),
        ),
        # Participants
        ({"role": "Caroline", "content": "I went"}, said("user", "I went", "Caroline")),
        ({"role": "user", "name": "Bob", "content": "I came"}, said("user", "I came", "Bob")),
        ({"role": "assistant", "name": "helper", "content": "so"}, said("assistant", "so")),
    ],
)
def test_a_message_becomes_a_turn(message: dict[str, Any], turn: Turn) -> None:
    assert turns_of([message]) == [turn]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "system", "content": "be kind"},
        {"role": "developer", "content": "be kind"},
        {"type": "system", "content": "be kind"},
        {"role": "user", "content": None},
        {"role": "user", "content": "  \n"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]},
        {"role": "model", "parts": [{"text": "hidden", "thought": True}]},
        {"type": "reasoning", "summary": []},
        {"role": "user"},
    ],
)
def test_a_message_with_neither_words_nor_tools_is_left_out(message: dict[str, Any]) -> None:
    assert turns_of([message]) == []


def test_long_content_is_cut_to_the_limits() -> None:
    calls = [{"name": "n" * 300, "args": "a" * 3000, "id": str(n)} for n in range(120)]
    agent, tool, user = turns_of(
        [
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "content": "o" * 5000},
            {"role": "user", "content": "w" * 60_000},
        ]
    )
    assert len(agent.tools) == 100
    assert (len(agent.tools[0].name or ""), len(agent.tools[0].text)) == (200, 2000)
    assert len(tool.tools[0].text) == 4000
    assert len(user.text) == 50_000


def test_a_time_dates_its_turn() -> None:
    (turn,) = turns_of([{"role": "user", "content": "hi", "time": "2026-10-05T09:00:00Z"}])
    assert turn.said_at == datetime(2026, 10, 5, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (3, "invalid_request"),
        ("hi", "invalid_request"),
        (None, "invalid_request"),
        ({"content": "hi"}, "invalid_request"),
        ({"role": 1, "content": "hi"}, "invalid_request"),
        ({"role": "user", "content": 3}, "invalid_request"),
        ({"role": "user", "content": [3]}, "invalid_request"),
        ({"role": "user", "content": [{"type": "text", "text": 3}]}, "invalid_request"),
        ({"role": "user", "content": "a\x00b"}, "invalid_request"),
        ({"role": "user", "content": "a\ud800b"}, "invalid_request"),
        ({"role": "user", "name": "a\x00", "content": "b"}, "invalid_request"),
        ({"role": "tool", "content": "a\x00b"}, "invalid_request"),
        ({"role": "user", "content": "hi", "time": "soon"}, "bad_date"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_position(message: Any, code: str) -> None:
    with pytest.raises(BadInput) as refused:
        turns_of([{"role": "user", "content": "fine"}, message])
    assert refused.value.code == code
    assert "essage 1" in refused.value.sentence


_KEYS = (
    "role content type text parts tool_calls function_call functionCall functionResponse name args id kwargs data "
    "time output input tool_use_id toolInvocation"
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(_KEYS.split()) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.lists(_JSON, max_size=4))
def test_no_json_is_worse_than_refused(messages: list[Any]) -> None:
    with contextlib.suppress(BadInput):
        assert all(turn.text or turn.tools for turn in turns_of(messages))


def test_deep_json_is_not_followed_to_the_bottom() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    (turn,) = turns_of([{"role": "assistant", "content": "hi", "tool_calls": [{"name": "f", "args": deep}]}])
    assert turn.text == "hi"
