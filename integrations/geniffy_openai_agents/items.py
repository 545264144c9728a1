"""The SDK's input items as turns. They are the OpenAI Responses API's items, as objects or as models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from geniffy_agents.turns import Role, ToolCall, Turn

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant"}
_WORDS: Final = {"input_text": "text", "output_text": "text", "text": "text", "refusal": "refusal"}
# What a call was passed, by the kind of tool: functions and MCP, custom tools, shells and computers, search, code.
_PASSED: Final = ("arguments", "input", "action", "operation", "queries", "code")
_HAVE_A_NAME: Final = frozenset({"function_call", "custom_tool_call", "mcp_call"})


def turns_of(items: str | Iterable[Any]) -> list[Turn]:
    """The turns that items hold; an item's reasoning, images and instructions are none.

    A hosted tool (web search, code, a computer) is a call that is named by its kind.
    """
    if isinstance(items, str):
        return [Turn("user", items)]
    turns = [turn for item in items for turn in _turns(_as_object(item))]
    return [turn for turn in turns if not turn.is_empty]


def last_words(items: str | Sequence[Any]) -> str:
    """What the user said last; empty when they said nothing."""
    said = (turn.text.strip() for turn in reversed(turns_of(items)) if turn.role == "user")
    return next((words for words in said if words), "")


def _turns(item: Mapping[str, Any]) -> Iterator[Turn]:
    kind = str(item.get("type") or "message")
    call_id = item.get("call_id") or item.get("id")
    if kind == "message":
        role = _ROLES.get(str(item.get("role")))
        if role is not None:
            yield Turn(role, _words(item.get("content")))
    elif kind.endswith("_output"):
        yield Turn("tool", _given_back(item.get("output")), tool_call_id=call_id)
    elif kind.endswith("_call"):
        name = str(item.get("name") or "tool") if kind in _HAVE_A_NAME else kind.removesuffix("_call")
        passed = next((item[key] for key in _PASSED if item.get(key) is not None), None)
        args = passed if isinstance(passed, Mapping | str | None) else json.dumps(passed, default=str)
        yield Turn("assistant", "", tool_calls=(ToolCall(name, args, call_id),))
        if kind == "mcp_call" and (item.get("output") is not None or item.get("error")):  # it comes back in one item
            yield Turn("tool", _given_back(item.get("output") or item.get("error")), name=name, tool_call_id=call_id)


def _words(content: Any) -> str:
    """The text of a message's content, which is text or parts."""
    if isinstance(content, str):
        return content.strip()
    parts = [_as_object(part) for part in content or ()]
    texts = [part.get(_WORDS.get(str(part.get("type")), "")) for part in parts]
    return "\n".join(text for text in texts if text).strip()


def _given_back(output: Any) -> str:
    """What a tool gave back: text, the texts of its parts, or an object as JSON."""
    if isinstance(output, str):
        return output.strip()
    if isinstance(output, Sequence) and all(_as_object(part).get("type") for part in output):
        return _words(output)
    if output is None:
        return ""
    shown = _as_object(output)
    return "" if shown.get("image_url") else json.dumps(shown or output, default=str)


def _as_object(item: Any) -> Mapping[str, Any]:
    if isinstance(item, BaseModel):
        return item.model_dump()
    return item if isinstance(item, Mapping) else {}
