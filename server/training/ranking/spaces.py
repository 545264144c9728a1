"""Many small memories made of `talks.txt` and `notes.txt`: who says what of whom is drawn anew for each.

In both files blocks lie between blank lines. A line of a talk is `A: ` or `B: ` and a turn; one of a note is `- ` and a
sentence about P and Q. `? ` asks for the lines behind its ` > `, counted from 1; `# music A: 1 3` marks lines that tell
of a topic of A's, for a question that wants them all, over every block of the memory.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Final

_PEOPLE: Final = """
    Anya Bram Celia Dario Edda Farid Greta Hugo Ines Jarek Kaia Leon Mireille Nils Odile Pavel Runa Stellan Thea Viggo
    Wanda Yusuf Zora Imre Saskia Tariq
"""
_NAMES: Final = tuple(_PEOPLE.split())
_ALL_OF: Final = {
    "courses": "What courses or hobbies has {} taken up?",
    "garden": "What does {} grow?",
    "music": "What music does {} make?",
    "sport": "What sports does {} do?",
    "crafts": "What does {} make by hand?",
    "volunteering": "How does {} help other people?",
    "outdoors": "What has {} done outdoors?",
    "arts": "What art does {} make?",
    "pets": "What pets does {} have?",
}
_SEED: Final = 7
_BLOCKS: Final = {"talk": 30, "notes": 20}  # of one memory
_AT_ONCE: Final = {"talk": (2, 3, 4), "notes": (3,)}  # of one source
_FROM: Final = date(2025, 1, 1)


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines that belong together, each with who says it; `asked` and `topics` point at lines, counted from 0."""

    lines: Sequence[tuple[str, str]]
    asked: Sequence[tuple[str, Sequence[int]]]
    topics: Sequence[tuple[str, str, Sequence[int]]]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the lines that answer it: a turn, or a sentence of a note."""

    text: str
    kind: str
    gold: Collection[str]


@dataclass(frozen=True, slots=True)
class Told:
    """One memory: `sources` as bodies of `POST /v1/memories`, oldest first, and what is asked of it."""

    name: str
    form: str
    sources: Sequence[Mapping[str, object]]
    questions: Sequence[Question]


def blocks(form: str) -> Sequence[Block]:
    """Those of one file, `talk` or `notes`."""
    text = Path(__file__).with_name("talks.txt" if form == "talk" else "notes.txt").read_text("utf-8")
    return [_block(one.split("\n")) for one in text.strip().split("\n\n")]


def spaces(talks: int, notes: int) -> Sequence[Told]:
    """So many memories of each form; the same ones each time."""
    chance = random.Random(_SEED)
    forms = ["talk"] * talks + ["notes"] * notes
    held = {form: blocks(form) for form in _BLOCKS}
    return [_space(chance, f"{form}-{at}", form, held[form]) for at, form in enumerate(forms)]


def _space(chance: random.Random, name: str, form: str, held: Sequence[Block]) -> Told:
    people = chance.sample(_NAMES, 2 if form == "talk" else 10)
    chosen = sorted(chance.sample(range(len(held)), _BLOCKS[form]))  # in order: some go on with an earlier one
    day = _FROM + timedelta(days=chance.randrange(100))
    sources: list[Mapping[str, object]] = []
    questions: list[Question] = []
    topics: dict[tuple[str, str], list[str]] = {}
    while chosen:
        count = chance.choice(_AT_ONCE[form])
        told = [_named(held[at], form, people, chance) for at in chosen[:count]]
        del chosen[:count]
        for block in told:
            questions += [Question(text, form, [block.lines[at][1] for at in gold]) for text, gold in block.asked]
            for topic, who, gold in block.topics:
                topics.setdefault((topic, who), []).extend(block.lines[at][1] for at in gold)
        sources.append({"said_at": day.isoformat(), **_body(form, told)})
        day += timedelta(days=chance.randrange(3, 25))
    several = [(key, gold) for key, gold in topics.items() if len(gold) > 1]
    questions += [Question(_ALL_OF[topic].format(who), "list", gold) for (topic, who), gold in several]
    return Told(name, form, sources, questions)


def _named(block: Block, form: str, people: Sequence[str], chance: random.Random) -> Block:
    """The block with people in it: in a talk always the same two, as some blocks go on with an earlier one."""
    if form == "talk":
        names = dict(zip("AB", people, strict=True))
    else:
        names = dict(zip("PQ", chance.sample(people, 2), strict=True))

    def put(text: str) -> str:
        return re.sub(rf"\b[{''.join(names)}]\b", lambda found: names[found[0]], text)

    lines = [(put(who), text if form == "talk" else put(text)) for who, text in block.lines]
    asked = [(put(text), gold) for text, gold in block.asked]
    return Block(lines, asked, [(topic, put(who), gold) for topic, who, gold in block.topics])


def _body(form: str, told: Sequence[Block]) -> Mapping[str, object]:
    if form == "talk":
        turns = [line for block in told for line in block.lines]
        return {"messages": [{"role": "user", "name": who, "content": text} for who, text in turns]}
    return {"text": "\n\n".join(" ".join(text for _, text in block.lines) for block in told)}


def _block(written: Sequence[str]) -> Block:
    said = [line.partition(" " if line[0] == "-" else ": ") for line in written if line[0] not in "?#"]
    asked = [line[2:].partition(" > ") for line in written if line[0] == "?"]
    topics = [line[2:].partition(": ") for line in written if line[0] == "#"]
    return Block(
        [(who, text) for who, _, text in said],
        [(text, _places(gold)) for text, _, gold in asked],
        [(topic, who, _places(gold)) for named, _, gold in topics for topic, who in _pairs(named)],
    )


def _places(written: str) -> Sequence[int]:
    return [int(one) - 1 for one in written.split()]


def _pairs(named: str) -> Iterator[tuple[str, str]]:
    topic, _, who = named.partition(" ")
    yield topic, who
