"""Which way imports go, and what modules may not do. See `server/README.md`, "Which way things flow"."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SERVER = ROOT / "server"

_BASE = {"domain", "errors"}
_DOOR = {*_BASE, "ports", "caller", "services", "settings", "request_log"}

# What each part of the server may import of the others, beside itself.
MAY_IMPORT: Mapping[str, set[str]] = {
    "errors": set(),
    "domain": {"errors"},
    "caller": {"domain"},
    "settings": {"errors"},
    "ports": _BASE,
    "learn": {*_BASE, "ports"},
    "recall": {*_BASE, "ports", "learn"},  # a question's dates are read as a text's are
    "services": {*_BASE, "ports", "caller", "learn", "recall"},
    "storage": {*_BASE, "ports"},
    "models": {*_BASE, "ports"},
    "request_log": {*_BASE, "ports", "caller", "learn"},
    "worker": {*_BASE, "ports", "services"},
    "rest": {*_DOOR, "learn"},  # messages are parsed where they come in
    "mcp": _DOOR,
    "oauth": _DOOR,
    "web": _DOOR,
    "bench": {*_DOOR, "app", "learn", "recall", "storage", "models"},
    "app": {*_DOOR, "rest", "mcp", "oauth", "web", "worker", "learn", "recall", "storage", "models"},
    "commands": {*_DOOR, "app", "bench", "mcp", "worker", "storage", "models"},
    "cli": {"commands", "errors", "models", "bench"},
    "__main__": {"cli"},
}


@dataclass(frozen=True)
class Module:
    """A source file, what it is imported as, and what it imports."""

    name: str
    path: Path
    imports: frozenset[str]

    @property
    def part(self) -> str:
        """The folder or file directly beneath its package; empty for the package itself."""
        return self.name.partition(".")[2].partition(".")[0]


def modules_of(folder: Path, package: str) -> list[Module]:
    return [
        Module(name, path, frozenset(_imports(ast.parse(path.read_text()), path)))
        for path in sorted((folder / package).rglob("*.py"))
        if (name := ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"))
    ]


def _imports(tree: ast.AST, path: Path) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, f"{path} imports by a relative name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _reads_environment(path: Path) -> bool:
    names = ("environ", "environb", "getenv", "putenv")
    return any(
        (isinstance(node, ast.Attribute) and node.attr in names)
        or (isinstance(node, ast.ImportFrom) and node.module == "os" and any(a.name in names for a in node.names))
        for node in ast.walk(ast.parse(path.read_text()))
    )


server = modules_of(SERVER, "geniffy_server")
client = modules_of(ROOT, "geniffy_agents")
INTEGRATIONS = ROOT / "integrations"
integrations = [
    module for folder in sorted(INTEGRATIONS.glob("geniffy_*/")) for module in modules_of(INTEGRATIONS, folder.name)
]


@pytest.mark.parametrize("module", server, ids=lambda module: module.name)
def test_imports_of_the_server_go_one_way(module: Module) -> None:
    if module.name == "geniffy_server":
        assert not module.imports
        return
    allowed = {module.part, *MAY_IMPORT[module.part]}
    parts = {name.split(".")[1] for name in module.imports if name.startswith("geniffy_server.")}
    assert parts <= allowed


def test_the_domain_and_the_errors_need_the_standard_library_only() -> None:
    inner = [module for module in server if module.part in ("domain", "errors", "caller")]
    outside = {
        name
        for module in inner
        for name in module.imports
        if name.split(".")[0] not in {*sys.stdlib_module_names, "geniffy_server"}
    }
    assert inner
    assert outside == set()


def test_the_environment_is_read_in_one_module_and_the_thread_limits_are_set_in_another() -> None:
    readers = {module.name for module in server if _reads_environment(module.path)}
    assert readers == {"geniffy_server.settings", "geniffy_server.models.threads"}


def test_the_client_needs_httpx_alone_and_meets_the_server_in_one_module() -> None:
    outside = {
        (module.name, name.split(".")[0])
        for module in client
        for name in module.imports
        if name.split(".")[0] not in {*sys.stdlib_module_names, "geniffy_agents", "httpx"}
    }
    # Local use starts the server's app in process, on the loop that the server has elsewhere; its type is Starlette's.
    local = "geniffy_agents.local"
    assert outside <= {(local, "geniffy_server"), (local, "starlette"), (local, "uvloop")}


def test_the_server_meets_the_client_in_one_benchmark() -> None:
    ours = ("geniffy_agents", "geniffy_claude", "geniffy_langchain", "geniffy_llamaindex", "geniffy_openai_agents")
    users = {module.name for module in server for name in module.imports if name.split(".")[0] in ours}

    assert users == {"geniffy_server.bench.sdk"}


@pytest.mark.parametrize("module", integrations, ids=lambda module: module.name)
def test_an_integration_stands_on_the_public_client_alone(module: Module) -> None:
    package = module.name.partition(".")[0]
    ours = [name for name in module.imports if name.startswith("geniffy_") and not name.startswith(f"{package}.")]

    assert not [name for name in ours if not name.startswith("geniffy_agents.")]
    assert not [name for name in ours if any(part.startswith("_") for part in name.split(".")[:-1])]


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert not [module.name for module in [*server, *client] if empty & set(module.name.split("."))]


_IMPORT_ALL = """
import importlib, sys, threading
ours, theirs = sys.argv[1].split(), sys.argv[2].split()
for name in theirs:
    importlib.import_module(name)
threads = threading.active_count()
done = []

def refuse(event, args):
    is_write = event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")
    if is_write and "__pycache__" not in str(args[0]) and not str(args[0]).startswith("/dev/"):
        done.append((event, str(args[0])))
    elif event in ("socket.bind", "socket.connect", "subprocess.Popen", "os.mkdir", "sqlite3.connect"):
        done.append((event, repr(args)))

sys.addaudithook(refuse)
for name in ours:
    importlib.import_module(name)
assert not done, done
assert threading.active_count() == threads, threading.enumerate()
"""


def test_importing_writes_nothing_connects_to_nothing_and_starts_nothing(tmp_path: Path) -> None:
    ours = [m.name for m in [*server, *client] if ".migrations" not in m.name and not m.name.endswith("__main__")]
    theirs = sorted({name.split(".")[0] for m in [*server, *client] for name in m.imports} - sys.stdlib_module_names)
    theirs = [name for name in theirs if not name.startswith("geniffy_")]

    done = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALL, " ".join(ours), " ".join(theirs)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
