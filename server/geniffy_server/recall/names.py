"""Who a question is about: the names in it, the subjects of a space that they mean, and the question in their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

import regex

from geniffy_server.domain.text import folded
from geniffy_server.recall.affixes import without_affixes
from geniffy_server.recall.tokens import STOP_WORDS, key

NONE: Final = -1
UNKNOWN: Final = -2

_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[-'’][\p{L}\p{M}\p{N}]+)*")
_OWNED: Final = regex.compile(r"(?<=['’]s)\s+|(?<=s['’])\s+")  # `Kim's MacBook` are two names
_POSSESSIVE: Final = regex.compile(r"['’]s$|(?<=s)['’]$")
_POSSESSIVES: Final = regex.compile(r"(?:['’]s|(?<=s)['’])(?![\p{L}\p{M}\p{N}])")
_NAME: Final = regex.compile(
    r"(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}'’-]*+(?!\p{N})(?:\s+(?:(?:de|van|von|der|da|del|bin|al)\s+)?\p{Lu}[\p{L}\p{M}'’-]*+(?!\p{N}))*"
)
# These months are names too: after such a word, or before a number, the month is meant.
_MONTH: Final = regex.compile(
    r"(?<=(?:\b(?:in|on|of|by|since|until|till|last|next|this|early|late|mid|during|between|from)|\p{N}"
    r"|\p{N}(?:st|nd|rd|th))[ -])"
    r"(?:March|April|May|June|August)\b|\b(?:March|April|May|June|August)(?= \p{N})"
    r"|(?<=\b(?:January|February|March|April|May|June|July|August|September|October|November|December) (?:and|to) )"
    r"(?:March|April|May|June|August)\b"
)
# `May I commit to main?` begins with a verb, and so may `Since when`.
_LEADING_VERB: Final = regex.compile(
    r"^(?:May(?= (?:I|we|you|he|she|they|it|the|my|our|one|anyone)\b)|Since(?= when\b))"
)
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}]")
_SENTENCE_END: Final = regex.compile(r"[.?!:¿¡\"“]\s*$")
# A capital at the head of a question is grammar, and a day or month is a time: neither names anyone.
_GRAMMAR: Final = """
    tell give list name describe explain show find say remind think please summarize summarise
    monday tuesday wednesday thursday friday saturday sunday
    mondays tuesdays wednesdays thursdays fridays saturdays sundays
    january february july september october november december
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag wochenende uhr
    januar februar märz mai juni juli oktober dezember
    dónde donde adónde adonde qué que quién quien cuándo cuando cómo como cuál cual cuánto cuánta cuántos cuántas con
    para por en puedo tiene tienen tengo es son está están hay cuántas desde hasta sabe vive trabaja
    où quand qui quoi que comment pourquoi quel quelle quels quelles combien est est-ce qu'est-ce de du des à au aux
    avec depuis chez dans pour sur par lequel laquelle
    wo wer wann was wie warum wieso weshalb welche welcher welches welchen welchem wen wem wessen wohin woher womit
    wofür worauf worüber wovon wozu woran mit für ist sind hat haben kann darf seit bis ab um auf bei von zu
    nach aus in an
    dove chi quando come perché quale quali qual quanto quanta quanti quante che cosa con di da a in è ha hanno
    где кто когда что как почему зачем какой какая какое какие какого сколько на с у в о к от до для чем кем кому
    чей чья куда откуда есть ли
"""
# `Dov'è`, `Qu'est-ce`, `D'où`: what begins a question is a word of asking with the next one joined to it.
_ELIDED: Final = regex.compile(r"(?:dov|com|cos|quand|cosa|chi|c|qu|d|jusqu|lorsqu|n|l|s)['’]", regex.IGNORECASE)
# In German every noun has a capital; behind one of these words stands a thing.
_GERMAN_NOUN: Final = regex.compile(
    r"(?<!\b(?:van|von|de) )\b(?i:das|der|die|dem|eine?[rmns]?|meine?[rmns]?|unsere?[rmns]?|kein\p{L}*|welche\p{L}*"
    r"|viele?|beim|zum|zur|vom) \p{Lu}[\p{L}\p{M}-]*(?: (?:von|der))?"
)
_BY_TRADE: Final = regex.compile(r"(?<= )von Beruf(?!\p{L})")
_GERMAN_THINGS: Final = """
    beruf arbeit name alter sohn tochter bruder schwester mutter vater mann frau hund katze auto büro sport instrument
    wohnung haus adresse telefonnummer geburtstag zug bus termin
"""
# `Wann hat Birgit Geburtstag?` puts the thing right behind the name; these are no part of a firm's name elsewhere.
_BEHIND_A_NAME: Final = frozenset(_GERMAN_THINGS.split()) - {"name", "auto", "sport", "bus", "instrument", "alter"}
_NOT_FIRST: Final = STOP_WORDS | frozenset(_GRAMMAR.split())
_NOT_NAMES: Final = (_NOT_FIRST - {"will"}) | frozenset(_GERMAN_THINGS.split())  # but a name inside a sentence
_OWNER: Final = regex.compile(
    r"(?<![\p{L}\p{N}])(?:I|i|my|My|me|Me|mine|myself|we|We|our|Our|ours|us|(?:the |The )?[Uu]ser(?:['’]s)?"
    r"|[Ii]ch|[Mm]ein(?:e[mnrs]?)?|[Mm]ir|[Mm]ich|[Ww]ir|[Uu]nser(?:e[mnrs]?)?|[Yy]o|[Mm]is?|[Nn]osotr[oa]s"
    r"|[Nn]uestr[oa]s?|[Jj]e|[Mm]on|[Mm]es|[Mm]oi|[Nn]ous|[Nn]otre|[Ii]o|[Mm]i[oa]|[Мм]о[йяёи]|[Мм]не|[Мм]еня|[Яя]"
    r"|(?<=(?:qué|[Yy]o|quién|dónde) )soy|[Tt]engo|[Vv]ivo"
    r"|(?<!\b(?i:su|el|tu|un|de|al|del|che|il|suo|di|quale) )(?:[Tt]rabajo|[Ll]avoro)(?=\s*[?.,]|$)"
    r"|[Ff]accio|[Aa]bito|ho|[Nn]ostr[oaie]|ma|[Jj](?=['’])|[Mm](?=['’])"
    r"|[ולבמהש]?(?:אני|שלי|לי|שמי|אותי|אצלי|אנחנו|שלנו|לנו|אשתי|בעלי|בתי|אחותי|אמי)"
    r"|[ولب]?(?:أنا|نحن|عندي|عندنا|لدي|لدينا|لي|لنا|اسمي|عملي|عمري|بيتي|منزلي|زوجتي|زوجي|ابني|ابنتي|أخي|أختي|أمي|أبي"
    r"|كلبي|كلبنا|قطتي|قطتنا|هاتفي|رقمي|عنواني|سيارتي|ميلادي|موعدي|مهنتي|وظيفتي|صديقي|صديقتي|مديري|مديرتي"
    r"|س?أ(?:عيش|سكن|عمل|درس|حب|كره|فضل|سافر|قود|عاني|ملك))"
    r")(?![\p{L}\p{M}\p{N}])|我|私|僕|俺|मेर[ाीे]|मैं|मुझ|हमार[ाीे]"
)


class Names:
    """The subjects of one space, each under a number in the order they came. It only grows."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._codes: dict[str, int] = {}
        self._words: list[frozenset[str]] = []  # of each name: a question may share a word with hundreds
        self._by_word: dict[str, list[int]] = {}
        self._unspaced: list[int] = []

    def code(self, about: str | None) -> int:
        """The number of a subject, a new one when it is new; NONE for None."""
        if about is None:
            return NONE
        normal = _normal(about)
        if (code := self._codes.get(normal)) is None:
            code = self._codes[normal] = len(self._names)
            self._names.append(about)
            self._words.append(frozenset(_words(normal)))
            if _UNSPACED.search(normal):
                self._unspaced.append(code)
            else:
                for word in self._words[code]:
                    self._by_word.setdefault(word, []).append(code)
        return code

    def known(self, about: str | None) -> int:
        """The number of a subject that may be new: UNKNOWN then, and NONE for None."""
        return NONE if about is None else self._codes.get(_normal(about), UNKNOWN)

    def name(self, code: int) -> str:
        return self._names[code]

    def named_in(self, question: str) -> Sequence[int]:
        """The subjects that a question names in full or in part, in no order.

        In a question that names someone with a capital, other words name nobody: `Melanie's pets` are not `Pets`.
        `Park` and `Kim` both mean `Kim Park`, which `Kim Lee` does not; where a longer name is named in full, others
        that share a word with it are not meant.
        """
        meant: dict[int, set[str]] = {}
        written = [frozenset(_bare(word) for word in _WORD.findall(name)) for name in names_in(question)]
        proper = {word for name in written for word in name}
        for word in map(_bare, _WORD.findall(question)):
            if word not in proper if proper else word in _NOT_FIRST:
                continue
            for code in self._by_word.get(word, ()):
                meant.setdefault(code, set()).add(word)
        whole = {code for code, words in meant.items() if words >= self._words[code]}
        spent = {word for code in whole if len(meant[code]) > 1 for word in meant[code]}
        found = [
            code
            for code, words in meant.items()
            if (code in whole and len(words) > 1)
            or (words - spent and (code in whole or self._is_meant_by_part(code, words)))
            if not written or any(name <= self._words[code] or self._words[code] <= name for name in written)
        ]
        normal = folded(question)
        return found + [code for code in self._unspaced if _normal(self._names[code]) in normal]

    def _is_meant_by_part(self, code: int, words: set[str]) -> bool:
        """Whether these words of a subject are enough to mean it: they hold its first or last capitalised word."""
        return not words.isdisjoint(_ends(self._names[code]))


def names_in(question: str) -> list[str]:
    """The capitalised names of a question as they are written, without possessives, in order.

    An abbreviation in capitals is a topic, not a name.
    """
    return list(_names_in(question))


@lru_cache(maxsize=64)  # reading a question asks for them, and finding its subjects does so again
def _names_in(question: str) -> tuple[str, ...]:
    found: list[str] = []
    for of_no_name in (_LEADING_VERB, _BY_TRADE, _MONTH, _GERMAN_NOUN):
        question = of_no_name.sub(lambda found: found.group().lower(), question)
    for match in _NAME.finditer(question):
        starts = match.start() == 0 or bool(_SENTENCE_END.search(question[: match.start()]))
        for run in _OWNED.split(match.group()):
            words = [_POSSESSIVE.sub("", word) for word in run.split()]
            while words and starts and (words[0].casefold() in _NOT_FIRST or _ELIDED.match(words[0])):
                words.pop(0)
            while len(words) > 1 and words[-1].casefold() in _BEHIND_A_NAME and not words[-2].endswith("s"):
                words.pop()
            starts = False
            words = [word for word in words if word not in ("I", "I'm", "I'd", "I've", "I'll")]
            if words and not all(
                word.casefold() in _NOT_NAMES or (len(word) > 1 and word.removesuffix("s").isupper()) for word in words
            ):
                found.append(" ".join(words))
    return tuple(dict.fromkeys(found))


def share_a_name(one: str, other: str) -> bool:
    """Whether one of two names is the other or a part of it: `Kim` and `Kim Park`, not `Kim Park` and `Kim Lee`."""
    words, other_words = set(_words(_normal(one))), set(_words(_normal(other)))
    return words <= other_words or other_words <= words


def asks_of_owner(question: str) -> bool:
    """Whether a question is about the one whose memory it is: `my`, `I`, `the user`, in several languages."""
    return _OWNER.search(question) is not None


def owns_in(name: str, text: str) -> bool:
    """Whether a text has the name as an owner: `Ann's`, `James'`."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if text[end : end + 2] in ("'s", "’s") or (name.endswith("s") and text[end : end + 1] in ("'", "’")):
            return True
        at = text.find(name, end)
    return False


def stands_in(name: str, text: str, seen: str) -> bool:
    """Whether a name stands in a text whole, or a part of it by itself; `seen` is the text as `spaced` gives it.

    `Kim` stands for `Kim Lee`, but not in `Kim Park`.
    """
    wanted = spaced(name).split()
    if f" {' '.join(wanted)} " in seen:
        return True
    if len(wanted) < 2 or not any(f" {word} " in seen for word in wanted):
        return False
    words = _WORD.findall(text)
    for at, word in enumerate(words):
        beside = [other for other in (at - 1, at + 1) if 0 <= other < len(words) and words[other][:1].isupper()]
        if _bare(word) in wanted and all(_bare(words[other]) in wanted for other in beside):
            return True
    return False


def spaced(text: str) -> str:
    """The words of a text as they are compared, each between blanks, possessives as their names."""
    return f" {' '.join(_WORD.findall(_POSSESSIVES.sub('', folded(text))))} "


_HELPED: Final = {"does": "do", "is": "am", "has": "have"}

# A name is put as one private character, with its last letter behind it when that is an s. So these patterns are the
# same for any name: to compile them for each question takes longer than to embed it.
_MARK: Final = "\ue000"
_THEIRS: Final = regex.compile(rf"{_MARK}s?(?:['’]s|(?<=s)['’])(?!\p{{L}})")
_ASKED_OF: Final = regex.compile(rf"(?<![\p{{L}}\p{{N}}])(does|is|has) {_MARK}s?", regex.IGNORECASE)
_TO_THEM: Final = regex.compile(
    rf"(?<=(?:^|[\s,])(?:to|for|with|about|from|of|by|tell|told|give|gave|help|helps|helped) ){_MARK}s?"
)
_THEY: Final = regex.compile(rf"{_MARK}s?")
# `Ana and Ben` are we, where they are asked of, and us behind a word that takes it.
_AND: Final = r"\s*(?:,|&|(?<=\s)(?:and|und|et|y|e)(?=\s))\s*"
_TOGETHER: Final = rf"{_MARK}s?{_AND}{_MARK}s?"
_OUR: Final = regex.compile(rf"{_TOGETHER}(?:['’]s|(?<=s)['’])(?!\p{{L}})")
_US: Final = regex.compile(
    rf"(?<=\b(?:to|for|with|about|from|of|by|tell|told|give|gave|help|helps|helped) ){_TOGETHER}"
)
_WE: Final = regex.compile(_TOGETHER)
_JOINED: Final = regex.compile(_AND)


def as_speaker(question: str, names: Iterable[str]) -> str:
    """The question as the named person would hear it of themselves: `What did I research?`, or `What did we do?`.

    What people say of themselves is embedded in their own words, and this question lies nearer to it.
    """
    marked = question
    for name in sorted(names, key=len, reverse=True):
        marked = _marked(marked, name)
    if _MARK not in marked:
        return question
    marked = _WE.sub("we", _US.sub("us", _OUR.sub("our", marked)))
    marked = _THEIRS.sub("my", marked)
    marked = _ASKED_OF.sub(lambda found: f"{_HELPED[found[1].casefold()]} I", marked)
    return _THEY.sub("I", _TO_THEM.sub("me", marked))


def are_named_together(question: str, one: str, other: str) -> bool:
    """Whether two names stand side by side in a question, joined by an `and`: it asks of both alike."""
    end, start = question.find(one) + len(one), question.find(other)
    return start >= end and _JOINED.fullmatch(question, end, start) is not None


def _marked(question: str, name: str) -> str:
    """The question with every whole-word occurrence of a name as `_MARK`, and `s` where it ends in one."""
    at = question.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if not (_is_of_a_word(question[at - 1 : at]) or _is_of_a_word(question[end : end + 1])):
            mark = _MARK + "s" if name.endswith("s") else _MARK
            question, end = question[:at] + mark + question[end:], at + len(mark)
        at = question.find(name, end)
    return question


def _is_of_a_word(char: str) -> bool:
    return char.isalpha() or char.isnumeric()


def speaker_keys(name: str) -> list[int]:
    """The search keys that mark who said a thing, one for each word of the name; no text has these."""
    return [key(f"\x1f{word}") for word in _words(_normal(name))]


def _normal(about: str) -> str:
    return " ".join(folded(about).split())


def _words(normal: str) -> list[str]:
    words = [_bare(word) for word in _WORD.findall(normal)]
    return [word for word in words if word not in ("the", "a", "an", "my", "our")] or words


@lru_cache(maxsize=4_096)  # kept with each name it would be a tenth of what a memory takes
def _ends(name: str) -> tuple[str, ...]:
    proper = [word for word in _WORD.findall(name) if word[0].isupper()]
    return tuple(dict.fromkeys(map(_bare, (proper[0], proper[-1])))) if proper else ()


def _bare(word: str) -> str:
    return without_affixes(folded(_POSSESSIVE.sub("", word)))
