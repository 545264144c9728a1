"""When two lines say the same thing word for word, and when a line only repeats what this memory printed."""

from __future__ import annotations

from typing import Final

import regex

from geniffy_server.domain.text import folded
from geniffy_server.learn.lexicon import listed, word_set

# A word with what belongs inside it (addresses, numbers, codes), else one sign that carries meaning ($, %, 👎).
_TOKEN: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]"
    r"|[\p{L}\p{M}\p{N}_](?:[\p{L}\p{M}\p{N}_'’.,:/@#+&-]*[\p{L}\p{M}\p{N}_+#])?"
    r"|[\p{Sc}\p{So}%+=<>~^|/\\#@&*-]"
)
_WORD_GLUE: Final = regex.compile(r"[’ʼ]")
_THOUSANDS: Final = regex.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NOT: Final = regex.compile(r"(?<=\p{L})n't\b|(?<=ca)n't\b")
_SHORT_VERB: Final = regex.compile(r"(?<=\p{L})'(m|re|ve|ll)\b")
_SHORT_FORMS: Final = {"m": " am", "re": " are", "ve": " have", "ll": " will"}
_MARKUP: Final = regex.compile(r"\*\*|__|`|~~")
_LETTER_A: Final = regex.compile(r"(?<=\S )A(?![\p{L}'’])")  # a name, as in "vitamin A", not the article
_DASH: Final = regex.compile(r"\s*(?:[-*+•][ \t]+)?")
_PLACE: Final = regex.compile(r"\[[^\n]{1,600}, \d{4}-\d\d-\d\d\]\s*")


def normalised(text: str) -> str:
    """The words of a statement in order, as a key: equal for two statements that say the same in the same words.

    Case, accents, spacing, sentence marks, articles, `I'm` for `I am` and British for American spelling make no
    difference. Every other word, number, sign, negation and the order of words do. A text without any word is its
    own key, folded.
    """
    flat = _WORD_GLUE.sub("'", folded(_LETTER_A.sub("a_", _MARKUP.sub("", text))))
    flat = _THOUSANDS.sub("", flat)
    for short, full in (("can't", "can not"), ("cannot", "can not"), ("won't", "will not")):
        flat = flat.replace(short, full)
    flat = _SHORT_VERB.sub(lambda found: _SHORT_FORMS[found[1]], _NOT.sub(" not", flat))
    spelling = dict(pair.split(" ", 1) for pair in listed("quotes", "spelling"))
    articles = word_set("quotes", "articles")
    found = [spelling.get(token, token) for token in _TOKEN.findall(flat)]
    kept = [token for token in found if token not in articles]
    return " ".join(kept or found) or " ".join(flat.split())


def echo_of(line: str) -> str | None:
    """The statement in a line that a context of this memory printed, None for any other line.

    Such a line is `- <statement>␠␠[<where>, YYYY-MM-DD]` (contract 2.5, call 17), with or without the dash.
    """
    start = _DASH.match(line)
    gap = line.rfind("  [")
    if start is None or gap <= start.end() or not _PLACE.fullmatch(line, gap + 2):
        return None
    return line[start.end() : gap].rstrip() or None
