"""A compiled statement takes and gives the same values as SQLAlchemy does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pysqlite3 import dbapi2
from sqlalchemy import Boolean, Column, Integer, MetaData, Table, Text, bindparam, insert, select, update

from geniffy_server.storage.compiled import Compiled
from geniffy_server.storage.schema import Instant, LabelsText

AT = datetime(2026, 10, 6, 12, 30, 0, 123456, UTC)

things = Table(
    "things",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("name", Text),
    Column("at", Instant),
    Column("labels", LabelsText),
    Column("is_new", Boolean),
)
ADD = Compiled(insert(things), ["name", "at", "labels", "is_new"])
ALL = Compiled(select(things).order_by(things.c.id))
BY_NAME = Compiled(select(things.c.id, things.c.at).where(things.c.name == bindparam("called")))
NEWEST = Compiled(select(things.c.name).where(things.c.is_new.is_(True)).limit(1))
AGE = Compiled(
    update(things)
    .where(things.c.id == bindparam("one"))
    .values(is_new=False, name=things.c.name + "!")
    .returning(things.c.name)
)


@pytest.fixture
def driver() -> Iterator[Any]:
    driver = dbapi2.connect(":memory:", isolation_level=None)
    driver.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, at BIGINT, labels TEXT, is_new BOOLEAN)")
    yield driver
    driver.close()


def test_values_pass_through_the_types_of_their_columns_both_ways(driver: Any) -> None:
    ADD.run(driver, {"name": "a", "at": AT, "labels": {"team": "red"}, "is_new": True})
    (row,) = ALL.rows(driver, {})
    assert (row.id, row.name, row.at, row.labels, row.is_new) == (1, "a", AT, {"team": "red"}, True)
    assert driver.execute("SELECT typeof(at), typeof(labels) FROM things").fetchone() == ("integer", "text")


def test_several_rows_are_written_at_once_and_what_is_none_stays_none(driver: Any) -> None:
    ADD.run_each(driver, [{"name": name, "at": None, "labels": {}, "is_new": None} for name in "ab"])
    assert [(row.name, row.at, row.labels, row.is_new) for row in ALL.rows(driver, {})] == [
        ("a", None, {}, None),
        ("b", None, {}, None),
    ]


def test_a_key_that_is_not_there_finds_none(driver: Any) -> None:
    assert BY_NAME.row(driver, {"called": "nobody"}) is None
    assert BY_NAME.value(driver, {"called": "nobody"}) is None


def test_a_statement_brings_its_own_constants(driver: Any) -> None:
    ADD.run(driver, {"name": "a", "at": AT, "labels": {}, "is_new": True})
    assert NEWEST.value(driver, {}) == "a"
    assert AGE.value(driver, {"one": 1}) == "a!"
    assert NEWEST.value(driver, {}) is None


def test_a_list_of_values_is_refused_because_each_call_would_spell_it_anew() -> None:
    with pytest.raises(AssertionError, match="list of values"):
        Compiled(select(things.c.id).where(things.c.name.in_(bindparam("names", expanding=True))))
