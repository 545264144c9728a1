"""The tool for either of Anthropic's runners: one definition of the commands, two ways to wait."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias, TypeVar

from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from geniffy_agents import AsyncGeniffy, Geniffy, __version__
from geniffy_agents.clients import Clients
from geniffy_agents.errors import BadRequestError, GeniffyError
from geniffy_agents.flows import FilesCalls, Flow
from geniffy_agents.space_names import Space, bound, checked_space, space_for
from geniffy_claude import commands

C = TypeVar("C", Geniffy, AsyncGeniffy)
OnError: TypeAlias = Callable[[Exception], None]

log = logging.getLogger(__name__)

INTEGRATION: Final = f"geniffy-claude/{__version__}"
AWAY: Final = (
    "The memory is not available right now. Go on without it, and before you rely on what you wrote last, view it."
)
NOBODY: Final = "It is not known whose memory this would be, so nothing was read or changed. Go on without it."
# What the model can do something about; what else is refused is the app's to see to.
_FOR_THE_MODEL: Final = frozenset({"bad_path", "conflict", "invalid_request", "too_large", "too_long"})


class _Memory:
    """Whose files the commands work on, and who is told what goes wrong."""

    def __init__(self, clients: Clients, space: Space, on_error: OnError | None) -> None:
        self.clients = clients
        self._space = checked_space(space)
        self._on_error = on_error or _log

    def run(self, write: Callable[[FilesCalls], Flow[str]]) -> str:
        with self._told():
            return self.clients.run(self._named(), lambda client: write(client.files))

    async def arun(self, write: Callable[[FilesCalls], Flow[str]]) -> str:
        with self._told():
            return await self.clients.arun(self._named(), lambda client: write(client.files))

    def _named(self) -> str | None:
        try:
            return space_for(self._space, None)
        except (TypeError, ValueError) as nobody:
            self._on_error(nobody)
            raise ToolError(NOBODY) from nobody

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except GeniffyError as error:
            if isinstance(error, BadRequestError) and error.code in _FOR_THE_MODEL:
                raise ToolError(error.message) from error
            self._on_error(error)
            raise ToolError(AWAY) from error


class GeniffyMemoryTool(BetaAbstractMemoryTool):
    """Claude's memory tool (`memory_20250818`) over the files of a Geniffy memory, for `anthropic.Anthropic`.

    `client`: left out, one is made from GENIFFY_API_KEY and GENIFFY_BASE_URL. `space`: your own name for the user whose
    memory this is; None is the key owner's own; a function is asked for a name before every command, with None for
    an argument. `cache_control`: as Anthropic's tools take it. `on_error`: called when the memory is away or nobody
    is named, while Claude is told in a sentence; left out, a warning is logged.

    What Claude is told is word for word what Anthropic's own local tool says. Directories are what paths have in
    common, and sizes are in characters. Several agents may work in one space: no edit is lost.
    Raises TypeError without `space` and ValueError for a blank one; GeniffyError when there is no key.
    """

    def __init__(
        self,
        client: Geniffy | None = None,
        *,
        space: Space,
        cache_control: BetaCacheControlEphemeralParam | None = None,
        on_error: OnError | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        _check(client, Geniffy, space)
        self._memory = _Memory(Clients(INTEGRATION, client), space, on_error)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file's lines, or what a directory holds."""
        return self._memory.run(lambda files: commands.view(files, command))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return self._memory.run(lambda files: commands.create(files, command))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands once in a file."""
        return self._memory.run(lambda files: commands.str_replace(files, command))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line of a file."""
        return self._memory.run(lambda files: commands.insert(files, command))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a directory."""
        return self._memory.run(lambda files: commands.delete(files, command))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a directory."""
        return self._memory.run(lambda files: commands.rename(files, command))

    def clear_all_memory(self) -> str:
        """Delete every file under /memories of this user. For your app; Claude can't."""
        return self._memory.run(commands.clear)


class AsyncGeniffyMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same tool for `anthropic.AsyncAnthropic`, over an AsyncGeniffy. See GeniffyMemoryTool."""

    def __init__(
        self,
        client: AsyncGeniffy | None = None,
        *,
        space: Space,
        cache_control: BetaCacheControlEphemeralParam | None = None,
        on_error: OnError | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        _check(client, AsyncGeniffy, space)
        self._memory = _Memory(Clients(INTEGRATION, async_client=client), space, on_error)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file's lines, or what a directory holds."""
        return await self._memory.arun(lambda files: commands.view(files, command))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return await self._memory.arun(lambda files: commands.create(files, command))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands once in a file."""
        return await self._memory.arun(lambda files: commands.str_replace(files, command))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line of a file."""
        return await self._memory.arun(lambda files: commands.insert(files, command))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a directory."""
        return await self._memory.arun(lambda files: commands.delete(files, command))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a directory."""
        return await self._memory.arun(lambda files: commands.rename(files, command))

    async def clear_all_memory(self) -> str:
        """Delete every file under /memories of this user. For your app; Claude can't."""
        return await self._memory.arun(commands.clear)


def _check(client: C | None, made: type[C], space: Space) -> None:
    """What is wrong with the arguments is told where the tool is made, and not to the model later."""
    checked_space(space)
    if client is None:
        Geniffy(integration=INTEGRATION).close()  # raises when there is no key
    elif not isinstance(client, made):
        raise TypeError(f"client= takes a geniffy_agents.{made.__name__}, not a {type(client).__qualname__}.")
    elif not callable(space):
        bound(client, space)


def _log(error: Exception) -> None:
    log.warning("Claude went on without its memory: %s", error)
