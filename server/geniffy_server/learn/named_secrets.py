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
    r"暗証番号|पासवर्ड|كلمة السر|كلمة المرور|סיסמה|סיסמא|비밀번호|"
    r"(?<![a-z])(?:pwd|psw|pw|pin|cvv|cvc|otp)|(?-i:(?<=[a-z])(?:Pwd|Pin))|"
    r"(?:verification|one-time|security|recovery|backup|2fa|login) code"
)
_KEY: Final = (
    r"(?<![a-z])(?:secret|token|credentials?|clave)|(?-i:(?<=[a-z])(?:Secret|Token))|"
    r"(?:api|access|secret|private|encryption|signing|auth|account|license|client)[ _-]?(?:key|secret|token)"
)
_VERB: Final = (
    r"(?:is|was|are|es|est|ist|lautet|è|to|sarà|será|'s|’s|है|هي|هو|היא|הוא|זה)"
    r"(?:[ ](?:now|set to|still|ora|ahora|jetzt|aktuell))?:?"
)
# What it is the password of: `for the shop`, `del wifi`, `от вайфая`.
_OF: Final = (
    r"(?:[ ](?:at|for|to|of|on|from|del|de|du|des|für|fürs|vom|von|do|da|di|dello|della|per|от|для)"
    r"(?:[ ][^\s:=.,;!?()\"']{1,20}){1,4}?(?=[ ]?[:=：]|[ ](?:is|was|es|est|ist|lautet|è)[ ]))?"
)
# `sure`: a sign stands between the word and the value. `loose`: nothing does, so the value must be a mix.
_NAMED: Final = re.compile(
    rf"(?i)(?:(?P<password>{_PASSWORD})|{_KEY})(?:[ _-]?(?:access[ _-]?)?(?:key|code|number|id)(?![a-z]))?s?{_OF}"
    r"(?:(?P<sure>[\"'`]?[ \t]{0,8}(?::=|=>|[:=：＝])[ \t]{0,8}(?:\r?\n[ \t]{0,8})?"
    r"|[ \t]{1,4}(?=[\"'`][^\s\"'`]{4,}[\"'`]))"
    rf"|(?P<said>[ \t]{{0,4}}(?:{_VERB}[ \t]{{1,8}}|(?:是|は|为|為)[ \t]{{0,2}}|[—–-][ \t]))|(?P<loose>[ \t]{{1,2}}))"
    r"(?:[\"'`「“«](?P<quoted>[^\"'`」”»\n█]{3,200})[\"'`」”»]|(?P<bare>[\x21-\x7e]{3,400})"
    r"|(?P<wide>[^\x00-\x7f█][^\s，。；、！？「」』】)█]{2,40}))"
)
_PASS: Final = re.compile(r"(?i)(?<![a-z])pass[ ]?[:=][ ]?(?P<value>[\x21-\x7e]{6,60})")
_CARD_CODE: Final = re.compile(r"(?i)cv[vc]")
_SEED: Final = re.compile(
    r"(?i)(?:recovery|seed|backup|mnemonic|wallet) (?:phrase|words?)[ \t]{0,2}(?:is|are|[:=])?\s{1,4}"
    r"(?P<words>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])"
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
    for found in _SEED.finditer(text):
        yield found.span("words")
    for found in _PASS.finditer(text):
        if _is_mix(value := found["value"].rstrip(".,;:?\"'`)]}>")):
            yield found.start("value"), found.start("value") + len(value)
    for found in _NAMED.finditer(text):
        is_password = found["password"] is not None
        if found["quoted"] is not None:
            is_value = found["sure"] is not None or (found["said"] and not _PLAIN.fullmatch(found["quoted"].strip()))
            if is_value and not _PLACE.fullmatch(found["quoted"]):
                yield found.span("quoted")
            continue
        if found["wide"] is not None:
            if is_password and _is_wide_secret(text, found):
                yield found.start("wide"), found.start("wide") + len(found["wide"].rstrip(_SENTENCE_MARKS))
            continue
        start = found.start("bare")
        value = found["bare"].rstrip(".,;:?\"'`)]}>")
        end = start + len(value)
        if found["loose"] is not None:
            is_code = _CODE_NUMBER.fullmatch(value) or (
                value.isdecimal() and _CARD_CODE.search(found["password"] or "")
            )
            if is_password and (_is_mix(value) or is_code):
                yield start, end
        elif is_password and _is_phrase(value):
            phrase = _PHRASE.match(text, start) if found["sure"] is not None else None
            if phrase and _may_be_phrase(phrase.group().split()):
                yield start, phrase.end()
            elif _is_last(text, end) and _may_be_plain(value):
                yield start, end
        elif _looks_secret(value, is_password=is_password, is_on_next_line="\n" in (found["sure"] or "")):
            yield start, end


_SENTENCE_MARKS: Final = ".,;:!?।،"
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")


def _is_wide_secret(text: str, found: re.Match[str]) -> bool:
    """Whether a value in another script is one: letters with digits, or behind a colon a word that ends its clause."""
    value = found["wide"].rstrip(_SENTENCE_MARKS)
    if len(value) < _SHORTEST or value.lower() in word_set("secrets", "filler"):
        return False
    if any(char.isdigit() for char in value):
        return any(char.isalpha() for char in value)
    # Where words are not parted by blanks, one of them can't be told from a sentence.
    return (
        found["sure"] is not None and not _UNSPACED.search(value) and _is_last(text, found.start("wide") + len(value))
    )


def _is_phrase(value: str) -> bool:
    """A word as it stands in a sentence."""
    return bool(_PLAIN.fullmatch(value)) and (value.islower() or value.istitle())


def _may_be_phrase(words: list[str]) -> bool:
    """A word, or a few that are no sentence: `correct horse battery staple`, not `reset it tomorrow`."""
    if len(words) > _LONGEST_PHRASE or words[0].lower().endswith(_ENDINGS):
        return False
    plain = sum(word.lower() in word_set("secrets", "filler") for word in words)
    return plain == 0 or (len(words) > 2 and plain == 1)


_VERB_LAST: Final = re.compile(r"[ ]?(?:です|だ|है|입니다)")


def _is_last(text: str, end: int) -> bool:
    """Whether a clause ends there, or has only the verb of a language that puts it last."""
    if verb := _VERB_LAST.match(text, end):
        end = verb.end()
    return not text[end : end + 2].partition("\n")[0].strip(" .,;:!?\r)。।、，")


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
