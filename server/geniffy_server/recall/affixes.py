"""Words of Arabic, Hebrew and Hindi without what is joined to them, so that `ולכלב` and `הכלב` are one search key.

Arabic and Hebrew join `and`, `the`, `to`, `in` to the front of a word, and whose it is to its end; Hindi tells number
and tense by endings. What is left is no word but the same for every form, which is all that a key needs: endings go
once, what is joined to the front until three letters stand.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any, Final

import regex
import Stemmer  # type: ignore[import-not-found]  # compiled, without types

_SCRIPT: Final = regex.compile(r"\p{Arabic}|\p{Hebrew}|\p{Devanagari}")
_ALIF: Final = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ة": "ت"})
_ARABIC_END: Final = regex.compile(r"(?<=.{3})(?:هما|ها|هم|هن|نا|كم|ون|ين|ات|ه|ي|ا)$")
_ARABIC_FRONT: Final = regex.compile(r"^(?:ال(?=.{3})|[وفبكل](?=.{3})|س(?=[يتنا].{3})|[يتنا](?=.{3}))+")
_HEBREW_END: Final = regex.compile(r"(?<=.{3})(?:ים|ות|ה|יי|(?<=.{4})ת)$")
_HEBREW_FRONT: Final = regex.compile(r"^[ושהבלמכ]+?(?=.{3}$)|^[ושהבלמכ]+(?=[^ושהבלמכ].{2})")
# Whom the stem of Hindi would take for one another; by their other forms.
_HINDI_KIN: Final = """
    बेटा बेटे बेटों / बेटी बेटियाँ बेटियों बेटियां / लड़का लड़के लड़कों / लड़की लड़कियाँ लड़कियों / चाचा / चाची / मामा / मामी
    दादा / दादी / नाना / नानी / पोता पोते / पोती / भतीजा भतीजे / भतीजी / भांजा भांजे / भांजी / साला साले / साली
"""
_stemmers: Final = threading.local()


def without_affixes(word: str) -> str:
    """A folded word without what is joined to it; the word itself in every other script."""
    script = _SCRIPT.match(word)
    if script is None:
        return word
    if "\u0600" <= word[0] <= "\u08ff":
        return _ARABIC_FRONT.sub("", _ARABIC_END.sub("", word.translate(_ALIF)))
    if word[0] <= "\u05ff":
        return _HEBREW_FRONT.sub("", _HEBREW_END.sub("", word))
    return _hindi_kin().get(word) or str(_hindi().stemWord(word))


def _hindi() -> Any:
    """The stemmer of this thread: it keeps a buffer of its own."""
    stemmer = getattr(_stemmers, "hindi", None)
    if stemmer is None:
        stemmer = _stemmers.hindi = Stemmer.Stemmer("hindi")
    return stemmer


@cache
def _hindi_kin() -> dict[str, str]:
    groups = (line.split() for line in _HINDI_KIN.replace("\n", "/").split("/") if line.strip())
    return {form: group[0] for group in groups for form in group}
