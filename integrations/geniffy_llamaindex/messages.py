"""LlamaIndex's messages as turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from llama_index.core.base.llms.types import (
    ChatMessage,
    CitableBlock,
    CitationBlock,
    MessageRole,
    TextBlock,
    ToolCallBlock,
)

from geniffy_agents.turns import Role, ToolCall, Turn

_ROLES: Final[Mapping[MessageRole, Role]] = {
    MessageRole.USER: "user",
    MessageRole.ASSISTANT: "assistant",
    MessageRole.CHATBOT: "assistant",
    MessageRole.MODEL: "assistant",
    MessageRole.TOOL: "tool",
    MessageRole.FUNCTION: "tool",
}
# What Memory puts before the user's words with InsertMethod.USER. A store that hands out its own messages keeps it.
_RECALLED: Final = re.compile(r"\s*<memory>.*</memory>\s*", re.DOTALL)


def turn_of(message: ChatMessage) -> Turn | None:
    """A message as a turn: only its text, with the tools it calls or the call it answers. None for instructions."""
    role = _ROLES.get(message.role)
    if role is None:
        return None
    more = message.additional_kwargs
    if role == "tool":
        name, call_id = more.get("name") or more.get("tool_name"), more.get("tool_call_id")
        return Turn(role, text_of(message), name=_text(name), tool_call_id=_text(call_id))
    calls = tuple(_calls(message)) if role == "assistant" else ()
    return Turn(role, text_of(message), name=_text(more.get("name")), tool_calls=calls)


def turns_of(messages: Iterable[ChatMessage]) -> list[Turn]:
    """The messages that hold something, as turns."""
    turns = [turn_of(message) for message in messages]
    return [turn for turn in turns if turn is not None and not turn.is_empty]


def text_of(message: ChatMessage) -> str:
    """The words of a message, without what a memory put before them."""
    words = [block for block in message.blocks if not (len(message.blocks) > 1 and _is_recalled(block))]
    return "\n".join(text for block in words for text in _texts(block)).strip()


def last_words(messages: Sequence[ChatMessage]) -> str:
    """What the user said last; empty when they said nothing."""
    said = (text_of(message) for message in reversed(messages) if message.role == MessageRole.USER)
    return next((words for words in said if words), "")


def _is_recalled(block: Any) -> bool:
    return isinstance(block, TextBlock) and _RECALLED.fullmatch(block.text) is not None


def _texts(block: Any) -> Iterator[str]:
    if isinstance(block, TextBlock):
        yield block.text
    elif isinstance(block, CitationBlock):
        yield from _texts(block.cited_content)
    elif isinstance(block, CitableBlock):
        for part in block.content:
            yield from _texts(part)


def _calls(message: ChatMessage) -> Iterator[ToolCall]:
    """The tools a message calls: in blocks, and as models of older packages have them, in `additional_kwargs`."""
    blocks = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
    for block in blocks:
        yield ToolCall(block.tool_name, block.tool_kwargs, block.tool_call_id)
    if not blocks:
        for call in message.additional_kwargs.get("tool_calls") or ():
            function = _field(call, "function") or call
            name, args = _field(function, "name"), _field(function, "arguments")
            yield ToolCall(_text(name) or "tool", args, _text(_field(call, "id")))


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _text(value: Any) -> str | None:
    return str(value) if value else None
