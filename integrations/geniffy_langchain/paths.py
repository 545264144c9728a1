"""Where an item of a LangGraph store is kept: its namespace and key as the path of a file, and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote

ROOT: Final = "/store/"
_ENDING: Final = ".md"
_PLAIN: Final = frozenset("-_@+=:,;!()'. ")  # beside letters and digits of any script
_HASHED: Final = "~"  # before what stands for labels or a key that are too long; escaped where it is their own
# A path has up to 255 characters (seed 001): these leave room for the root, a hash of each and the ending.
_NAMESPACE_CHARS: Final = 120
_KEY_CHARS: Final = 80
_LABELLED: Final = 8  # labels of a namespace that its files carry, of the 20 that a source may have
_LABEL_CHARS: Final = 200  # of a label's value, which may have 256

CHANNEL: Final = "langgraph-store"


def path_of(namespace: Sequence[str], key: str) -> str:
    """The path of an item: `/store/users/ana/profile.md` for ("users", "ana") and "profile"."""
    folders = _leading(namespace)
    if len(folders) < len(namespace):
        folders = [*folders, _digest(namespace[len(folders) :])]
    name = _escaped(key)
    return ROOT + "/".join([*folders, (name if len(name) <= _KEY_CHARS else _digest(key)) + _ENDING])


def prefix_of(namespace: Sequence[str]) -> str:
    """What the paths of all items begin with whose namespaces begin with `namespace`.

    Others may too, where the labels are long: each item says in its own text where it belongs.
    """
    return ROOT + "".join(f"{folder}/" for folder in _leading(namespace))


def is_item(path: str) -> bool:
    """Whether an item may be kept at a path."""
    return path.startswith(ROOT) and path.endswith(_ENDING)


def namespace_of(path: str) -> tuple[str, ...] | None:
    """The namespace that a path under `ROOT` shows; None when only the item itself knows it."""
    *folders, _ = path.removeprefix(ROOT).split("/")
    if any(folder.startswith(_HASHED) for folder in folders):
        return None
    return tuple(unquote(folder, errors="surrogatepass") for folder in folders)


def labels_of(namespace: Sequence[str]) -> dict[str, str]:
    """The labels of an item's file, and the filter for what lies under a namespace: one of each leading label."""
    shown = [_escaped(label) for label in namespace[:_LABELLED]]
    levels = {f"ns-{level}": each if len(each) <= _LABEL_CHARS else _digest(each) for level, each in enumerate(shown)}
    return {"channel": CHANNEL, **levels}


def _leading(namespace: Sequence[str]) -> list[str]:
    """The first labels as folders, as many as fit."""
    folders: list[str] = []
    room = _NAMESPACE_CHARS
    for label in namespace:
        folder = _escaped(label)
        room -= len(folder) + 1
        if room < 0:
            break
        folders.append(folder)
    return folders


def _escaped(part: str) -> str:
    """`part` without what no path may hold, percent-encoded, so that different ones stay different."""
    return "".join(
        char
        if char.isalnum() or char in _PLAIN
        else "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
        for char in part
    )


def _digest(what: Sequence[str] | str) -> str:
    whole = json.dumps(what if isinstance(what, str) else list(what))
    return _HASHED + hashlib.sha256(whole.encode()).hexdigest()[:32]
