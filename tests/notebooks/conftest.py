"""Each notebook is run once a session, however many tests look at it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.notebooks.running import NAMES, Ran, run

EXPRESSIONS = {
    "05_recall_explained": {
        "by_words": "by('bm25')[0]",
        "ranked": "[each.memory.text for each in ranked]",
        "parts": "{name: part.tolist() for name, part in parts.items()}",
        "scores": "scores.tolist()",
    },
    "06_benchmarks": {
        "recall": "{name: [recall(ranking, k) for k in (1, 5)] for name, ranking in rankings.items()}",
        "outcomes": "outcomes",
        "took": "took",
    },
}


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """A notebook that has been run: `ran("01_quickstart")`."""
    done: dict[str, Ran] = {}

    def once(name: str) -> Ran:
        assert name in NAMES
        if name not in done:
            done[name] = run(name, tmp_path_factory.mktemp(name), **EXPRESSIONS.get(name, {}))
        return done[name]

    return once
