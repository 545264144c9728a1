from __future__ import annotations

from geniffy_server.bench.people import name_of, note, statement, two_kilobytes


def test_a_number_always_tells_the_same_of_the_same_person() -> None:
    assert statement(0).text == statement(0).quote == "Mira Okafor lives in Porto."
    assert (statement(12).text, statement(12).quote) == ("Tomas Okafor: I live in Split.", "I live in Split.")
    assert [statement(n).about for n in (0, 11, 12)] == ["Mira Okafor", "Mira Okafor", "Tomas Okafor"]


def test_every_statement_has_words_of_its_own_and_asks_for_its_person() -> None:
    told = [statement(number) for number in range(0, 499_999, 97)]

    assert len({one.text for one in told}) == len(told)
    assert all(one.about in one.question for one in told)


def test_namesakes_are_told_apart() -> None:
    assert name_of(0) == "Mira Okafor"
    assert name_of(1_600) == "Mira A. Okafor"


def test_notes_and_files_differ_and_a_file_has_two_kilobytes() -> None:
    assert note(0, 3) == "Mira Okafor lives in Porto. Mira Okafor works as a carpenter at Lumen Foundry. " + (
        "Mira Okafor is allergic to sesame."
    )
    texts = [two_kilobytes(number) for number in range(5)]
    assert {len(text.encode()) for text in texts} == {2_048}
    assert len(set(texts)) == 5
