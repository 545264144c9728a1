"""What a check of `doctor` found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, in a sentence; `todo` says what to do unless it is `ok`."""

    about: str
    state: State
    sentence: str
    todo: str | None = None
