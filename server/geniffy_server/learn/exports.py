"""What programs put around the words of messages: the stamps of an exported chat, the head of an e-mail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import regex

_STAMP: Final = regex.compile(
    r"(?m)^[\u200e\u200f\u202a\u202c]*(?:\[\s*)?(?P<a>\d{1,4})(?P<sign>[./-])(?P<b>\d{1,2})[./-](?P<c>\d{2,4}),?\s+"
    r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?\s*(?P<half>[ap]\.?\s?m\.?)?\s*(?:\]|\s[-–])\s*(?:~\s?)?"
    r"(?P<who>[^\n:：]{1,40})[:：][ \t]*",
    regex.IGNORECASE,
)
_LEFT_OUT: Final = regex.compile(
    r"<[^<>\n]{1,40}>|\u200e.*|(?:image|video|audio|sticker|GIF) omitted", regex.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Message:
    """Words of `who` at `start` to `end` of a text, said on `day`, which is None where the stamp is no day."""

    who: str
    day: date | None
    start: int
    end: int


def messages_in(text: str) -> Sequence[Message]:
    """The messages of an exported chat, `[10/4/26, 9:02 AM] Bea: …`; none for any other text.

    Day or month first, the stamps say together: a number over 12, dots, or a clock of twelve hours.
    """
    stamps = list(_STAMP.finditer(text))
    is_sure = len(stamps) > 1 or any("]" in one.group() for one in stamps)
    if not is_sure or text[: stamps[0].start()].strip():
        return []
    first_is_month = not any(int(one["a"]) > 12 for one in stamps) and (
        any(int(one["b"]) > 12 for one in stamps) or (stamps[0]["sign"] == "/" and stamps[0]["half"] is not None)
    )
    ends = [*(one.start() for one in stamps[1:]), len(text)]
    return [
        Message(" ".join(one["who"].split()), _day(one, first_is_month=first_is_month), one.end(), end)
        for one, end in zip(stamps, ends, strict=True)
        if not _LEFT_OUT.fullmatch(text[one.end() : end].strip())
    ]


def _day(stamp: regex.Match[str], *, first_is_month: bool) -> date | None:
    a, b, c = int(stamp["a"]), int(stamp["b"]), int(stamp["c"])
    if len(stamp["a"]) == 4:
        year, month, day = a, b, c
    else:
        year = c if c > 99 else 2000 + c
        month, day = (a, b) if first_is_month else (b, a)
    try:
        return date(year, month, day)
    except ValueError:
        return None


_HEAD: Final = regex.compile(
    r"(?:\*\*)?(?P<key>from|to|cc|bcc|sent|date|reply-to|subject|von|an|gesendet|datum|betreff|de|para|enviado|fecha|asunto"
    r"|à|envoyé|objet|da|inviato|oggetto|发件人|收件人|抄送|时间|主题|差出人|宛先|日時|件名|من|إلى|الموضوع|מאת|אל|נושא)(?:\*\*)?"
    r"\s?[:：](?:\*\*)?[ \t]*(?P<value>[^\n]*)(?:\n|$)",
    regex.IGNORECASE,
)
_SENDERS: Final = frozenset({"from", "von", "de", "da", "发件人", "差出人", "من", "מאת"})
_SUBJECTS: Final = frozenset({"subject", "betreff", "asunto", "objet", "oggetto", "主题", "件名", "الموضوع", "נושא"})
_STATES: Final = 4  # words of a subject line from which it may say something


def mail_head(text: str) -> tuple[int, tuple[int, int] | None]:
    """Where the words begin behind the head of an e-mail, and its subject line where that may state something.

    (0, None) for a text without one: it takes a sender and one more line.
    """
    at, keys, subject = 0, [], None
    while (found := _HEAD.match(text, at)) and found.end() > at:
        keys.append(found["key"].lower())
        if keys[-1] in _SUBJECTS and len(found["value"].split()) >= _STATES:
            subject = found.span("value")
        at = found.end()
    if len(keys) < 2 or _SENDERS.isdisjoint(keys):
        return 0, None
    return at, subject
