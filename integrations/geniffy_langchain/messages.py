"""LangChain's messages as turns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    ToolMessage,
)

from geniffy_agents.turns import Role, ToolCall, Turn

_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
_INSTRUCTIONS: Final = frozenset({"system", "developer"})


def turn_of(message: BaseMessage) -> Turn | None:
    """A message as a turn: only its text, with the tools it calls or the call it answers.

    None for what nobody said: an app's instructions, a removal, a summary that stands for what was said before.
    """
    if is_summary(message):
        return None
    if isinstance(message, HumanMessage):
        return Turn("user", message.text, name=message.name)
    if isinstance(message, AIMessage):
        calls = tuple(ToolCall(call["name"], call["args"], call["id"]) for call in message.tool_calls)
        return Turn("assistant", message.text, name=message.name, tool_calls=calls)
    if isinstance(message, ToolMessage):
        return Turn("tool", message.text, name=message.name, tool_call_id=message.tool_call_id)
    if isinstance(message, FunctionMessage):
        return Turn("tool", message.text, name=message.name)
    if isinstance(message, ChatMessage) and message.role.lower() not in _INSTRUCTIONS:
        # A role of the app's own is a participant, whose words they are.
        known = _ROLES.get(message.role.lower())
        return Turn(known or "user", message.text, name=message.name or (None if known else message.role))
    return None


def turn_from(message: Mapping[str, Any]) -> Turn:
    """The turn that `Turn.message()` made a message of."""
    calls = (ToolCall(call["name"], call["args"], call.get("id")) for call in message.get("tool_calls", ()))
    return Turn(
        role=message["role"],
        text=message["content"],
        name=message.get("name"),
        tool_calls=tuple(calls),
        tool_call_id=message.get("tool_call_id"),
    )


def is_summary(message: BaseMessage) -> bool:
    """Whether LangChain's summarization wrote it in the user's place: those are not the user's words."""
    return message.additional_kwargs.get("lc_source") == "summarization"


def is_from_user(message: BaseMessage) -> bool:
    """Whether the user said it."""
    turn = turn_of(message)
    return turn is not None and turn.role == "user"


def turns_by_key(messages: Sequence[BaseMessage]) -> dict[str, Turn]:
    """The turns that hold something, in order, each by what stands for its message: the id that a graph gives it."""
    turns: dict[str, Turn] = {}
    for message in messages:
        turn = turn_of(message)
        if turn is not None and not turn.is_empty:
            turns[key_of(message, turn)] = turn
    return turns


def key_of(message: BaseMessage, turn: Turn) -> str:
    """What stands for a message: its id, and without one its words."""
    if message.id:
        return message.id
    words: Any = turn.message()
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()


def last_words(messages: Sequence[BaseMessage]) -> str:
    """What the user said last; empty when they said nothing."""
    for message in reversed(messages):
        if is_from_user(message):
            return message.text.strip()
    return ""


def turn_start(messages: Sequence[BaseMessage]) -> int:
    """Where the turn at hand begins: behind the agent's last answer before the user's last message."""
    last = next((at for at in range(len(messages) - 1, -1, -1) if is_from_user(messages[at])), 0)
    return next((at + 1 for at in range(last - 1, -1, -1) if isinstance(messages[at], AIMessage)), 0)
