"""Names in a sentence: where they stand, and what stands before them."""

from __future__ import annotations

from datetime import date
from functools import cache, lru_cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.dates.spoken import find
from geniffy_server.learn.lexicon import alternatives, fragments, keyed, listed, word_set

_NOT_I: Final = r"(?!I['’](?:d|m|ll|ve)\b)"  # goes on with the sentence: "I promised Ben I'd fix it" names Ben
NAME_WORD: Final = rf"(?:(?:\p{{Lu}}\.){{2,}}|{_NOT_I}\p{{Lu}}[\p{{L}}\p{{M}}\p{{N}}'’-]*)"


@cache
def name_pattern() -> regex.Pattern[str]:
    title = alternatives(listed("subject", "titles"))
    return regex.compile(
        rf"(?:(?:{title})\.?\s+)*{NAME_WORD}(?:\s+(?:(?:de|van|von|der|da|del|bin|al)\s+)?{NAME_WORD})*"
    )


@cache
def title_pattern() -> regex.Pattern[str]:
    return regex.compile(rf"(?:{alternatives(listed('subject', 'titles'))})\.?$")


@cache
def not_names() -> frozenset[str]:
    return word_set("subject", "not_names")


# "Um, …" but not "Uma"; scripts without spaces put a name right behind.
_WORD_ENDS: Final = r"(?![\p{Latin}\p{Cyrillic}\p{Arabic}\p{Hebrew}\p{Devanagari}])"


@cache
def _lead_words(language: str) -> regex.Pattern[str]:
    """Greetings, joining words and exclamations, each with a name called out after it: `Hey Maria, …`."""
    # `I see, Kim moved` leads; `I see them` does not.
    lead = rf"{alternatives(listed('subject', 'lead', language))}|i see(?=\s*[,.!…–—-])"
    if phrases := listed("subject", "lead_phrases", language):
        lead += "|" + "|".join(phrases)
    exclamation = alternatives(listed("subject", "exclamations", language))
    called = rf"(?:(?<=\p{{L}},?\s)(?-i:{NAME_WORD})\s*[,!–—-]+\s*)?"
    return regex.compile(
        rf"(?:[\"“”'«»„*\-–—_\s(\[]|(?:{lead})\b[,!]?\s*{called}|(?:{exclamation}){_WORD_ENDS}\s*(?:[,!.;:…–—-]+\s*{called}|{called}))+",
        regex.IGNORECASE,
    )


@cache
def _called_out() -> regex.Pattern[str]:
    """A name in front that is spoken to: `Caroline, you're …`."""
    spoken = (
        "you|your|you're|i|i'm|i've|i'd|it|it's|that|that's|what|how|we|we're|thanks|so|this|do|can|have|let|let's|is"
    )
    return regex.compile(rf"(?-i:{NAME_WORD})\s*[,!–—-]+\s*(?=(?:{spoken})\b)", regex.IGNORECASE)


def is_called_out(name: str, sentence: str) -> bool:
    """Whether a name stands apart in a sentence, as one that is spoken to does: `It's true, Maria.`, `Hey Maria!`"""
    return _called(name).search(sentence) is not None


@lru_cache(maxsize=1_000)
def _called(name: str) -> regex.Pattern[str]:
    return regex.compile(rf"(?:^|[,.!?…–—-]\s*|^(?:\S+,?\s+){{1,3}}){regex.escape(name)}\s*(?:[,.!?…–—-]|$)")


@cache
def _before_date() -> regex.Pattern[str]:
    return regex.compile(rf"(?:{alternatives(listed('subject', 'before_date'))})\s*", regex.IGNORECASE)


_TAG: Final = regex.compile(r"\[[^\[\]\n]{1,40}\]\s+(?=\p{L})")  # [Lumen] The renewal …
_AFTER_DATE: Final = regex.compile(
    r"[\s,，、の]*(?:(?:sera|mattina|pomeriggio|notte|soir|matin|après-midi"
    r"|por la (?:noche|mañana|tarde)|[Aa]bend|[Mm]orgen"
    r"|[Nn]achmittag|[Mm]ittag|[Vv]ormittag|früh|रात|शाम|सुबह|晚上|早上|下午|上午|مساء|صباحا|בערב|בבוקר)"
    r"(?![\p{Latin}\p{M}\p{Devanagari}\p{Arabic}\p{Hebrew}])"
    r"[\s,，、]*)?(?:(?:um|at|à|alle|a las)\s+\d{1,2}(?:[:.h]\d\d)?\s*(?:Uhr|h|[ap]\.?m\.?)?(?!\p{L})[\s,]*)?"
    r"(?:(?:ago|年?起|に|は)\b[\s,，]*|に|は|(?:को|में|से|तक) )?"
)


def lead_of(sentence: str, said: date, language: str) -> int:
    """How much of the beginning is a greeting, a joining word, or a date that the sentence opens with."""
    told = fragments("not_fact", "told").match(sentence) or fragments("not_fact", "told_clause").match(sentence)
    at = told.end() if told else 0
    if tag := _TAG.match(sentence, at):
        at = tag.end()
    if found := _lead_words(language).match(sentence, at):
        at = found.end()
    if called := _called_out().match(sentence, at):
        at = called.end()
    for start, end, _ in find(sentence[at : at + 60], said)[:1]:
        if start == 0 or (start <= 5 and _before_date().fullmatch(sentence, at, at + start)):
            after = _AFTER_DATE.match(sentence, at + end)
            if after and sentence[after.end() :].strip():
                return after.end()
    return at


_PLACES: Final = frozenset({"in", "at", "from", "near", "to", "of", "on", "via", "into", "by", "the", "a", "an"})
_MOST_MENTIONS: Final = 4
_SPEAKS_TO: Final = regex.compile(
    r"\b(?:spoke|speak|speaking|spoken|talk(?:ed|ing)?|wr[io]te|written|listen(?:ed|ing)?|introduced|engaged|married|lent"
    r"|sold|gave|given|sent|showed|shown|apologi[sz]ed)\b(?:\s\p{L}+){0,3}\sto$",
    regex.IGNORECASE,
)


def mentions(sentence: str, language: str = "en") -> list[str]:
    """Names inside a sentence of which the next may speak by a pronoun: not those of places, months or weekdays.

    Where every noun has a capital, as in German, a name is what stands behind one of a few words, and does not end as
    nouns do.
    """
    if language == "en" and is_in_lower_case(sentence):
        return [name[0].capitalize() for name in _first_name().finditer(sentence)][:_MOST_MENTIONS]
    leading = word_set("subject", "before_names", language)
    found = []
    for name in _inner_name().finditer(sentence):
        words = name.group()
        lower = words.lower()
        if lower.split()[0] in not_names() or lower in keyed("months") or lower in keyed("weekdays") or words.isupper():
            continue
        if _OF_A_PEOPLE.fullmatch(words) and _NOUN_AFTER.match(sentence, name.end()):
            continue  # a Canadian woman
        before = sentence[: name.start()].rstrip()
        if leading and (
            before.rpartition(" ")[2].lower() not in leading
            or fragments("subject", "noun_endings", language, flags=0).search(words)
        ):
            continue
        if before.rpartition(" ")[2].lower() not in _PLACES or _SPEAKS_TO.search(before):
            found.append(clean(words))
    return found[:_MOST_MENTIONS]


_CAPITAL: Final = regex.compile(r"\p{Lu}\p{Ll}")


def is_in_lower_case(sentence: str) -> bool:
    """Whether a sentence was written without capitals, so that no name has one."""
    return _CAPITAL.search(sentence) is None


@cache
def first_names() -> frozenset[str]:
    """First names that are known as such, in lower case."""
    return word_set("subject", "men_names") | word_set("subject", "women_names")


@cache
def _first_name() -> regex.Pattern[str]:
    """A first name of a note in lower case, where it stands as one: `had lunch with priya`."""
    names = alternatives(first_names())
    return regex.compile(
        rf"(?<=\b(?:with|to|from|for|met|saw|told|and|called|asked|visited|by) )(?:{names})(?![\p{{L}}'’-])"
    )


_OF_A_PEOPLE: Final = regex.compile(r"\p{Lu}\p{Ll}+(?:ian|ish|ese|ch|can|man|ean|ican|rean|utch|wiss|reek|hai)")
_NOUN_AFTER: Final = regex.compile(
    r" (?!(?:and|or|is|was|has|had|will|to|in|at|on|for|with|who|said|says)\b)\p{Ll}+(?<!s|ed)\b"
)


@cache
def _inner_name() -> regex.Pattern[str]:
    title = rf"(?:(?:{alternatives(listed('subject', 'titles'))})\.\s+)?"
    return regex.compile(
        rf"(?<=[\p{{L}}\p{{N}},;:)]\s)(?:{title}{NAME_WORD})(?:\s(?:(?:de|van|von|der|da|del|bin|al)\s)?{_NOT_I}\p{{Lu}}[\p{{L}}\p{{M}}'’-]+){{0,2}}"
    )


def clean(name: str) -> str:
    return name.removesuffix("'s").removesuffix("’s").strip(" ,.;:")


_PERSONAL: Final = regex.compile(r"\p{Lu}|my |[\p{Han}]{2,4}|.*さん$|[\p{Devanagari}\p{Arabic}\p{Hebrew}]")


def is_personal(name: str) -> bool:
    """Whether he or she can stand for it; it stands for the others."""
    if name == OWNER or is_own_relation(name):
        return True
    if is_well_known(name):
        return False
    words = {word.lower() for word in name.split()}
    return bool(_PERSONAL.match(name)) and not (words & word_set("subject", "things"))


def is_own_relation(name: str) -> bool:
    """Whether it is a relative or other relation of whose memory it is, in any language: `ma sœur`, `אמא שלי`."""
    return _own_relation().fullmatch(name) is not None


@cache
def _own_relation() -> regex.Pattern[str]:
    mine, relations = "|".join(listed("subject", "mine")), alternatives(listed("subject", "relations"))
    return regex.compile(
        rf"(?:{mine})\s+(?:{relations})|(?:{alternatives(listed('subject', 'relations_of'))})\s+(?:שלי|שלנו)",
        regex.IGNORECASE,
    )


def is_well_known(name: str) -> bool:
    """Whether it is a place, a firm or a product that everyone knows, and that no person is called by."""
    return name.lower() in word_set("subject", "places") or name.lower() in word_set("subject", "brands")


_SHORT_FORM: Final = regex.compile(r"(?i)\p{L}+(?:n['’]t|['’](?:ve|re|ll|d|m))$")
_SHOWS_NAME: Final = regex.compile(
    r"\s*[:(/]|\s+[–—-]|[.!]*$|\s+(?:and|or|&)\s+\p{Lu}|,\s+(?:\p{Lu}|my|our|the|a|an|who|whose|which)\b"
    r"|\s+\p{Ll}+(?:(?<!s)s|ed|ly)\b|\s+\d|\s+to\s+\p{Ll}|\s+no longer\b"
)
_PLURAL_VERB: Final = regex.compile(r"\s+(?:are|were|have|aren['’]t|weren['’]t|haven['’]t)\b")
_NEXT_WORD: Final = regex.compile(r"\s+([\p{L}'’]+)")


def only_opens(word: str, after: str, language: str) -> bool:
    """Whether a capitalised word that opens an English sentence is there for its place and is no name."""
    if language != "en":
        return False
    lower = word.lower()
    if lower in word_set("subject", "openers") or lower in word_set("subject", "mass_nouns") or _SHORT_FORM.match(word):
        return True
    if lower.endswith("s") and _PLURAL_VERB.match(after):
        return True
    if _SHOWS_NAME.match(after):
        return lower.endswith("ing") and len(word) > 5 and not _VERB_AFTER.match(after)
    following = _NEXT_WORD.match(after)
    return following is None or following[1].lower() not in word_set("subject", "past_verbs")


_VERB_AFTER: Final = regex.compile(r"\s+(?:\p{Ll}+(?:s|ed)|will|can|may|might|should|was|were|are|had|got)\b")
