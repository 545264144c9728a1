"""The examples of the integrations' README."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

README = Path(__file__).parents[1] / "integrations" / "README.md"


def example(host: str) -> str:
    """The example of a host's section."""
    section = README.read_text().split(f"\n## {host}\n", 1)[1].split("\n## ", 1)[0]
    found = re.search(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert found, f"the section {host!r} has no example"
    return found.group(1)


def run(host: str, **given: Any) -> dict[str, Any]:
    """What a host's example defines, run as it stands with the names that its reader has: a model."""
    names = dict(given)
    exec(compile(example(host), f"{README.name}: {host}", "exec"), names)
    return names
