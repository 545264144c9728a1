"""The tools over stdin and stdout, for one caller who needs no sign-in: whoever started the process.

The library's own transport leaves a line that it can't read unanswered, and whoever sent it would wait for ever. This
one answers such a line as `/mcp` does.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import BinaryIO, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCRequest, JSONRPCResponse, RequestId, jsonrpc_message_adapter
from pydantic import ValidationError

from geniffy_server.caller import Caller
from geniffy_server.mcp.call import Call, current
from geniffy_server.mcp.engine import server_of
from geniffy_server.mcp.message import problem_with
from geniffy_server.mcp.tool_set import ToolSet
from geniffy_server.ports import Ports

_STDIN: Final = 0
_STDOUT: Final = 1
_STDERR: Final = 2
_ANSWERED_WITHIN_S: Final = 10.0  # a request that was cancelled never is; a client that is tired of waiting kills

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


async def serve_stdio(ports: Ports, caller: Caller, tools: ToolSet) -> None:
    """Serve until the client closes stdin. Only protocol messages are written to stdout."""
    # What FastMCP offers for stdio opens the library's transport; its server takes any.
    server = server_of(tools)._mcp_server
    current.set(Call(ports, replace(caller, is_ai_app=True)))
    with _wire() as (lines, answers):
        async with _messages(lines, answers) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


@contextmanager
def _wire() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """What the client writes and reads, for messages alone while the block runs.

    Whatever else reads meets its end at once, and whatever else is printed goes to stderr.
    """
    read, written = os.dup(_STDIN), os.dup(_STDOUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _STDIN)
    os.close(nothing)
    os.dup2(_STDERR, _STDOUT)
    try:
        # Not closed at the end: a thread may still wait in a read, and the number must not become another file's.
        yield os.fdopen(read, "rb", closefd=False), os.fdopen(written, "wb", closefd=False)
    finally:
        os.dup2(read, _STDIN)
        os.dup2(written, _STDOUT)


@asynccontextmanager
async def _messages(lines: BinaryIO, answers: BinaryIO) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The messages of the lines, and where answers go, one a line; what is no message is answered on the way.

    The messages end when the lines have and what they asked is answered: the library gives up what is under way then.
    """
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, to_client = anyio.create_memory_object_stream[SessionMessage]()
    asked: set[RequestId] = set()
    answered = anyio.Condition()

    async def read(answering: Outgoing) -> None:
        async with to_server, answering:
            while line := await anyio.to_thread.run_sync(lines.readline):
                if not line.strip():
                    continue
                problem = problem_with(line)
                if problem is None and (message := _message(line)) is not None:
                    if isinstance(message, JSONRPCRequest):
                        asked.add(message.id)
                    await to_server.send(SessionMessage(message))
                elif problem is not None and "id" in problem:
                    await answering.send(SessionMessage(JSONRPCError.model_validate(problem)))
            with anyio.move_on_after(_ANSWERED_WITHIN_S):
                async with answered:
                    while asked:
                        await answered.wait()

    async def write() -> None:
        async with to_client:
            async for one in to_client:
                line = one.message.model_dump_json(by_alias=True, exclude_unset=True)
                await anyio.to_thread.run_sync(_put, answers, line.encode() + b"\n")
                if isinstance(one.message, JSONRPCResponse | JSONRPCError) and one.message.id is not None:
                    asked.discard(one.message.id)
                    async with answered:
                        answered.notify_all()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read, outgoing.clone())
        tasks.start_soon(write)
        yield incoming, outgoing


def _message(line: bytes) -> JSONRPCMessage | None:
    """A line that `problem_with` lets pass; None for a response that answers nothing, whose sender waits for nothing.

    Read by `json`, which keeps half of a surrogate pair: the tool says what is wrong with it.
    """
    try:
        return jsonrpc_message_adapter.validate_python(json.loads(line), by_name=False)
    except ValidationError:
        return None


def _put(answers: BinaryIO, line: bytes) -> None:
    answers.write(line)
    answers.flush()
