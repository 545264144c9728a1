"""The Omi tools as clients are told of them: names, inputs, defaults, bounds, what they return."""

from __future__ import annotations

import inspect
from typing import Any

import jsonschema
import pytest

from geniffy_server.mcp.omi import OMI_TOOLS

READING = ["get_conversation_by_id", "get_conversations", "get_memories", "search_conversations", "search_memories"]
WRITING = ["create_memory", "delete_memory", "edit_memory"]
MEMORY_CATEGORIES = [
    "interesting", "core", "hobbies", "lifestyle", "interests", "habits", "work", "skills", "learnings", "other",
]  # fmt: skip
CONVERSATION_CATEGORIES = [
    "personal", "education", "health", "finance", "technology", "business", "work", "social", "travel",
    "entertainment", "sports", "family",
]  # fmt: skip


async def test_the_eight_omi_tools_are_listed_with_schemas_and_annotations(any_omi: Any) -> None:
    listed = await any_omi.list()

    assert sorted(listed) == sorted([*READING, *WRITING])
    for name, tool in listed.items():
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        assert tool.title
        assert tool.description
        assert tool.annotations.read_only_hint is (name in READING)
        assert tool.annotations.open_world_hint is False
    assert listed["delete_memory"].annotations.destructive_hint is True
    assert listed["create_memory"].annotations.destructive_hint is False


async def test_the_omi_tools_are_not_those_of_the_other_door(omi: Any, tools: Any) -> None:
    assert not set(await omi.list()) & set(await tools.list())


async def test_inputs_have_the_defaults_and_bounds_of_the_contract(omi: Any) -> None:
    shown = {name: tool.input_schema for name, tool in (await omi.list()).items()}

    def limit(name: str) -> tuple[int, int, int]:
        schema = shown[name]["properties"]["limit"]
        return schema["default"], schema["minimum"], schema["maximum"]

    assert limit("get_memories") == (100, 1, 500)
    assert limit("search_memories") == (10, 1, 20)
    assert limit("get_conversations") == (20, 1, 1000)
    assert limit("search_conversations") == (10, 1, 100)
    listing = shown["get_memories"]["properties"]
    assert listing["categories"]["items"]["enum"] == MEMORY_CATEGORIES
    assert (listing["sort"]["enum"], listing["sort"]["default"]) == (
        ["scoring_desc", "created_desc", "updated_desc", "manual_first"],
        "created_desc",
    )
    assert (listing["include_activity"]["default"], listing["include_sensitive"]["default"]) == (False, True)
    assert listing["offset"]["default"] == shown["get_conversations"]["properties"]["offset"]["default"] == 0
    assert shown["create_memory"]["properties"]["category"]["enum"] == MEMORY_CATEGORIES
    of_talks = shown["get_conversations"]["properties"]["categories"]["items"]["enum"]
    assert of_talks[:12] == CONVERSATION_CATEGORIES
    assert {"romantic", "real", "environment", "other"} < set(of_talks)
    assert {name: shown[name].get("required", []) for name in shown} == {
        "get_memories": [],
        "search_memories": ["query"],
        "create_memory": ["content"],
        "edit_memory": ["memory_id", "content"],
        "delete_memory": ["memory_id"],
        "get_conversations": [],
        "search_conversations": ["query"],
        "get_conversation_by_id": ["conversation_id"],
    }


@pytest.mark.parametrize("name", sorted([*READING, *WRITING]))
def test_a_default_in_the_schema_is_the_one_that_is_used(name: str) -> None:
    spec = OMI_TOOLS.tools[name]
    taken = [one for one in spec.takes if not one.is_required]

    for one in taken:
        assert one.schema().get("default") == (one.left_out() if "default" in one.schema() else None)
    assert {one.name for one in spec.takes} == set(inspect.signature(spec.run).parameters) - {"ports", "caller"}


async def test_no_tool_takes_an_api_key(omi: Any) -> None:
    for name, tool in (await omi.list()).items():
        assert not any("key" in argument for argument in tool.input_schema["properties"]), name
    code, word, sentence = await omi.error("get_memories", api_key="omi_mcp_x")
    assert (code, word) == (-32602, "invalid_arguments")
    assert "api_key" in sentence


async def test_the_door_says_what_it_is_and_that_its_words_are_data(omi: Any) -> None:
    assert "conversations" in omi.client.instructions
    assert "data" in omi.client.instructions
