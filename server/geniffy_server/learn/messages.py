"""Messages of every framework that talks to models, as turns.

One reader takes all the shapes of the wire contract, 3.1: OpenAI chat and Responses, Anthropic, Vercel AI SDK, Gemini,
LangChain dumps and our own integrations. It goes by the fields that are there, never by a declared framework, and
leaves out what it does not know. Only text is kept: images, audio, files and reasoning are not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from geniffy_server.domain.instants import instant_of
from geniffy_server.domain.source import (
    MAX_TOOL_CALLS,
    MAX_TOOL_INPUT_CHARS,
    MAX_TOOL_NAME_CHARS,
    MAX_TOOL_OUTPUT_CHARS,
    MAX_TURN_CHARS,
    Role,
    ToolUse,
    Turn,
)
from geniffy_server.domain.text import is_blank, keepable
from geniffy_server.errors import BadInput

_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "aimessagechunk": "assistant",
    "model": "assistant",
    "chatbot": "assistant",
    "tool": "tool",
    "function": "tool",
}
_SKIPPED: Final = frozenset({"system", "developer"})
_ITEM_ROLES: Final[Mapping[str, Role]] = {
    "function_call": "assistant",
    "custom_tool_call": "assistant",
    "function_call_output": "tool",
    "custom_tool_call_output": "tool",
}
_TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text"})
_CALLS: Final = frozenset(
    {"tool_use", "tool-call", "tool_call", "server_tool_use", "function_call", "custom_tool_call"}
)
_RESULTS: Final = frozenset({"tool_result", "tool-result", "function_call_output", "custom_tool_call_output"})


def turns_of(messages: Sequence[Any]) -> list[Turn]:
    """The turns of a conversation in order, cut to the limits of the contract, 1.13. `said_at` is a message's `time`.

    System and developer messages, and messages with neither words nor tools, are left out; the list may be empty.
    A role that is not known names a participant, whose words they are.

    Raises BadInput (`invalid_request`) for a message that is not an object or whose role or content has a wrong type,
    and for characters that can't be kept; (`bad_date`) for a `time` that is none.
    """
    turns = []
    for position, raw in enumerate(messages):
        turn = _turn(raw, f"Message {position}")
        if turn is not None:
            turns.append(turn)
    return turns


@dataclass(slots=True)
class _Found:
    """What was collected from one message so far."""

    words: list[str] = field(default_factory=list)
    tools: list[ToolUse] = field(default_factory=list)

    def use(self, name: Any, call_id: Any, text: str, *, is_output: bool) -> None:
        if len(self.tools) < MAX_TOOL_CALLS:
            limit = MAX_TOOL_OUTPUT_CHARS if is_output else MAX_TOOL_INPUT_CHARS
            self.tools.append(ToolUse(_short(name), _short(call_id), text[:limit], is_output))


def _turn(raw: Any, what: str) -> Turn | None:
    if not isinstance(raw, Mapping):
        raise BadInput(f"{what} must be an object with a role and content, not {_kind(raw)}.")
    message = _unwrapped(raw)
    role, name = _role(message, what)
    if role is None:
        return None
    found = _Found()
    _read_content(message, role, found, what)
    _read_calls(message, found)
    text = "\n".join(part for part in found.words if not is_blank(part))
    if role == "tool":
        if not found.tools or text:
            found.use(message.get("name"), _first(message, "tool_call_id", "call_id"), text, is_output=True)
        text = ""
        found.tools = [tool for tool in found.tools if tool.text or not tool.is_output]
        name = None
    if not text and not found.tools:
        return None
    said_at = instant_of(_first(message, "time"), f"The time of {what[0].lower()}{what[1:]}")
    return Turn(
        role=role,
        name=None if name is None else keepable(name, f"name of {what.lower()}"),
        text=keepable(text[:MAX_TURN_CHARS], f"text of {what.lower()}"),
        said_at=said_at,
        tools=tuple(_kept(tool, what) for tool in found.tools),
    )


def _unwrapped(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message inside LangChain's two dumps: `{"type", "data"}` and `{"lc", "id", "kwargs"}`."""
    if isinstance(raw.get("kwargs"), Mapping) and isinstance(raw.get("id"), list) and raw["id"]:
        kind = str(raw["id"][-1]).removesuffix("Chunk").removesuffix("Message").lower()
        return {"type": kind, **raw["kwargs"]} if "type" not in raw["kwargs"] else raw["kwargs"]
    if isinstance(raw.get("data"), Mapping) and "content" not in raw and "parts" not in raw:
        return {"type": raw.get("type"), **raw["data"]}
    return raw


def _role(message: Mapping[str, Any], what: str) -> tuple[Role | None, str | None]:
    """Whose turn it is and a participant's name; no role when the message is to be left out."""
    raw = message.get("role")
    if raw is not None and not isinstance(raw, str):
        raise BadInput(f"{what} has a role that is {_kind(raw)}; it must be a string such as user or assistant.")
    kind = message.get("type")
    if raw is None or not raw.strip():
        if isinstance(kind, str) and kind in _ITEM_ROLES:
            return _ITEM_ROLES[kind], None
        if raw is None and not isinstance(kind, str):
            raise BadInput(f"{what} has no role; give it one such as user or assistant.")
        raw = kind if isinstance(kind, str) else ""
        if raw.lower() not in _ROLES and raw.lower() not in _SKIPPED:
            return None, None  # an item of no one's words, such as `reasoning` or `remove`
    role = raw.strip()
    if role.lower() in _SKIPPED:
        return None, None
    known = _ROLES.get(role.lower())
    name = message.get("name")
    given = " ".join(name.split())[:MAX_TOOL_NAME_CHARS] if isinstance(name, str) and not is_blank(name) else None
    if known is None:
        return "user", given or role[:MAX_TOOL_NAME_CHARS]
    return known, given if known == "user" else None


def _read_content(message: Mapping[str, Any], role: Role, found: _Found, what: str) -> None:
    for key in ("parts", "content"):  # a UI message carries its words in both, its tools in the parts alone
        content = message.get(key)
        if content is None:
            continue
        if not isinstance(content, str | list | Mapping):
            raise BadInput(f"{what} has {key} that is {_kind(content)}; it must be text or a list of parts.")
        _read(content, found, what)
        if found.words:
            break
    if not isinstance(message.get("content"), str | list | Mapping) and isinstance(message.get("text"), str):
        found.words.append(message["text"])
    kind = message.get("type")
    if isinstance(kind, str) and kind in _ITEM_ROLES:
        _read_part(message, found, what)


def _read(content: Any, found: _Found, what: str) -> None:
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            found.words += [part] if part else []
        elif isinstance(part, Mapping):
            _read_part(part, found, what)
        elif part is not None:
            raise BadInput(f"{what} has a part that is {_kind(part)}; a part is text or an object with a type.")


def _read_part(part: Mapping[str, Any], found: _Found, what: str) -> None:
    kind = part.get("type")
    kind = kind if isinstance(kind, str) else None
    if kind == "tool-invocation" and isinstance(part.get("toolInvocation"), Mapping):
        part, kind = part["toolInvocation"], "dynamic-tool"
    call = _first(part, "functionCall", "function_call")
    result = _first(part, "functionResponse", "function_response")
    if isinstance(call, Mapping) and kind is None:
        found.use(call.get("name"), call.get("id"), _json(call.get("args")), is_output=False)
    elif isinstance(result, Mapping) and kind is None:
        found.use(result.get("name"), result.get("id"), _output(result.get("response")), is_output=True)
    elif kind in _CALLS:
        name, call_id = _first(part, "name", "toolName"), _first(part, "call_id", "toolCallId", "id")
        found.use(name, call_id, _json(_first(part, "input", "args", "arguments")), is_output=False)
    elif kind in _RESULTS:
        name, call_id = _first(part, "name", "toolName"), _first(part, "tool_use_id", "toolCallId", "call_id", "id")
        found.use(name, call_id, _output(_first(part, "content", "output", "result")), is_output=True)
    elif kind is not None and (kind == "dynamic-tool" or (kind.startswith("tool-") and "toolCallId" in part)):
        name = part.get("toolName") or kind.removeprefix("tool-")
        found.use(name, part.get("toolCallId"), _json(_first(part, "input", "args")), is_output=False)
        answer = _first(part, "output", "result", "errorText")
        if answer is not None:
            found.use(name, part.get("toolCallId"), _output(answer), is_output=True)
    elif (kind in _TEXT_PARTS or (kind is None and not part.get("thought"))) and "text" in part:
        text = part["text"]
        if isinstance(text, Mapping):  # OpenAI assistants: {"text": {"value": …}}
            text = text.get("value")
        if text is not None and not isinstance(text, str):
            raise BadInput(f"{what} has a text part that is {_kind(text)}; its text must be a string.")
        if text:
            found.words.append(text)


def _read_calls(message: Mapping[str, Any], found: _Found) -> None:
    """Calls beside the content: OpenAI's and LangChain's `tool_calls`, and the legacy `function_call`."""
    calls = message.get("tool_calls")
    legacy = message.get("function_call")
    have = {tool.call_id for tool in found.tools if tool.call_id}  # LangChain repeats Anthropic's blocks
    for call in [*(calls if isinstance(calls, list) else []), *([legacy] if isinstance(legacy, Mapping) else [])]:
        if not isinstance(call, Mapping) or (call.get("id") and _short(call["id"]) in have):
            continue
        inner = call["function"] if isinstance(call.get("function"), Mapping) else call
        found.use(
            inner.get("name"), call.get("id"), _json(_first(inner, "arguments", "args", "input")), is_output=False
        )


def _output(raw: Any) -> str:
    """The words of a tool's output; JSON when it has none of its own."""
    if isinstance(raw, Mapping) and raw.get("type") in ("text", "json", "error-text", "error-json", "content"):
        raw = raw.get("value", raw.get("text"))
    if raw is None:
        return ""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, list):
        texts = list(_texts(raw))
        if texts or any(isinstance(part, Mapping) and "type" in part for part in raw):
            return "\n".join(texts)
    return _json(raw)


def _texts(parts: Sequence[Any]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            yield part["text"]


def _json(raw: Any) -> str:
    """A tool's input as text: text as it is, anything else as JSON."""
    if raw is None:
        return ""
    if isinstance(raw, str):
        return raw
    try:
        return json.dumps(raw, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return ""


def _first(message: Mapping[str, Any], *keys: str) -> Any:
    """The value of the first of these keys that is there and not null."""
    for key in keys:
        if message.get(key) is not None:
            return message[key]
    return None


def _short(raw: Any) -> str | None:
    if isinstance(raw, int) and not isinstance(raw, bool) and abs(raw) < 10**18:
        raw = str(raw)
    return raw[:MAX_TOOL_NAME_CHARS] if isinstance(raw, str) and raw.strip() else None


def _kept(tool: ToolUse, what: str) -> ToolUse:
    for text in (tool.name, tool.call_id, tool.text):
        if text is not None:
            keepable(text, f"tool call of {what.lower()}")
    return tool


def _kind(raw: Any) -> str:
    if raw is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return names.get(type(raw), type(raw).__name__)
