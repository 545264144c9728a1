"""Keys, tokens, passwords and card numbers are hidden before anything is stored, learned or logged.

What is hidden keeps its length, so no offset into the text moves. Every pattern starts at a fence of ASCII letters
and digits: `\\b` would fail beside Chinese or Japanese, whose characters count as letters. Every repeat is bounded or
starts at a fence, so the time grows with the length of the text and not faster.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from geniffy_server.learn.named_secrets import named
from geniffy_server.learn.split import HIDDEN

MARK: Final = HIDDEN


@dataclass(frozen=True, slots=True)
class Masked:
    """A text of the same length with its secrets hidden, and how many were."""

    text: str
    withheld: int


def mask(text: str) -> Masked:
    """Hide every secret in `text` behind `█`, as many as the characters it had. Nothing found: the text as it is."""
    found = [*_found(text)]
    if "\\" in text:  # in JSON, as tools are called with, a key may follow `\\n` or `\\u5bc6` with no fence between
        found += _found(_ESCAPE.sub(lambda escape: " " * len(escape.group()), text))
    spans = _merged(sorted(found))
    if not spans:
        return Masked(text, 0)
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += text[at:start], MARK * (end - start)
        at = end
    return Masked("".join(parts) + text[at:], len(spans))


Span = tuple[int, int]

_ESCAPE: Final = re.compile(r"\\+(?:u[0-9A-Fa-f]{4}|[nrtbf\"/])?")

_OPEN: Final = r"(?<![A-Za-z0-9_-])"
_SHUT: Final = r"(?![A-Za-z0-9_-])"

# What each service prefixes its keys with, as their own pages and secret scanners' public rules state it.
_KEYS: Final = re.compile(
    _OPEN
    + "(?:"
    + "|".join(
        (
            r"gnf_[a-z]{2,8}_[A-Za-z0-9_-]{20,}",  # ours
            r"(?:sk|pk|rk)[-_](?:proj|ant|live|test|or|svcacct|admin)[-_A-Za-z0-9]{16,}",  # OpenAI, Anthropic, Stripe
            r"sk-(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{20,}",
            r"whsec_[A-Za-z0-9+/=]{24,}",
            r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}|gl(?:pat|ptt|dt|rt)-[A-Za-z0-9_-]{20,}",
            r"(?:AKIA|ASIA)[A-Z0-9]{16}" + _SHUT,
            r"xox[abeposr]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,}",
            r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}",
            r"npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}|dckr_pat_[A-Za-z0-9_-]{20,}",
            r"hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}",
            r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|dop_v1_[a-f0-9]{64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
            r"hv[sb]\.[A-Za-z0-9_-]{24,}|gls?a_[A-Za-z0-9_]{30,}|figd_[A-Za-z0-9_-]{30,}|lin_api_[A-Za-z0-9]{30,}",
            r"tskey-[a-z]{2,12}-[A-Za-z0-9-]{16,}|dapi[a-f0-9]{32}|ATATT[A-Za-z0-9_=-]{30,}|PMAK-[a-f0-9-]{30,}",
            r"AGE-SECRET-KEY-1[A-Z0-9]{50,}|ntn_[A-Za-z0-9]{40,}|sntry[su]_[A-Za-z0-9+/=_-]{30,}",
            r"[MNO][A-Za-z0-9_-]{7,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",  # Discord bots
            r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}" + _SHUT,  # Telegram bots
            r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}",  # a JSON Web Token, RFC 7519
        )
    )
    + ")"
)

_URL: Final = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@]{0,80}:(?P<secret>[^\s@/]{3,200})@"
)
_BEARER: Final = re.compile(r"(?<![A-Za-z0-9])(?i:bearer|basic)\s{1,4}(?P<secret>[A-Za-z0-9._~+/-]{20,}={0,2})")

_PEM_OPEN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_SHUT: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_MAX: Final = 20_000  # an RSA key of 16,384 bits has about 12,700 characters
_PEM_BODY: Final = re.compile(
    r"(?:[\s\"'\\]|\\[nr]|[A-Z][A-Za-z-]{1,20}: [^\n]{0,80}\n|[A-Za-z0-9+/=]{16,}|=[A-Za-z0-9+/]{4})*"
)

_OPTION: Final = re.compile(
    r"(?<![A-Za-z0-9-])--(?:password|passwd|token|secret|api-key|pass)[ =](?P<secret>[^\s-][^\s]{2,200})"
)
_PLAIN: Final = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)?")

_CARD: Final = re.compile(
    r"(?<![0-9])(?<![0-9][.,])(?=(?P<card>[0-9]{13,19}|[0-9]{4}(?P<gap>[ \u00a0-])[0-9]{6}(?P=gap)[0-9]{4,5}"
    r"|[0-9]{4}(?P<blank>[ \u00a0-])[0-9]{4}(?P=blank)[0-9]{4}(?P=blank)[0-9]{1,4}(?:(?P=blank)[0-9]{1,3})?)"
    r"(?![0-9]))"
)
_ISSUER: Final = re.compile(r"3[47]|4|5[1-5]|2[2-7]|6(?:011|4[4-9]|5)|62|35|30[0-5]|36|38|39")

_RANDOM: Final = re.compile(_OPEN + r"[A-Za-z0-9+/_-]{32,}={0,2}" + _SHUT)
_RANDOM_BITS: Final = 4.3  # a character; English words joined by dashes stay below it, random base64 of 32 above
_SEGMENT: Final = 18  # a run without - _ / that a name, a path or a date would not have


def _found(text: str) -> Iterator[Span]:
    for found in _KEYS.finditer(text):
        yield found.span()
    for pattern in (_URL, _BEARER, _OPTION):
        for found in pattern.finditer(text):
            if pattern is not _BEARER or not _PLAIN.fullmatch(found["secret"]):
                yield found.span("secret")
    yield from _private_keys(text)
    yield from named(text)
    yield from _cards(text)
    for found in _RANDOM.finditer(text):
        if _is_random(found.group()):
            yield found.span()


def _private_keys(text: str) -> Iterator[Span]:
    """From BEGIN to END; without an END, as far as the lines look like base64."""
    at = 0
    while opening := _PEM_OPEN.search(text, at):
        closing = _PEM_SHUT.search(text, opening.end(), opening.end() + _PEM_MAX)
        body = _PEM_BODY.match(text, opening.end(), opening.end() + _PEM_MAX)
        at = closing.end() if closing else body.end() if body else opening.end()
        yield opening.start(), opening.start() + len(text[opening.start() : at].rstrip())


def _cards(text: str) -> Iterator[Span]:
    """Payment cards: 13 to 19 digits, alone or grouped, an issuer's prefix and a right check digit (ISO/IEC 7812)."""
    for found in _CARD.finditer(text):
        start = found.start("card")
        for card in (found["card"], found["card"].rpartition(found["blank"] or " ")[0]):
            if _is_card(re.sub("[^0-9]", "", card)):
                yield start, start + len(card)
                break


def _is_card(digits: str) -> bool:
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1 or not _ISSUER.match(digits):
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_random(token: str) -> bool:
    if not (re.search("[0-9]", token) and re.search("[a-z]", token) and re.search("[A-Z]", token)):
        return False
    if max(len(part) for part in re.split("[-_/]", token)) < _SEGMENT:
        return False
    counts = Counter(token)
    return -sum(n / len(token) * math.log2(n / len(token)) for n in counts.values()) > _RANDOM_BITS


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged
