from __future__ import annotations

import pytest

from geniffy_server.bench.comparing import Compared, in_turn
from geniffy_server.bench.figures import Figure, report, this_machine


@pytest.mark.parametrize(
    ("figure", "aim"),
    [
        (Figure("ratio", 1.5, "x", at_most=1.5), "at most 1.5, met"),
        (Figure("ratio", 1.51, "x", at_most=1.5), "at most 1.5, MISSED"),
        (Figure("recall", 0.5, at_least=0.5), "at least 0.5, met"),
        (Figure("recall", 0.49, at_least=0.5), "at least 0.5, MISSED"),
        (Figure("calls", 1234), ""),
    ],
)
def test_a_figure_says_whether_it_is_what_it_should_be(figure: Figure, aim: str) -> None:
    assert figure.as_row()[2] == aim


def test_a_figure_shows_three_digits_that_count_or_the_whole_number() -> None:
    shown = [Figure("f", value, "ms").as_row()[1] for value in (0.0, 0.12345, 1.2345, 99.94, 1234.5)]

    assert shown == ["0 ms", "0.123 ms", "1.23 ms", "99.9 ms", "1,234 ms"]


def test_a_report_names_the_machine_and_leaves_out_what_says_nothing() -> None:
    machine = this_machine()
    made = report("speed", machine, [Figure("start", 0.0, "s", at_most=2)], 12.34, more="x")

    assert made["figures"] == [{"name": "start", "value": 0.0, "unit": "s", "at_most": 2, "met": True}]
    assert (made["benchmark"], made["seconds"], made["more"]) == ("speed", 12.3, "x")
    assert made["machine"]["cores"] >= 1
    assert machine.python in machine.in_words()


def test_a_ratio_is_that_of_the_medians() -> None:
    compared = Compared([1.0, 30.0, 3.0], [2.0, 2.0, 100.0])

    figure = compared.figure("ours / other", "other", 1.5)

    assert (figure.value, figure.unit, figure.is_met) == (1.5, "x", True)
    assert figure.note == "p50 3.00 ms; other: 2.00 ms; 3 in turn"


def test_which_goes_first_changes_with_every_turn_and_the_first_turns_do_not_count() -> None:
    order: list[tuple[str, int]] = []

    compared = in_turn(lambda n: order.append(("ours", n)), lambda n: order.append(("other", n)), 2, warm_up=1)

    assert order == [("other", 0), ("ours", 0), ("ours", 1), ("other", 1), ("other", 2), ("ours", 2)]
    assert (len(compared.ours), len(compared.other)) == (2, 2)
