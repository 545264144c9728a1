"""What is no HTTP, over a real socket."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from geniffy_server.commands.serve import PROTOCOLS

NO_HTTP = {
    "an unknown method": b"FOO /v1/me HTTP/1.1\r\nHost: x\r\n\r\n",
    "a line that is too long": b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "characters that a line can't have": "GET /v1/é HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
    "a length that is none": b"POST /v1/memories HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    "a chunk without a size": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    "a TLS greeting": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
}
WEBSOCKET = (
    b"GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


@pytest.mark.parametrize("sent", NO_HTTP.values(), ids=NO_HTTP)
async def test_what_is_no_http_is_refused_in_the_envelope_with_an_id(sent: bytes) -> None:
    status, headers, body = await answer_to(sent)

    error = json.loads(body)["error"]
    assert status == 400
    assert (error["code"], headers["content-type"]) == ("invalid_request", "application/json")
    assert error["message"].endswith(".")
    assert len(headers["x-request-id"]) == 36


async def test_a_call_for_a_websocket_is_answered_as_any_other() -> None:
    assert (await answer_to(WEBSOCKET))[::2] == (200, "the app")


async def answer_to(sent: bytes) -> tuple[int, dict[str, str], str]:
    """What comes back from a server with the protocols of `serve`, until it closes the connection."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = uvicorn.Server(
            uvicorn.Config(
                PlainTextResponse("the app"), lifespan="off", log_config=None, timeout_keep_alive=0, **PROTOCOLS
            )
        )
        serving = asyncio.create_task(server._serve([taken]))
        reader, writer = await asyncio.open_connection(*taken.getsockname())
        writer.write(sent)
        head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
        writer.close()
        server.should_exit = True
        await serving
    first, *lines = head.split("\r\n")
    return int(first.split()[1]), dict(line.lower().split(": ", 1) for line in lines), body
