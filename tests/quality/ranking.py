"""The labelled set of searching: small memories, what is asked of them, and where the answering line stands.

`questions.jsonl` holds a memory a line. `sources` are what it was told, each at a time: a note as `text`, or a talk as
`turns` of who and what. `questions` are of a `kind`; `gold` is the beginning of the line that answers one, or words of
it. `python -m tests.quality.ranking` prints the table; with `--misses`, what did not come first.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from geniffy_server.bench.inside import Inside, running
from geniffy_server.bench.scoring import DEPTHS, Means, Score, means, score
from geniffy_server.ports import Found, Transaction
from geniffy_server.recall.recall import ShardRecall
from geniffy_server.services.access import readable

ASKED_AT: Final = datetime(2026, 7, 15, 9, 0, tzinfo=UTC)
_LEARNS_WITHIN_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Searched:
    """One question, and the quotes that a search for it gave, best first."""

    memory: str
    language: str
    form: str
    kind: str
    question: str
    gold: str
    quotes: Sequence[str]

    @property
    def score(self) -> Score:
        """Judged by the lines that hold the gold words: any of them will do."""
        return score(["gold" if self.gold in quote else at for at, quote in enumerate(self.quotes)], {"gold"})


async def searched(data: Path) -> list[Searched]:
    """Learn every memory into a space of its own in a new store in `data`, and search for each question."""
    lines = Path(__file__).with_name("questions.jsonl").read_text("utf-8").split("\n")
    memories = [json.loads(line) for line in lines if line]
    found: list[Searched] = []
    async with running(data) as inside:
        for told in memories:
            sources = [await _add(inside, told["space"], source) for source in told["sources"]]
            for source in sources:
                await inside.learned(told["space"], source, _LEARNS_WITHIN_S)
        recall = ShardRecall(inside.ports.embedder, budget_bytes=1 << 26, clock=_Frozen())
        for told in memories:
            form = "talk" if "turns" in told["sources"][0] else "notes"
            for one in told["questions"]:
                quotes = await inside.ports.store.read(_quotes(recall, inside, told["space"], one["q"]))
                found.append(Searched(told["space"], told["lang"], form, one["kind"], one["q"], one["gold"], quotes))
    return found


def over(found: Sequence[Searched]) -> Means:
    """The means over some questions."""
    return means([one.score for one in found])


def _quotes(recall: ShardRecall, inside: Inside, name: str, question: str) -> Callable[[Transaction], Sequence[str]]:
    def work(tx: Transaction) -> Sequence[str]:
        space = readable(tx, inside.caller(name))
        assert space is not None, "something was added to it"
        hits: Sequence[Found] = recall.search(tx, space, question, limit=max(DEPTHS))
        return [hit.memory.quote for hit in hits]

    return work


async def _add(inside: Inside, space: str, source: Mapping[str, Any]) -> str:
    body = {"said_at": source["said"]}
    if "turns" in source:
        messages = [_message(who, what) for who, what in source["turns"]]
        return await _added(inside, space, body | {"messages": messages})
    return await _added(inside, space, body | {"text": source["text"]})


async def _added(inside: Inside, space: str, body: Mapping[str, Any]) -> str:
    return str((await inside.call("POST", "/v1/memories", body, space))["source"]["id"])


def _message(who: str, what: str) -> dict[str, str]:
    if who in ("user", "assistant"):
        return {"role": who, "content": what}
    return {"role": "user", "name": who, "content": what}


class _Frozen:
    def now(self) -> datetime:
        return ASKED_AT


def main() -> None:
    import asyncio
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(searched(Path(folder)))
    print(f"{'':<18}{'asked':>6}" + "".join(f"{f'R@{k}':>7}" for k in DEPTHS) + f"{'MRR':>7}")
    for name in ("", "form", "kind", "language"):
        groups: dict[str, list[Searched]] = defaultdict(list)
        for one in found:
            groups[str(getattr(one, name)) if name else "all"].append(one)
        for group, of in sorted(groups.items()):
            of_group = over(of)
            recall = "".join(f"{of_group.recall[k]:>7.3f}" for k in DEPTHS)
            print(f"{group:<18}{len(of):>6}{recall}{of_group.mrr:>7.3f}")
    if "--misses" in sys.argv[1:]:
        for one in found:
            if one.score.reciprocal < 1:
                print(f"{one.score.reciprocal:.2f} {one.memory}: {one.question} [{one.gold}] <- {list(one.quotes[:3])}")


if __name__ == "__main__":
    main()
