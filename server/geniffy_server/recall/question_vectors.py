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

QuestionVectors = tuple[NDArray[np.float32], NDArray[np.float32]]
"""As it was asked, and in the words of the one it names: the same array when those do not differ."""

_log: Final = logging.getLogger(__name__)
_KEPT: Final = 1_024  # 1.5 KB each
_BESIDE: Final = 2  # threads, one for each wording


class QuestionEmbedder:
    """Embeds questions, and keeps the vectors of those asked last. Its methods may run in several threads at once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._beside = ThreadPoolExecutor(_BESIDE, thread_name_prefix="question-embedder")
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._is_failing = False

    def begin(self, asked: str, in_own_words: str) -> Callable[[], QuestionVectors | None]:
        """Begin to embed both wordings; what it gives back waits for them, and is None without an embedder."""
        held: dict[str, NDArray[np.float32]] = {}
        with self._lock:
            for text in (asked, in_own_words):
                if text in self._kept:
                    self._kept.move_to_end(text)
                    held[text] = self._kept[text]
        missing = [text for text in dict.fromkeys((asked, in_own_words)) if text not in held]
        begun = {text: self._beside.submit(self._embedder.embed, [text]) for text in missing}

        @cache
        def vectors() -> QuestionVectors | None:
            made = self._ended(begun)
            return None if made is None else ((held | made)[asked], (held | made)[in_own_words])

        return vectors

    def _ended(self, begun: dict[str, Future[NDArray[np.float32]]]) -> dict[str, NDArray[np.float32]] | None:
        if not begun:
            return {}
        try:
            # One that no thread was free for is made here.
            made = {
                text: (self._embedder.embed([text]) if one.cancel() else one.result())[0] for text, one in begun.items()
            }
        except Exception:  # any fault of a model: ranking goes on without it
            if not self._is_failing:
                _log.warning("The embedder failed; searching by words and structure alone.", exc_info=True)
            self._is_failing = True
            return None
        self._is_failing = False
        with self._lock:
            self._kept.update(made)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made
