"""What searching must find in the labelled set: a fall below these floors is a regression (`python -m` `ranking`)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.quality.ranking import Searched, over, searched


@pytest.fixture(scope="module")
async def found(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Searched]:
    return await searched(tmp_path_factory.mktemp("ranking"))


async def test_the_answering_line_of_a_note_comes_first_for_seven_questions_of_eight(found: Sequence[Searched]) -> None:
    notes = over([one for one in found if one.form == "notes"])

    assert notes.questions >= 80
    assert notes.recall[1] >= 0.875
    assert notes.recall[5] >= 0.94
    assert notes.mrr >= 0.92


async def test_the_answering_line_of_a_talk_is_among_the_first_five(found: Sequence[Searched]) -> None:
    talks = over([one for one in found if one.form == "talk"])

    assert talks.questions >= 25
    assert talks.recall[1] >= 0.46
    assert talks.recall[5] >= 0.89
    assert talks.mrr >= 0.65


async def test_numbers_codes_accents_and_periods_are_found_in_any_script(found: Sequence[Searched]) -> None:
    others = [one for one in found if one.language != "en" or one.kind in ("code", "accents", "nfd", "marks", "period")]

    assert len({one.language for one in others}) >= 10
    assert over(others).recall[1] >= 0.93
    assert over(others).recall[5] >= 0.98
