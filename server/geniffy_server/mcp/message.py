"""What is wrong with what was sent and is no message of JSON-RPC, said in one sentence.

The library says so too, but in the words of its own models, and it takes a request whose `id` it can't read for a
notification, so that its sender would wait for ever.
"""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

from geniffy_server.mcp.arguments import JsonObject

# JSON-RPC 2.0, 5.1
_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_INVALID_PARAMS: Final = -32602

_MODERN: Final = "io.modelcontextprotocol/protocolVersion"


def problem_with_type(content_type: str) -> JsonObject | None:
    """The JSON-RPC error that answers a message sent as `content_type`; None when that is JSON."""
    if content_type.partition(";")[0].strip().lower() == "application/json":
        return None
    return _error(None, _INVALID_REQUEST, f"A message is sent as application/json, not {content_type!r:.80}.")


def problem_with(body: bytes) -> JsonObject | None:
    """The JSON-RPC error that answers `body`; None when it is a request, a notification or a response.

    `id` is that of the request, or null where none can be read (JSON-RPC 2.0, 5). It is left out for a notification,
    whose sender waits for no answer (4.1).
    """
    try:
        message = json.loads(body.decode(), parse_constant=_no_number)
    except UnicodeDecodeError:
        return _error(None, _PARSE_ERROR, "The message is not UTF-8.")
    except RecursionError:
        return _error(None, _PARSE_ERROR, "The message is nested too deeply.")
    except ValueError as wrong:
        return _error(None, _PARSE_ERROR, f"The message is not JSON: {wrong}.")
    if not isinstance(message, dict):
        return _error(None, _INVALID_REQUEST, "A message is one object; several are sent one by one.")
    problem = _problem(message, body)
    if problem is not None and "id" not in message and isinstance(message.get("method"), str):
        del problem["id"]
    return problem


def _problem(message: JsonObject, body: bytes) -> JsonObject | None:
    named = message.get("id")
    is_named = isinstance(named, str) or (isinstance(named, int) and not isinstance(named, bool))
    if "id" in message and not is_named and ("method" in message or "error" not in message):
        return _error(None, _INVALID_REQUEST, "'id' must be a string or a whole number.")
    if isinstance(named, str) and _holds_half_a_pair(named):  # an answer under it could not be written
        return _error(None, _INVALID_REQUEST, "'id' holds half of a surrogate pair; leave it out.")
    mark = named if is_named else None
    if message.get("jsonrpc") != "2.0":
        return _error(mark, _INVALID_REQUEST, "'jsonrpc' must be \"2.0\".")
    if "result" in message or "error" in message:
        return None
    if not isinstance(message.get("method"), str):
        return _error(mark, _INVALID_REQUEST, "'method' must be the name of a method.")
    params = message.get("params")
    if params is not None and not isinstance(params, dict):
        return _error(mark, _INVALID_PARAMS, "'params' must be an object.")
    if message["method"] == "tools/call" and (wrong := _wrong_in_call(params or {})):
        return _error(mark, _INVALID_PARAMS, wrong, {"code": "invalid_arguments"})
    if b"\\u" in body and _holds_half_a_pair(message) and not _is_modern(params):
        return _error(mark, _INVALID_PARAMS, "The message holds half of a surrogate pair; leave it out.")
    return None


def _wrong_in_call(params: JsonObject) -> str | None:
    """What is wrong with a call before any tool is asked (MCP, "Calling Tools"); None when nothing is."""
    if not isinstance(params.get("name"), str):
        return "'name' must be the name of a tool."
    if not isinstance(params.get("arguments"), dict | None):
        return "'arguments' must be an object."
    return None


def _is_modern(params: JsonObject | None) -> bool:
    """Whether this is a request of revision 2026-07-28, whose reader lets the tool say what it can't keep."""
    meta = (params or {}).get("_meta")
    return isinstance(meta, dict) and _MODERN in meta


def _holds_half_a_pair(message: Any) -> bool:
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _error(named: str | int | None, code: int, sentence: str, data: JsonObject | None = None) -> JsonObject:
    error = {"code": code, "message": sentence} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": named, "error": error}
