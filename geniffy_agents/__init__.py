"""Geniffy Agents: the memory that agents keep about the people they work for.

    from geniffy_agents import Geniffy

    client = Geniffy()                       # GENIFFY_API_KEY, GENIFFY_BASE_URL
    mem = client.space("user-42")            # one of your users
    mem.memories.add("Priya Nair signs the renewal in March.")
    mem.ask("Who signs the renewal?").answer

`AsyncGeniffy` is the same for asyncio. Errors are drawn in `geniffy_agents.errors`, results in `geniffy_agents.types`
and `geniffy_agents.shapes`; what integrations share is in `geniffy_agents.turns` and `geniffy_agents.space_names`.
"""

from geniffy_agents._session import AsyncSession, Session
from geniffy_agents._version import __version__
from geniffy_agents.client import DEFAULT_BASE_URL, AsyncGeniffy, Geniffy
from geniffy_agents.errors import (
    APIConnectionError,
    AuthenticationError,
    BadRequestError,
    ChangedError,
    GeniffyError,
    InternalServerError,
    NotFoundError,
    RateLimitError,
    UnreadableError,
    UsageLimitError,
)
from geniffy_agents.types import (
    Answer,
    File,
    FileInfo,
    FilePage,
    Key,
    Kind,
    LabelFilter,
    Labels,
    Memory,
    MemoryDetail,
    MemoryPage,
    Message,
    Source,
    SourcePage,
    SourceRef,
)

__all__ = [
    "DEFAULT_BASE_URL",
    "APIConnectionError",
    "Answer",
    "AsyncGeniffy",
    "AsyncSession",
    "AuthenticationError",
    "BadRequestError",
    "ChangedError",
    "File",
    "FileInfo",
    "FilePage",
    "Geniffy",
    "GeniffyError",
    "InternalServerError",
    "Key",
    "Kind",
    "LabelFilter",
    "Labels",
    "Memory",
    "MemoryDetail",
    "MemoryPage",
    "Message",
    "NotFoundError",
    "RateLimitError",
    "Session",
    "Source",
    "SourcePage",
    "SourceRef",
    "UnreadableError",
    "UsageLimitError",
    "__version__",
]
