"""What people decide of memories and conversations beside what was said: category, reviewed, locked."""

from __future__ import annotations

from dataclasses import replace

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


async def curate_memory(
    ports: Ports,
    caller: Caller,
    memory_id: MemoryId,
    *,
    category: MemoryCategory | None = None,
    reviewed: bool | None = None,
    locked: bool | None = None,
) -> None:
    """Give a memory its category, which is not detected again, say that it was reviewed, lock it for the Omi tools.

    What is None, or as it is already, stays. Raises NotFound.
    """

    def work(tx: Transaction) -> None:
        space, _ = writable(tx, caller)
        _, held = usable_memory(tx, space, memory_id)
        is_chosen = category is not None and category != held.category
        curation = replace(
            held,
            category=category if is_chosen else held.category,
            category_given=held.category_given or is_chosen,
            reviewed=held.reviewed if reviewed is None else reviewed,
            locked=held.locked if locked is None else locked,
        )
        if curation != held:
            tx.curations.set(space.id, memory_id, replace(curation, updated_at=ports.clock.now()))

    await ports.store.write(work)


async def curate_conversation(
    ports: Ports,
    caller: Caller,
    source_id: SourceId,
    *,
    category: ConversationCategory | None = None,
    locked: bool | None = None,
) -> None:
    """Give a conversation its category, which is not detected again, and lock it for the Omi tools.

    What is None, or as it is already, stays. Raises NotFound.
    """

    def work(tx: Transaction) -> None:
        space, _ = writable(tx, caller)
        held = held_conversation(tx, space, source_id)
        is_chosen = category is not None and category != held.category
        conversation = replace(
            held,
            category=category if is_chosen else held.category,
            category_given=held.category_given or is_chosen,
            locked=held.locked if locked is None else locked,
        )
        tx.conversations.set(space.id, conversation)

    await ports.store.write(work)


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
