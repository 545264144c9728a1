"""Which items pass a filter of a search, and which namespaces a listing's conditions: LangGraph's rules."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from langgraph.store.base import ListNamespacesOp, MatchCondition

_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def passes(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether every field that `wanted` names is equal there, or meets its operators (`$eq $ne $gt $gte $lt $lte`).

    Raises ValueError for another operator.
    """
    return all(_meets(value.get(name), each) for name, each in (wanted or {}).items())


def _meets(held: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(held, name, each) for name, each in wanted.items())
        return isinstance(held, Mapping) and passes(held, wanted)
    if isinstance(wanted, list | tuple):
        is_list = isinstance(held, list | tuple) and len(held) == len(wanted)
        return is_list and all(_meets(one, other) for one, other in zip(held, wanted, strict=True))
    return bool(held == wanted)


def _compares(held: Any, name: str, wanted: Any) -> bool:
    if name == "$eq":
        return bool(held == wanted)
    if name == "$ne":
        return bool(held != wanted)
    order = _ORDERS.get(name)
    if order is None:
        raise ValueError(f"A filter has the operators $eq, $ne, $gt, $gte, $lt and $lte, not {name!r}.")
    try:
        return order(float(held), float(wanted))
    except (TypeError, ValueError):  # dates and other words compare as words; what is missing never does
        return isinstance(held, str) and isinstance(wanted, str) and order(held, wanted)


def listed(namespaces: Sequence[tuple[str, ...]], op: ListNamespacesOp) -> list[tuple[str, ...]]:
    """The namespaces that meet an operation's conditions, cut to its depth, each once, in order, its page of them."""
    met = [each for each in namespaces if all(_is_met(each, condition) for condition in op.match_conditions or ())]
    cut = sorted({each if op.max_depth is None else each[: op.max_depth] for each in met})
    return cut[op.offset : op.offset + op.limit]


def leading_labels(op: ListNamespacesOp) -> tuple[str, ...]:
    """The labels that every namespace of a listing begins with."""
    for condition in op.match_conditions or ():
        if condition.match_type == "prefix":
            wild = condition.path.index("*") if "*" in condition.path else len(condition.path)
            return tuple(condition.path[:wild])
    return ()


def _is_met(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Namespaces are matched by prefix or suffix, not by {condition.match_type!r}.")
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
