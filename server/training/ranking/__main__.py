"""`python -m training.ranking`: how searching does on memories of our own, and what each weight is worth.

Run in `server/`. The recipe: learn the memories that `spaces` makes, search for each question, and print where its
lines stand. With `--worth`, do so again with each weight of `recall.fuse` halved and with half more: one that is right
is where neither gains. The weights are set by hand, in round numbers, by these memories, `tests.quality.ranking` and
what `bench recall` says of LoCoMo: figures of the latter are of the half that they were chosen on. Weights that were
fitted to these memories (listwise softmax) ranked these better and other talks worse: what they learn first is how our
own talks are written.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from unittest.mock import patch

from geniffy_server.bench.inside import Inside, running
from geniffy_server.bench.scoring import DEPTHS, Means, Score, means, score
from geniffy_server.ports import Transaction
from geniffy_server.recall import fuse
from geniffy_server.recall.recall import ShardRecall
from geniffy_server.services.access import readable
from training.ranking.spaces import Question, Told, spaces

ASKED_AT: Final = datetime(2026, 7, 15, 9, 0, tzinfo=UTC)
_LEARNS_WITHIN_S: Final = 120.0
_SHARES: Final = (0.5, 1.5)


@dataclass(frozen=True, slots=True)
class Searched:
    """How one question of a memory went."""

    form: str
    kind: str
    score: Score


class _Frozen:
    def now(self) -> datetime:
        return ASKED_AT


async def learn(inside: Inside, told: Sequence[Told]) -> None:
    """Add every source, and wait until it is learned."""
    for one in told:
        for source in one.sources:
            added = await inside.call("POST", "/v1/memories", source, one.name)
            await inside.learned(one.name, str(added["source"]["id"]), _LEARNS_WITHIN_S)


async def search(inside: Inside, recall: ShardRecall, told: Sequence[Told]) -> list[Searched]:
    """Search for each question of each memory."""

    def work(tx: Transaction) -> list[Searched]:
        return [
            Searched(one.form, asked.kind, _score(tx, inside, recall, one.name, asked))
            for one in told
            for asked in one.questions
        ]

    return await inside.ports.store.read(work)


def over(found: Sequence[Searched]) -> Means:
    """The means over some questions."""
    return means([one.score for one in found])


def _score(tx: Transaction, inside: Inside, recall: ShardRecall, name: str, asked: Question) -> Score:
    space = readable(tx, inside.caller(name))
    assert space is not None, "something was added to it"
    quotes = [hit.memory.quote for hit in recall.search(tx, space, asked.text, limit=max(DEPTHS), is_judged=False)]
    ranking = [
        next((line for line in asked.gold if quote in line or line in quote), at) for at, quote in enumerate(quotes)
    ]
    return score(ranking, asked.gold)


async def _measure(data: Path, told: Sequence[Told], *, is_worth_asked: bool) -> None:
    async with running(data) as inside:
        await learn(inside, told)
        recall = ShardRecall(inside.ports.embedder, budget_bytes=1 << 28, clock=_Frozen())
        found = await search(inside, recall, told)
        for kind in dict.fromkeys(one.kind for one in found):
            _say(kind, over([one for one in found if one.kind == kind]))
        _say("all", over(found))
        for weight in fields(fuse.Weights) if is_worth_asked else ():
            for share in _SHARES:
                value = getattr(fuse.WEIGHTS, weight.name) * share
                with patch.object(fuse, "WEIGHTS", replace(fuse.WEIGHTS, **{weight.name: value})):
                    _say(f"{weight.name} {value:.2f}", over(await search(inside, recall, told)))


def _say(name: str, of: Means) -> None:
    recall = "".join(f"{of.recall[depth]:>8.3f}" for depth in DEPTHS)
    sys.stdout.write(f"{name:<24}{of.questions:>6}{recall}{of.mrr:>8.3f}\n")


def main() -> None:
    """Learn, search and print."""
    options = argparse.ArgumentParser(prog="python -m training.ranking", description=__doc__)
    options.add_argument("--worth", action="store_true", help="also with each weight halved, and with half more")
    options.add_argument("--talks", type=int, default=6, help="memories made of talks")
    options.add_argument("--notes", type=int, default=4, help="memories made of notes")
    chosen = options.parse_args()
    depths = "".join(f"{'R@' + str(depth):>8}" for depth in DEPTHS)
    sys.stdout.write(f"{'':<24}{'asked':>6}{depths}{'MRR':>8}\n")
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(Path(folder), spaces(chosen.talks, chosen.notes), is_worth_asked=chosen.worth))


if __name__ == "__main__":
    main()
