"""Tools as they are described, and the tools of one door."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from geniffy_server.caller import Caller
from geniffy_server.mcp.arguments import Argument, JsonObject


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. `run(ports, caller, **arguments)` answers what `output` describes, or raises a ServerError.

    `writes` hides it from a connection that may only read. `destroys` and `repeats_safely` are hints to clients.
    """

    name: str
    title: str
    says: str
    takes: Sequence[Argument]
    output: JsonObject
    run: Callable[..., Awaitable[JsonObject]]
    writes: bool = False
    destroys: bool = False
    repeats_safely: bool = False


@dataclass(frozen=True, slots=True)
class RpcError:
    """A JSON-RPC error: its number, and the same in a word, which stands in its `data`."""

    number: int
    word: str


@dataclass(frozen=True, slots=True)
class ToolSet:
    """The tools of one door and what it says of itself.

    `error_of` turns a fault into a JSON-RPC error; None for a door where a fault is a result that a model can read.
    `unknown_tool` answers a name that is no tool of the caller's.
    """

    instructions: str
    tools: Mapping[str, ToolSpec]
    unknown_tool: RpcError
    error_of: Callable[[Exception], RpcError] | None = None


def may_use(caller: Caller, spec: ToolSpec) -> bool:
    """Whether a caller is shown a tool at all."""
    return caller.can_write or not spec.writes


def by_key(caller: Caller) -> bool:
    """Whether the caller is an app with an API key, which alone may name a space."""
    return caller.key_id is not None


def annotations_of(spec: ToolSpec) -> dict[str, Any]:
    """The hints of a tool as MCP names them; every tool keeps to this memory alone."""
    hints: dict[str, Any] = {"title": spec.title, "readOnlyHint": not spec.writes, "openWorldHint": False}
    if spec.writes:
        hints |= {"destructiveHint": spec.destroys, "idempotentHint": spec.repeats_safely}
    return hints
