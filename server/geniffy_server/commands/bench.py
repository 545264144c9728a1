"""`bench recall`, `bench speed`, `bench load`: the published numbers, measured again on this machine."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from geniffy_server.commands.output import say

if TYPE_CHECKING:
    from geniffy_server.bench.figures import Figure, Machine
    from geniffy_server.bench.scoring import Means
    from geniffy_server.bench.telling import Told

app = typer.Typer(help="Benchmarks of this server on this machine, through its own doors.", no_args_is_help=True)

_WIDTH: Final = 180  # of a table that goes into a file

JsonOption = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Also write everything to a JSON file.", dir_okay=False)
]
WhereOption = Annotated[
    Path | None,
    typer.Option(
        "--in", metavar="DIR", help="Where the throwaway store is made: the disk to be measured.", exists=True
    ),
]


@app.command()
def recall(
    data: Annotated[
        Path, typer.Option("--data", metavar="FOLDER", help="Conversations in LoCoMo's format, a file each.")
    ],
    conversations: Annotated[
        bool, typer.Option("--conversations", help="Search for sessions too, and show each conversation.")
    ] = False,
    json: JsonOption = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw recall by depth into a PNG.", dir_okay=False)
    ] = None,
    where: WhereOption = None,
) -> None:
    """Learn whole conversations and ask what is known of them: recall, refusals, time.

    Example: geniffy-server bench recall --data ./locomo --json recall.json
    """
    import asyncio

    from geniffy_server.bench.figures import report, this_machine
    from geniffy_server.bench.locomo import read_folder
    from geniffy_server.bench.plot import plot_recall
    from geniffy_server.bench.recall import HOW, measure
    from geniffy_server.bench.scoring import means

    read = read_folder(data)
    machine, began = this_machine(), time.monotonic()
    with _throwaway(where) as folder, _telling() as told:
        outcome = asyncio.run(measure(read, folder, told, finds_sessions=conversations))
    seconds = time.monotonic() - began
    figures, by_category = outcome.figures(), outcome.by_category()
    _say_figures(machine, figures)
    _say_means("Category", by_category)
    if conversations:
        _say_means("Conversation", outcome.by_conversation())
    say(f"\n{HOW}\nIt took {seconds:.0f} s.")
    if plot is not None:
        plot_recall({"all": means([one.by_memory for one in outcome.asked]), **by_category}, plot)
    if json is not None:
        more = {"by_category": by_category, "by_conversation": outcome.by_conversation()}
        shown = {name: {key: _plain(one) for key, one in group.items()} for name, group in more.items()}
        _write(json, report("recall", machine, figures, seconds, how=HOW, **shown))


@app.command()
def speed(
    big: Annotated[bool, typer.Option("--big", help="Search a space of 100,000 memories too; takes minutes.")] = False,
    many_spaces: Annotated[
        bool, typer.Option("--many-spaces", help="Search among 10,000 spaces too; takes minutes and 4 GB of disk.")
    ] = False,
    json: JsonOption = None,
    where: WhereOption = None,
) -> None:
    """Time searches, files, tools, learning and starting, each beside the least that this machine could do.

    Example: geniffy-server bench speed --in /var/tmp --json speed.json
    """
    from geniffy_server.bench.figures import report, this_machine
    from geniffy_server.bench.speed import Sizes, measure

    machine, began = this_machine(), time.monotonic()
    with _throwaway(where) as folder, _telling() as told:
        figures = measure(folder, told, Sizes(), big=big, many_spaces=many_spaces)
    seconds = time.monotonic() - began
    _say_figures(machine, figures)
    say(f"\nIt took {seconds:.0f} s.")
    if json is not None:
        _write(json, report("speed", machine, figures, seconds))


@app.command()
def load(
    readers: Annotated[int, typer.Option(min=0, max=64, help="Clients that search, ask and read.")] = 8,
    writers: Annotated[int, typer.Option(min=0, max=64, help="Clients that add, put and forget.")] = 4,
    seconds: Annotated[float, typer.Option(min=0.5, max=600.0, help="How long they go on.")] = 20.0,
    json: JsonOption = None,
    where: WhereOption = None,
) -> None:
    """Load one server with readers, writers and an import at once: times of each call, and what went wrong.

    Example: geniffy-server bench load --readers 8 --writers 4 --seconds 20
    """
    from geniffy_server.bench.figures import report, this_machine
    from geniffy_server.bench.load import Sizes, measure

    machine, began = this_machine(), time.monotonic()
    with _throwaway(where) as folder, _telling() as told:
        outcome = measure(folder, told, Sizes(readers=readers, writers=writers, seconds=seconds))
    took = time.monotonic() - began
    figures, calls = outcome.figures(), outcome.tally.by_call()
    _say_figures(machine, figures)
    say()
    rows = [(name, *(f"{value:,.4g}" for value in one.values())) for name, one in calls.items()]
    _say_table(("Call", "Calls", "p50 ms", "p95 ms", "p99 ms"), rows)
    if json is not None:
        _write(json, report("load", machine, figures, took, calls=calls))


def _say_figures(machine: Machine, figures: Sequence[Figure]) -> None:
    from geniffy_server.bench.figures import FIGURE_HEADS

    say(f"{machine.in_words()}\n")
    _say_table(FIGURE_HEADS, [figure.as_row() for figure in figures])


def _say_means(of: str, rows: Mapping[str, Means]) -> None:
    from geniffy_server.bench.scoring import DEPTHS

    say()
    heads = [of, "Questions", *(f"recall@{k}" for k in DEPTHS), *(f"hit@{k}" for k in DEPTHS), "MRR"]
    shown = {
        name: [*(one.recall[k] for k in DEPTHS), *(one.hit[k] for k in DEPTHS), one.mrr] for name, one in rows.items()
    }
    _say_table(heads, [(name, str(rows[name].questions), *(f"{value:.3f}" for value in shown[name])) for name in shown])


def _say_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Draw a table, into a file too: what a script reads is the JSON."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*heads, box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console()
    if not console.is_terminal:
        console.width = _WIDTH
    console.print(table)


def _plain(one: Means) -> dict[str, Any]:
    found = {f"recall@{k}": value for k, value in one.recall.items()} | {f"hit@{k}": v for k, v in one.hit.items()}
    return {"questions": one.questions, **found, "MRR": one.mrr}


def _write(file: Path, value: Mapping[str, Any]) -> None:
    import json

    file.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", "utf-8")


@contextmanager
def _throwaway(where: Path | None) -> Iterator[Path]:
    """A directory that is gone after the block."""
    with tempfile.TemporaryDirectory(prefix="geniffy-bench-", dir=where) as folder:
        yield Path(folder)


@contextmanager
def _telling() -> Iterator[Told]:
    """Shows on standard error, where that is a terminal, how far it is."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("Starting", total=None)

        def told(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total or None)

        yield told
