"""Words cut to a length between words, also where a script puts no blanks between them."""

from __future__ import annotations

from typing import Final

import regex

_ELLIPSIS: Final = "..."
# Where a text without blanks may be cut: behind a mark, behind a Japanese particle before a word that is not in kana,
# behind a Chinese 的 or 了, before a small word.
_PLACES: Final = regex.compile(
    r"(?<=[、，,。；;：:！!？?）)」』—–])"
    r"|(?<=[\p{Han}\p{Katakana}ー\p{N}](?:を|に|は|が|で|と|へ|も|の|から|まで|より))(?=[\p{Han}\p{Katakana}\p{L}\p{N}])(?!\p{Hiragana})"
    r"|(?<=[了的])(?=\p{Han})"
    r"|(?<=\p{Han})(?=在|和|到|把|给|对|从|但|跟|因为|所以|然后|以及|还是|已经)"
    r"|\s"
)
_LONE: Final = regex.compile(r"[\s、，,；;：:—–-]+$")


def shortened(words: str, limit: int) -> str:
    """`words` on one line, at most `limit` characters, cut between words where that leaves a third of it.

    What was cut ends with `...`; a single word longer than that is cut between characters, never inside one.
    """
    line = " ".join(words.split())
    if len(line) <= limit:
        return line
    room = limit - len(_ELLIPSIS)
    cut = max((found.start() for found in _PLACES.finditer(line, 0, room + 1) if found.start() <= room), default=0)
    if cut <= limit // 3:
        cut = max(
            (found.end() for found in regex.finditer(r"\X", line[: limit * 2]) if found.end() <= room), default=room
        )
    return _LONE.sub("", line[:cut]) + _ELLIPSIS
