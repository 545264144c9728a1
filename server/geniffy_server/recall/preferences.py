"""Whether two statements tell one preference in other words: for showing it once, never for merging or retiring it.

`I prefer window seats` and `When I fly, I like to sit by the window` differ by the words of liking and by those of
their occasion alone. What is liked must be the same, word for word, and so must what is denied, how often it holds,
and every name and number: vectors can't tell these apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER, Memory
from geniffy_server.domain.text import folded
from geniffy_server.recall.tokens import keys

# What says that it is a preference, in the languages whose words are parted by blanks.
_LIKES: Final = regex.compile(
    r"\b(?:prefers?|preferr?ed|preferences?|favou?rites?|likes?|loves?|enjoys?|adores?|hates?|dislikes?|rather|please"
    r"|always|fond of|keen on|fan|whenever possible|if possible|for me|to me|avoids?"
    r"|detests?|loathes?|disgusting|beats?"
    r"|can(?:['’]?t| ?not) (?:stand|bear)|keep (?:\p{L}+ )?(?:brief|short|concise)|\p{L}+ person(?=[,.!]|$)"
    r"|(?:best|easiest|preferred|nicest|simplest) (?:way|option|choice|for)|(?:works?|suits?|fits?) (?:\p{L}+ )?best"
    r"|better (?:than|for)|be (?:contacted|reached|messaged)"
    r"|(?:contact|reach|message|write to|email|text|ping) (?:me|us)"
    r"|prefier[oea]n?|gustan?|encantan?|favorit[oa]s?|siempre|mejor|bevorzug\p{L}+|am liebsten|lieber|gerne?|mag|immer"
    r"|liebling\p{L}*|préfère|préfèrent|aime|adore|préféré[es]*|toujours|préférence|preferisc\p{L}+|piac\p{L}+"
    r"|preferit[oaie]|sempre)\b",
    regex.IGNORECASE,
)
# A wish for one thing is no liking, and what one did once is no habit.
_IS_ONCE: Final = regex.compile(
    r"\b(?:(?<!always )wants?|wish(?:es)?"
    r"|(?:['’]d|would|should) (?:really )?(?:like|love) (?!to be (?:contacted|reached|messaged))"
    r"|need(?:s|ed)?|was|were|did|had|got|took|went|booked|chose|picked|asked|wrote|contacted (?:me|us|him|her|them)"
    r"|messaged|reached|sat|bought|ordered|today|tonight|tomorrow|yesterday|this time|next|last|used to|once|no longer"
    r"|anymore|any more|stopped|quit|gave up|started|began|moved|switched|now|instead|until|since)\b(?!\?)",
    regex.IGNORECASE,
)
# Words of liking, of occasion and of choosing; what they leave is what is preferred.
_FRAME_WORDS: Final = """
    prefer prefers preferred preference preferences like likes love loves favourite favourites favorite favorites enjoy
    enjoys adore adores rather please really very much always usually generally normally mostly simply just only fond
    keen big fan best better easiest nicest simplest way option choice thing things time times kind sort type works work
    suits suit fits fit possible whenever ever every if when
    book books booking choose chooses choosing pick picks picking take takes taking go goes ask asks asking opt opts use
    uses using have having be
    contact contacted reach reached message messages messaged messaging write writes writing hold ping through via using
    hate hates dislike dislikes detest detests loathe loathes disgusting stand bear avoid avoids avoiding
    get gets getting give gives keep keeps want wants beat beats nothing person people schedule scheduling listen
    listens listening music song songs hear hearing theme themes honestly
    eat eats eating food foods drink drinks drinking drinker dish dishes
    prefiero prefiere prefieren gusta gustan encanta encantan favorito favorita siempre mas mejor el la los las un
    una al del de que me le nos
    trinke trinkt trinken esse isst essen ist mir mehr ziehe vor bevorzuge bevorzugt liebsten
    lieber gern gerne mag immer ich der die das den dem ein eine einen als am
    prefere aime adore toujours mieux je j le les des du plus
    preferisco preferisce piace piacciono sempre meglio mi il lo gli i
"""
_FRAME: Final = frozenset(_FRAME_WORDS.split())
_ALIKE: Final = {
    word: group
    for group, words in {
        "seat": "seat seats sit sits sitting seated",
        "plane": "plane planes airplane airplanes aeroplane flight flights fly flies flying",
        "rise": "wake wakes waking rise rises rising riser",
        "short": "short shorter brief briefly concise terse succinct",
        "answer": "answer answers reply replies response responses",
        "call": "call calls calling phone phones phoning telephone",
        "email": "email emails mail mails",
        "morning": "morning mornings",
    }.items()
    for word in words.split()
}
_LEAST_ALIKE: Final = 0.6  # a cosine
_BY_ONE_SITS: Final = frozenset({"window", "aisle"})  # on a journey, mostly
_FOOD: Final = frozenset(["eat", "eats", "eating", "food", "foods", "dish", "dishes"])
_DRINK: Final = frozenset(["drink", "drinks", "drinking", "drinker"])
_RISES: Final = regex.compile(r"\b(?:get(?:s|ting)? up|wak(?:es?|ing) up)\b", regex.IGNORECASE)
_BEFORE_NOON: Final = regex.compile(r"\bbefore (?:noon|midday|12|lunch)\b", regex.IGNORECASE)
_AND_NOT: Final = regex.compile(
    r",? (?:and |but )?not (?:an? |the )?(?=\p{L}+(?: person| people)?[.!]*$)", regex.IGNORECASE
)
_VEGETARIAN: Final = regex.compile(
    r"\bno meat\b|\bavoids? (?:eating )?meat\b"
    r"|\b(?:don['’]?t|doesn['’]?t|do not|does not|never) (?:ever )?eat (?:any )?meat\b(?! (?:or|and|but)\b)"
    r"|\bfollows? a vegetarian diet\b|\beats? (?:only )?vegetarian(?: food)?\b|\b(?:only )?eats? vegetarian(?: food)?\b"
    r"|\bno como carne\b|\besse kein fleisch\b|\bne mange pas de viande\b|\bnon mangio carne\b"
    r"|\b(?:soy|es|ich bin|bin|ist|je suis|est|sono|è) (?:une? |una? |eine? )?veg[eé]tari\p{L}+"
    r"|\b(?:a )?vegetarians?\b",
    regex.IGNORECASE,
)
_OF_MEAT: Final = ("meat", "veg", "carne", "fleisch", "viande")  # one stands in whatever `_VEGETARIAN` finds
_EXTENT: Final = regex.compile(
    r"\b(?:sometimes|rarely|seldom|occasionally|hardly|often|almost|mostly|weekends?|before|after|without|except|under"
    r"|above|below|during|unless|least|less|more|too|a veces|manchmal|selten|parfois|rarement|a volte)\b",
    regex.IGNORECASE,
)
_MORE_THAN: Final = regex.compile(r"\b(?:more|rather) than\b|\bmás\b", regex.IGNORECASE)
_DENIES: Final = regex.compile(
    r"n['’]t\b|\b(?:not|never|no|nor|none|without|hates?|dislikes?|avoids?|nicht|kein\p{L}*|nie|nunca|jamás|pas|jamais|non"
    r"|mai"
    r"|disgusting|loathes?|worst|worse|detest\p{L}*|odi\p{L}+|hass\p{L}*)\b",
    regex.IGNORECASE,
)
_COMPARES: Final = regex.compile(
    r"\b(?:over|than|to|before|after|al?|que|als|à|aux?|di|che|rather)\b"
    r"(?! (?:sit|be|eat|drink|use|have|get|take|book|me|us))",
    regex.IGNORECASE,
)
_VALUE: Final = regex.compile(r"(?<=[^.!?\s]\s+)\p{Lu}[\p{L}\p{M}]+|\p{N}+")
_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[’'-][\p{L}\p{M}]+)*")
_OF_OWNER: Final = regex.compile(r"\b(?:I|me|my|mine|ich|mir|mich|yo|mi|je|moi|io)\b|['’]m\b", regex.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Gist:
    """What a statement of a preference comes to: what is liked, in order, whether it is denied, how often it holds.

    `of_food_or_drink`: whether it speaks of either. `words` are all of its words, folded; `compares`: whether one thing
    is set over another.
    """

    liked: tuple[int, ...]
    denies: bool
    extent: frozenset[str]
    of_food_or_drink: tuple[bool, bool]
    words: frozenset[str]
    compares: bool


@lru_cache(maxsize=4_096)
def gist(text: str) -> Gist | None:
    """The gist of a statement; None of what tells no preference, or nothing beside it."""
    told = _VEGETARIAN.sub(" vegetarian ", text) if _may_speak_of_meat(text) else text
    if "vegetarian" not in told and (not _LIKES.search(text) or _IS_ONCE.search(text)):
        return None
    told = _BEFORE_NOON.sub("in the morning", _AND_NOT.sub(" over ", _RISES.sub(" rise ", told)))
    words = [folded(word) for word in _WORD.findall(told)]
    kept = [word for word, _ in groupby(_ALIKE.get(word, word) for word in words if word not in _FRAME)]
    if not _BY_ONE_SITS.isdisjoint(kept):
        kept = [word for word in kept if word not in ("seat", "plane")]
    liked = tuple(keys(" ".join(kept)))
    if not liked:
        return None
    of = (not _FOOD.isdisjoint(words), not _DRINK.isdisjoint(words))
    extent = frozenset(folded(word) for word in _EXTENT.findall(_MORE_THAN.sub(" ", told)))
    denies = len(_DENIES.findall(told)) % 2 == 1
    heard = frozenset(words) | {folded(word) for word in _WORD.findall(text)}
    return Gist(liked, denies, extent, of, heard, _COMPARES.search(told) is not None)


def _may_speak_of_meat(text: str) -> bool:
    """A look that takes a sixth of the time of the pattern, which few statements need."""
    held = text.casefold()
    return any(stem in held for stem in _OF_MEAT)


def is_one_preference(one: Memory, other: Memory) -> bool:
    """Whether both say that one person likes, wants or avoids one thing; False whenever that can't be told."""
    if "clash" in (one.status, other.status) or one.spoken != other.spoken:
        return False
    if not _are_of_one(one, other):
        return False
    left, right = gist(one.text), gist(other.text)
    if left is None or right is None or left.denies != right.denies or left.extent != right.extent:
        return False
    if {left.of_food_or_drink, right.of_food_or_drink} == {(True, False), (False, True)}:
        return False
    if not (_values(one) <= right.words and _values(other) <= left.words):
        return False
    if left.liked == right.liked:
        return True
    return set(left.liked) == set(right.liked) and not left.compares and not right.compares


def is_nearly_one_preference(one: Memory, other: Memory, cosine: float) -> bool:
    """Whether one says what the other says but for a word, and lies near it: `dark mode` and `dark themes`.

    It is shown behind what else was found then, and never left out.
    """
    if cosine < _LEAST_ALIKE or one.kind != "pref" or other.kind != "pref" or not _are_of_one(one, other):
        return False
    left, right = gist(one.text), gist(other.text)
    if left is None or right is None or left.denies != right.denies or left.extent != right.extent:
        return False
    fewer, more = sorted((list(dict.fromkeys(left.liked)), list(dict.fromkeys(right.liked))), key=len)
    if len(more) > len(fewer) + 1 or not (_values(one) <= right.words and _values(other) <= left.words):
        return False
    return [word for word in more if word in fewer] == fewer


def _are_of_one(one: Memory, other: Memory) -> bool:
    """Whether both are about the same one: by their subject, or by `me` where the thing is taken for the subject."""
    if one.about == other.about:
        return True
    return _is_of_owner(one) and _is_of_owner(other)


def _is_of_owner(memory: Memory) -> bool:
    if memory.about == OWNER:
        return True
    return _OF_OWNER.search(memory.text) is not None and ":" not in memory.text


def _values(memory: Memory) -> set[str]:
    """The names and numbers of a statement; not that of its subject."""
    return {folded(value) for value in _VALUE.findall(memory.text)} - set(folded(memory.about or "").split())
