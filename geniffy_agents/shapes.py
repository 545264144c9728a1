"""What comes back as a plain JSON object, described key by key. The objects are the server's own, unknown keys
included, so they can be written out as JSON as they are."""

from __future__ import annotations

from typing import TypedDict

from geniffy_agents.types import Memory


class SourceRefObject(TypedDict):
    """A SourceRef as JSON."""

    id: str | None
    kind: str
    title: str
    labels: dict[str, str]


class MemoryObject(TypedDict):
    """A Memory as JSON."""

    id: int
    text: str
    kind: str
    about: str | None
    status: str
    learned_at: str
    said_at: str | None
    source: SourceRefObject | None
    quote: str | None


class SourceObject(TypedDict):
    """A Source as JSON."""

    id: str
    kind: str
    title: str
    status: str
    error: str | None
    facts: int | None
    url: str | None
    file_name: str | None
    file_type: str | None
    size_bytes: int | None
    added_by: str | None
    added_at: str
    external_id: str | None
    labels: dict[str, str]


class Refusal(TypedDict):
    """Why an item of a batch was refused."""

    code: str
    message: str


class BatchItem(TypedDict):
    """What became of one item of a batch: its source or its refusal; `index` is its place in the call."""

    index: int
    source: SourceObject | None
    error: Refusal | None


class Batch(TypedDict):
    """What became of a batch, in the order it was sent."""

    results: list[BatchItem]
    added: int
    failed: int


class Correction(TypedDict):
    """A correction: `id` is the memory that is wrong now, `source` teaches what is right."""

    id: int
    corrected: bool
    source: SourceObject


class Context(TypedDict):
    """Memories written out for a prompt. `context` is never empty: with `empty` it says that nothing is known."""

    question: str
    context: str
    memories: list[MemoryObject]
    used: int
    empty: bool


class Trait(TypedDict):
    """One thing that is true of a person, the memories that say so, and since when."""

    text: str
    memory_ids: list[int]
    since: str | None


class Profile(TypedDict):
    """What lasts about a person, what is going on now, and both by section; `memories` counts what was read."""

    subject: str | None
    lasting: list[Trait]
    current: list[Trait]
    grouped: dict[str, list[Trait]]
    memories: int


class Section(TypedDict):
    """A section that profiles are grouped into; `applies_to` is `every user`, `this user` or `built in`."""

    id: int | None
    name: str
    description: str
    keywords: list[str]
    topics: list[str]
    applies_to: str


class Brief(TypedDict):
    """What to read before meeting someone."""

    subject: str | None
    summary: str | None
    memories: list[MemoryObject]
    total: int


class Node(TypedDict):
    """Someone or something; `memories` counts those that name it."""

    id: str
    label: str
    type: str
    memories: int


# "from" is a keyword, so this one can't be written as a class.
Edge = TypedDict("Edge", {"from": str, "to": str, "label": str, "memory_ids": list[int]})


class Graph(TypedDict):
    """What is connected to what; every edge has a memory behind it."""

    nodes: list[Node]
    edges: list[Edge]


class OpenItem(TypedDict):
    """Something open, and since when."""

    text: str
    since: str | None


class Decision(TypedDict):
    """Something decided, why, and when."""

    what: str
    why: str | None
    when: str | None


class DoneItem(TypedDict):
    """Something finished, and when."""

    text: str
    when: str | None


class State(TypedDict):
    """Where a project stands."""

    project: str | None
    goal: str | None
    focus: str | None
    open: list[OpenItem]
    decisions: list[Decision]
    next_steps: list[str]
    blockers: list[str]
    done: list[DoneItem]
    updated_at: str | None


class EpisodeDecision(TypedDict):
    """Something decided in an episode, and why."""

    what: str
    why: str | None


class Revision(TypedDict):
    """What an episode's ending was before a later conversation corrected it."""

    was: str
    why: str | None
    at: str | None


class Episode(TypedDict):
    """What happened, told as a story; `revised` is oldest first."""

    id: int
    project: str | None
    title: str | None
    what_happened: str | None
    outcome: str | None
    led_to: str | None
    people: list[str]
    decisions: list[EpisodeDecision]
    revised: list[Revision]
    started_at: str | None
    ended_at: str | None
    source: SourceRefObject


class Lesson(TypedDict):
    """A rule, a how-to or a lesson. `strength` counts how often it was learned; `sources` are the last five."""

    id: int
    project: str | None
    kind: str | None
    statement: str
    applies_when: str | None
    why: str | None
    strength: int
    sources: list[SourceRefObject]
    sources_total: int


class Move(TypedDict):
    """When an intention was due before it was moved."""

    at: str | None
    when: str | None


class Intention(TypedDict):
    """A promise or a plan; `status` is `open`, `done` or `dropped`, and `sources` are the last five."""

    id: int
    project: str | None
    what: str
    owner: str | None
    trigger: str | None
    at: str | None
    when: str | None
    status: str
    moved_from: list[Move]
    sources: list[SourceRefObject]
    sources_total: int


class SearchResults(TypedDict):
    """A search with everything that bears on it. The lists after the memories are empty under a filter."""

    memories: list[Memory]
    lessons: list[Lesson]
    episodes: list[Episode]
    intentions: list[Intention]


class Briefing(TypedDict):
    """What a moment needs: `briefing` is the text for a prompt, empty when nothing is held; the rest are its parts."""

    project: str | None
    briefing: str
    now: list[State]
    due: list[Intention]
    lessons: list[Lesson]
    episodes: list[Episode]
    memories: list[MemoryObject]


class HealthItem(TypedDict):
    """One question a memory was tested with; `mark` is `correct`, `partial` or `wrong`."""

    question: str
    expected: str
    answer: str | None
    mark: str | None


class MemoryHealth(TypedDict):
    """How well a memory answers about itself: `health` from 0 to 1, None before a first test."""

    health: float | None
    tested_at: str | None
    asked: int
    score: float | None
    items: list[HealthItem]


class FileObject(TypedDict):
    """A file as it is listed."""

    path: str
    size: int
    updated_at: str


class Export(TypedDict):
    """Everything held: memories of any status with their quotes, sources, files without their texts, and the rest."""

    exported_at: str
    stored_in: str
    memories: list[MemoryObject]
    sources: list[SourceObject]
    files: list[FileObject]
    episodes: list[Episode]
    lessons: list[Lesson]
    intentions: list[Intention]
    now: list[State]


class Me(TypedDict):
    """Whose key this is, and the space it works in; None for the owner's own memory."""

    name: str | None
    memory: str
    space: str | None


class Usage(TypedDict):
    """What the account used this month; `state` is `ok`, `near`, `over`, `extra` or `paused`."""

    plan: str
    trial: bool
    period_start: str
    period_end: str
    learned_tokens: int
    included_tokens: int
    waiting_tokens: int
    answers: int
    included_answers: int
    extra_on: bool
    extra_cap_usd: float
    extra_used_usd: float
    state: str


class SpaceSummary(TypedDict):
    """A space that holds something."""

    space: str
    sources: int
    memories: int
    last_added_at: str | None


class Erasure(TypedDict):
    """A space that was erased."""

    space: str
    erased: bool
    sources_removed: int
