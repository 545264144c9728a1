"""What the project imports is what it says that it needs."""

from __future__ import annotations

import ast
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def _declared(*extras: str) -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    return [Requirement(line) for line in lines]


def _installed_by(requirements: list[Requirement]) -> set[str]:
    """The names of everything that comes with these, with what they need themselves."""
    seen: set[tuple[str, str]] = set()
    left = [(canonicalize_name(one.name), extra) for one in requirements for extra in ("", *one.extras)]
    while left:
        name, extra = left.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            lines = requires(name) or []
        except PackageNotFoundError:  # one that this machine leaves out by its marker, such as Windows' own
            continue
        for needed in map(Requirement, lines):
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                left += [(canonicalize_name(needed.name), one) for one in ("", *needed.extras)]
    return {name for name, _ in seen}


def _imported(folder: Path) -> set[str]:
    """The first names of what the modules in `folder` import, without the standard library's and the project's own."""
    names: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names.add(node.module)
    tops = {name.partition(".")[0] for name in names}
    return {name for name in tops - sys.stdlib_module_names if not name.startswith("geniffy_")}


def _missing(folder: Path, *extras: str) -> set[str]:
    installed = _installed_by(_declared(*extras))
    homes = packages_distributions()
    return {
        name
        for name in _imported(folder)
        if not installed & {canonicalize_name(home) for home in homes.get(name, [name])}
    }


def test_what_the_server_imports_is_installed_with_it() -> None:
    server = ROOT / "server" / "geniffy_server"
    assert _imported(server)
    # Plots and a language model alone need more: `bench` and `serve` say so where it is missing.
    assert _missing(server, "server") <= {"matplotlib", "openai"}
    assert _missing(server, "server", "llm", "notebooks") == set()
