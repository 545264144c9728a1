"""The vectors of a question, made while a search looks at words and subjects: another core may be free for it."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.ports import Embedder

Vector = NDArray[np.float32]
QuestionVectors = tuple[Vector, Vector]
"""As it was asked, and in the words of the one it names: the same array when those are the same, or not needed."""

_log: Final = logging.getLogger(__name__)
_KEPT: Final = 1_024  # 1.5 KB each
_BESIDE: Final = 2  # threads, one for each wording

Embedding = Callable[[], Vector | None]
"""A vector on its way: waits for it, and is None without an embedder."""


class QuestionEmbedder:
    """Embeds questions, and keeps the vectors of those asked last. Its methods may run in several threads at once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._beside = ThreadPoolExecutor(_BESIDE, thread_name_prefix="question-embedder")
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._is_failing = False

    def begin(self, text: str) -> Embedding:
        """Begin to embed a question."""
        with self._lock:
            held = self._kept.get(text)
            if held is not None:
                self._kept.move_to_end(text)
        if held is not None:
            return lambda: held
        begun = self._beside.submit(self._embedder.embed, [text])
        return cache(lambda: self._ended(text, begun))

    def _ended(self, text: str, begun: Future[NDArray[np.float32]]) -> Vector | None:
        try:
            # One that no thread was free for is made here.
            made: Vector = (self._embedder.embed([text]) if begun.cancel() else begun.result())[0]
        except Exception:  # any fault of a model: ranking goes on without it
            if not self._is_failing:
                _log.warning("The embedder failed; searching by words and structure alone.", exc_info=True)
            self._is_failing = True
            return None
        self._is_failing = False
        with self._lock:
            self._kept[text] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made
