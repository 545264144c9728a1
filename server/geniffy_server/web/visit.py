"""One visit of a page: who comes, what they sent, and that no other site sent it for them."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from geniffy_server.caller import Caller
from geniffy_server.domain.account import Account
from geniffy_server.domain.connection import new_secret
from geniffy_server.domain.peer import peer_of
from geniffy_server.domain.sign_in import form_token
from geniffy_server.domain.text import keepable
from geniffy_server.errors import BadInput, Busy, NotAllowed, NotFound, ServerError, TooLarge, Unavailable
from geniffy_server.ports import Ports
from geniffy_server.request_log import RETRY_AFTER_S, request_id
from geniffy_server.services.sign_in import account_of_session
from geniffy_server.web.pages import Pages
from geniffy_server.web.times import Times

APP: Final = "Web app"
"""What the request log calls these pages."""

MAX_FORM_BYTES: Final = 64 << 10
MAX_NOTE_BYTES: Final = 8 << 20  # a note's 2,000,000 characters take up to nine bytes each when they are escaped
_OUTCOMES: Final[Mapping[int, str]] = {404: NotFound.default_code, 422: BadInput.default_code}
_MAX_FIELDS: Final = 50
_FORM_TYPE: Final = "application/x-www-form-urlencoded"
_OLD_PAGE: Final = "This page is too old, or was opened before you signed in. Go back, reload it, and try again."


@dataclass(slots=True)
class Visit:
    """A call of a page. `form` holds what was posted; nothing on a GET."""

    request: Request
    pages: Pages
    ports: Ports
    account: Account | None
    form_secret: str
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def person(self) -> Account:
        """Who is signed in, on a page that asks for it."""
        assert self.account is not None, "this page is served to whom is signed in"
        return self.account

    @property
    def caller(self) -> Caller:
        """The person, in their own memory. What they add was added by no app."""
        return Caller(self.person.id)

    @property
    def times(self) -> Times:
        """How they read times."""
        return Times(self.account.time_zone if self.account else "UTC")

    @property
    def session(self) -> str | None:
        """The token of the browser's session."""
        return self.pages.cookies.session(self.request)

    @property
    def peer(self) -> str:
        """Whom tries from where they come from count against."""
        return peer_of(self.request.client.host if self.request.client else None)

    def asked(self, name: str) -> str | None:
        """A parameter of the address; None when it is left out or blank."""
        return keepable(self.request.query_params.get(name, ""), name).strip() or None

    def number(self, name: str) -> int | None:
        """A whole number of the address, 0 or more; None when it is left out, or none that could name anything."""
        return number_of(self.asked(name))

    def sent(self, name: str) -> str:
        """A field of the form, its lines ended as they are kept; empty when it was left out."""
        return keepable(self.form.get(name, ""), name).replace("\r\n", "\n")

    def html(self, template: str, status: int = 200, /, *, may_leave: bool = False, **values: Any) -> Response:
        """A page for this visitor, whose forms carry their token."""
        if status in _OUTCOMES:
            self.request.scope["state"].setdefault("outcome", _OUTCOMES[status])
        response = self.pages.html(
            template,
            status,
            may_leave=may_leave,
            account=self.account,
            csrf=form_token(self.form_secret),
            times=self.times,
            **values,
        )
        if self.account is not None and self.session is not None:
            self.pages.cookies.set_session(self.request, response, self.session)
        elif self.pages.cookies.form(self.request) != self.form_secret:
            self.pages.cookies.set_form(self.request, response, self.form_secret)
        return response

    def go(self, path: str, /, **parameters: object) -> Response:
        """On to another page, which the browser then gets (RFC 9110 15.4.4)."""
        return RedirectResponse(self.pages.path(path, **parameters), 303, headers={"Cache-Control": "no-store"})


Endpoint = Callable[[Visit], Awaitable[Response]]


def page(
    pages: Pages, path: str, endpoint: Endpoint, *methods: str, is_open: bool = False, max_bytes: int = MAX_FORM_BYTES
) -> Route:
    """A route that serves a page, to whom is signed in alone unless it `is_open`."""

    async def serve(request: Request) -> Response:
        state = request.scope.setdefault("state", {})
        state["route"], state["app"] = path, APP
        try:
            return await _serve(request, pages, endpoint, is_open=is_open, max_bytes=max_bytes)
        except ServerError as error:
            state["outcome"] = error.code
            return refused(pages, error)

    return Route(path, serve, methods=list(methods or ("GET",)), include_in_schema=False)


def refused(pages: Pages, error: ServerError) -> Response:
    """The page for an error."""
    response = pages.html(
        "error.html", error.status, sentence=error.sentence, code=error.code, call_id=request_id.get()
    )
    if isinstance(error, Busy):
        response.headers["Retry-After"] = str(error.retry_after_s)
    elif error.status >= 500:
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return response


def local_path(raw: str | None) -> str | None:
    """A page of ours to go on to, as its path; None for any other address, which nobody is sent to from here."""
    if raw is None or len(raw) > 2_000 or not raw.startswith("/app/") or not raw.isprintable() or "\\" in raw:
        return None
    # A browser resolves these, however they are escaped, and they may lead to what else stands on this host.
    if any(unquote(part) in (".", "..") for part in urlsplit(raw).path.split("/")):
        return None
    return raw


def number_of(raw: str | None) -> int | None:
    """A whole number, 0 or more, that fits where ids are kept; None for anything else."""
    return int(raw) if raw is not None and raw.isascii() and raw.isdigit() and len(raw) <= 15 else None


async def _serve(request: Request, pages: Pages, endpoint: Endpoint, *, is_open: bool, max_bytes: int) -> Response:
    ports: Ports | None = getattr(request.app.state, "ports", None)
    if ports is None:
        raise Unavailable("The server is starting or stopping; try again in a moment.")
    token = pages.cookies.session(request)
    account = await account_of_session(ports, token) if token is not None else None
    is_signed_in = account is not None and token is not None
    secret = token if is_signed_in and token else pages.cookies.form(request) or new_secret()
    visit = Visit(request, pages, ports, account, secret)
    if account is not None:
        request.scope["state"]["caller"] = Caller(account.id)
    if request.method == "POST":
        _check_place(request, pages)
        visit.form = await _form(request, max_bytes)
    if account is None and not is_open:
        return visit.go("/app/sign-in", next=_asked_for(visit))
    if request.method == "POST" and not hmac.compare_digest(
        visit.form.get("csrf", "").encode(), form_token(secret).encode()
    ):
        raise NotAllowed(_OLD_PAGE, "old_page")
    return await endpoint(visit)


def _asked_for(visit: Visit) -> str | None:
    """The page to come back to: the one asked for, or the approval whose form was sent; None for other forms."""
    url = visit.request.url
    path = url.path.removeprefix(visit.pages.prefix)
    if visit.request.method != "POST":
        return local_path(f"{path}?{url.query}" if url.query else path)
    decided_on = visit.form.get("request")
    return local_path(f"{path}?{urlencode({'request': decided_on})}") if decided_on else None


def _check_place(request: Request, pages: Pages) -> None:
    """Raise NotAllowed for a form that a page of another site sent (Fetch Metadata, and RFC 6454 7)."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    is_ours = origin is None or origin == pages.origin or urlsplit(origin).netloc == request.headers.get("host")
    if not is_ours or site not in (None, "same-origin", "none"):
        raise NotAllowed("A page of another site sent this form, so nothing was done.", "other_site")


async def _form(request: Request, max_bytes: int) -> Mapping[str, str]:
    """The fields of a form; a name that is sent twice, or what is no form, is refused."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM_TYPE:
        raise BadInput("A page's form is sent as a form.")
    too_large = TooLarge(f"A form here can have {max_bytes:,} bytes.")
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > max_bytes):
        raise too_large
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > max_bytes:
            raise too_large
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise BadInput("The form can't be read; go back, reload the page, and try again.") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise BadInput("The form names a field twice.")
    return fields
