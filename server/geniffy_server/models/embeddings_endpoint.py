"""An embedder behind any endpoint that speaks OpenAI's embeddings: hosted, Ollama, vLLM, llama.cpp."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import httpx
import numpy as np
from numpy.typing import NDArray

from geniffy_server.errors import BadInput, Unavailable
from geniffy_server.models.minilm import DIMENSIONS
from geniffy_server.models.openai_client import NO_KEY, http_client, kind_of, own_headers

if TYPE_CHECKING:
    from openai import OpenAI

_RETRIES: Final = 1
_TIMEOUT_S: Final = 10.0  # a search waits for it
_REST_S: Final = 30.0  # after a failure nobody waits for the endpoint again so soon
_AT_ONCE: Final = 64  # texts in a call
_MAX_CHARS: Final = 8_192  # of a text, as the built-in embedder takes
_NEEDS_EXTRA: Final = "An embeddings endpoint needs the `llm` extra: pip install 'geniffy-agents[llm]'."


class EmbeddingsEndpoint:
    """An `Embedder`: the model named `model` at `base_url` (with its `/v1`), through the `openai` client.

    It has to give 384 dimensions, of itself or when asked for so many (`dimensions`). After a failure it rests for half
    a minute, in which searches go by words alone and what is learned waits for its vectors. Raises BadInput without the
    `llm` extra. May be used from several threads at once.
    """

    def __init__(self, base_url: str, model: str, api_key: str | None = None) -> None:
        self._client = _client(base_url, api_key)
        self._model = model
        self._lock = threading.Lock()
        self._rests_until = 0.0
        self._is_asked_for_dimensions = True

    @property
    def id(self) -> str:
        """Names the model. One that changes under its name has to be given another, or old vectors stay."""
        return f"endpoint/{self._model}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 (len(texts), 384), rows of length 1, or of zeros for a blank text. Raises Unavailable."""
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        asked = [row for row, text in enumerate(texts) if text.strip()]
        for start in range(0, len(asked), _AT_ONCE):
            rows = asked[start : start + _AT_ONCE]
            vectors[rows] = self._embedded([texts[row][:_MAX_CHARS] for row in rows])
        return vectors

    def _embedded(self, texts: list[str]) -> NDArray[np.float32]:
        with self._lock:
            rests = time.monotonic() < self._rests_until
        if rests:
            raise Unavailable("The embeddings endpoint failed a moment ago; it is asked again in half a minute.")
        try:
            return _rows(self._asked(texts), len(texts))
        except Unavailable:
            with self._lock:
                self._rests_until = time.monotonic() + _REST_S
            raise

    def _asked(self, texts: list[str]) -> Any:
        from openai import BadRequestError, OpenAIError, UnprocessableEntityError

        try:
            if self._is_asked_for_dimensions:
                try:
                    return self._answer(texts, {"dimensions": DIMENSIONS})
                except (BadRequestError, UnprocessableEntityError):
                    self._is_asked_for_dimensions = False  # it knows no such option
            return self._answer(texts, {})
        except (OpenAIError, httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError) as fault:
            raise Unavailable(f"The embeddings endpoint did not answer as it should: {kind_of(fault)}.") from None

    def _answer(self, texts: list[str], options: dict[str, Any]) -> Any:
        answer = self._client.embeddings.create(model=self._model, input=texts, encoding_format="float", **options)
        return answer.data


def _client(base_url: str, api_key: str | None) -> OpenAI:
    try:
        from openai import OpenAI
    except ImportError as missing:
        raise BadInput(_NEEDS_EXTRA) from missing
    options: dict[str, Any] = {"http_client": http_client(_TIMEOUT_S), "default_headers": own_headers()}
    return OpenAI(base_url=base_url, api_key=api_key or NO_KEY, max_retries=_RETRIES, **options)


def _rows(data: Any, texts: int) -> NDArray[np.float32]:
    """The vectors of an answer in the order of what was asked, made one long."""
    try:
        by_place = {int(one.index): one.embedding for one in data}
        rows = np.array([by_place[place] for place in range(texts)], np.float32)
    except (TypeError, ValueError, KeyError, AttributeError):
        raise Unavailable("The embeddings endpoint gave something else than a vector for each text.") from None
    if rows.ndim != 2 or rows.shape[1] != DIMENSIONS:
        shape = "vectors of several sizes" if rows.ndim != 2 else f"vectors of {rows.shape[1]} dimensions"
        raise Unavailable(f"The embeddings endpoint gives {shape}; the store keeps {DIMENSIONS}.")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise Unavailable("The embeddings endpoint gave a vector that is no number.")
    return np.asarray(rows / np.maximum(lengths, 1e-12), np.float32)
