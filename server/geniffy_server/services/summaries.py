"""What a conversation comes to, worked out from its turns and from what is held of them.

It takes ten milliseconds, so the last ones are remembered, each under a digest of all that it rests on: when a memory
is forgotten or a turn is cut, the digest is another one. Whoever removes something lets them all go (`forget_gists`).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from geniffy_server.domain.conversation import ActionItem, Event, Statement
from geniffy_server.domain.source import Turn
from geniffy_server.learn.conversation.episodes import events
from geniffy_server.learn.conversation.intentions import action_items
from geniffy_server.learn.conversation.summary import overview, title
from geniffy_server.learn.language import language_of

_REMEMBERED: Final = 2_000  # a few kilobytes each
_TOLD: Final = 20  # turns whose words tell the language
_TOLD_CHARS: Final = 500


@dataclass(frozen=True, slots=True)
class Gist:
    """What a conversation comes to. `title` is empty when nobody said a word; OWNER owns what its owner is to do."""

    title: str
    overview: str
    action_items: Sequence[ActionItem]
    events: Sequence[Event]
    language: str


_gists: Final[OrderedDict[bytes, Gist]] = OrderedDict()
_lock: Final = threading.Lock()


def gist_of(turns: Sequence[Turn], statements: Sequence[Statement]) -> Gist:
    """What a conversation of these turns comes to, of which these statements are held. Blocking."""
    told = [(turn.role, turn.name, turn.text, turn.said_at) for turn in turns]
    digest = blake2b(repr((told, list(statements))).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    with _lock:
        held = _gists.get(digest)
        if held is not None:
            _gists.move_to_end(digest)
            return held
    gist = _gist(turns, statements)
    with _lock:
        _gists[digest] = gist
        while len(_gists) > _REMEMBERED:
            _gists.popitem(last=False)
    return gist


def forget_gists() -> None:
    """Let go of what is remembered, because something that it may tell was removed."""
    with _lock:
        _gists.clear()


def _gist(turns: Sequence[Turn], statements: Sequence[Statement]) -> Gist:
    words = [turn.text[:_TOLD_CHARS] for turn in turns if turn.text.strip()]
    return Gist(
        title=title(turns, statements),
        overview=overview(turns, statements),
        action_items=tuple(action_items(statements)),
        events=tuple(events(statements)),
        language=language_of("\n".join(words[:_TOLD])),
    )
