"""The pictures of the notebooks, in one look: green is what holds, grey what does not, amber what is asked about."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from geniffy_agents import Memory

GREEN: Final = "#0b6b57"
AMBER: Final = "#d9a520"
BLUE: Final = "#4a7fa7"
GREY: Final = "#b9beba"
TEXT: Final = "#1a1d1b"
SOFT: Final = "#5a605c"
WIDTH_IN: Final = 9.0

plt.rcParams.update(
    {
        "figure.dpi": 110,
        "figure.constrained_layout.use": True,
        "font.size": 9,
        "text.color": TEXT,
        "axes.labelcolor": SOFT,
        "axes.edgecolor": GREY,
        "xtick.color": SOFT,
        "ytick.color": TEXT,
        "date.converter": "concise",
    }
)


def draw_histories(histories: Sequence[Sequence[Memory]]) -> None:
    """Draw memories on a time line, a row for each: from when each statement was said until the next one took over.

    `histories`: what one memory said, oldest first; the last of it is what holds now.
    """
    starts = [[datetime.fromisoformat(each.said_at or "") for each in history] for history in histories]
    first, last = min(map(min, starts)), max(map(max, starts))
    end = last + (last - first) / 4
    _, axes = plt.subplots(figsize=(WIDTH_IN, 0.5 + 0.75 * len(histories)))
    for row, (history, said) in enumerate(zip(histories, starts, strict=True)):
        for memory, begin, until in zip(history, said, [*said[1:], end], strict=True):
            holds = memory is history[-1]
            axes.barh(
                row,
                until - begin - timedelta(days=1),  # type: ignore[arg-type]
                left=begin,  # type: ignore[arg-type]
                height=0.66,
                color=GREEN if holds else "#dfe3e0",
            )
            axes.text(
                begin + timedelta(days=3),  # type: ignore[arg-type]
                row,
                textwrap.fill(memory.text, 22),
                va="center",
                color="white" if holds else TEXT,
                fontsize=8.5,
            )
    axes.set_xlim(first - timedelta(days=4), end)  # type: ignore[arg-type]
    axes.invert_yaxis()
    axes.set_yticks([])
    _bare(axes, "left")
    plt.show()


def _bare(axes: Axes, *also: str) -> None:
    axes.spines[["top", "right", *also]].set_visible(False)


def draw_ranks(rankings: Mapping[str, Sequence[str]], *, green: str, amber: str) -> None:
    """Draw how the same texts are ranked in different ways: a line for each text, from one ranking to the next.

    `rankings`: by name, the texts best first; the last one names them. `green` and `amber` are the texts to follow.
    """
    names, last = list(rankings), list(list(rankings.values())[-1])
    _, axes = plt.subplots(figsize=(WIDTH_IN, 0.8 + 0.3 * len(last)))
    for text in last:
        places = [list(ranking).index(text) + 1 for ranking in rankings.values()]
        followed = {green: GREEN, amber: AMBER}.get(text)
        width, above = (2.5, 3) if followed else (1.2, 2)
        axes.plot(range(len(names)), places, "o-", color=followed or GREY, lw=width, ms=13, zorder=above, clip_on=False)
        ink = "white" if followed == GREEN else TEXT
        for at, place in enumerate(places):
            axes.text(at, place, str(place), ha="center", va="center_baseline", color=ink, fontsize=8, zorder=4)
        axes.text(len(names) - 0.88, places[-1], text, va="center", color=TEXT if followed else SOFT)
    axes.set_xticks(range(len(names)), names)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelcolor=TEXT)
    axes.set_xlim(-0.1, len(names) + 0.9)
    axes.set_ylim(len(last) + 0.5, 0.5)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    plt.show()


def draw_parts(texts: Sequence[str], parts: Mapping[str, NDArray[np.float64]]) -> None:
    """Draw what scores are made of, a bar for each text: what speaks for it to the right of 0, what against it left.

    `parts`: by name, one number for each text. A diamond marks their sum, which is the score.
    """
    _, axes = plt.subplots(figsize=(WIDTH_IN, 0.9 + 0.3 * len(texts)))
    rows = np.arange(len(texts))
    right, left = np.zeros(len(texts)), np.zeros(len(texts))
    for (name, values), color in zip(parts.items(), (BLUE, AMBER, GREEN, GREY), strict=True):
        axes.barh(rows, values, left=np.where(values > 0, right, left), color=color, height=0.66, label=name)
        right, left = right + np.maximum(values, 0), left + np.minimum(values, 0)
    totals = right + left
    axes.plot(totals, rows, "D", color=TEXT, ms=4, label="the score", lw=0)
    axes.axvline(0, color=SOFT, lw=0.8)
    axes.set_yticks(rows, texts)
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.legend(loc="lower right", frameon=False)
    _bare(axes, "left")
    plt.show()


def draw_weights(weights: Mapping[str, Sequence[float]], *, least: float, first: str = "") -> None:
    """Draw how much memories bear on questions, a row of dots for each name, and the line past which one answers.

    With `first`, the first weight of each row has a ring, which this text explains.
    """
    _, axes = plt.subplots(figsize=(WIDTH_IN, 0.9 + 0.42 * len(weights)))
    for row, values in enumerate(weights.values()):
        colors = [GREEN if value >= least else GREY for value in values]
        axes.scatter(values, [row] * len(values), c=colors, s=65, edgecolors="white", zorder=3)
        if first:
            label = first if row == 0 else None
            axes.scatter(values[:1], [row], s=150, facecolors="none", edgecolors=AMBER, lw=2, zorder=4, label=label)
    axes.axvline(least, color=TEXT, lw=1, ls=(0, (4, 3)))
    axes.annotate(
        "an answer from here on", (least, 1), (4, 3), xycoords=("data", "axes fraction"), textcoords="offset points"
    )
    axes.set_yticks(range(len(weights)), list(weights))
    axes.set_ylim(len(weights) - 0.5, -0.5)
    axes.set_xlabel("weight for the question")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", color="#eeeeea")
    if first:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, borderpad=0)
    _bare(axes, "left")
    plt.show()


def draw_recall(lines: Mapping[str, Sequence[float]]) -> None:
    """Draw recall at k = 1, 2, 3 ... of up to three rankings, by name; the first of them is the one that counts."""
    _, axes = plt.subplots(figsize=(WIDTH_IN * 0.8, 3.4))
    depths = range(1, 1 + max(map(len, lines.values())))
    room = 1.1
    for (name, values), color in zip(lines.items(), (GREEN, BLUE, AMBER), strict=False):
        axes.plot(depths, values, marker="o", color=color, lw=2.5 if color == GREEN else 1.5, clip_on=False)
        room = min(room - 0.07, values[-1])  # names keep apart where lines end together
        axes.text(depths[-1] + 0.25, room, name, va="center", color=color)
    axes.set_xticks(depths)
    axes.set_xlim(0.8, depths[-1])
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_xlabel("memories looked at (k)")
    axes.set_ylabel("questions answered by them")
    axes.grid(axis="y", color="#eeeeea")
    _bare(axes)
    plt.show()
