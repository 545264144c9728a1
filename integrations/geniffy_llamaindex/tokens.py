"""How long a text is for a model: counted as LlamaIndex counts, else estimated."""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from llama_index.core.utils import get_tokenizer

Tokenizer: TypeAlias = Callable[[str], Sequence[Any]]

# A word or a piece of a long one, three digits, a sign; within a tenth of cl100k_base for English with dates and paths.
_PIECES: Final = re.compile(r"[A-Za-z]{1,8}|\d{1,3}|[^\w\s]|[^\x00-\x7f]|_", re.ASCII)
_MARGIN: Final = 1.25  # an estimate takes away a quarter more, or Memory would drop all that is left


@dataclass(frozen=True, slots=True)
class Tokens:
    """Counts tokens with `tokenizer`; without one it estimates."""

    tokenizer: Tokenizer | None

    @classmethod
    def of(cls, tokenizer: Tokenizer | None) -> Tokens:
        """With a tokenizer, else the one that LlamaIndex counts with, which is tiktoken's unless an app set another.

        Where tiktoken is not installed, or can't get its vocabulary, tokens are estimated.
        """
        if tokenizer is None:
            try:
                tokenizer = get_tokenizer()
            except Exception:  # whatever tiktoken says when it has no vocabulary and no network to fetch one
                tokenizer = None
        return cls(tokenizer)

    def count(self, text: str) -> int:
        """How many tokens `text` is."""
        if self.tokenizer is not None:
            return len(self.tokenizer(text))
        return sum(1 for _ in _PIECES.finditer(text))

    def within(self, limit: int) -> int:
        """How many tokens to count up to so that a text stays within `limit`."""
        return limit if self.tokenizer is not None else math.floor(limit / _MARGIN)

    def less(self, text: str, tokens: int) -> int:
        """How many tokens may be left of `text` when `tokens` of it have to go."""
        return self.count(text) - (tokens if self.tokenizer is not None else math.ceil(tokens * _MARGIN))

    def first_lines(self, head: str, lines: str, most: int) -> str:
        """`head` and the first whole lines of `lines` that are at most `most` tokens together.

        Lines come best first. Empty when not even the first one fits; a heading is not left without its lines.
        """
        each = lines.split("\n")
        fits = bisect.bisect_right(range(1, len(each) + 1), most, key=lambda n: self.count(head + "\n".join(each[:n])))
        kept = each[:fits]
        while kept and fits < len(each) and (not kept[-1].strip() or kept[-1].rstrip().endswith(":")):
            kept.pop()
        return head + "\n".join(kept) if kept else ""
