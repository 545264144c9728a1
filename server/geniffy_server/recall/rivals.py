"""Whether what a question asks of one person was rather said of, or by, another.

`What instrument does Ben play?` finds Ana's violin as surely as `What instrument does Ana play?` does. What tells them
apart is where the best of it lies, with the names left out: among the memories of the one who is asked about, or
among those of others.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

_COMPARED: Final = 3  # the best of each side; one alone is a matter of luck
_COSINE: Final = 0.6
_BM25: Final = 0.4
_LEAST_SPREAD: Final = 0.5


def margin(
    of_subject: NDArray[np.bool_],
    of_others: NDArray[np.bool_],
    cosine: NDArray[np.float32] | None,
    bm25: NDArray[np.float32],
) -> float:
    """How much better the subject's memories fit a question than other people's, in standard deviations.

    `cosine` and `bm25` are those of the question without the names in it. 0 when either side has no memory.
    """
    fit = _BM25 * bm25 / (float(bm25.std()) + _LEAST_SPREAD)
    if cosine is not None:
        fit = fit + _COSINE * (cosine - cosine.mean()) / max(float(cosine.std()), 1e-6)
    own, others = fit[of_subject], fit[of_others]
    compared = min(_COMPARED, len(own), len(others))
    if not compared:
        return 0.0
    # One or two memories of a person say little of what else would have been said about them.
    return (_best(own, compared) - _best(others, compared)) * min(1.0, len(own) / _COMPARED)


def _best(values: NDArray[np.float32], most: int) -> float:
    return float(np.partition(values, len(values) - most)[len(values) - most :].mean())
