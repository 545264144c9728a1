"""What a run is named by beside its user."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from geniffy_agents.run_names import run_name


@pytest.mark.parametrize(
    ("named", "name"), [("lumen", "lumen"), (" lumen ", "lumen"), (7, "7"), (None, None), ("", None), (" ", None)]
)
def test_a_name_is_taken_as_it_is_or_from_a_function_and_a_blank_one_is_none(named: Any, name: str | None) -> None:
    context = SimpleNamespace(project=named)

    assert run_name(named, context, "project=") == name
    assert run_name(lambda each: each.project, context, "project=") == name


@pytest.mark.parametrize("wrong", [True, 1.5, ["lumen"], b"lumen"])
def test_any_other_type_is_refused_by_the_arguments_name(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"project= takes a string"):
        run_name(wrong, None, "project=")
