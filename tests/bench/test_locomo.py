from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from geniffy_server.bench.locomo import Conversation, evidence_of, read_folder
from geniffy_server.errors import BadInput


def test_sessions_come_in_order_each_at_its_time(conversation: Conversation) -> None:
    assert [(one.number, one.at) for one in conversation.sessions] == [
        (1, datetime(2023, 1, 20, 16, 4, tzinfo=UTC)),
        (2, datetime(2023, 2, 3, 9, 55, tzinfo=UTC)),
    ]


def test_a_photo_stands_behind_the_words_of_its_turn_and_a_turn_without_words_is_left_out(
    conversation: Conversation,
) -> None:
    assert [(turn.id, turn.speaker, turn.text) for turn in conversation.sessions[1].turns] == [
        ("D2:1", "Ana", "I am allergic to peanuts."),
        ("D2:2", "Ben", "Look! I shared a photo: a loaf of rye bread."),
    ]


def test_questions_without_evidence_that_is_there_are_not_asked(conversation: Conversation) -> None:
    assert [(one.text, one.evidence) for one in conversation.answerable] == [
        ("What is Ana's cat called?", {"D1:1"}),
        ("What does Ben do?", {"D1:2", "D2:2"}),
        ("What is Ana allergic to?", {"D2:1"}),
    ]
    assert [one.text for one in conversation.unanswerable] == ["What is Ben allergic to?"]


@pytest.mark.parametrize(
    ("written", "turns"),
    [
        (["D8:6; D9:17"], {"D8:6", "D9:17"}),
        (["D:11:26"], {"D11:26"}),
        (["D30:05"], {"D30:5"}),
        (["D1:2 D1:3", "D4:10"], {"D1:2", "D1:3", "D4:10"}),
        (["D", ""], set()),
    ],
)
def test_evidence_is_read_however_it_is_written(written: list[str], turns: set[str]) -> None:
    assert evidence_of(written) == turns


def test_a_folder_gives_its_conversations_by_the_names_of_their_files(folder: Path) -> None:
    assert [one.id for one in read_folder(folder)] == ["ana-and-ben", "noor-and-hugo"]


def test_a_folder_without_conversations_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no conversation in"):
        read_folder(tmp_path)


@pytest.mark.parametrize("text", ["{}", "[]", "nothing", '{"conversation": {"session_1": 5}, "qa": []}'])
def test_a_file_of_another_format_is_refused_by_name(folder: Path, text: str) -> None:
    (folder / "other.json").write_text(text)
    with pytest.raises(BadInput, match=r"other\.json' is not a conversation in LoCoMo's format"):
        read_folder(folder)
