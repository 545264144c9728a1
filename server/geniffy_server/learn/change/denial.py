"""How often a text denies something, in any of the languages that there are word lists for."""

from __future__ import annotations

from geniffy_server.learn.lexicon import fragments


def denials(text: str) -> int:
    """The number of negations in a text; idioms that deny nothing ("do not forget to", "no matter") are not counted."""
    bare = fragments("change", "not_negations").sub(" remember ", text)
    return len(fragments("change", "negations").findall(bare))
