"""Conversations in the format of LoCoMo (Maharana et al., ACL 2024), read from a folder of the caller's.

A file is one conversation: `sample_id`; `conversation` with `speaker_a`, `speaker_b`, and for each k `session_k` (turns
with `speaker`, `dia_id`, `text`, and for shared photos `blip_caption`) and `session_k_date_time`; and `qa` (`question`,
`evidence`, `category`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from geniffy_server.errors import BadInput

CATEGORIES: Final[Mapping[int, str]] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "unanswerable",
}
UNANSWERABLE: Final = 5
PHOTO: Final = "I shared a photo: {caption}."
"""How the caption of a shared photo stands behind a turn's words: as its speaker would say it."""

_SESSION: Final = re.compile(r"session_(\d+)")
_EVIDENCE: Final = re.compile(r"D:?(\d+):0*(\d+)")  # also `D8:6; D9:17`, `D:11:26` and `D30:05`, which all occur
_TIME: Final = "%I:%M %p on %d %B, %Y"  # 4:04 pm on 20 January, 2023


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: `id` is its `dia_id`, `text` its words with the caption of a photo, if it shared one."""

    id: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """One sitting of a conversation. No turn is without words."""

    number: int
    at: datetime
    turns: Sequence[Said]


@dataclass(frozen=True, slots=True)
class Question:
    """`evidence`: the ids of the turns that answer it, those alone that exist; empty for an unanswerable one."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One file. `questions` are those that can be judged: answerable ones with evidence, and unanswerable ones."""

    id: str
    sessions: Sequence[Session]
    questions: Sequence[Question]

    @property
    def answerable(self) -> Sequence[Question]:
        """Questions of the categories 1 to 4."""
        return [one for one in self.questions if one.category != UNANSWERABLE]

    @property
    def unanswerable(self) -> Sequence[Question]:
        """Questions of category 5: what they ask was never said, or was said of the other speaker."""
        return [one for one in self.questions if one.category == UNANSWERABLE]


def read_folder(folder: Path) -> Sequence[Conversation]:
    """Every conversation in `folder`, by the name of its file.

    Raises BadInput when the folder holds none, or a file of another format.
    """
    files = sorted(folder.glob("*.json"))
    if not files:
        raise BadInput(f"There is no conversation in {str(folder)!r}; name a folder of LoCoMo's JSON files.")
    return [_read_file(file) for file in files]


def conversation_of(raw: Mapping[str, Any], name: str) -> Conversation:
    """One file's contents. Raises KeyError, TypeError or ValueError when they are something else."""
    said = raw["conversation"]
    numbers = sorted(int(found[1]) for key in said if (found := _SESSION.fullmatch(key)))
    sessions = [_session(number, said[f"session_{number}"], said[f"session_{number}_date_time"]) for number in numbers]
    known = {turn.id for session in sessions for turn in session.turns}
    questions = [_question(one, known) for one in raw["qa"]]
    judged = [one for one in questions if one.category == UNANSWERABLE or one.evidence]
    return Conversation(str(raw.get("sample_id") or name), sessions, judged)


def evidence_of(raw: Sequence[str]) -> frozenset[str]:
    """The turns that a list of evidence names, such as `D8:6`, whichever way it is written."""
    return frozenset(f"D{int(session)}:{turn}" for one in raw for session, turn in _EVIDENCE.findall(one))


def session_of(turn: str) -> int:
    """The number of the session that a turn's id names: 8 of `D8:6`."""
    return int(turn[1:].partition(":")[0])


def _read_file(file: Path) -> Conversation:
    try:
        return conversation_of(json.loads(file.read_text("utf-8")), file.stem)
    except (KeyError, TypeError, ValueError, AttributeError) as wrong:
        raise BadInput(f"{str(file)!r} is not a conversation in LoCoMo's format ({wrong!r:.100}).") from wrong


def _session(number: int, turns: Sequence[Mapping[str, Any]], time: str) -> Session:
    at = datetime.strptime(time, _TIME).replace(tzinfo=UTC)
    said = [Said(turn["dia_id"], turn["speaker"], _words(turn)) for turn in turns]
    return Session(number, at, [one for one in said if one.text])


def _words(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    photo = PHOTO.format(caption=caption.strip().rstrip(".")) if caption else ""
    return f"{turn['text'].strip()} {photo}".strip()


def _question(raw: Mapping[str, Any], known: set[str]) -> Question:
    category = int(raw["category"])
    evidence = frozenset() if category == UNANSWERABLE else evidence_of(raw["evidence"]) & known
    return Question(raw["question"], category, evidence)
