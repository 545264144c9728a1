"""The manifest of statements is complete and says what the tests say."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def statements() -> ModuleType:
    spec = importlib.util.spec_from_file_location("contract_statements", HERE / "statements.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_statement_in_scope_has_a_test(statements: ModuleType) -> None:
    shown = {int(number) for number in statements.manifest()}

    assert sorted(statements.IN_SCOPE - shown) == []


def test_no_test_names_a_statement_that_does_not_exist(statements: ModuleType) -> None:
    assert [pair for pair in statements.marked() if not 1 <= pair[1] <= 265] == []


def test_the_manifest_is_what_the_markers_say(statements: ModuleType) -> None:
    written = json.loads(statements.MANIFEST.read_text("utf-8"))

    assert written == statements.manifest(), "run: python tests/contract/statements.py"
