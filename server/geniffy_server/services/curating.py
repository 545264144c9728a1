"""What people decide of memories and conversations beside what was said: category, reviewed, locked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from geniffy_server.caller import Caller
from geniffy_server.domain.conversation import ConversationCategory, MemoryCategory
from geniffy_server.domain.curation import Conversation, Curation
from geniffy_server.domain.memory import Memory, MemoryId
from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import Space
from geniffy_server.errors import NotFound
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import writable
from geniffy_server.services.memories import no_memory
from geniffy_server.services.removing import is_usable


async def review_memory(ports: Ports, caller: Caller, memory_id: MemoryId, *, reviewed: bool) -> None:
    """Say whether a person has looked a memory over. Raises NotFound."""
    await _change_memory(ports, caller, memory_id, reviewed=reviewed)


async def choose_memory_category(ports: Ports, caller: Caller, memory_id: MemoryId, category: MemoryCategory) -> None:
    """Give a memory its category, which is not detected again. Raises NotFound."""
    await _change_memory(ports, caller, memory_id, category=category, category_given=True)


async def lock_memory(ports: Ports, caller: Caller, memory_id: MemoryId, *, locked: bool) -> None:
    """Lock a memory for the Omi tools, or unlock it. Raises NotFound."""
    await _change_memory(ports, caller, memory_id, locked=locked)


async def choose_conversation_category(
    ports: Ports, caller: Caller, source_id: SourceId, category: ConversationCategory
) -> None:
    """Give a conversation its category, which is not detected again. Raises NotFound."""
    await _change_conversation(ports, caller, source_id, category=category, category_given=True)


async def lock_conversation(ports: Ports, caller: Caller, source_id: SourceId, *, locked: bool) -> None:
    """Lock a conversation for the Omi tools, or unlock it. Raises NotFound."""
    await _change_conversation(ports, caller, source_id, locked=locked)


def usable_memory(tx: Transaction, space: Space | None, memory_id: MemoryId) -> tuple[Memory, Curation]:
    """A memory in use with what is kept beside it. Raises NotFound, also for an id of another space."""
    memory = tx.memories.find(space.id, memory_id) if space else None
    if space is None or not is_usable(memory):
        raise no_memory(memory_id)
    return memory, tx.curations.find_many(space.id, [memory_id])[memory_id]


def held_conversation(tx: Transaction, space: Space | None, source_id: SourceId) -> Conversation:
    """A conversation without its turns. Raises NotFound, also for a source that is none and one of another space."""
    found = tx.conversations.find_many(space.id, [source_id]).get(source_id) if space else None
    if found is None:
        raise NotFound(f"There is no conversation {source_id!s:.80} here; it may have been deleted.")
    return found


async def _change_memory(ports: Ports, caller: Caller, memory_id: MemoryId, **changes: Any) -> None:
    def work(tx: Transaction) -> None:
        space, _ = writable(tx, caller)
        _, curation = usable_memory(tx, space, memory_id)
        tx.curations.set(space.id, memory_id, replace(curation, updated_at=ports.clock.now(), **changes))

    await ports.store.write(work)


async def _change_conversation(ports: Ports, caller: Caller, source_id: SourceId, **changes: Any) -> None:
    def work(tx: Transaction) -> None:
        space, _ = writable(tx, caller)
        tx.conversations.set(space.id, replace(held_conversation(tx, space, source_id), **changes))

    await ports.store.write(work)
