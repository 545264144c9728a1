"""Runs a notebook as its reader would: top to bottom, in a folder of its own, without a key and without a network."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from traitlets.config import Config

NOTEBOOKS: Final = Path(__file__).parents[2] / "notebooks"
NAMES: Final = sorted(file.stem for file in NOTEBOOKS.glob("*.ipynb"))
VARIES: Final = "varies"
"""The tag of a cell whose numbers are those of one machine, or of one way to rank."""

_CELL_S: Final = 120
_NOWHERE: Final = "http://127.0.0.1:9"  # the port of `discard`: what asks the network is refused at once


@dataclass(frozen=True)
class Ran:
    """A notebook that was run, and what expressions were worth at its end."""

    book: NotebookNode
    values: Mapping[str, Any]

    def cell(self, cell_id: str) -> NotebookNode:
        return next(cell for cell in self.book.cells if cell.id == cell_id)

    def printed(self, cell_id: str) -> str:
        """What a cell printed, and the text of its last value."""
        return "".join(text_of(self.cell(cell_id)))

    def lines(self, cell_id: str) -> list[str]:
        return self.printed(cell_id).splitlines()


def read(name: str) -> NotebookNode:
    """A notebook as it is committed."""
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def run(name: str, folder: Path, **expressions: str) -> Ran:
    """Run a notebook in `folder`; `expressions` are evaluated behind its last cell. Raises CellExecutionError."""
    book = read(name)
    for file in NOTEBOOKS.glob("*.py"):
        shutil.copy(file, folder)
    asked = [f"import json\nprint(json.dumps({expression}))" for expression in expressions.values()]
    own = len(book.cells)
    book.cells += [nbformat.v4.new_code_cell(each) for each in asked]
    with tempfile.TemporaryDirectory(prefix="nb-") as sockets:  # a short path: a socket's has 107 bytes at most
        NotebookClient(
            book,
            timeout=_CELL_S,
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
            record_timing=False,
            coalesce_streams=True,
            shutdown_kernel="immediate",
            config=Config({"KernelManager": {"transport": "ipc", "ip": f"{sockets}/kernel"}}),
        ).execute(env=_variables(folder))
    told = ["".join(text_of(cell)) for cell in book.cells[own:]]
    book.cells = book.cells[:own]
    return Ran(book, {name: json.loads(text) for name, text in zip(expressions, told, strict=True)})


def text_of(cell: NotebookNode) -> list[str]:
    """The texts among a cell's outputs; pictures have none."""
    found = []
    for output in cell.outputs:
        if output.output_type == "stream":
            found.append(output.text)
        elif "image/png" not in output.data:
            found.append(output.data["text/plain"])
    return found


def pictures_of(cell: NotebookNode) -> list[str]:
    """The pictures among a cell's outputs, as base64 of a PNG."""
    return [
        output.data["image/png"]
        for output in cell.outputs
        if output.output_type != "stream" and "image/png" in output.data
    ]


def _variables(folder: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GENIFFY_") and not name.endswith(("_API_KEY", "_AUTH_TOKEN", "_proxy", "_PROXY"))
    }
    return {**kept, "IPYTHONDIR": str(folder / ".ipython"), "http_proxy": _NOWHERE, "https_proxy": _NOWHERE}
