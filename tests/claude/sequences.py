"""Random commands as Claude might give them, and what two tools make of the same ones."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from anthropic.tools import ToolError

Command = dict[str, Any]

NAMES = ("a", "b.md", "notes", "A", ".hid", "node_modules", "x%41", "a b", "été", "日本")
PIECES = ("one", "two", "a", "aa", "\n", "\n\n", "\r\n", "\t", " ", "é", "😀", "\u2028", "\x0c", "`", "x" * 700, "")
OUTSIDE = ("/etc/passwd", "memories/a", "", "/Memories/a", " /memories")


class Speaker:
    """Gives commands on a handful of paths, most of them where something is."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._paths = [_path(self._random) for _ in range(5)]

    def command(self, held: Mapping[str, str]) -> Command:
        """The next command, for a memory that holds these texts."""
        random = self._random
        path = random.choice([*self._paths, *list(held) * 3])
        typed = _as_typed(random, path)
        text = held.get(path, "one two")
        match random.choice("vvcccssssiird"):
            case "v":
                return {"command": "view", "path": typed, **random.choice(({}, {"view_range": _range(random)}))}
            case "c":
                new = random.choice(self._paths)
                return {"command": "create", "path": _as_typed(random, new), "file_text": _text(random)}
            case "s":
                at = random.randrange(len(text) + 1)
                old = text[at : at + random.choice((1, 2, 5, 40))] or "one"
                return {"command": "str_replace", "path": typed, "old_str": old, "new_str": _text(random)}
            case "i":
                line = random.choice((-1, 0, 0, 1, 1, 2, 3, 9))
                return {"command": "insert", "path": typed, "insert_line": line, "insert_text": _text(random)}
            case "d":
                return {"command": "delete", "path": typed}
            case _:
                return {"command": "rename", "old_path": typed, "new_path": _as_typed(random, self._near(path))}

    def _near(self, path: str) -> str:
        """Another path, the same, one beneath it, or the directory above."""
        random, beneath = self._random, f"{path}/{self._random.choice(NAMES)}"
        return random.choice((path, beneath, path.rpartition("/")[0], *self._paths, _path(random)))


def _path(random: Random) -> str:
    return "/memories/" + "/".join(random.choice(NAMES) for _ in range(random.choice((1, 1, 2, 2, 3, 4))))


def _near(random: Random, paths: list[str]) -> str:
    """One of the paths, one beside or beneath it, or the directory above."""
    path = random.choice(paths)
    return random.choice((path, path, f"{path}/{random.choice(NAMES)}", path.rpartition("/")[0], _path(random)))


def _as_typed(random: Random, path: str) -> str:
    way = random.random()
    if way < 0.86:
        return path
    if way < 0.89:
        return path.replace("/", "//", 2)[1:]
    if way < 0.92:
        return f"{path}/"
    if way < 0.98:
        return random.choice((path.rpartition("/")[0], "/memories", "/memories/", "/memories//"))
    return random.choice(OUTSIDE)


def _text(random: Random) -> str:
    return "".join(random.choice(PIECES) for _ in range(random.randrange(9)))


def _range(random: Random) -> list[int] | None:
    return random.choice((None, [], [1], [1, 2], [2, -1], [0, 3], [-4, 2], [3, 2], [2, -2], [90, 99], [1, 2, 3]))


@dataclass(frozen=True)
class Reply:
    """What a command came to: `ok` and its words, `refused` and the sentence, or `failed`, an error of the system."""

    kind: str
    words: str

    def shown(self, lying: Mapping[str, str]) -> str:
        """The words without the sizes of directories, which a disk has its own idea of, and those of texts that have
        more bytes than characters. `lying`: the texts on the disk by path."""
        if not self.words.startswith("Here're the files"):
            return self.words
        heading, first, *entries = self.words.split("\n")
        return "\n".join([heading, _without_size(first), *(_compared(each, lying) for each in entries)])


def _compared(entry: str, lying: Mapping[str, str]) -> str:
    path = "/" + "/".join(part for part in entry.partition("\t")[2].split("/") if part)
    return entry if not entry.endswith("/") and lying[path].isascii() else _without_size(entry)


def _without_size(line: str) -> str:
    return re.sub(r"^[\d.]+[BKMG]\t", "", line)


async def reply_of(tool: Any, command: Command) -> Reply:
    """Give a tool a command, blocking or awaited."""
    try:
        out = tool.call(command)
        return Reply("ok", str(await out if inspect.isawaitable(out) else out))
    except ToolError as refused:
        return Reply("refused", str(refused))
    except OSError as failed:
        return Reply("failed", type(failed).__name__)


def on_disk(root: Path) -> dict[str, str]:
    """What lies under Anthropic's tool, by the path that a tool knows it by."""
    return {
        "/memories/" + file.relative_to(root).as_posix(): file.read_bytes().decode()
        for file in root.rglob("*")
        if file.is_file()
    }


def without_empty_directories(root: Path) -> None:
    """A disk keeps directories that hold nothing; a memory of files has none."""
    for directory in sorted((each for each in root.rglob("*") if each.is_dir()), reverse=True):
        if not any(directory.iterdir()):
            directory.rmdir()


@dataclass
class Differences:
    """What came of two tools given the same commands; `failures` counts what only a disk refuses."""

    failures: dict[str, int] = field(default_factory=dict)
    replies: dict[tuple[str, str], int] = field(default_factory=dict)

    def note(self, ours: Reply, theirs: Reply, so_far: list[Command], lying: Mapping[str, str]) -> None:
        """Demand the same words, or a plain sentence where a disk's own error would come up. `lying`: what lay on
        the disk before the command."""
        if theirs.kind == "failed":
            self.failures[theirs.words] = self.failures.get(theirs.words, 0) + 1
            assert ours.kind == "refused", so_far
            assert "\n" not in ours.words.replace(str(so_far[-1]), ""), so_far
        else:
            assert (ours.kind, ours.shown(lying)) == (theirs.kind, theirs.shown(lying)), so_far
        key = (str(so_far[-1]["command"]), ours.kind)
        self.replies[key] = self.replies.get(key, 0) + 1
