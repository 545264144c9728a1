"""The things that a question speaks of, and whether a statement lacks them: a passport, a sort of review."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import regex

from geniffy_server.domain.memory import Memory
from geniffy_server.recall.asked import WORD, Asked, is_foreign
from geniffy_server.recall.lexicon import generic, pattern
from geniffy_server.recall.occupations import is_word_for_one
from geniffy_server.recall.thesaurus import answers, members
from geniffy_server.recall.tokens import keys


def lacks_thing(asked: Asked, memory: Memory) -> bool:
    """Whether it has neither the thing or relative that is asked about nor what answers it.

    The thing is that of `what is the`, and the relative that of `What does Mira's father do?`.
    """
    wanted = [key[-1] for word in (asked.thing, _relative_of(asked)) if word and (key := keys(word))]
    if _lacks_sort(asked, memory) or _is_of_less(asked, memory):
        return True
    if not wanted:
        return False
    held = {*keys(memory.text), *keys(memory.quote)}
    return any(
        key not in generic(asked.language) and key not in held and answers(key).isdisjoint(held) for key in wanted
    )


def _lacks_sort(asked: Asked, memory: Memory) -> bool:
    """Whether it has nothing of a thing of some sort: of `Which mocking library do we use?` neither word."""
    *sorts, head = keys(asked.kind or "") or [0]
    if not sorts or is_foreign(asked, memory.text):
        return False
    held = {*keys(memory.text), *keys(memory.quote), *keys(memory.about or "")}
    telling = held & ({head} | answers(head) | members(head))
    if not telling or not telling <= generic("en"):  # `use` answers for any library
        return False
    return all(sort not in held and answers(sort).isdisjoint(held) for sort in sorts)


def lacked_objects(asked: Asked, memory: Memory) -> int:
    """How many of the things that a question speaks of a memory has not, or has another sort of.

    `The design review` is no security review, though both are reviews.
    """
    if not asked.objects or is_foreign(asked, memory.text):
        return 0
    found = [one for word in WORD.findall(memory.quote) for one in (keys(word) or [0])]
    held = {*found, *keys(memory.text), *keys(memory.about or "")}
    return sum(_is_lacked(words, found, held, asked) for words in asked.objects)


def _is_lacked(words: Sequence[str], found: Sequence[int], held: Collection[int], asked: Asked) -> bool:
    *before, head = [key[-1] if (key := keys(word)) else 0 for word in words]
    silent = generic(asked.language)
    if not head or head in silent or (is_word_for_one(head) and asked.wanted != "polar"):
        return False
    if head not in held:
        return answers(head).isdisjoint(held)
    sorts = [one for one in before if one and one not in silent]
    if not sorts or not all(one not in held and (answers(one) - {head}).isdisjoint(held) for one in sorts):
        return False
    asking = {*keys(asked.text), *silent, 0}
    return any(one == head and at and found[at - 1] not in asking for at, one in enumerate(found))


def _is_of_less(asked: Asked, memory: Memory) -> bool:
    """Whether a thing is told of by its farther word alone: `the spare key`, where the spare car key is asked for."""
    found = [one for word in WORD.findall(memory.quote) for one in (keys(word) or [0])]
    for words in asked.objects:
        *farther, nearest, head = (
            [key[-1] if (key := keys(word)) else 0 for word in words] if len(words) > 2 else (0, 0)
        )
        if not farther or nearest in generic("en") or nearest in found or not answers(nearest).isdisjoint(found):
            continue
        if any(one == head and at and found[at - 1] and found[at - 1] in farther for at, one in enumerate(found)):
            return True
    return False


def _relative_of(asked: Asked) -> str | None:
    """The person that a question asks about by whose they are: `father` of `What does Mira's father do?`."""
    for owner in asked.owners:
        found = regex.search(rf"{regex.escape(owner)}['’]s? (?P<whom>\p{{Ll}}[\p{{L}}\p{{M}}-]*)", asked.text)
        if found and pattern(asked.language, "holds", "person").fullmatch(found["whom"]):
            return found["whom"]
    return None
