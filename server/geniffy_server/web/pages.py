"""The look of the pages: templates, the one stylesheet, and the headers that go with everything personal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from geniffy_server.settings import Settings
from geniffy_server.web.cookies import cookies_of

MAX_APP_CHARS: Final = 60  # of a name that an app gives itself
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; {form}frame-ancestors 'none'; base-uri 'none'"
)
_FORM: Final = "form-action 'self'; "
_HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Without the address of the page, browsers would send `Origin: null` with its own forms (Fetch standard 3.2.5).
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_STATIC: Final[Mapping[str, str]] = {"style.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml"}
_A_YEAR: Final = "public, max-age=31536000, immutable"


class Pages:
    """Renders pages for a server at one public address."""

    def __init__(self, settings: Settings) -> None:
        place = urlsplit(settings.base_url)
        self.base_url = settings.base_url
        self.origin = f"{place.scheme}://{place.netloc}"
        self.prefix = place.path
        self.cookies = cookies_of(settings)
        self.signs_in_elsewhere: str | None = None
        """The host of the operator's identity provider, when there is one."""

    def html(self, template: str, status: int = 200, /, *, may_leave: bool = False, **values: Any) -> Response:
        """A page. `may_leave` is for one whose form leads back to an app: Chromium holds `form-action` against it."""
        body = self._templates.get_template(template).render(values)
        policy = _POLICY.format(form="" if may_leave else _FORM)
        return HTMLResponse(body, status, headers={**_HEADERS, "Content-Security-Policy": policy})

    def error_page(self, sentence: str, status: int) -> Response:
        """A page with one sentence, in the look of the others, for whatever can't be done."""
        return self.html("error.html", status, sentence=sentence, code=None, call_id=None)

    def static(self, name: str) -> Response | None:
        """A file that pages are made of; None when there is none of that name. Its address changes with its text."""
        if name not in _STATIC:
            return None
        headers = {"Content-Type": _STATIC[name], "Cache-Control": _A_YEAR, "X-Content-Type-Options": "nosniff"}
        return Response(self._static[name], headers=headers)

    def path(self, path: str, /, **parameters: object) -> str:
        """A page's path with its prefix, and the parameters that are not None."""
        query = urlencode({name: value for name, value in parameters.items() if value is not None})
        return f"{self.prefix}{path}?{query}" if query else f"{self.prefix}{path}"

    @cached_property
    def _static(self) -> Mapping[str, bytes]:
        folder = files("geniffy_server.web") / "static"
        return {name: (folder / name).read_bytes() for name in _STATIC}

    @cached_property
    def _templates(self) -> Environment:
        environment = Environment(
            loader=PackageLoader("geniffy_server.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        versions = {name: hashlib.sha256(text).hexdigest()[:12] for name, text in self._static.items()}
        environment.globals |= {
            "path": self.path,
            "static": lambda name: self.path(f"/app/static/{name}", v=versions[name]),
            "base_url": self.base_url,
            "signs_in_elsewhere": self.signs_in_elsewhere,
            "account": None,
            "page": None,
        }
        environment.filters |= {"count": _count, "cut": _cut, "many": _many}
        return environment


def _count(number: int) -> str:
    """A number with its thousands apart."""
    return f"{number:,}".replace(",", "\u202f")


def _many(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{_count(number)} {one if number == 1 else many or one + 's'}"


def _cut(text: str, limit: int = MAX_APP_CHARS) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
