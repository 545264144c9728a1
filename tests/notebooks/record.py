"""`python -m tests.notebooks.record [NAME ...]` runs notebooks and keeps in them what their cells show."""

from __future__ import annotations

import base64
import io
import sys
import tempfile
from pathlib import Path

import nbformat
from PIL import Image

from tests.notebooks.running import NAMES, NOTEBOOKS, run

COLORS = 128  # the pictures are drawn in few: a palette makes their files a third as large


def main(names: list[str]) -> None:
    """Run those that are named, or all."""
    for name in names or NAMES:
        with tempfile.TemporaryDirectory(prefix="geniffy-") as folder:
            book = run(name, Path(folder)).book
        for output in (output for cell in book.cells for output in cell.get("outputs", [])):
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = in_few_colors(output.data["image/png"])
        nbformat.write(book, NOTEBOOKS / f"{name}.ipynb")
        print(name)


def in_few_colors(picture: str) -> str:
    """A PNG, as base64, with a palette; a color that only a few dots have stays as it is."""
    drawn = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    file = io.BytesIO()
    drawn.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


if __name__ == "__main__":
    main(sys.argv[1:])
