"""Learning jobs: durable, leased to one worker at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import SpaceId

JobId = NewType("JobId", int)


@dataclass(frozen=True, slots=True)
class Job:
    """Learn what `source_id` says at `revision`; `attempts` counts the times it was taken and did not end."""

    id: JobId
    space_id: SpaceId
    source_id: SourceId
    revision: int
    attempts: int
