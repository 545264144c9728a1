"""The clients: `Geniffy`, which blocks, and `AsyncGeniffy`, for asyncio. Both run the same calls."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Self

from geniffy_agents._account import AccountCalls, AsyncKeys, AsyncSections, Keys, Sections
from geniffy_agents._briefings import BriefingCalls
from geniffy_agents._files import AsyncFiles, Files
from geniffy_agents._flow import Async, Policy, Sync
from geniffy_agents._memories import AsyncMemories, Memories
from geniffy_agents._recall import RecallCalls
from geniffy_agents._session import AsyncSession, Session
from geniffy_agents._sources import AsyncSources, Sources
from geniffy_agents._spaces import SpacesCalls
from geniffy_agents._version import __version__
from geniffy_agents.errors import GeniffyError
from geniffy_agents.space_names import space_name
from geniffy_agents.types import Labels

if TYPE_CHECKING:
    import httpx

    from geniffy_agents._http import AsyncHttp

DEFAULT_BASE_URL: Final = "http://127.0.0.1:8787"
"""Where `geniffy-server serve` listens. Never a hosted service: no memory leaves a machine unasked."""

MAX_RETRIES: Final = 2
"""How often a call is sent again where that is safe, unless a client is made otherwise (contract 1.8)."""

# A name and a version, as the server's request log takes them (contract 1.4).
_INTEGRATION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}/[A-Za-z0-9][A-Za-z0-9._+-]{0,31}")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a client was made with. `space` is empty for the key owner's own memory, `integration` for none."""

    base_url: str
    api_key: str
    integration: str
    max_retries: int
    space: str

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every request."""
        agent = f"geniffy-agents/{__version__} {self.integration}".rstrip()
        headers = {"Authorization": f"Bearer {self.api_key}", "User-Agent": agent, "Accept": "application/json"}
        return {**headers, "X-Geniffy-Space": self.space} if self.space else headers

    def through(self, integration: str) -> Settings:
        """These settings under an integration's name, unless they have one. Raises ValueError for what is no name."""
        return replace(self, integration=self.integration or _integration(integration))


def settings_of(
    api_key: str | None,
    base_url: str | None,
    region: str | None,
    space: str | int | None,
    integration: str | None,
    max_retries: int,
    environ: Mapping[str, str],
) -> Settings:
    """The settings that arguments and the variables `GENIFFY_API_KEY` and `GENIFFY_BASE_URL` make; arguments first.

    A blank argument or variable counts as not set. Raises GeniffyError without a key, ValueError for what can't be.
    """
    if _first(region, environ.get("GENIFFY_REGION")):
        raise ValueError(
            "Regions belong to a hosted service, and this client calls your own server: take away region= and "
            "GENIFFY_REGION, and name the server with base_url= or GENIFFY_BASE_URL."
        )
    url = _first(base_url, environ.get("GENIFFY_BASE_URL")) or DEFAULT_BASE_URL
    if not re.match(r"https?://[^/?#\s]", url, re.IGNORECASE):
        raise ValueError(f"base_url is an address such as {DEFAULT_BASE_URL}, not {url!r}.")
    key = _first(api_key, environ.get("GENIFFY_API_KEY"))
    if not key:
        raise GeniffyError(
            "There is no API key: pass api_key= or set GENIFFY_API_KEY. `geniffy-server key create` makes one."
        )
    if not (key.isascii() and key.isprintable()):
        raise GeniffyError("The API key holds characters that no key has: copy it again.")
    return Settings(
        base_url=url.rstrip("/"),
        api_key=key,
        integration=_integration(integration),
        max_retries=max(0, int(max_retries)),
        space="" if space is None else space_name(space, "space="),
    )


def _integration(name: str | None) -> str:
    if name and not _INTEGRATION.fullmatch(name):
        raise ValueError(f"integration is a name and a version such as 'my-app/1.0', not {name!r}.")
    return name or ""


class ClientCalls(RecallCalls, BriefingCalls, SpacesCalls, AccountCalls):
    """What both clients are."""

    _settings: Settings

    @property
    def space_id(self) -> str:
        """The space this client works in; empty for the key owner's own memory."""
        return self._settings.space

    @property
    def base_url(self) -> str:
        """The server this client calls."""
        return self._settings.base_url

    @property
    def max_retries(self) -> int:
        """How often a call is sent again where that is safe."""
        return self._settings.max_retries

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r}, space={self.space_id or None!r})"


class Geniffy(ClientCalls, Sync):
    """A memory, or with `space()` one for each of your users.

        client = Geniffy()                      # GENIFFY_API_KEY, GENIFFY_BASE_URL
        mem = client.space(user.id)             # one user's memory; nothing else can be reached through it
        mem.memories.add("Prefers tea to coffee.")
        print(mem.ask("What do they drink?").answer)

    `timeout`: seconds that each part of a call may take. `max_retries`: how often a call is sent again where that is
    safe; an add is never sent twice once it may have arrived. `http_client`: an httpx.Client of your own, which
    `close()` closes too. `integration`: a name and a version for the server's request log. A client may be shared
    between threads.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = 60.0,
        max_retries: int = MAX_RETRIES,
        http_client: httpx.Client | None = None,
        space: str | int | None = None,
        integration: str | None = None,
        region: str | None = None,
    ) -> None:
        from geniffy_agents._http import open_client

        settings = settings_of(api_key, base_url, region, space, integration, max_retries, os.environ)
        self._bind(settings, http_client or open_client(settings.base_url, timeout), owns_http=True)

    @classmethod
    def local(cls, path: str | os.PathLike[str], *, space: str | int | None = None, timeout: float = 60.0) -> Self:
        """The same client on a directory, with the whole server in this process: no port and no key.

        The directory is made when it is new, and may be open in a running server too. Close the client, or use it in
        a `with` block; what it was told is on disk when each call returns. Raises ImportError without the extra
        `server`, ValueError for a blank path, GeniffyError for a directory that can't be opened.
        """
        import httpx

        from geniffy_agents.local import LocalTransport, acquire

        settings = _local_settings(path, space)
        client = cls.__new__(cls)
        client._bind(settings, httpx.Client(transport=LocalTransport(acquire(path)), timeout=timeout), owns_http=True)
        return client

    def _bind(self, settings: Settings, http: httpx.Client, *, owns_http: bool) -> None:
        from geniffy_agents._http import BlockingDriver, longest_hold_s

        perform = BlockingDriver(http, settings.base_url, settings.headers)
        policy = Policy(settings.max_retries, longest_hold_s(http), time.monotonic)
        super().__init__(perform, policy)
        self._settings, self._http, self._owns_http = settings, http, owns_http
        self.memories = Memories(perform, policy)
        self.sources = Sources(perform, policy)
        self.files = Files(perform, policy)
        self.keys = Keys(perform, policy)
        self.sections = Sections(perform, policy)

    def space(self, space: str | int) -> Self:
        """The same client for one of your users, by your own id for them. It shares this client's connections, so
        one for each request costs nothing, and closing it leaves them open.

        Raises TypeError for None and ValueError for a blank id: they would reach your own memory.
        """
        return self._sharing(replace(self._settings, space=space_name(space)))

    def through(self, integration: str) -> Self:
        """The same client, whose calls the server's request log shows as made by `integration`, a name and a version,
        unless this client was made with a name of its own.

        It shares this client's connections, as `space()` does.
        """
        return self._sharing(self._settings.through(integration))

    def _sharing(self, settings: Settings) -> Self:
        shared = object.__new__(type(self))
        shared._bind(settings, self._http, owns_http=False)
        return shared

    def session(self, session_id: str, *, title: str | None = None, labels: Labels | None = None) -> Session:
        """A conversation that is saved as it goes: call `save(messages)` with all of it after every turn."""
        return Session(self._perform, self._policy, session_id, title, labels)

    def close(self) -> None:
        """Close the connections."""
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncGeniffy(ClientCalls, Async):
    """The same client for asyncio: every call of Geniffy is awaited, and what it iterates is read by `async for`.
    It may be used from one event loop after the other, unless it was given an `http_client`.

    async with AsyncGeniffy() as client:
        print((await client.space(user.id).ask("What do they drink?")).answer)
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = 60.0,
        max_retries: int = MAX_RETRIES,
        http_client: httpx.AsyncClient | None = None,
        space: str | int | None = None,
        integration: str | None = None,
        region: str | None = None,
    ) -> None:
        from geniffy_agents._http import open_async_client

        settings = settings_of(api_key, base_url, region, space, integration, max_retries, os.environ)
        self._bind(settings, http_client or open_async_client(settings.base_url, timeout), owns_http=True)

    @classmethod
    def local(cls, path: str | os.PathLike[str], *, space: str | int | None = None, timeout: float = 60.0) -> Self:
        """The same client on a directory, as `Geniffy.local`. Not awaited; opening takes about a second."""
        import httpx

        from geniffy_agents.local import AsyncLocalTransport, acquire

        settings = _local_settings(path, space)
        http = httpx.AsyncClient(transport=AsyncLocalTransport(acquire(path)), timeout=timeout)
        client = cls.__new__(cls)
        client._bind(settings, http, owns_http=True)
        return client

    def _bind(self, settings: Settings, http: AsyncHttp, *, owns_http: bool) -> None:
        from geniffy_agents._http import AsyncDriver, longest_hold_s

        perform = AsyncDriver(http, settings.base_url, settings.headers)
        policy = Policy(settings.max_retries, longest_hold_s(http), time.monotonic)
        super().__init__(perform, policy)
        self._settings, self._http, self._owns_http = settings, http, owns_http
        self.memories = AsyncMemories(perform, policy)
        self.sources = AsyncSources(perform, policy)
        self.files = AsyncFiles(perform, policy)
        self.keys = AsyncKeys(perform, policy)
        self.sections = AsyncSections(perform, policy)

    def space(self, space: str | int) -> Self:
        """The same client for one of your users, as `Geniffy.space`. Not awaited: it calls nothing."""
        return self._sharing(replace(self._settings, space=space_name(space)))

    def through(self, integration: str) -> Self:
        """The same client under an integration's name, as `Geniffy.through`. Not awaited: it calls nothing."""
        return self._sharing(self._settings.through(integration))

    def _sharing(self, settings: Settings) -> Self:
        shared = object.__new__(type(self))
        shared._bind(settings, self._http, owns_http=False)
        return shared

    def session(self, session_id: str, *, title: str | None = None, labels: Labels | None = None) -> AsyncSession:
        """A conversation that is saved as it goes: `await save(messages)` with all of it after every turn."""
        return AsyncSession(self._perform, self._policy, session_id, title, labels)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._owns_http:
            await self._http.aclose()

    async def close(self) -> None:
        """The same as `aclose()`."""
        await self.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _local_settings(path: str | os.PathLike[str], space: str | int | None) -> Settings:
    """Settings for the server in this process: no variable has a say in them."""
    from geniffy_agents.local import BASE_URL, key_of

    return settings_of(key_of(path), BASE_URL, None, space, None, MAX_RETRIES, {})


def _first(argument: str | None, variable: str | None) -> str:
    return (argument or "").strip() or (variable or "").strip()
