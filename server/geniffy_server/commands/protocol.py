"""How bytes become calls: uvicorn's own way, but what is no HTTP is refused as everything else is."""

from __future__ import annotations

import json
import logging
from typing import Final
from uuid import uuid4

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from geniffy_server.errors import BadInput

_REFUSED: Final = BadInput(
    "What was sent is not HTTP that this server reads: an unknown method, a line that is too long, or a broken header."
)

log = logging.getLogger(__name__)


class EnvelopedHttp(HttpToolsProtocol):
    """HTTP/1.1, whose refusals before any app is asked have the envelope and an id (contract 1.5 and 1.7)."""

    def send_400_response(self, msg: str) -> None:
        """Refuse what can't be parsed, and close: where the next call begins can't be told."""
        call_id = str(uuid4())
        log.warning("refused %s: %s", call_id, msg)
        body = json.dumps(_REFUSED.envelope()).encode()
        head = (
            "HTTP/1.1 400 Bad Request\r\n"
            "content-type: application/json\r\n"
            f"content-length: {len(body)}\r\n"
            "access-control-allow-origin: *\r\n"
            "access-control-expose-headers: X-Request-ID\r\n"
            f"x-request-id: {call_id}\r\n"
            "connection: close\r\n"
            "\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: no route speaks another protocol, and the call is answered as if it had not asked for one."""
