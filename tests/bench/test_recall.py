"""The whole of `bench recall` on two small conversations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from geniffy_server.bench.locomo import Conversation, read_folder
from geniffy_server.bench.recall import Outcome, measure
from geniffy_server.bench.telling import to_nobody
from geniffy_server.cli import main
from geniffy_server.recall.judge import LEAST


@pytest.fixture
async def outcome(folder: Path, tmp_path: Path) -> Outcome:
    return await measure(read_folder(folder), tmp_path / "store", to_nobody)


async def test_every_answerable_question_is_searched_where_it_belongs(outcome: Outcome) -> None:
    assert [(one.conversation, one.question.text) for one in outcome.asked] == [
        ("ana-and-ben", "What is Ana's cat called?"),
        ("ana-and-ben", "What does Ben do?"),
        ("ana-and-ben", "What is Ana allergic to?"),
        ("noor-and-hugo", "What did Noor sell?"),
    ]
    assert len(outcome.search_ms) == 4


async def test_memories_are_traced_to_the_turns_that_their_lines_stand_in(outcome: Outcome) -> None:
    first, second = outcome.learned

    assert (first.turns, second.turns) == (4, 1)
    assert first.taught == {"D1:1", "D1:2", "D2:1", "D2:2"}
    assert len(first.turn_of) == first.memories >= 4
    assert second.taught == {"D1:1"}


async def test_a_list_longer_than_the_memory_finds_every_turn_and_the_best_comes_first(outcome: Outcome) -> None:
    figures = {figure.name: figure.value for figure in outcome.figures()}

    assert (
        figures["recall@25"] == figures["recall@25 by turns"] == figures["answering turns that taught something"] == 1
    )
    assert outcome.asked[0].by_memory.recall[1] == outcome.asked[3].by_memory.recall[1] == 1
    assert {name: over.questions for name, over in outcome.by_category().items()} == {"multi-hop": 1, "single-hop": 3}
    assert {name: over.questions for name, over in outcome.by_conversation().items()} == {
        "ana-and-ben": 3,
        "noor-and-hugo": 1,
    }


async def test_sessions_are_found_by_what_was_said_in_them_when_that_is_asked_for(
    folder: Path, tmp_path: Path, outcome: Outcome
) -> None:
    asked = await measure(read_folder(folder), tmp_path / "other", to_nobody, finds_sessions=True)

    figures = {figure.name: figure.value for figure in asked.figures()}
    assert [found.reciprocal for found in asked.by_session] == [1.0, 1.0, 1.0, 1.0]
    assert figures["hit@5 of conversations"] == figures["MRR of conversations"] == 1
    assert not any("conversations" in figure.name for figure in outcome.figures())


async def test_three_sets_are_asked_and_what_was_never_said_is_refused(outcome: Outcome) -> None:
    sizes = {kind: len(answered) for kind, answered in outcome.answered.items()}

    assert sizes == {"answerable": 4, "unanswerable": 1, "another conversation's": 4}
    assert outcome.answered["answerable"][0]
    assert not any(outcome.answered["another conversation's"])
    assert {kind: len(weights) for kind, weights in outcome.weights.items()} == sizes


async def test_a_surer_setting_answers_no_more_of_any_set(outcome: Outcome) -> None:
    figures = {figure.name: figure.value for figure in outcome.figures()}

    for kind in outcome.weights:
        strict, normal, lenient = (figures[f"{kind} questions answered, {one}"] for one in LEAST)
        assert strict <= normal <= lenient


async def test_a_turn_that_taught_nothing_is_a_miss(tmp_path: Path, conversation: Conversation) -> None:
    silent = "Hm."
    sessions = [
        type(one)(one.number, one.at, [type(turn)(turn.id, turn.speaker, silent) for turn in one.turns])
        for one in conversation.sessions
    ]
    outcome = await measure([Conversation("silent", sessions, conversation.questions)], tmp_path / "store", to_nobody)

    figures = {figure.name: figure.value for figure in outcome.figures()}
    assert (figures["recall@25"], figures["hit@25"], figures["MRR"]) == (0, 0, 0)
    assert figures["answering turns that taught something"] == 0


@pytest.mark.usefixtures("nothing_left")
def test_the_command_prints_tables_and_writes_json_and_a_picture(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written, drawn, disk = tmp_path / "recall.json", tmp_path / "recall.png", tmp_path / "disk"
    disk.mkdir()
    options = ["--conversations", "--json", written, "--plot", drawn, "--in", disk]

    status = main(["bench", "recall", "--data", str(folder), *map(str, options)])

    printed = capsys.readouterr().out
    assert status == 0
    assert all(word in printed for word in ("cores of", "recall@10", "single-hop", "noor-and-hugo", "I shared a photo"))
    found = json.loads(written.read_text())
    names = [figure["name"] for figure in found["figures"]]
    assert {"recall@1", "recall@5", "recall@10", "recall@25", "hit@5", "MRR", "search p50", "search p95"} <= set(names)
    assert found["benchmark"] == "recall"
    assert found["by_category"]["single-hop"]["questions"] == 3
    assert found["by_conversation"]["noor-and-hugo"]["recall@1"] == 1
    assert drawn.read_bytes().startswith(b"\x89PNG")
    assert list(disk.iterdir()) == []


def test_a_folder_that_holds_nothing_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "recall", "--data", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("There is no conversation in")


def told(progress: Sequence[tuple[str, int, int]]) -> list[str]:
    return list(dict.fromkeys(what for what, _, _ in progress))


async def test_it_says_how_far_it_is(folder: Path, tmp_path: Path) -> None:
    progress: list[tuple[str, int, int]] = []

    await measure(read_folder(folder), tmp_path / "store", lambda *step: progress.append(step))

    assert told(progress) == ["Learning", "Searching", "Asking"]
    assert progress[:2] == [("Learning", 0, 2), ("Learning", 1, 2)]
