"""What holds for every notebook: it runs, shows what is committed, and tells nothing of the machine it ran on."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.notebooks.running import NAMES, NOTEBOOKS, VARIES, Ran, pictures_of, read, text_of

ROOT = Path(__file__).parents[2]
RECORD = "It shows something else now: look at it, then `python -m tests.notebooks.record`."


def test_the_notebooks_are_those_of_the_plan_and_the_readme_has_each() -> None:
    linked = re.findall(r"^\| \[`(\w+)`\]\((\w+)\.ipynb\)", (NOTEBOOKS / "README.md").read_text(), re.MULTILINE)

    assert linked == [(name, name) for name in NAMES]
    assert NAMES == [
        "01_quickstart",
        "02_claude_memory",
        "03_langchain",
        "04_llamaindex",
        "05_recall_explained",
        "06_benchmarks",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_run_shows_what_is_committed(name: str, ran: Callable[[str], Ran]) -> None:
    for cell, kept in zip(ran(name).book.cells, read(name).cells, strict=True):
        if cell.cell_type != "code":
            continue
        if VARIES not in cell.metadata.get("tags", []):
            assert text_of(cell) == text_of(kept), (cell.id, RECORD)
        assert [bool(text) for text in text_of(cell)] == [bool(text) for text in text_of(kept)], (cell.id, RECORD)
        assert len(pictures_of(cell)) == len(pictures_of(kept)), (cell.id, RECORD)
        assert [output.name for output in cell.outputs if output.output_type == "stream"] in ([], ["stdout"]), cell.id


@pytest.mark.parametrize("name", NAMES)
def test_the_first_cell_names_extras_that_exist(name: str) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]

    (named,) = re.findall(r"pip install 'geniffy-agents\[([\w,-]+)\]'", read(name).cells[0].source)

    assert {"server", "notebooks"} <= set(named.split(","))
    assert set(named.split(",")) <= set(extras)


@pytest.mark.parametrize("name", NAMES)
def test_a_committed_notebook_is_small_and_holds_no_path(name: str) -> None:
    text = (NOTEBOOKS / f"{name}.ipynb").read_text()

    assert len(text) < 200_000
    assert not re.search(r"/(?:tmp|home|root|work|Users)/", text)
    assert "Traceback" not in text


@pytest.mark.parametrize("name", NAMES)
def test_every_notebook_that_is_named_in_another_exists(name: str) -> None:
    named = {found for cell in read(name).cells for found in re.findall(r"(\d\d_\w+)\.ipynb", cell.source)}

    assert named <= set(NAMES)
