"""What the services need from the outside, as Protocols over domain values: one noun a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from geniffy_server.ports.accounts import Accounts, Keys, SignIns
from geniffy_server.ports.calls import EVERY_CALL, CallFilter, CallLog, CallRecord
from geniffy_server.ports.clock import Clock
from geniffy_server.ports.connections import Clients, Connections, Visits
from geniffy_server.ports.curation import Conversations, Curations, Uncategorized
from geniffy_server.ports.files import Files
from geniffy_server.ports.jobs import Bell, Jobs
from geniffy_server.ports.memories import Memories, ShardRow
from geniffy_server.ports.models import Away, Categories, Completion, Embedder, LanguageModel, Task
from geniffy_server.ports.recall import Found, Recall
from geniffy_server.ports.sources import Sources
from geniffy_server.ports.spaces import Spaces
from geniffy_server.ports.store import EMBEDDER_NOTE, SEARCH_KEYS_NOTE, Store, Transaction, Uses

__all__ = [
    "EMBEDDER_NOTE",
    "EVERY_CALL",
    "SEARCH_KEYS_NOTE",
    "Accounts",
    "Away",
    "Bell",
    "CallFilter",
    "CallLog",
    "CallRecord",
    "Categories",
    "Clients",
    "Clock",
    "Completion",
    "Connections",
    "Conversations",
    "Curations",
    "Embedder",
    "Files",
    "Found",
    "Jobs",
    "Keys",
    "LanguageModel",
    "Memories",
    "Ports",
    "Recall",
    "ShardRow",
    "SignIns",
    "Sources",
    "Spaces",
    "Store",
    "Task",
    "Transaction",
    "Uncategorized",
    "Uses",
    "Visits",
]


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything that a service may use.

    `public_url`: the origin people reach us by, with its path prefix and no trailing slash. `stored_in`: where the
    data lies, in words, for exports. `certainty`: how sure `ask` and `context` must be. `refresh_grace_s`: seconds in
    which a used refresh token still works; 0 as the contract wants it. `language_model`: the one that is configured,
    None as a rule; it may use `llm_tokens_a_day` tokens in a day (UTC), 0 for any number.
    """

    store: Store
    calls: CallLog
    embedder: Embedder
    recall: Recall
    categories: Categories
    clock: Clock
    bell: Bell
    public_url: str
    stored_in: str
    certainty: Literal["strict", "normal", "lenient"] = "normal"
    refresh_grace_s: int = 0
    language_model: LanguageModel | None = None
    llm_tokens_a_day: int = 0
