"""An item of a LangGraph store as the text of a file: exact in its head, and below it the words that are learned.

The head is front matter, of which nothing is learned, so a value comes back as it was put and is found by what it says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from langgraph.store.base import Item, get_text_at_path, tokenize_path

from geniffy_agents.turns import keepable

Index: TypeAlias = Literal[False] | Sequence[str] | None
"""Which fields of an item are found by a query: None for all, False for none, or their paths (`content[*].text`)."""

_FENCE: Final = "---"
_HEAD: Final = "item: "
_MOST_CHARS: Final = 2_000_000  # of a file, seed 001
_SENTENCE_WORDS: Final = 4  # shorter values say something only beside the name of their field, unless they end as one
_SENTENCE_CHARS: Final = 12  # in scripts that write without spaces
_SENTENCE_ENDS: Final = (".", "!", "?", "。", "！", "？", "।", "؟")


def exact(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value as it will come back: a copy, with tuples as lists.

    Raises TypeError for what JSON has no word for, and for a name that is no string.
    """
    _check_names(value)
    copied: dict[str, Any] = json.loads(json.dumps(value))
    return copied


def text_of(item: Item, index: Index) -> str:
    """The file of an item whose value is `exact`."""
    whole = {
        "namespace": item.namespace,
        "key": item.key,
        "created_at": item.created_at.isoformat(),
        "updated_at": item.updated_at.isoformat(),
        "value": item.value,
    }
    head = json.dumps(whole, ensure_ascii=False)
    if keepable(head) != head:  # half of a surrogate pair can only be kept as an escape
        head = json.dumps(whole)
    top = f"{_FENCE}\n{_HEAD}{head}\n{_FENCE}\n"
    words = "\n\n".join(words_of(item.value, index))
    return f"{top}\n{words}\n"[:_MOST_CHARS] if words and len(top) < _MOST_CHARS else top


def item_of(text: str) -> Item | None:
    """The item that a file holds; None for a file that holds none."""
    fence, _, rest = text.partition("\n")
    head = rest.partition("\n")[0]
    if fence != _FENCE or not head.startswith(_HEAD):
        return None
    try:
        held = json.loads(head.removeprefix(_HEAD))
        return Item(
            namespace=tuple(held["namespace"]),
            key=held["key"],
            value=held["value"],
            created_at=held["created_at"],
            updated_at=held["updated_at"],
        )
    except (ValueError, KeyError, TypeError):  # someone else's file
        return None


def learned_of(text: str) -> str:
    """The part of an item's file that is learned."""
    return text.partition(f"\n{_FENCE}\n")[2]


def words_of(value: Mapping[str, Any], index: Index = None) -> list[str]:
    """What is learned of a value, in paragraphs: its sentences, then its shorter fields with their names."""
    if index is False:
        return []
    sentences, fields = [], []
    for name, leaf in _leaves(value, "") if index is None or "$" in index else _chosen(value, index):
        if isinstance(leaf, str) and _is_sentence(leaf):
            sentences.append(leaf)
        elif str(leaf).strip():
            fields.append(f"{name}: {leaf}")
    # One short field beside sentences, such as their kind, says nothing by itself.
    paragraphs = [*sentences, *(["; ".join(fields)] if len(fields) > 1 or not sentences else [])]
    return [keepable(each) for each in paragraphs if each.strip()]


def _chosen(value: Mapping[str, Any], index: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for path in index:
        name = re.findall(r"[^.\[\]*]+", path)[-1:] or [path]
        for text in get_text_at_path(value, tokenize_path(path)):
            yield name[0], text


def _leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaves(each, key)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each, name)
    elif value is not None:
        yield name, value


def _is_sentence(text: str) -> bool:
    words = text.split()
    if len(words) > 1 and text.rstrip().endswith(_SENTENCE_ENDS):
        return True
    return len(words) >= _SENTENCE_WORDS or (not text.isascii() and len(text) >= _SENTENCE_CHARS)


def _check_names(value: Any) -> None:
    """JSON would turn other keys into strings, and the value would not come back as it was."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if not isinstance(key, str):
                raise TypeError(f"The names in a value are strings, not {type(key).__name__} ({key!r:.60}).")
            _check_names(each)
    elif isinstance(value, list | tuple):
        for each in value:
            _check_names(each)


def fresh(
    namespace: tuple[str, ...], key: str, value: Mapping[str, Any], now: datetime, since: datetime | None
) -> Item:
    """The item that a put makes; `since` is when it was first put, if it was there."""
    return Item(namespace=namespace, key=key, value=dict(value), created_at=since or now, updated_at=now)
