"""Reading a memory: search, context, ask, profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from geniffy_server.caller import Caller
from geniffy_server.domain.answer import NOTHING_STORED, Answered, Context, Profile, Unsupported
from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.memory import OWNER, Kind, MemoryId
from geniffy_server.ports import Found, Ports, Transaction
from geniffy_server.recall import profile as profiles
from geniffy_server.recall.answer import answer
from geniffy_server.recall.context import render
from geniffy_server.recall.judge import Certainty, bearing
from geniffy_server.recall.requests import helping, opens_a_talk
from geniffy_server.services.access import readable, shown
from geniffy_server.services.accounts import month_of
from geniffy_server.services.drafting import drafted_answer
from geniffy_server.services.removing import is_usable

MAX_QUESTION_CHARS: Final = 2_000  # what is used of a longer one, contract 1.13
_CONSIDERED: Final = 24  # candidates the judge sees for an answer
# What a language model may still answer from, and what stands although it says that nothing answers.
_LOOSER: Final[Mapping[Certainty, Certainty]] = {"strict": "normal", "normal": "lenient", "lenient": "lenient"}
_STRICTER: Final[Mapping[Certainty, Certainty]] = {"lenient": "normal", "normal": "strict", "strict": "strict"}
_PROFILED: Final = 500  # memories of one subject that a profile is worked out from
_SUBJECTS: Final = 10_000  # among which a name is looked for


async def search(
    ports: Ports,
    caller: Caller,
    question: str,
    *,
    limit: int,
    kind: Kind | None = None,
    labels: LabelFilter | None = None,
) -> Sequence[Found]:
    """The memories that match best, best first, with no threshold; empty when nothing is stored."""

    def work(tx: Transaction) -> Sequence[Found]:
        return _ranked(ports, tx, caller, question, limit, kind, labels, is_judged=False)

    ports.recall.prepare(_used(question))
    return await ports.store.read(work)


async def context(
    ports: Ports,
    caller: Caller,
    question: str,
    *,
    limit: int,
    kind: Kind | None = None,
    labels: LabelFilter | None = None,
    with_sources: bool = True,
) -> Context:
    """The memories that bear on a question as lines for a prompt, or the fixed sentence when none does.

    A request that no memory bears on gets what is known of whom or what it speaks of (`topic_of_request`).
    """

    def work(tx: Transaction) -> Sequence[Found]:
        ranked = _ranked(ports, tx, caller, question, max(limit, _CONSIDERED), kind, labels)
        found = list(bearing(_used(question), ranked, ports.certainty))
        for known in helping(_used(question), is_answered=bool(found)):
            ranked = _ranked(ports, tx, caller, known, max(limit, _CONSIDERED), kind, labels)
            held = {hit.memory.id for hit in found}
            found += [hit for hit in bearing(known, ranked, ports.certainty) if hit.memory.id not in held]
        if not found and opens_a_talk(_used(question)) and not (kind or labels):
            found = _mattering(tx, caller, ports.clock.now().date())
        return found[:limit]

    ports.recall.prepare(_used(question))
    found = await ports.store.read(work)
    _count_answer(ports, caller)
    memories = [hit.memory for hit in found]
    text = render(memories, with_sources=with_sources) if memories else NOTHING_STORED
    return Context(question, text, memories)


async def ask(
    ports: Ports, caller: Caller, question: str, *, labels: LabelFilter | None = None
) -> Answered | Unsupported:
    """An answer from the memory only, with the memories it rests on; or that nothing supports one.

    When memories contradict one another, both sides are among those it rests on. A language model that is configured
    may word the answer, decide what the judge is nearly sure of, and say what nothing answers.
    """

    def work(tx: Transaction) -> tuple[Sequence[Found], Sequence[Found]]:
        ranked = _ranked(ports, tx, caller, question, _CONSIDERED, None, labels)
        found = bearing(_used(question), ranked, ports.certainty)
        likely = bearing(_used(question), ranked, _LOOSER[ports.certainty]) if ports.language_model else ()
        return (found if labels else _with_other_sides(tx, caller, found)), likely

    ports.recall.prepare(_used(question))
    found, likely = await ports.store.read(work)
    _count_answer(ports, caller)
    drafted = await drafted_answer(ports, _used(question), likely)
    if drafted == "declined":
        found = bearing(_used(question), found, _STRICTER[ports.certainty])
    elif drafted is not None:
        return replace(drafted, question=question)
    return answer(question, found)


async def profile(ports: Ports, caller: Caller, subject: str | None) -> Profile:
    """What holds lastingly of a person and what is going on for them now; without a subject, the memory's owner."""
    today = ports.clock.now().date()
    return await ports.store.read(lambda tx: _profile_in(tx, caller, subject, today))


def _profile_in(tx: Transaction, caller: Caller, subject: str | None, today: date) -> Profile:
    space = readable(tx, caller)
    if space is None:
        return profiles.profile([], subject, today, meant=())
    known = tx.memories.subjects(space.id, _SUBJECTS)
    asked = space.owner_name if subject is None else subject
    named = (
        profiles.subjects_meant(asked, {*known, *([space.owner_name] if space.owner_name else [])}) if asked else set()
    )
    is_owner = subject is None or space.owner_name in named
    meant = {OWNER, *named} if is_owner else named
    theirs = {memory.id: memory for about in meant for memory in tx.memories.about(space.id, about, _PROFILED)}
    if is_owner:
        theirs |= {memory.id: memory for memory in tx.memories.page(space.id, None, {}, _PROFILED, 0)}
    found = profiles.profile(theirs.values(), subject, today, meant=meant)
    return replace(found, subject=space.owner_name) if subject is None else found


def _mattering(tx: Transaction, caller: Caller, today: date) -> list[Found]:
    """What goes on for the memory's owner, then what holds of them."""
    space = readable(tx, caller)
    if space is None:
        return []
    traits = _profile_in(tx, caller, None, today)
    return [Found(shown(space, one.memories[0]), 0.0, {}) for one in (*traits.current, *traits.lasting)]


def _used(question: str) -> str:
    return question[:MAX_QUESTION_CHARS]


def _ranked(
    ports: Ports,
    tx: Transaction,
    caller: Caller,
    question: str,
    limit: int,
    kind: Kind | None,
    labels: LabelFilter | None,
    *,
    is_judged: bool = True,
) -> Sequence[Found]:
    space = readable(tx, caller)
    if space is None:
        return []
    found = ports.recall.search(tx, space, _used(question), limit=limit, kind=kind, labels=labels, is_judged=is_judged)
    return [Found(shown(space, hit.memory), hit.score, hit.features) for hit in found]


def _with_other_sides(tx: Transaction, caller: Caller, found: Sequence[Found]) -> Sequence[Found]:
    """What was found, each contradicted memory followed by what contradicts it."""
    space = readable(tx, caller)
    clashing = [hit.memory.id for hit in found if hit.memory.status == "clash"]
    if space is None or not clashing:
        return found
    others = tx.memories.clashing_with(space.id, clashing)
    memories = tx.memories.find_many(space.id, {other for ids in others.values() for other in ids})
    sides: dict[MemoryId, Found] = {}
    for hit in found:
        sides.setdefault(hit.memory.id, hit)
        for other in others.get(hit.memory.id, ()):
            if is_usable(memories.get(other)):
                sides.setdefault(other, Found(shown(space, memories[other]), hit.score, hit.features))
    return list(sides.values())


def _count_answer(ports: Ports, caller: Caller) -> None:
    """Answers and contexts are what a plan counts (contract 2.5)."""
    ports.store.uses.answered(caller.account_id, month_of(ports.clock.now()))
