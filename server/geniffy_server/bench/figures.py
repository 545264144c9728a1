"""What a benchmark says: figures with their aims, and the machine they were measured on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

_LIBRARIES: Final = ("geniffy-agents", "fastapi", "uvicorn", "fastmcp", "sqlalchemy", "numpy", "onnxruntime")


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. `at_most` or `at_least` is what it should reach, in the same unit; `note` says how it was had."""

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether it is what it should be; None when nothing was asked of it."""
        if self.at_most is not None:
            return self.value <= self.at_most
        return None if self.at_least is None else self.value >= self.at_least

    def as_json(self) -> dict[str, Any]:
        """Its fields, and whether its aim is met, without those that say nothing."""
        shown = {**asdict(self), "met": self.is_met}
        return {name: value for name, value in shown.items() if value not in (None, "")}

    def as_row(self) -> tuple[str, str, str, str]:
        """Its cells in a table: name, value, aim, note."""
        aim = "" if self.at_most is None else f"at most {_number(self.at_most)}"
        aim = aim if self.at_least is None else f"at least {_number(self.at_least)}"
        met = {None: "", True: ", met", False: ", MISSED"}[self.is_met]
        return self.name, f"{_number(self.value)} {self.unit}".strip(), aim + met, self.note


FIGURE_HEADS: Final = ("Figure", "Value", "Aim", "How")


@dataclass(frozen=True, slots=True)
class Machine:
    """Where something was measured. `load` is the mean of running processes in the minute before."""

    cores: int
    processor: str
    memory_gb: float
    system: str
    python: str
    sqlite: str
    libraries: dict[str, str]
    load: float

    def in_words(self) -> str:
        """One line for a person."""
        libraries = ", ".join(f"{name} {number}" for name, number in self.libraries.items())
        return (
            f"{self.cores} cores of {self.processor}, {self.memory_gb:.0f} GB, {self.system}, Python {self.python}, "
            f"SQLite {self.sqlite}, {libraries}; load {self.load:.1f} at the start"
        )


def this_machine() -> Machine:
    """This machine, now."""
    from pysqlite3 import dbapi2  # type: ignore[import-untyped]  # it ships no types

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Machine(
        cores=cores,
        processor=_processor(),
        memory_gb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9,
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        sqlite=dbapi2.sqlite_version,
        libraries={name: found for name in _LIBRARIES if (found := _version(name))},
        load=round(os.getloadavg()[0], 2),
    )


def report(command: str, machine: Machine, figures: Sequence[Figure], seconds: float, **more: Any) -> dict[str, Any]:
    """What `--json` writes. `seconds` is how long the whole took."""
    return {
        "benchmark": command,
        "machine": asdict(machine),
        "seconds": round(seconds, 1),
        "figures": [figure.as_json() for figure in figures],
        **more,
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _number(value: float) -> str:
    """Three digits that count, thousands apart."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
