"""A server whose one call never ends, in a thread that nothing can stop. Run as a program: `<port>`."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading

import uvicorn
from starlette.types import Receive, Scope, Send

from geniffy_server.commands.stopping import WithoutWaiting
from geniffy_server.request_log import RequestLog


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Read a text without end, for any call."""
    if scope["type"] == "http":
        await asyncio.to_thread(_read)
        return
    for done in ("lifespan.startup.complete", "lifespan.shutdown.complete"):
        await receive()
        await send({"type": done})


def _read() -> None:
    print("reading", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: None)  # as `serve` does: uvicorn raises it again at the end
    stopping = WithoutWaiting(RequestLog(app), lambda: print("stopping", flush=True))
    uvicorn.run(stopping, port=int(sys.argv[1]), log_level="warning", lifespan="on", timeout_graceful_shutdown=1)
