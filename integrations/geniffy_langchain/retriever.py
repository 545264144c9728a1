"""`GeniffyRetriever`: the memories nearest to a query, as LangChain Documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import BeforeValidator, ConfigDict, Field, PrivateAttr

from geniffy_agents.client import AsyncGeniffy, Geniffy
from geniffy_agents.clients import Client, Clients
from geniffy_agents.errors import GeniffyError
from geniffy_agents.flows import Flow, RecallCalls
from geniffy_agents.space_names import Space, checked_space, space_for
from geniffy_agents.turns import keepable
from geniffy_agents.types import Kind, Memory
from geniffy_langchain.middleware import OnError, warn
from geniffy_langchain.version import INTEGRATION

MOST_QUERY_CHARS: Final = 50_000
"""What a server takes of a query (contract 1.13): of a longer one, such as a pasted page, the beginning is asked."""

MOST_FOUND: Final = 100
"""What a server gives back of one search (contract 1.13)."""


class GeniffyRetriever(BaseRetriever):
    """The memories nearest to a query, best first: ranked, not judged, so something comes whenever anything is held.

        retriever = GeniffyRetriever(space="user-42", k=5)
        documents = retriever.invoke("the Lumen renewal")
        documents = retriever.invoke("the Lumen renewal", k=3)

    A Document's text is the memory's. Its `id` is the memory's too, and its metadata `id` (int), `kind`, `about`,
    `said_at`, `learned_at`, `quote` (the line it came from), `source` (its title), `source_id`, `status` and `score`
    (higher is nearer, within one search). `k` is 1 to 100, in the constructor or in the call; `kind` and `labels`
    filter. `space` follows `GeniffyMemory`; a function is given the call's metadata: `config={"metadata": {...}}`.
    An error of the server calls `on_error` and finds nothing.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    space: Annotated[Any, BeforeValidator(checked_space)]
    k: int = Field(default=10, ge=1, le=MOST_FOUND)
    kind: Kind | None = None
    labels: dict[str, str | Sequence[str]] | None = None
    client: Geniffy | None = Field(default=None, exclude=True, repr=False)
    async_client: AsyncGeniffy | None = Field(default=None, exclude=True, repr=False)
    on_error: OnError | None = Field(default=None, exclude=True, repr=False)

    _clients: Clients = PrivateAttr()

    def __init__(self, *, space: Space, **fields: Any) -> None:
        super().__init__(**{"space": space, **fields})  # so that a space that is left out is a TypeError, as everywhere

    def model_post_init(self, context: Any, /) -> None:
        """Keep the clients for every call."""
        super().model_post_init(context)
        self._clients = Clients(INTEGRATION, self.client, self.async_client)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        space = self._space(run_manager)
        try:
            found = self._clients.run(space, lambda client: self._found(client, query, k))
        except GeniffyError as error:
            (self.on_error or warn)(error)
            return []
        return [document_of(memory) for memory in found]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        space = self._space(run_manager)
        try:
            found = await self._clients.arun(space, lambda client: self._found(client, query, k))
        except GeniffyError as error:
            (self.on_error or warn)(error)
            return []
        return [document_of(memory) for memory in found]

    def _space(self, run_manager: Any) -> str | None:
        return space_for(self.space, run_manager.metadata)

    def _found(self, client: Client, query: str, k: int | None) -> Flow[list[Memory]]:
        limit = self.k if k is None else k
        if not 1 <= limit <= MOST_FOUND:
            raise ValueError(f"k is 1 to {MOST_FOUND}, not {limit}.")
        query = keepable(query[:MOST_QUERY_CHARS])
        return (yield from RecallCalls.search.flow(client, query, limit=limit, kind=self.kind, labels=self.labels))


def document_of(memory: Memory) -> Document:
    """A memory as a Document."""
    source = memory.source
    return Document(
        id=str(memory.id),
        page_content=memory.text,
        metadata={
            "id": memory.id,
            "kind": memory.kind,
            "about": memory.about,
            "status": memory.status,
            "said_at": memory.said_at,
            "learned_at": memory.learned_at,
            "quote": memory.quote,
            "source": source.title if source else None,
            "source_id": source.id if source else None,
            "score": memory.score,
        },
    )
