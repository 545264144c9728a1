"""Of what kind a fact is: a plan, a preference, something about a person, or a detail.

A plan is still to happen or owed; a preference is a taste, a wish or a standing rule; `people` says something of a
person other than the owner. Rules do better here than prototypes or a classifier over embeddings, which know English
alone.
"""

from __future__ import annotations

from datetime import date

from geniffy_server.domain.memory import Kind, Spoken
from geniffy_server.learn.lexicon import fragments


def kind(text: str, spoken: Spoken | None, said: date, *, is_person: bool, language: str) -> Kind:
    """The kind of what `text` says. `spoken` is the time it speaks of; `is_person` says that its subject is a person
    other than the memory's owner."""
    is_ahead = spoken is not None and spoken.low > said and spoken.precision not in ("since", "yearly")
    is_preference = fragments("kinds", "preference", language).search(text) is not None
    is_planned = (
        fragments("kinds", "plan", language).search(text) or fragments("kinds", "plan_of", language, 0).search(text)
    ) and not fragments("kinds", "over", language).search(text)
    if is_ahead or (is_planned and not (is_preference and fragments("kinds", "taste", language).search(text))):
        return "plan"
    if is_preference:
        return "pref"
    return "people" if is_person else "detail"
