"""Conditions of a write, as headers say them (RFC 9110 13.1 and 8.8.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from geniffy_server.errors import BadInput
from geniffy_server.services.files import ALWAYS, Condition

_TAG: Final = re.compile(r'\s*(W/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*')


def condition_of(if_match: Sequence[str], if_none_match: Sequence[str]) -> Condition:
    """What `If-Match` and `If-None-Match` demand, each as the lines of that header; `ALWAYS` without any.

    If-Match compares strongly, so a weak tag there never matches; If-None-Match compares weakly. Raises BadInput for
    a header that is no list of tags.
    """
    if not if_match and not if_none_match:
        return ALWAYS
    etags = _tags(if_match, "If-Match", are_weak_good=False) if if_match else None
    none_of = _tags(if_none_match, "If-None-Match", are_weak_good=True) if if_none_match else ()
    return Condition(etags=etags, absent=none_of == ("*",), none_of=() if none_of == ("*",) else none_of)


def _tags(lines: Sequence[str], name: str, *, are_weak_good: bool) -> tuple[str, ...]:
    raw = ",".join(lines).strip(" \t,")
    if raw == "*":
        return ("*",)
    tags: list[str] = []
    at = 0
    while at < len(raw):
        found = _TAG.match(raw, at)
        if found is None or (found.end() < len(raw) and raw[found.end()] != ","):
            raise BadInput(f'{name} must be * or a list of tags in quotes, such as "abc", not {raw!r:.90}.')
        if are_weak_good or not found[1]:
            tags.append(found[2])
        at = found.end() + 1
        while at < len(raw) and raw[at] in ", \t":
            at += 1
    if not raw:
        raise BadInput(f"{name} is empty; leave it out, or name a tag in quotes.")
    return tuple(tags)
