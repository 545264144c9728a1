"""Answers as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import Response

MEDIA_TYPE: Final = "application/json"

# One encoder for all answers: json.dumps with these options builds a new one for each call. NaN is no JSON.
encode: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def reply(body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON object, as it is: the names in it are `wire`'s."""
    return Response(encode(body).encode(), status, headers, MEDIA_TYPE)
