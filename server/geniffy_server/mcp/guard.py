"""What stands before `/mcp` and `/mcp/omi`: who may send a request there at all, and who is calling."""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from geniffy_server.caller import Caller
from geniffy_server.domain.connection import app_name
from geniffy_server.domain.loopback import as_called
from geniffy_server.errors import BadInput, Busy, NotAllowed, NotSignedIn, ServerError, TooLarge
from geniffy_server.mcp.message import problem_with, problem_with_type
from geniffy_server.settings import Settings

MAX_BODY_BYTES: Final = 1 << 20  # 20,000 characters, each escaped as two of \uXXXX, take 240 kB
_EXPOSED: Final = "Mcp-Session-Id, WWW-Authenticate, X-Request-ID, Retry-After"
_ALLOWED: Final = (
    "Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID, "
    "X-Geniffy-Space, X-Geniffy-Client"
)
# The names of HTTP libraries say nothing of the app that uses them.
_LIBRARIES: Final = frozenset(
    {"python-httpx", "python-httpx2", "python-requests", "python-urllib", "python", "node", "undici", "go-http-client"}
)
_RETRY_AFTER_S: Final = 2

Authenticate = Callable[[str | None, str | None, str | None], Awaitable[Caller]]
"""`(bearer, space header, app) -> Caller`; raises NotSignedIn, NotAllowed, BadInput, Busy."""


class McpGuard:
    """An ASGI app that lets checked requests through to `inner`, with their `Caller` in `scope["state"]`.

    Only POST passes: the transport is stateless, so there is no stream to GET and no session to DELETE. Host and Origin
    are checked against DNS rebinding (MCP 2025-11-25, Transports, "Security Warning"; decisions 16).
    """

    def __init__(self, settings: Settings, authenticate: Authenticate, inner: ASGIApp, path: str) -> None:
        self._path = path
        self._authenticate = authenticate
        self._inner = inner
        self._origins = {_origin(url) for url in (settings.base_url, *settings.origins)} - {None}
        self._hosts = {urlsplit(url).hostname for url in (settings.base_url, *settings.origins)} - {None}
        self._base_url = settings.base_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        state = scope.setdefault("state", {})
        state["route"] = self._path
        try:
            self._check_place(headers)
        except ServerError as refusal:
            state["outcome"] = refusal.code
            await self._refused(refusal, headers, None)(scope, receive, send)
            return
        origin = headers.get("origin")
        if scope["method"] == "OPTIONS":
            await Response(status_code=204, headers=_cors(origin, is_preflight=True))(scope, receive, send)
        elif scope["method"] != "POST":
            await _not_post(origin)(scope, receive, send)
        else:
            try:
                caller = await self._caller(headers)
                body = await _whole_body(headers, receive)
            except ServerError as refusal:
                state["outcome"] = refusal.code
                await self._refused(refusal, headers, origin)(scope, receive, send)
                return
            state["caller"], state["app"] = caller, caller.app
            if problem := problem_with_type(headers.get("content-type", "")) or problem_with(body):
                state["outcome"] = "invalid_request"
                await JSONResponse(problem, 400, headers=_cors(origin))(scope, receive, send)
                return
            await self._inner(_trimmed(scope), _replay(body, receive), _with_headers(send, _cors(origin)))

    def _check_place(self, headers: Headers) -> None:
        """Raise NotAllowed unless the request came to an address of ours, from a page that may call us."""
        hosts = headers.getlist("host")
        host = _hostname(hosts[0]) if len(hosts) == 1 else None
        if host is None or (host not in self._hosts and not _is_loopback(host)):
            raise NotAllowed(
                f"This server does not answer to the host {', '.join(hosts)!r:.120}; set GENIFFY_PUBLIC_URL to the "
                "address that people reach it by."
            )
        for raw in headers.getlist("origin"):
            origin = _origin(raw)
            if origin is None or (origin not in self._origins and not _is_loopback(origin[1])):
                raise NotAllowed(
                    f"Pages of {raw!r:.120} may not call this server; add the origin to GENIFFY_ALLOWED_ORIGINS."
                )

    async def _caller(self, headers: Headers) -> Caller:
        spaces = {value.strip() for value in headers.getlist("x-geniffy-space")}
        if len(spaces) > 1:
            raise BadInput("X-Geniffy-Space was sent more than once; name one space.", "bad_space")
        caller = await self._authenticate(_bearer(headers), spaces.pop() if spaces else None, _app(headers))
        return replace(caller, is_ai_app=True)

    def _refused(self, refusal: ServerError, sent: Headers, origin: str | None) -> Response:
        headers = _cors(origin)
        if isinstance(refusal, NotSignedIn):
            # RFC 6750 3.1: no error code for a request that came without a token. RFC 9728 5.1: resource_metadata.
            error = 'error="invalid_token", ' if _bearer(sent) is not None else ""
            metadata = metadata_url(as_called(self._base_url, sent.get("host")), self._path)
            headers["WWW-Authenticate"] = f'Bearer {error}resource_metadata="{metadata}"'
        if isinstance(refusal, Busy):
            headers["Retry-After"] = str(refusal.retry_after_s)
        elif refusal.status >= 500:
            headers["Retry-After"] = str(_RETRY_AFTER_S)
        return JSONResponse(refusal.envelope(), refusal.status, headers=headers)


def metadata_url(base_url: str, path: str) -> str:
    """Where the metadata of the resource at `path` stands (RFC 9728 3.1, after the prefix as decided)."""
    return f"{base_url}/.well-known/oauth-protected-resource{path}"


def _not_post(origin: str | None) -> Response:
    headers = _cors(origin) | {"Allow": "POST, OPTIONS"}
    refusal = ServerError(
        "This address takes POST alone; it offers no stream and keeps no session.", "method_not_allowed"
    )
    return JSONResponse(refusal.envelope(), 405, headers=headers)


def _cors(origin: str | None, *, is_preflight: bool = False) -> dict[str, str]:
    """The headers that let the page at a checked `origin` read an answer (Fetch standard, "CORS protocol")."""
    if origin is None:
        return {}
    headers = {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": _EXPOSED, "Vary": "Origin"}
    if is_preflight:
        headers |= {
            "Access-Control-Allow-Methods": "POST, OPTIONS",
            "Access-Control-Allow-Headers": _ALLOWED,
            "Access-Control-Max-Age": "600",
        }
    return headers


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").strip().partition(" ")
    return (token.strip() or None) if scheme.lower() == "bearer" else None


def _app(headers: Headers) -> str | None:
    """What the client calls itself: the first product of its User-Agent, unless that is only its HTTP library."""
    for raw in (headers.get("x-geniffy-client"), headers.get("user-agent")):
        product = app_name((raw or "").split("/", 1)[0])
        if product and product.lower() not in _LIBRARIES:
            return product
    return None


def _hostname(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _origin(url: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port of an origin; None for what is none, such as `null`."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.scheme in ("http", "https") and parts.hostname else None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _whole_body(headers: Headers, receive: Receive) -> bytes:
    """The request's body. Raises TooLarge as soon as it is known to be over the limit."""
    declared = headers.get("content-length", "")
    too_large = TooLarge(f"A request can have {MAX_BODY_BYTES:,} bytes here.")
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > MAX_BODY_BYTES):
        raise too_large
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            raise too_large
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return bytes(body)


def _trimmed(scope: Scope) -> Scope:
    """The scope with header values as they mean (RFC 9110 5.5): one HTTP parser leaves the white space around them."""
    return {**scope, "headers": [(name, value.strip(b" \t")) for name, value in scope["headers"]]}


def _replay(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was read once more, then goes on with what the client does next."""
    is_given = False

    async def again() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _with_headers(send: Send, headers: dict[str, str]) -> Send:
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *raw]}
        await send(message)

    return sent
