"""What makes vectors, categories and drafts of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.conversation import ConversationCategory, MemoryCategory
from geniffy_server.domain.memory import Kind


class Embedder(Protocol):
    """Turns texts into vectors. Blocking: call it in a thread."""

    @property
    def id(self) -> str:
        """Names the weights that wrote a vector; vectors of another id are made anew."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 (len(texts), 384), rows of length 1, or of zeros for a text that it makes nothing of."""
        ...


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model made of a task: a JSON object, and the tokens it took in all, None if it does not say."""

    data: Mapping[str, object]
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Away:
    """A model gave nothing that can be used: `reason` in a few words. `was_asked` unless it was left to rest."""

    reason: str
    was_asked: bool = True


@dataclass(frozen=True, slots=True)
class Task:
    """Something to ask of a language model, answered as JSON.

    `instructions` are ours. `data` is what people said to the memory, handed over as JSON and apart from them.
    `schema` is the JSON Schema of the answer, which may take `max_tokens` tokens; `name` names it to the endpoint.
    """

    name: str
    instructions: str
    data: Mapping[str, object]
    schema: Mapping[str, object]
    max_tokens: int


class LanguageModel(Protocol):
    """A model behind an endpoint: slow, at times away, and never trusted with what it says."""

    async def complete(self, task: Task) -> Completion | Away:
        """What it makes of a task. Never raises for what the endpoint does."""
        ...

    async def close(self) -> None: ...


class Categories(Protocol):
    """Tells what memories and conversations are about. Blocking: call it in a thread. Raises what the embedder does."""

    def memory(self, text: str, kind: Kind, vector: NDArray[np.float32] | None) -> MemoryCategory:
        """`vector` is that of the memory; with None the text is embedded."""
        ...

    def conversation(self, turns: Sequence[str], vectors: NDArray[np.float32] | None) -> ConversationCategory:
        """`vectors` has a row for each of `turns`; with None these are embedded."""
        ...
