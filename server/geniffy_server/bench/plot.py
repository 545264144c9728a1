"""A picture of recall by depth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from geniffy_server.bench.scoring import DEPTHS, Means
from geniffy_server.errors import BadInput


def plot_recall(lines: Mapping[str, Means], file: Path) -> None:
    """Draw recall@k for each of `lines` into a PNG. Raises BadInput when matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise BadInput("--plot needs matplotlib; pip install 'geniffy-agents[notebooks]'.") from missing
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for name, found in lines.items():
        is_all = name == "all"
        style = {"color": "black", "linewidth": 2.5} if is_all else {"linewidth": 1.2}
        label = f"{name} ({found.questions})"
        axes.plot(range(len(DEPTHS)), [found.recall[k] for k in DEPTHS], marker="o", label=label, **style)
    axes.set_xticks(range(len(DEPTHS)), [str(k) for k in DEPTHS])
    axes.set_ylim(0, 1)
    axes.set_xlabel("memories looked at")
    axes.set_ylabel("recall of the turns that answer")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(file, format="png", dpi=150)
