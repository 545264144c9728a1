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
        self._kept: OrderedDict[str, Vector] = OrderedDict()
        self._under_way: dict[str, Future[Vector]] = {}
        self._is_failing = False

    def begin(self, text: str) -> Embedding:
        """Begin to embed a question, unless that is done or under way; returns at once."""
        with self._lock:
            held = self._kept.get(text)
            if held is not None:
                self._kept.move_to_end(text)
                return lambda: held
            under_way = self._under_way.get(text)
            begun = under_way or self._under_way.setdefault(text, self._beside.submit(self._embed, text))
        if under_way is None:
            begun.add_done_callback(lambda _: self._end(text, begun))
        return cache(lambda: self._ended(text, begun))

    def _embed(self, text: str) -> Vector:
        made: Vector = self._embedder.embed([text])[0]
        with self._lock:
            self._kept[text] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made

    def _end(self, text: str, begun: Future[Vector]) -> None:
        with self._lock:
            if self._under_way.get(text) is begun:
                del self._under_way[text]

    def _ended(self, text: str, begun: Future[Vector]) -> Vector | None:
        try:
            # One that no thread was free for is made here.
            made = self._embed(text) if begun.cancel() else begun.result()
        except Exception:  # any fault of a model: ranking goes on without it
            if not self._is_failing:
                _log.warning("The embedder failed; searching by words and structure alone.", exc_info=True)
            self._is_failing = True
            return None
        self._is_failing = False
        return made
