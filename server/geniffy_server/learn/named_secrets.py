"""Secrets that a word gives away: `password: …`, `the PIN is …`, `API_KEY=…`, in many languages.

What follows `password is` may be the password or the rest of a sentence ("… is required"), and what follows `token =`
may be a key or code that makes one. A value is taken for a secret when it looks like one; after a word for a password
also when it is a plain word that ends its clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from geniffy_server.learn.lexicon import word_set

_PASSWORD: Final = (
    r"pass(?:word|wd|phrase|code)|passwort|kennwort|contraseñ?a|mot de passe|senha|пароль|密码|密碼|口令|パスワード|"
    r"暗証番号|पासवर्ड|كلمة السر|كلمة المرور|비밀번호|(?<![a-z])(?:pwd|pw|pin|cvv|cvc|otp)|(?-i:(?<=[a-z])(?:Pwd|Pin))|"
    r"(?:verification|one-time|security|recovery|backup|2fa|login) code"
)
_KEY: Final = (
    r"(?<![a-z])(?:secret|token|credentials?|clave)|(?-i:(?<=[a-z])(?:Secret|Token))|"
    r"(?:api|access|secret|private|encryption|signing|auth|account|license|client)[ _-]?(?:key|secret|token)"
)
_VERB: Final = r"(?:is|was|are|es|est|ist|è|to|sarà|será|'s|’s)(?:[ ](?:now|set to|still|ora|ahora|jetzt))?:?"
# `sure`: a sign stands between the word and the value. `loose`: nothing does, so the value must be a mix.
_NAMED: Final = re.compile(
    rf"(?i)(?:(?P<password>{_PASSWORD})|{_KEY})(?:[ _-]?(?:access[ _-]?)?(?:key|code|number|id)(?![a-z]))?s?"
    r"(?:(?P<sure>[\"'`]?[ \t]{0,8}(?::=|=>|[:=：＝])[ \t]{0,8}(?:\r?\n[ \t]{0,8})?"
    r"|[ \t]{1,4}(?=[\"'`][^\s\"'`]{4,}[\"'`]))"
    rf"|(?P<said>[ \t]{{0,4}}(?:{_VERB}[ \t]{{1,8}}|是|は|为|為|—[ \t]?))|(?P<loose>[ \t]{{1,2}}))"
    r"(?:[\"'`「“«](?P<quoted>[^\"'`」”»\n█]{3,200})[\"'`」”»]|(?P<bare>[\x21-\x7e]{3,400}))"
)
_SHORTEST: Final = 4
_PLAIN: Final = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)?")
_ENDINGS: Final = ("ed", "ing", "able", "ible", "ive", "ful", "less")  # the password is expiring
_PHRASE: Final = re.compile(r"[^\n.,;|\"'`]{4,60}?(?=[ \t]*(?:[\n.,;|]|$))")
_LONGEST_PHRASE: Final = 6  # words; what goes on for longer is a sentence about passwords
_CODE_NUMBER: Final = re.compile(r"[0-9]{4,8}")
_CODE: Final = re.compile(r"[A-Za-z_][\w.]*[(\[{].*|[A-Za-z_]+(?:[._][A-Za-z_]+)+[,;)\]}]*|\w+\[[\w, ]*\]?.*")
_PLACE: Final = re.compile(r"[$<{%].*|https?://.*|.*(?:\.\.\.|…|xxx|\*\*\*).*|[a-z]{2,5}_(?:[a-z]+_)?", re.IGNORECASE)


def named(text: str) -> Iterator[tuple[int, int]]:
    """The spans of values that a word before them says are secret."""
    for found in _NAMED.finditer(text):
        is_password = found["password"] is not None
        if found["quoted"] is not None:
            is_value = found["sure"] is not None or (found["said"] and not _PLAIN.fullmatch(found["quoted"].strip()))
            if is_value and not _PLACE.fullmatch(found["quoted"]):
                yield found.span("quoted")
            continue
        start = found.start("bare")
        value = found["bare"].rstrip(".,;:?\"'`)]}>")
        end = start + len(value)
        if found["loose"] is not None:
            if is_password and (_is_mix(value) or _CODE_NUMBER.fullmatch(value)):
                yield start, end
        elif is_password and _is_phrase(value):
            phrase = _PHRASE.match(text, start) if found["sure"] is not None else None
            if phrase and _may_be_phrase(phrase.group().split()):
                yield start, phrase.end()
            elif _is_last(text, end) and _may_be_plain(value):
                yield start, end
        elif _looks_secret(value, is_password=is_password, is_on_next_line="\n" in (found["sure"] or "")):
            yield start, end


def _is_phrase(value: str) -> bool:
    """A word as it stands in a sentence."""
    return bool(_PLAIN.fullmatch(value)) and (value.islower() or value.istitle())


def _may_be_phrase(words: list[str]) -> bool:
    """A word, or a few that are no sentence: `correct horse battery staple`, not `reset it tomorrow`."""
    if len(words) > _LONGEST_PHRASE or words[0].lower().endswith(_ENDINGS):
        return False
    plain = sum(word.lower() in word_set("secrets", "filler") for word in words)
    return plain == 0 or (len(words) > 2 and plain == 1)


def _is_last(text: str, end: int) -> bool:
    return not text[end : end + 2].strip(" .,;:!?\n)")


def _may_be_plain(value: str) -> bool:
    return (
        len(value) >= _SHORTEST
        and value.lower() not in word_set("secrets", "filler")
        and not value.lower().endswith(_ENDINGS)
    )


def _looks_secret(value: str, *, is_password: bool, is_on_next_line: bool) -> bool:
    if len(value) < _SHORTEST or value.lower() in word_set("secrets", "filler") or _PLACE.fullmatch(value):
        return False
    if not is_password and (is_on_next_line or _is_phrase(value)):
        return len(value) >= 14 and not is_on_next_line
    return not (_CODE.fullmatch(value) and not re.search("[0-9]", value.partition("(")[0]))


def _is_mix(value: str) -> bool:
    """Letters and digits together, as people make passwords up."""
    return len(value) >= 6 and bool(re.search("[0-9]", value)) and bool(re.search("[A-Za-z]", value))
