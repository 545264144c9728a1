"""The SDK's input items as turns."""

from __future__ import annotations

from typing import Any

import pytest
from agents.testing import assistant_message

from geniffy_agents.turns import ToolCall, Turn
from geniffy_openai_agents import turns_of
from geniffy_openai_agents.items import last_words


@pytest.mark.parametrize(
    ("item", "turn"),
    [
        ({"role": "user", "content": " Hi. "}, Turn("user", "Hi.")),
        ({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi."}]}, Turn("user", "Hi.")),
        (
            {"role": "user", "content": [{"type": "input_image", "image_url": "x"}, {"type": "text", "text": "Look."}]},
            Turn("user", "Look."),
        ),
        (
            {
                "role": "assistant",
                "content": [{"type": "output_text", "text": "A"}, {"type": "refusal", "refusal": "B"}],
            },
            Turn("assistant", "A\nB"),
        ),
        (
            {"type": "function_call", "call_id": "c1", "id": "x", "name": "lookup", "arguments": '{"order": 7}'},
            Turn("assistant", "", tool_calls=(ToolCall("lookup", '{"order": 7}', "c1"),)),
        ),
        (
            {"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "SELECT 1"},
            Turn("assistant", "", tool_calls=(ToolCall("sql", "SELECT 1", "c1"),)),
        ),
        (
            {"type": "web_search_call", "id": "w1", "status": "completed", "action": {"query": "Porto"}},
            Turn("assistant", "", tool_calls=(ToolCall("web_search", {"query": "Porto"}, "w1"),)),
        ),
        (
            {"type": "file_search_call", "id": "f1", "queries": ["Porto"], "results": None},
            Turn("assistant", "", tool_calls=(ToolCall("file_search", '["Porto"]', "f1"),)),
        ),
        (
            {"type": "function_call_output", "call_id": "c1", "output": "Shipped."},
            Turn("tool", "Shipped.", tool_call_id="c1"),
        ),
        (
            {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "Shipped."}]},
            Turn("tool", "Shipped.", tool_call_id="c1"),
        ),
        (
            {
                "type": "computer_call_output",
                "call_id": "c1",
                "output": {"type": "computer_screenshot", "image_url": "x"},
            },
            Turn("tool", "", tool_call_id="c1"),
        ),
        (
            {"type": "shell_call_output", "call_id": "c1", "output": [{"stdout": "ok", "stderr": ""}]},
            Turn("tool", '[{"stdout": "ok", "stderr": ""}]', tool_call_id="c1"),
        ),
    ],
)
def test_an_item_is_its_turn(item: Any, turn: Turn) -> None:
    assert turns_of([item]) == [turn]


@pytest.mark.parametrize(
    "item",
    [
        {"role": "system", "content": "Be kind."},
        {"role": "developer", "content": "Be kind."},
        {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "I wonder."}]},
        {"type": "item_reference", "id": "x"},
        {"type": "compaction", "encrypted_content": "x"},
        {"type": "mcp_list_tools", "id": "x", "server_label": "s", "tools": []},
        {"role": "user", "content": [{"type": "input_image", "image_url": "x"}]},
        {"role": "user", "content": " "},
        7,
    ],
)
def test_what_nobody_said_is_no_turn(item: Any) -> None:
    assert turns_of([item]) == []


@pytest.mark.parametrize(("output", "error", "text"), [("Found.", None, "Found."), (None, "Denied.", "Denied.")])
def test_an_mcp_call_comes_with_what_it_gave_back(output: Any, error: Any, text: str) -> None:
    item = {"type": "mcp_call", "id": "m1", "name": "find", "arguments": "{}", "output": output, "error": error}

    assert turns_of([item]) == [
        Turn("assistant", "", tool_calls=(ToolCall("find", "{}", "m1"),)),
        Turn("tool", text, name="find", tool_call_id="m1"),
    ]


def test_a_text_is_the_users_and_models_are_read_as_objects_are() -> None:
    assert turns_of("Hi.") == [Turn("user", "Hi.")]
    assert turns_of([assistant_message("Hello.")]) == [Turn("assistant", "Hello.")]


def test_the_last_words_are_the_users() -> None:
    items = [
        {"role": "user", "content": "First."},
        {"role": "user", "content": "Last."},
        {"role": "user", "content": [{"type": "input_image", "image_url": "x"}]},
        {"type": "function_call_output", "call_id": "c1", "output": "Shipped."},
    ]

    assert last_words(items) == "Last."
    assert last_words("Hi.") == "Hi."
    assert last_words(items[3:]) == ""
