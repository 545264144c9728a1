"""LlamaIndex's messages as turns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from llama_index.core.base.llms.types import (
    ChatMessage,
    CitableBlock,
    CitationBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

from geniffy_agents.turns import ToolCall, Turn
from geniffy_llamaindex import turn_of
from geniffy_llamaindex.messages import last_words, turns_of


@pytest.mark.parametrize(
    ("role", "kept"),
    [("user", "user"), ("assistant", "assistant"), ("chatbot", "assistant"), ("model", "assistant"), ("tool", "tool")],
)
def test_a_message_is_its_roles_turn(role: str, kept: Any) -> None:
    assert turn_of(ChatMessage(role=role, content=" Hello. ")) == Turn(kept, "Hello.")


@pytest.mark.parametrize("role", ["system", "developer"])
def test_instructions_are_no_turn(role: str) -> None:
    assert turn_of(ChatMessage(role=role, content="Be kind.")) is None


def test_only_the_text_of_a_message_is_kept_with_the_tools_it_calls() -> None:
    message = ChatMessage(
        role="assistant",
        blocks=[
            ThinkingBlock(content="I wonder."),
            TextBlock(text="Let me look."),
            ImageBlock(url="https://example.com/a.png"),
            ToolCallBlock(tool_name="lookup", tool_kwargs={"order": 7}, tool_call_id="c1"),
            ToolCallBlock(tool_name="count", tool_kwargs='{"n": 1}'),
        ],
    )

    calls = (ToolCall("lookup", {"order": 7}, "c1"), ToolCall("count", '{"n": 1}'))
    assert turn_of(message) == Turn("assistant", "Let me look.", tool_calls=calls)


_FUNCTION = {"name": "lookup", "arguments": '{"order": 7}'}


@pytest.mark.parametrize(
    "call",
    [
        {"id": "c1", "type": "function", "function": _FUNCTION},
        {"id": "c1", **_FUNCTION},
        SimpleNamespace(id="c1", function=SimpleNamespace(**_FUNCTION)),
    ],
)
def test_calls_that_a_model_leaves_beside_the_message_are_kept_too(call: Any) -> None:
    message = ChatMessage(role="assistant", additional_kwargs={"tool_calls": [call]})

    assert turn_of(message) == Turn("assistant", "", tool_calls=(ToolCall("lookup", '{"order": 7}', "c1"),))


def test_what_a_tool_gave_back_says_which_call_it_answers() -> None:
    cited = CitableBlock(title="Orders", source="orders.csv", content=[TextBlock(text="Shipped.")])
    quoted = CitationBlock(
        cited_content=TextBlock(text="On Monday."), source="a", title="b", additional_location_info={}
    )
    message = ChatMessage(
        role="tool", blocks=[cited, quoted], additional_kwargs={"tool_call_id": "c1", "name": "lookup"}
    )

    assert turn_of(message) == Turn("tool", "Shipped.\nOn Monday.", name="lookup", tool_call_id="c1")


def test_what_memory_puts_before_the_users_words_is_not_theirs_but_what_they_quote_is() -> None:
    recalled, quoted = TextBlock(text="\n<memory>\n<geniffy>\nAna\n</geniffy>\n</memory>\n"), "<memory>mine</memory>"
    asked = ChatMessage(role="user", blocks=[recalled, recalled, TextBlock(text="Where is Ana?")])

    assert turns_of([asked, ChatMessage(role="user", content=quoted)]) == [
        Turn("user", "Where is Ana?"),
        Turn("user", quoted),
    ]


def test_messages_that_hold_nothing_are_left_out() -> None:
    assert turns_of([ChatMessage(role="user", content=" "), ChatMessage(role="assistant")]) == []


def test_the_last_words_are_the_users() -> None:
    messages = [
        ChatMessage(role="user", content="First."),
        ChatMessage(role="user", content="Last."),
        ChatMessage(role="user", blocks=[ImageBlock(url="https://example.com/a.png")]),
        ChatMessage(role="assistant", content="Yes?"),
    ]

    assert last_words(messages) == "Last."
    assert last_words(messages[3:]) == ""
