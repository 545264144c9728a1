"""Signing in through the operator's own OpenID Connect provider (OpenID Connect Core 1.0, with PKCE)."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
from authlib.common.errors import AuthlibBaseError  # type: ignore[import-untyped]  # it ships no types
from authlib.integrations.starlette_client import OAuth  # type: ignore[import-untyped]  # it ships no types
from joserfc.errors import JoseError
from starlette.responses import Response

from geniffy_server.errors import NotAllowed, NotFound, Unavailable
from geniffy_server.services.sign_in import sign_in_verified
from geniffy_server.settings import Settings
from geniffy_server.web.sign_in import signed_in
from geniffy_server.web.visit import Endpoint, Visit, local_path

CALLBACK: Final = "/app/sign-in/oidc/callback"
_NAME: Final = "operator"
_NEXT: Final = "next"
_WITHIN_S: Final = 10.0
_LOADED: Final = "_loaded_at"  # without it the client reads the provider's metadata anew
_ADDRESSES: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")  # OpenID Connect Discovery 3
_FAILED: Final = "Signing in through your identity provider did not work; start again from the sign-in page."


class Provider:
    """The operator's provider. `host` is what people know it by."""

    def __init__(self, issuer: str, client_id: str, client_secret: str | None) -> None:
        self.issuer = issuer
        self.host = urlsplit(issuer).netloc
        registry = OAuth()
        registry.register(
            _NAME,
            client_id=client_id,
            client_secret=client_secret,
            server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={
                "scope": "openid email profile",
                "code_challenge_method": "S256",
                "timeout": _WITHIN_S,
                **({} if client_secret else {"token_endpoint_auth_method": "none"}),
            },
        )
        self._client: Any = registry.create_client(_NAME)

    async def begin(self, visit: Visit) -> Response:
        """Send the person to the provider; what must come back with them is kept in their browser."""
        await self._check_metadata()
        session: dict[str, Any] = {_NEXT: local_path(visit.asked("next"))}
        visit.request.scope["session"] = session
        address = f"{visit.pages.base_url}{CALLBACK}"
        response: Response = await self._client.authorize_redirect(visit.request, address)
        response.headers["Cache-Control"] = "no-store"
        visit.pages.cookies.set_oidc(visit.request, response, _packed(session))
        return response

    async def finish(self, visit: Visit) -> Response:
        """Check what came back, and sign in the account of the email that the provider has verified."""
        session = _unpacked(visit.pages.cookies.oidc(visit.request))
        visit.request.scope["session"] = session
        await self._check_metadata()
        if visit.asked("iss") not in (None, self.issuer):  # RFC 9207 2.4
            raise NotAllowed(_FAILED)
        claims = await self._claims(visit)
        email = claims.get("email")
        if not isinstance(email, str) or claims.get("email_verified") is not True:
            raise NotAllowed(f"{self.host} did not confirm an email of yours, so it can't say which account is yours.")
        signed = await sign_in_verified(visit.ports, email, former=visit.session)
        next_page = session.get(_NEXT)
        response = signed_in(visit, signed, next_page if isinstance(next_page, str) else None)
        visit.pages.cookies.set_oidc(visit.request, response, None)
        return response

    async def _claims(self, visit: Visit) -> Mapping[str, Any]:
        """What the provider says of the person: its ID token, and if that has no email its userinfo.

        Raises NotAllowed for whatever was not asked for here, is forged, expired, of another issuer or for another
        client.
        """
        options = {"iss": {"essential": True, "value": self.issuer}}
        try:
            token = await self._client.authorize_access_token(visit.request, claims_options=options)
            claims = dict(token.get("userinfo") or {})
            if not claims:
                raise NotAllowed(_FAILED)
            if "email" not in claims:
                told = dict(await self._client.userinfo(token=token))
                if told.get("sub") != claims.get("sub"):  # OpenID Connect Core 5.3.2
                    raise NotAllowed(_FAILED)
                claims |= told
        except (AuthlibBaseError, JoseError, ValueError, KeyError, TypeError) as fault:  # what is no JSON object, too
            raise NotAllowed(_FAILED) from fault
        except httpx2.HTTPError as fault:
            raise self._unreachable() from fault
        return claims

    async def _check_metadata(self) -> None:
        """Have read what the provider says of itself. What can't be used is not kept, so it is asked again next time.

        Raises Unavailable.
        """
        try:
            metadata = await self._client.load_server_metadata()
        except (httpx2.HTTPError, ValueError, TypeError) as fault:
            raise self._unreachable() from fault
        if metadata.get("issuer") != self.issuer:  # OpenID Connect Discovery 4.3
            metadata.pop(_LOADED, None)
            raise Unavailable(f"{self.host} calls itself by another name than GENIFFY_OIDC_ISSUER does.")
        if not all(_is_address(metadata.get(name)) for name in _ADDRESSES):
            metadata.pop(_LOADED, None)
            raise Unavailable(f"{self.host} does not say where people sign in to it; see its openid-configuration.")

    def _unreachable(self) -> Unavailable:
        return Unavailable(f"The identity provider {self.host} did not answer; try again, or sign in with a password.")


def provider_of(settings: Settings) -> Provider | None:
    """The provider that the settings name; None when they name none."""
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    return Provider(settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret)


def begin_at(provider: Provider | None) -> Endpoint:
    """The endpoint that leads to the provider."""
    return provider.begin if provider is not None else _none


def finish_at(provider: Provider | None) -> Endpoint:
    """The endpoint that the provider leads back to."""
    return provider.finish if provider is not None else _none


async def _none(_: Visit) -> Response:
    raise NotFound("This server has no identity provider to sign in with; use your email and password.")


def _is_address(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("https://", "http://"))


def _packed(session: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(session).encode()).decode()


def _unpacked(raw: str | None) -> dict[str, Any]:
    """What was kept; empty for anything else, and then nothing that comes back matches it."""
    try:
        session = json.loads(base64.urlsafe_b64decode(raw or ""))
    except ValueError:
        return {}
    return session if isinstance(session, dict) else {}
