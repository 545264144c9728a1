"""Which statements of the wire contract the tests show: `python tests/contract/statements.py` writes the manifest.

Tests carry `@pytest.mark.statement(47, 48)`. The manifest `statements.json` maps each number to the tests that
show it; `test_manifest.py` keeps it complete and up to date.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = Path(__file__).with_name("statements.json")

IN_SCOPE = frozenset(
    number
    for first, last in (
        (1, 42),
        (46, 63),
        (65, 101),
        (110, 178),
        (180, 196),
        (219, 220),
        (223, 229),
        (239, 265),
    )
    for number in range(first, last + 1)
)
"""What the doors and the published client show today; pages, uploads and briefings have their own."""


def marked() -> Iterator[tuple[str, int]]:
    """Every (test id, statement) that a marker in `tests/` names, in order of file and line."""
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for number in _numbers(node):
                    yield f"{file.relative_to(ROOT).as_posix()}::{node.name}", number


def manifest() -> dict[str, list[str]]:
    """Each statement's number with the ids of the tests that show it."""
    shown: dict[int, list[str]] = {}
    for test, number in marked():
        shown.setdefault(number, []).append(test)
    return {str(number): shown[number] for number in sorted(shown)}


def _numbers(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[int]:
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.statement":
            for argument in decorator.args:
                number = ast.literal_eval(argument)
                assert isinstance(number, int), f"{test.name} names a statement that is no number"
                yield number


if __name__ == "__main__":
    MANIFEST.write_text(json.dumps(manifest(), indent=2) + "\n", "utf-8")
