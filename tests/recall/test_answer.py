from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from geniffy_server.domain.answer import NOTHING_SAYS, Answered, Unsupported
from geniffy_server.domain.memory import Spoken
from geniffy_server.recall.answer import answer
from geniffy_server.recall.dates_in_words import spoken
from tests.recall.told import found, memory


def answered(question: str, *supports: object) -> Answered:
    given = answer(question, supports)  # type: ignore[arg-type]
    assert isinstance(given, Answered)
    return given


def test_an_answer_is_the_statement_with_its_memory() -> None:
    kim = memory("Kim works at Acme as CFO", "Kim")

    given = answered("Where does Kim work?", found(kim))

    assert (given.answer, given.memories, given.clash) == ("Kim works at Acme as CFO.", [kim], False)


@pytest.mark.parametrize(
    "text", ["मेरा नाम राहुल है।", "他说：“我住在北京。”", "انا هنا؟", "We are closed…", 'Kim said: "never."']
)
def test_a_statement_that_ends_in_its_own_script_gets_no_second_stop(text: str) -> None:
    assert answered("What was said?", found(memory(text))).answer == text


def test_nothing_that_bears_is_no_answer() -> None:
    assert answer("Where does Kim work?", []) == Unsupported("Where does Kim work?", NOTHING_SAYS)


def test_the_statement_that_bears_most_comes_first_whatever_its_rank() -> None:
    arm, healing = memory("Tom broke his arm.", "Tom"), memory("It should heal in 6 weeks.", "Tom")

    given = answered("How long will it heal?", found(arm, coverage=0.5), found(healing, coverage=1.0))

    assert given.answer.startswith("It should heal in 6 weeks.")


def test_a_date_that_is_asked_for_stands_before_its_statement() -> None:
    called = memory("Priya called yesterday.", "Priya", spoken=Spoken(date(2026, 10, 4), date(2026, 10, 4), "day"))

    assert answered("When did Priya call?", found(called)).answer == "4 October 2026: Priya called yesterday."


def test_a_statement_without_a_date_is_dated_by_when_it_was_said() -> None:
    assert answered("When did Priya call?", found(memory("Priya called.", "Priya"))).answer == (
        "Said on 5 October 2026: Priya called."
    )


def test_further_statements_that_fit_as_well_are_told_once() -> None:
    tea, again, ramen = (memory(text, "Kim") for text in ("Kim likes tea.", "Kim likes tea!", "Kim likes ramen."))
    unfit = memory("Kim works at Acme.", "Kim")

    given = answered("What does Kim like?", found(tea), found(again), found(ramen), found(unfit, coverage=0.2))

    assert given.answer == "Kim likes tea. Kim likes ramen."


@pytest.mark.parametrize("question", ["What does Kim like?", "What are Kim's hobbies?", "Tell me about Kim."])
def test_a_list_holds_all_that_fits_of_the_subject(question: str) -> None:
    tastes = ["Kim likes tea.", "Kim is fond of orchids.", "Kim enjoys bouldering.", "Kim loves old films."]
    liked = [found(memory(text, "Kim"), coverage=0.7 + 0.3 * (at == 0)) for at, text in enumerate(tastes)]
    another = found(memory("Ana likes ramen.", "Ana"))

    given = answered(question, *liked, another)

    assert [one.text for one in given.memories] == tastes


def test_two_who_are_compared_are_both_told_of() -> None:
    kim, omar, ana = (found(memory(f"{name} likes tea.", name)) for name in ("Kim", "Omar", "Ana"))

    given = answered("What do Kim and Omar like?", kim, omar, ana)

    assert given.memories == [kim.memory, omar.memory]


def test_of_several_statements_a_time_is_given_by_the_one_that_has_it() -> None:
    day = Spoken(date(2026, 11, 9), date(2026, 11, 9), "day")
    dreaded = memory("Bo dreads the review.", "Bo")
    dated = memory("The review with Bo is on 9 November.", "review", spoken=day)

    given = answered("When is the review with Bo?", found(dreaded, subject=1.0), found(dated))

    assert given.answer == "9 November 2026: The review with Bo is on 9 November."


def test_a_time_that_comes_again_is_not_dated_by_when_it_was_said() -> None:
    assert answered("When is the bin emptied?", found(memory("The bin is emptied on Mondays."))).answer == (
        "The bin is emptied on Mondays."
    )


def test_sides_that_disagree_are_both_named() -> None:
    march = memory("The rent is 900.", "rent", status="clash", said_at=datetime(2026, 3, 1, tzinfo=UTC))
    april = memory("The rent is 950.", "rent", status="clash", said_at=datetime(2026, 4, 1, tzinfo=UTC))

    given = answered("How much is the rent?", found(march), found(april))

    assert given.clash
    assert given.memories == [march, april]
    assert given.answer == "What was said disagrees. 1 March 2026: The rent is 900. 1 April 2026: The rent is 950."


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (Spoken(date(2026, 10, 4), date(2026, 10, 4), "minute", 15 * 60), "4 October 2026, 15:00"),
        (Spoken(date(2026, 10, 4), date(2026, 10, 4), "day"), "4 October 2026"),
        (Spoken(date(2026, 9, 28), date(2026, 10, 4), "week"), "the week of 28 September 2026"),
        (Spoken(date(2026, 6, 1), date(2026, 6, 30), "month"), "June 2026"),
        (Spoken(date(2026, 7, 1), date(2026, 9, 30), "quarter"), "1 July 2026 to 30 September 2026"),
        (Spoken(date(2019, 1, 1), date(2019, 12, 31), "year"), "2019"),
        (Spoken(date(2026, 11, 3), date(2026, 11, 7), "span"), "3 November 2026 to 7 November 2026"),
        (Spoken(date(2019, 1, 1), date(2026, 10, 5), "since"), "since 2019"),
        (Spoken(date(2021, 3, 1), date(2026, 10, 5), "since"), "since March 2021"),
        (Spoken(date(2021, 3, 9), date(2026, 10, 5), "since"), "since 9 March 2021"),
        (Spoken(date(2026, 3, 12), date(2026, 3, 12), "yearly"), "12 March, every year"),
    ],
)
def test_a_time_is_told_no_more_exactly_than_it_was_said(time: Spoken, words: str) -> None:
    assert spoken(time) == words
