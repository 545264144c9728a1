"""What a tool takes: the schema that clients read and the check that the server makes are one rule."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from geniffy_server.errors import BadInput
from geniffy_server.mcp.arguments import SPACE, checked, schema_of
from geniffy_server.mcp.tools import TOOLS

SEARCH = TOOLS["search"].takes
LIST = TOOLS["list_memories"].takes


@pytest.mark.parametrize("name", TOOLS)
def test_every_schema_of_a_tool_is_valid_and_closed(name: str) -> None:
    for schema in (schema_of(TOOLS[name].takes), schema_of((*TOOLS[name].takes, SPACE)), TOOLS[name].output):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
    assert all(shown["description"] for shown in schema_of(TOOLS[name].takes)["properties"].values())


def test_what_is_left_out_or_null_takes_its_default() -> None:
    assert checked(SEARCH, {"query": "tea"}) == {"query": "tea", "limit": 10}
    assert checked(LIST, {"kind": None, "limit": None}) == {"kind": "all", "limit": 20, "cursor": 0}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "'query' is missing"),
        ({"query": None}, "'query' is missing"),
        ({"query": ""}, "'query' is blank"),
        ({"query": " \n\u200b"}, "'query' is blank"),
        ({"query": 5}, "'query' must be a string, not 5"),
        ({"query": ["tea"]}, "'query' must be a string, not a list"),
        ({"query": {"$ne": None}}, "'query' must be a string, not an object"),
        ({"query": "x" * 2001}, "'query' has 2,001 characters; the limit is 2,000"),
        ({"query": "a\x00b"}, "NUL"),
        ({"query": "a\ud83d"}, "surrogate"),
        ({"query": "tea", "limit": 0}, "'limit' must be from 1 to 25"),
        ({"query": "tea", "limit": 26}, "'limit' must be from 1 to 25"),
        ({"query": "tea", "limit": 10**400}, "'limit' must be from 1 to 25"),
        ({"query": "tea", "limit": "5"}, "'limit' must be a whole number, not '5'"),
        ({"query": "tea", "limit": True}, "'limit' must be a whole number, not true"),
        ({"query": "tea", "limit": 2.5}, "'limit' must be a whole number, not 2.5"),
        ({"query": "tea", "limit": float("inf")}, "'limit' must be a whole number"),
        ({"query": "tea", "limit": float("nan")}, "'limit' must be a whole number"),
        ({"query": "tea", "user_id": "ana"}, "'user_id' is not something this tool takes"),
    ],
)
def test_what_can_t_be_used_is_refused_in_one_sentence_that_names_it(arguments: Any, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        checked(SEARCH, arguments)

    assert sentence in refused.value.sentence
    assert refused.value.sentence.endswith(".")
    refused.value.sentence.encode()


@pytest.mark.parametrize("arguments", [{"kind": "PREF"}, {"kind": ""}, {"kind": 3}, {"kind": ["pref"]}, {"cursor": -1}])
def test_a_kind_or_cursor_that_is_none_is_refused(arguments: Any) -> None:
    with pytest.raises(BadInput):
        checked(LIST, arguments)


def test_a_whole_number_written_with_a_point_is_a_whole_number() -> None:
    assert checked(SEARCH, {"query": "tea", "limit": 5.0})["limit"] == 5


@pytest.mark.parametrize("blank", ["", " \n", None])
def test_a_blank_where_nothing_is_needed_is_left_out(blank: str | None) -> None:
    assert checked(TOOLS["remember"].takes, {"text": "tea", "title": blank}) == {"text": "tea", "title": None}
    assert checked(TOOLS["profile"].takes, {"subject": blank}) == {"subject": None}


def test_null_for_a_space_is_refused_and_never_the_owner_s_memory() -> None:
    with pytest.raises(BadInput, match="null") as refused:
        checked((*SEARCH, SPACE), {"query": "tea", "space": None})

    assert refused.value.code == "bad_space"
    assert checked((*SEARCH, SPACE), {"query": "tea"})["space"] is None


def test_a_text_of_just_the_limit_is_taken_and_characters_are_code_points() -> None:
    text = "😀" * 2000

    assert checked(SEARCH, {"query": text})["query"] == text
