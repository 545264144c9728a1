"""Where byte strings stand in the files of a directory. Run as a program of its own; standard library only.

    python raw_bytes.py <directory>    the strings on standard input, a line of hexadecimal each

Writes a line of JSON for each place: `[file, offset, number of the string]`. It is a process of its own because one
that closes a database's file loses every lock that its SQLite connections hold on it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

_CHUNK: Final = 8 << 20
MOST_PER_FILE: Final = 1_000


def places(directory: Path, strings: Sequence[bytes]) -> Iterator[tuple[str, int, int]]:
    """File, offset and number of each place of each string, at most 1,000 a file."""
    for path in sorted(directory.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        for offset, number in islice(_in_file(path, strings), MOST_PER_FILE):
            yield str(path.relative_to(directory)), offset, number


def _in_file(path: Path, strings: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    overlap = max(map(len, strings)) - 1
    with path.open("rb") as file:
        start, kept = 0, b""
        while chunk := file.read(_CHUNK):
            window = kept + chunk
            for number, string in enumerate(strings):
                at = window.find(string)
                while at >= 0:
                    if at + len(string) > len(kept):  # else it was found in the window before
                        yield start - len(kept) + at, number
                    at = window.find(string, at + 1)
            start += len(chunk)
            kept = window[-overlap:] if overlap else b""


if __name__ == "__main__":
    for place in places(Path(sys.argv[1]), [bytes.fromhex(line) for line in sys.stdin.read().split()]):
        sys.stdout.write(json.dumps(place) + "\n")
