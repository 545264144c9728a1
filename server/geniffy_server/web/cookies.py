"""The pages' cookies: for this server and its pages alone, out of reach of scripts, and of other sites' forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from geniffy_server.domain.sign_in import SESSION_LIFE
from geniffy_server.settings import Settings

_FORM_LIFE_S: Final = 24 * 3600
_OIDC_LIFE_S: Final = 600


@dataclass(frozen=True, slots=True)
class Cookies:
    """Cookies beneath one path. `suffix` keeps servers on other ports of a host apart: cookies don't know ports."""

    path: str
    suffix: str
    is_https: bool

    def session(self, request: Request) -> str | None:
        """The token of the session, if the browser has one."""
        return request.cookies.get(f"geniffy_session{self.suffix}") or None

    def form(self, request: Request) -> str | None:
        """The secret that forms are checked by before anybody is signed in."""
        return request.cookies.get(f"geniffy_form{self.suffix}") or None

    def oidc(self, request: Request) -> str | None:
        """What was on its way to the identity provider."""
        return request.cookies.get(f"geniffy_oidc{self.suffix}") or None

    def set_session(self, request: Request, response: Response, token: str) -> None:
        """Keep a session, from now on for as long as it lives unused."""
        self._set(request, response, "session", token, int(SESSION_LIFE.total_seconds()))

    def set_form(self, request: Request, response: Response, secret: str) -> None:
        """Keep the secret of forms."""
        self._set(request, response, "form", secret, _FORM_LIFE_S)

    def set_oidc(self, request: Request, response: Response, value: str | None) -> None:
        """Keep what is on its way to the identity provider; with None, forget it."""
        self._set(request, response, "oidc", value or "", _OIDC_LIFE_S if value else 0)

    def forget_session(self, request: Request, response: Response) -> None:
        """Take the session's cookie away."""
        self._set(request, response, "session", "", 0)

    def _set(self, request: Request, response: Response, name: str, value: str, life_s: int) -> None:
        response.set_cookie(
            f"geniffy_{name}{self.suffix}",
            value,
            max_age=life_s,
            path=self.path,
            secure=self.is_https or request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )


def cookies_of(settings: Settings) -> Cookies:
    """The cookies of a server, by the address that people reach it at."""
    place = urlsplit(settings.base_url)
    return Cookies(f"{place.path}/app", f"_{place.port}" if place.port else "", place.scheme == "https")
