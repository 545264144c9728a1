"""Statements compiled once and run by the driver: SQLAlchemy takes longer for each call than SQLite for most of them.

They are the same Core expressions, with the same types of columns. Only those that every call runs are worth it.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ClauseElement, Select
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase

_NAMING: Final = sqlite.dialect(paramstyle="named")

Convert = Callable[[Any], Any]


class Compiled:
    """One statement: its SQL with `:name` parameters, and what its values pass through on their way in and out.

    Rows have the names of the statement's columns. `columns` are those that an INSERT without values is given.
    """

    def __init__(self, statement: ClauseElement, columns: Sequence[str] | None = None) -> None:
        compiled = statement.compile(dialect=_NAMING, column_keys=columns)
        assert isinstance(compiled, SQLCompiler)
        self.sql = str(compiled)
        assert "POSTCOMPILE" not in self.sql, "a list of values is written anew for each call"
        given = {name for bound, name in compiled.bind_names.items() if bound.required}
        converts = {name: convert for bound, name in compiled.bind_names.items() if (convert := _into(bound.type))}
        self._into = [(name, convert) for name, convert in converts.items() if name in given]
        # A statement's constants are parameters too.
        self._fixed = {
            name: converts[name](value) if name in converts else value
            for name, value in compiled.params.items()
            if name not in given
        }
        described = _described(statement)
        row: Any = namedtuple("Row", [name for name, _ in described])  # type: ignore[misc]  # told by the statement
        self._row: Convert = row._make
        self._out = [
            (place, convert) for place, (_, kind) in enumerate(described) if (convert := _out_of(kind)) is not None
        ]

    def run(self, driver: Any, values: Mapping[str, Any]) -> None:
        """Run it once."""
        driver.execute(self.sql, self._values(values))

    def run_each(self, driver: Any, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run it once for each of `rows`."""
        driver.executemany(self.sql, [self._values(row) for row in rows])

    def rows(self, driver: Any, values: Mapping[str, Any]) -> list[Any]:
        """Every row."""
        found = driver.execute(self.sql, self._values(values)).fetchall()
        return [self._row(row) for row in found] if not self._out else [self._made(row) for row in found]

    def row(self, driver: Any, values: Mapping[str, Any]) -> Any:
        """The one row that a key finds; None when there is none."""
        found = self.rows(driver, values)
        return found[0] if found else None

    def value(self, driver: Any, values: Mapping[str, Any]) -> Any:
        """The first column of the first row; None when there is none."""
        row = self.row(driver, values)
        return None if row is None else row[0]

    def _values(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        if not self._into and not self._fixed:
            return values
        converted = {**self._fixed, **values}
        for name, convert in self._into:
            converted[name] = convert(converted[name])
        return converted

    def _made(self, row: tuple[Any, ...]) -> Any:
        columns = list(row)
        for place, convert in self._out:
            columns[place] = convert(columns[place])
        return self._row(columns)


def _described(statement: ClauseElement) -> list[tuple[str, Any]]:
    """The name and the type of each column of the rows that come back."""
    if isinstance(statement, Select):
        found = statement.column_descriptions
    elif isinstance(statement, UpdateBase):
        found = statement.returning_column_descriptions
    else:
        found = []
    return [(column["name"], column["type"]) for column in found]


def _into(kind: Any) -> Convert | None:
    converter: Convert | None = kind.dialect_impl(_NAMING).bind_processor(_NAMING)
    return converter


def _out_of(kind: Any) -> Convert | None:
    converter: Convert | None = kind.dialect_impl(_NAMING).result_processor(_NAMING, None)
    return converter
