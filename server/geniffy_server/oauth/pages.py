"""What a person is told when their browser can't be sent on."""

from __future__ import annotations

from html import escape
from typing import Final

from starlette.responses import HTMLResponse, Response

_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>This app can't be connected</title>
<h1>This app can't be connected</h1>
<p id="error">{sentence}</p>
</html>
"""
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def error_page(sentence: str, status: int) -> Response:
    """A page with one sentence."""
    return HTMLResponse(_PAGE.format(sentence=escape(sentence)), status, headers=_HEADERS)
