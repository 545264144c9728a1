"""Search keys: the words of a text as 32-bit hashes, so that no vocabulary has to be kept in step with the rows."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

import regex
import Stemmer  # type: ignore[import-not-found]  # compiled, without types

from geniffy_server.domain.text import folded
from geniffy_server.recall.affixes import without_affixes
from geniffy_server.recall.irregular import base

_STOP_WORDS: Final = """
    a an the this that these those it its he him his she her hers they them their theirs we us our ours you your yours
    i me my mine myself yourself himself herself itself ourselves themselves am is are was were be been being do does
    did doing done have has had having can could should would will shall might must and or but nor so if then than as
    at by for from in into of off on onto out over to up down with about above after again against all any because
    before below between both during each few further here how just more most no not now once only other own same
    some such there through too under until very what when where which while who whom whose why s t d m ll re ve im
    ive dont didnt doesnt isnt also let lets get got
"""
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
_MAX_WORD_CHARS: Final = 64  # longer runs are data; they are found by their parts and not kept in the cache

# Scripts that put no blanks between words: characters and pairs of them are the words.
_UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー々〆"
_JOINED: Final = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
_CHUNK: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[._@:/+\-'’#,]+[\p{L}\p{M}\p{N}]+)*[+#]*")
_RUN: Final = regex.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)|(?P<joined>[{_JOINED}][{_JOINED}\p{{M}}]*)"
    rf"|(?P<word>(?:(?![{_UNSPACED}{_JOINED}])[\p{{L}}\p{{M}}\p{{N}}])+)"
)
_THOUSANDS: Final = regex.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_MIXED: Final = regex.compile(r"\p{N}+|[\p{L}\p{M}]+")
_HAS_CODE: Final = regex.compile(r"[\p{N}@_/+#]|[^.]\.[^.]")
_NEGATED: Final = regex.compile(r"(?:do|does|did|is|are|was|were|has|have|had|wo|would|could|should|ca|ai)n['’]t")
_LATIN: Final = regex.compile(r"[a-z]+")
_stemmers: Final = threading.local()


KEYS_VERSION: Final = "2"
"""Which way `keys` reads a word: another number when it gives another key to a word that a store may hold."""


def keys(text: str) -> list[int]:
    """The search keys of `text` in order, one for each time a word stands there; none for blank text.

    Words are folded (`domain.text.folded`), stop words dropped, Latin words stemmed (Snowball, English), and
    Arabic, Hebrew and Hindi ones left without what is joined to them (`affixes`). Codes and numbers are kept whole and
    in parts: `INV-2044` also as `inv` and `2044`. Chinese, Japanese and Korean give single characters and pairs, Thai
    and its kin pairs, so that words of one or two characters are found.
    """
    found: list[int] = []
    for chunk in _CHUNK.findall(_THOUSANDS.sub("", folded(text))):
        found.extend(_keys_of_chunk(chunk) if len(chunk) <= _MAX_WORD_CHARS else map(key, _words(chunk)))
    return found


def key(word: str) -> int:
    """The hash of one normalised word: the first four bytes of its BLAKE2b, little-endian, the same on any machine."""
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "little")


@lru_cache(maxsize=65_536)
def _keys_of_chunk(chunk: str) -> tuple[int, ...]:
    return tuple(key(word) for word in _words(chunk))


def _words(chunk: str) -> Iterator[str]:
    if _NEGATED.fullmatch(chunk):
        return
    for run in _RUN.finditer(chunk):
        text = run.group()
        if run.lastgroup == "word":
            yield from _of_word(text)
            continue
        if run.lastgroup == "unspaced" or len(text) == 1:
            yield from text
        for first, second in pairwise(text):
            yield first + second
    whole = chunk.strip(".:/-'’,")
    if len(whole) <= _MAX_WORD_CHARS and _HAS_CODE.search(whole) and not _RUN.fullmatch(whole):
        yield whole


def _of_word(word: str) -> Iterator[str]:
    if word in STOP_WORDS:
        return
    parts = _MIXED.findall(word)
    if len(parts) > 1:
        yield word
    for part in parts:
        if part not in STOP_WORDS:
            yield _stemmed(part)


def _stemmed(word: str) -> str:
    if not _LATIN.fullmatch(word):
        return without_affixes(word)
    stemmer = getattr(_stemmers, "english", None)
    if stemmer is None:  # one a thread: a stemmer keeps a buffer of its own
        stemmer = _stemmers.english = Stemmer.Stemmer("english")
    return str(stemmer.stemWord(base(word)))
