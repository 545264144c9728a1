"""Whether what was found bears on a question and on the one it is about; no model decides it.

The nearest memories of any question are near for no reason when nothing was ever said about it. What tells is which
of the question's words a memory holds or answers, whose memory it is, whether the names asked for stand in it in the
part that the question gives them, whether it holds the kind of thing that is asked for, and whether the best of it was
rather said of somebody else. Likeness of vectors alone releases nothing: `What is Ana's job?` lies at .63 from `Ana
lives in Porto.`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import regex

from geniffy_server.domain.memory import OWNER, Memory
from geniffy_server.ports import Found
from geniffy_server.recall.asked import Asked
from geniffy_server.recall.fits import does_by_manner, fits
from geniffy_server.recall.happenings import without_anchor
from geniffy_server.recall.kin import is_of_other_kin
from geniffy_server.recall.lexicon import pattern
from geniffy_server.recall.names import asks_of_owner, owns_in, spaced, stands_in
from geniffy_server.recall.objects import lacked_objects, lacks_thing
from geniffy_server.recall.roles import is_of_a_relative, is_of_another_owner, is_of_who_follows, is_turned_round

Certainty = Literal["strict", "normal", "lenient"]

LEAST: Final[Mapping[Certainty, float]] = {"strict": 3.0, "normal": 2.5, "lenient": 1.75}
_BESIDE: Final = 0.5  # how much less a memory may weigh that stands beside one that decides

_COVERAGE: Final = 3.75
_COSINE: Final = 2.5
# The built-in embedder learned English: any two sentences of another language that share a name lie near each other.
_COSINE_ELSEWHERE: Final = 0.75
_SUBJECT: Final = 0.8
_OTHER_SUBJECT: Final = -2.5
_NO_NAME: Final = -5.0  # none of the names asked for is in the memory
_ABSENT_NAME: Final = -0.5  # one of several is not
_UNKNOWN_NAME: Final = -2.5  # one of several stands in no memory at all
_ABSENT_DOER: Final = -4.0  # the one whose doing is asked for is not
_OTHER_OWNER: Final = -5.0  # `Ann's manager` is asked for, and the memory has Ann, but nothing of hers
_MARGIN: Final = 1.6
_LEAST_MARGIN: Final = -2.0
_REPLIES: Final = 0.5  # the question right before it has words of this one
_PERIOD: Final = 1.0
_OTHER_PERIOD: Final = -2.5
# Times the share of the words: held by no memory of the space; missing from this one, where a yes hangs on every word.
_UNHEARD: Final = -0.25
_MISSING_FROM_YES: Final = -0.5
_CONTRADICTED: Final = -3.0  # it holds another of the kind: coffee, where tea is asked for
_UNFIT: Final = -5.0  # it has nobody, no place, no time or no number, where one is asked for
_LACKING: Final = -1.5  # it has no budget, where `what is the budget` is asked
_LACKED_OBJECT: Final = -1.0  # for each thing that the question speaks of and it does not
_LACKED_IN_TALK: Final = -0.5
_OTHER_KIN: Final = -3.5  # it speaks of a son, where a daughter is asked for
_TURNED_ROUND: Final = -5.0  # who told Ana is asked for, and it has whom Ana told
_OTHER_NAME: Final = -2.5  # it flies to Lima, where Cuba is asked for
_THEIRS: Final = regex.compile(r"^(?:[^.!?]*?)\b(?:his|her|their|whose|its)\b(?! name\b)", regex.IGNORECASE)
_MANNER: Final = -2.0  # from home, where it is asked where one works
_STRANGE: Final = -2.0  # it has not a word that may be a name, in a script without capitals
_LEADS: Final = regex.compile(r"(?<!\p{L})(?P<word>to|in|at|from|nach|in|bei|a|en|de|à|da)\s$", regex.IGNORECASE)
_RELATED: Final = 5.0  # it tells whose relative the one is whose relative is asked for
_LEAST_OF_ALL: Final = min(LEAST.values()) - _BESIDE


def bearing(question: str, found: Sequence[Found], certainty: Certainty) -> list[Found]:
    """Those of `found`, in their order, that bear on the question and on its subject; none when nothing does.

    One memory must weigh enough to decide that the question has an answer here; those that stand beside it may weigh
    a little less. `found` carries the features that `ShardRecall.search` gives.
    """
    asked = Asked.read(without_anchor(question))
    weights = [weigh(one, asked) for one in found]
    if max(weights, default=0.0) < LEAST[certainty]:
        return []
    return [one for one, weight in zip(found, weights, strict=True) if weight >= LEAST[certainty] - _BESIDE]


def weight(question: str, found: Found) -> float:
    """How much one memory bears on a question; compared with `LEAST`."""
    return weigh(found, Asked.read(without_anchor(question)))


def weigh(found: Found, asked: Asked) -> float:
    """How much one memory bears on a question that was read; compared with `LEAST`."""
    features, memory = found.features, found.memory
    if features.get("related", 0.0):
        return _RELATED
    missing, words = features.get("missing", 0.0), max(1.0, features.get("asked", 1.0))
    likeness = _COSINE if asked.language == "en" else _COSINE_ELSEWHERE
    total = _COVERAGE * features.get("coverage", 0.0) + likeness * max(0.0, features.get("cosine", 0.0))
    total += _REPLIES * min(1.0, features.get("replies", 0.0))
    total += _UNHEARD * features.get("unheard", 0.0) / words
    if asked.wanted == "polar":
        total += _MISSING_FROM_YES * missing / words
    is_said, subject = features.get("speaker", 0.0) > 0, features.get("subject", 0.0)
    is_theirs = subject > 0 or is_said
    is_anothers = subject < 0 and not is_theirs and _may_be_of_another(asked, memory)
    if is_theirs:
        total += _SUBJECT
    elif subject < 0 and not is_anothers:
        total += _OTHER_SUBJECT
    total += _UNKNOWN_NAME * min(1.0, features.get("unknown", 0.0))
    total += _of_names(
        asked,
        memory,
        is_theirs=is_theirs,
        is_said=is_said or features.get("meant", 0.0) > 0,
        covers=features.get("coverage", 0.0) > 0 and features.get("asked", 0.0) > 0,
    )
    if not is_anothers:
        total += _MARGIN * min(0.0, max(_LEAST_MARGIN, features.get("margin", 0.0)))
    if (period := features.get("period")) is not None:
        is_other = not period and (memory.spoken is not None or (asked.is_past and asked.wanted != "when"))
        if not period and not features.get("asked", 1.0):
            total += _UNFIT  # nothing but the time is asked for
        else:
            total += _OTHER_PERIOD if is_other else _PERIOD * period
    if features.get("contradicted", 0.0):
        total += _CONTRADICTED
    total += _STRANGE * min(1.0, features.get("strange", 0.0))
    if asked.of_owner and not asked.names and _is_owned(asked, memory):
        total += _OTHER_OWNER
    if total < _LEAST_OF_ALL:
        return total  # what follows takes the most of the time, and can only say no
    if not fits(asked, memory):
        total += _UNFIT
    if not features.get("meant", 0.0):
        # A turn leaves out what was just spoken of: `I finished in two hours`.
        leaves_out = is_said and not features.get("unheard", 0.0)
        lacked = 0 if leaves_out else lacked_objects(asked, memory)
        if lacks_thing(asked, memory):
            total += _LACKING
        elif lacked:
            total += (_LACKED_IN_TALK if is_said else _LACKED_OBJECT) * lacked
        if is_of_other_kin(asked, memory):
            total += _OTHER_KIN
    if does_by_manner(asked, memory):
        total += _MANNER
    if (
        is_turned_round(asked, memory)
        or is_of_a_relative(asked, memory)
        or is_of_another_owner(asked, memory.text)
        or is_of_who_follows(asked, memory.text)
    ):
        total += _TURNED_ROUND
    return total


def _may_be_of_another(asked: Asked, memory: Memory) -> bool:
    """Whether a memory whose subject is not asked about may answer all the same.

    `My sister` is told of by the owner and asked for by them; what `we` do at the zoo may stand under `the trip`; and
    who does a thing is another than the one it is done to.
    """
    if asked.of_owner and asks_of_owner(memory.quote):
        return True
    if asked.wanted == "who" and asked.doer is None and not asked.owners:
        return True
    return not all(word[:1].isalpha() and not word[:1].islower() for word in (memory.about or "").split())


def _is_owned(asked: Asked, memory: Memory) -> bool:
    """Whether a memory is of another's thing, where `my birthday` is asked for: `Kim's birthday`."""
    if asked.language == "en" or memory.about == OWNER or asks_of_owner(memory.quote):
        return False
    return pattern(asked.language, "holds", "owned").search(memory.quote) is not None


def _has_another(name: str, asked: Asked, text: str) -> bool:
    """Whether a text has another name in the place that the question gives to this one: `to Lima`, not `to Cuba`."""
    at = asked.text.find(name)
    before = _LEADS.search(asked.text[: max(0, at)])
    if before is None:
        return False
    found = regex.finditer(rf"(?<!\p{{L}}){before['word']} (?P<name>\p{{Lu}}[\p{{L}}\p{{M}}-]+)", text)
    return any(one["name"] not in asked.names and one["name"].casefold() not in asked.words for one in found)


def _owns_behind(name: str, text: str) -> bool:
    """Whether a text names somebody and then says of them what is theirs: `The plumber is Jan, his number is 12.`"""
    at = text.find(name)
    return at >= 0 and _THEIRS.match(text[at + len(name) :]) is not None


def _is_titled(name: str, asked: Asked, memory: Memory, *, covers: bool) -> bool:
    """Whether the title of a note names the one who is asked about, and what it says is of nobody else.

    A line of a note leaves out what the note is about. But a title speaks for no line that has nothing of the
    question, nor for what a person does whom the line itself names.
    """
    source = memory.source
    if source is None or source.kind not in ("note", "file") or not covers:
        return False
    if not stands_in(name, source.title, spaced(source.title)):
        return False
    about = memory.about
    is_of_another = about is not None and about[:1].isupper() and about not in asked.text
    return not is_of_another or (asked.wanted == "who" and name not in (asked.doer, *asked.owners))


def _of_names(asked: Asked, memory: Memory, *, is_theirs: bool, is_said: bool, covers: bool) -> float:
    if not asked.names:
        return 0.0
    told = f"{memory.text}\n{memory.quote}\n{memory.about or ''}"
    seen = spaced(told)
    held = [name for name in asked.names if stands_in(name, told, seen)]
    titled = [name for name in asked.names if name not in held and _is_titled(name, asked, memory, covers=covers)]
    held += titled
    present = len(held)
    if is_theirs and not asked.of_owner:
        present = max(present, 1)  # the one who was named is its subject or its speaker
    if not present:
        return _NO_NAME
    total = _ABSENT_NAME * (len(asked.names) - present)
    total += _OTHER_NAME * any(name not in held and _has_another(name, asked, memory.quote) for name in asked.names)
    if asked.doer in asked.names and asked.doer not in held and not is_said:
        total += _ABSENT_DOER
    if not is_theirs and not all(
        owns_in(name, memory.text) or owns_in(name, memory.quote) or _owns_behind(name, memory.quote) or name in titled
        for name in asked.owners
    ):
        total += _OTHER_OWNER
    return total
