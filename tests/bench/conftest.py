"""Two small conversations in LoCoMo's format, and what a benchmark may leave behind: nothing."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from geniffy_server.bench.locomo import Conversation, conversation_of


def two_sessions() -> dict[str, Any]:
    """A conversation of four turns, whose evidence is written in every way that occurs."""
    return {
        "sample_id": "ana-and-ben",
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_2_date_time": "9:55 am on 3 February, 2023",
            "session_2": [
                {"speaker": "Ana", "dia_id": "D2:1", "text": "I am allergic to peanuts."},
                {"speaker": "Ben", "dia_id": "D2:2", "text": "Look!", "blip_caption": "a loaf of rye bread."},
                {"speaker": "Ben", "dia_id": "D2:3", "text": " "},
            ],
            "session_1_date_time": "4:04 pm on 20 January, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a grey cat called Miso."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "I started a new job as a baker in Porto."},
            ],
        },
        "qa": [
            {"question": "What is Ana's cat called?", "answer": "Miso", "evidence": ["D1:1"], "category": 4},
            {"question": "What does Ben do?", "answer": "baker", "evidence": ["D1:2; D2:2"], "category": 1},
            {"question": "What is Ana allergic to?", "answer": "peanuts", "evidence": ["D:2:01"], "category": 4},
            {"question": "Who is older?", "answer": "?", "evidence": ["D9:9"], "category": 3},
            {"question": "What is Ben allergic to?", "adversarial_answer": "nuts", "evidence": ["D2:1"], "category": 5},
        ],
    }


def one_session() -> dict[str, Any]:
    """Another conversation, of other people."""
    return {
        "sample_id": "noor-and-hugo",
        "conversation": {
            "speaker_a": "Noor",
            "speaker_b": "Hugo",
            "session_1_date_time": "12:30 pm on 1 March, 2024",
            "session_1": [{"speaker": "Noor", "dia_id": "D1:1", "text": "I sold my motorbike to a neighbour."}],
        },
        "qa": [{"question": "What did Noor sell?", "answer": "motorbike", "evidence": ["D1:1"], "category": 4}],
    }


@pytest.fixture
def conversation() -> Conversation:
    return conversation_of(two_sessions(), "file")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that holds both conversations."""
    made = tmp_path / "conversations"
    made.mkdir()
    for raw in (two_sessions(), one_session()):
        (made / f"{raw['sample_id']}.json").write_text(json.dumps(raw))
    return made


def children() -> set[int]:
    """The processes that this one started and that have not ended."""
    tasks = Path(f"/proc/{os.getpid()}/task")
    return {int(child) for task in tasks.glob("*/children") for child in task.read_text().split()}


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """Fails when the test leaves a process or a thread behind that it did not find."""
    processes, threads = children(), set(threading.enumerate())
    yield
    assert children() <= processes
    left = [one for one in threading.enumerate() if one not in threads and not one.name.startswith("question-embedder")]
    assert left == []
