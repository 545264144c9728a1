"""Whose memory an integration's call is for."""

from __future__ import annotations

from typing import Any

import pytest

from geniffy_agents import AsyncGeniffy, Geniffy
from geniffy_agents.space_names import bound, checked_space, space_for, space_name
from tests.sdk.capture import KEY


@pytest.mark.parametrize(("space", "name"), [("user-1", "user-1"), (" user-1 ", "user-1"), (7, "7"), (None, None)])
def test_a_given_space_is_the_same_for_every_call(space: Any, name: str | None) -> None:
    assert space_for(checked_space(space), object()) == name


def test_a_function_names_the_space_of_each_call() -> None:
    space = checked_space(lambda runtime: f"user-{runtime}")

    assert [space_for(space, n) for n in (1, 2)] == ["user-1", "user-2"]


@pytest.mark.parametrize("space", ["", "  "])
def test_a_blank_space_is_refused_when_it_is_given_and_when_a_function_answers_it(space: str) -> None:
    with pytest.raises(ValueError, match="blank"):
        checked_space(space)
    with pytest.raises(ValueError, match="blank"):
        space_for(lambda runtime: space, None)


def test_none_from_a_function_is_a_missing_user_and_never_the_owners_memory() -> None:
    missing: Any = lambda runtime: None  # noqa: E731

    with pytest.raises(TypeError, match="NoneType"):
        space_for(missing, None)


@pytest.mark.parametrize("space", [True, 1.5, b"x", object()])
def test_what_is_no_name_is_refused(space: Any) -> None:
    with pytest.raises(TypeError, match="string or an int"):
        checked_space(space)


@pytest.mark.parametrize("name", ["a:b", "a b", "x" * 129])
def test_which_characters_a_name_may_have_is_left_to_the_server(name: str) -> None:
    assert space_name(name) == name


@pytest.mark.parametrize("made", [Geniffy, AsyncGeniffy])
class TestBoundClients:
    def test_a_client_works_in_the_space_that_is_named(self, made: Any) -> None:
        client = made(KEY)

        assert bound(client, "ana").space_id == "ana"
        assert bound(client, lambda runtime: f"user-{runtime}", 7).space_id == "user-7"
        assert bound(client.space("leo"), "ana").space_id == "ana"

    def test_an_explicit_none_is_the_owners_own_memory(self, made: Any) -> None:
        assert bound(made(KEY), None).space_id == ""

    def test_an_explicit_none_and_a_client_of_one_user_contradict_each_other(self, made: Any) -> None:
        with pytest.raises(ValueError, match="pass space='ana'"):
            bound(made(KEY, space="ana"), None)

    def test_a_user_without_an_id_never_reaches_the_owners_memory(self, made: Any) -> None:
        missing: Any = lambda runtime: None  # noqa: E731

        with pytest.raises(TypeError):
            bound(made(KEY), missing)
        with pytest.raises(ValueError, match="blank"):
            bound(made(KEY), " ")
