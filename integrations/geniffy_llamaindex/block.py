"""`GeniffyMemoryBlock`: a memory of each user in LlamaIndex's `Memory`."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, TypeAlias

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemory, BaseMemoryBlock, Memory
from llama_index.core.memory.types import DEFAULT_CHAT_STORE_KEY, BaseChatStoreMemory
from llama_index.core.storage.chat_store.base_db import MessageStatus
from pydantic import BeforeValidator, Field, PrivateAttr

from geniffy_agents.clients import Client, Clients
from geniffy_agents.conversations import Conversations, Talk, is_answer, run_start
from geniffy_agents.errors import GeniffyError
from geniffy_agents.recollection import Recollections
from geniffy_agents.space_names import Space, checked_space, space_for
from geniffy_agents.turns import MEMORY_INSTRUCTIONS, NOTHING_REMEMBERED, Turn, defused, new_session_id
from geniffy_llamaindex.messages import last_words, turns_of
from geniffy_llamaindex.seen import Seen
from geniffy_llamaindex.tokens import Tokenizer, Tokens
from geniffy_llamaindex.version import INTEGRATION

log = logging.getLogger("geniffy_llamaindex")

OnError: TypeAlias = Callable[[Exception], None]


def warn(error: Exception) -> None:
    """What is done about an error when `on_error` is left out: a line in the log."""
    log.warning("Geniffy: %s", error)


class GeniffyMemoryBlock(BaseMemoryBlock[str]):
    """What is remembered of the user, for `Memory` to put before the model, and every message of a conversation saved.

        block = GeniffyMemoryBlock(space="user-42")
        memory = Memory.from_defaults(session_id="chat-1", memory_blocks=[block])
        await agent.run(user_msg="My sister Ana lives in Porto.", memory=memory)

    A conversation (Memory's `session_id`) becomes one source, with its tool calls and their results. LlamaIndex's
    agents read Memory once more when a run has ended, and then the run is saved; where nothing does, as in a chat
    engine, it is saved when the next one begins, or by `save(memory)`. What Memory moves out of its short-term history
    before it was seen is saved as it goes. Nothing is sent twice, also after a restart, and whichever way it came.

    An error of the server never stops a run: `on_error` is called with it, the run goes on without memory, and what
    was not saved goes with the next save.

    `space`: the user, or a function of the conversation's id that names one; an explicit None is the key owner's own
    memory. Left out it is a TypeError; a blank one, or None from the function, is refused (ValueError, TypeError).
    `client`: a Geniffy, which is called in a thread, or an AsyncGeniffy of the loop that the agent runs in; left out,
    one is made from GENIFFY_API_KEY and GENIFFY_BASE_URL. `project`: keeps what is read to one project, and labels what
    is saved with it. `budget_chars`: the most that is read, 500 to 40,000 characters; `token_limit`: the most tokens
    that it may add, in whole lines, best first. `priority`: 1, so that Memory cuts it when it is over its own limit; 0
    never. `tokenizer_fn`: the one that Memory was given, if it was given one. `accept_short_term_memory`: False saves
    nothing but by `save()`. `instructions`: what the model is told about the memory that follows.
    """

    name: str = "geniffy"
    description: str | None = "What is remembered about the user, each line with its date."
    priority: int = 1
    space: Annotated[Any, BeforeValidator(checked_space)] = Field(exclude=True)
    client: Any = Field(default=None, exclude=True, repr=False)
    project: str | None = None
    budget_chars: int = Field(default=6000, ge=500, le=40_000)
    token_limit: int | None = Field(default=None, ge=1)
    tokenizer_fn: Tokenizer | None = Field(default=None, exclude=True, repr=False)
    instructions: str = MEMORY_INSTRUCTIONS
    on_error: OnError | None = Field(default=None, exclude=True, repr=False)

    _clients: Clients = PrivateAttr()
    _recollections: Recollections = PrivateAttr()
    _conversations: Conversations = PrivateAttr()
    _seen: Seen = PrivateAttr(default_factory=Seen)

    def __init__(self, *, space: Space, **fields: Any) -> None:
        super().__init__(**{"space": space, **fields})  # so that a space that is left out is a TypeError, as everywhere

    def model_post_init(self, context: Any, /) -> None:
        """Keep the clients for every call. Raises TypeError for what is no client."""
        super().model_post_init(context)
        self._clients = Clients.of(INTEGRATION, self.client)
        self._recollections = Recollections(project=self.project, budget_chars=self.budget_chars)
        self._conversations = Conversations(self._clients, self._recollections.forget)

    async def save(self, memory: BaseMemory | Sequence[ChatMessage], *, session: str | None = None) -> None:
        """Save what is new of a conversation: all of a memory's messages, or the messages that an app keeps itself.

        The conversation is Memory's `session_id`, or `session`; without one, the last run becomes a conversation of its
        own.
        """
        messages = await memory.aget_all() if isinstance(memory, BaseMemory) else memory
        held = await memory.aget_all(MessageStatus.ACTIVE) if isinstance(memory, Memory) else messages
        session = session or _session_of(memory)
        space, talk = space_for(self.space, session), self._talk(messages, session)
        await self._told(self._conversations.asave(space, talk))
        self._note(space, session, turns_of(held))

    def save_sync(self, memory: BaseMemory | Sequence[ChatMessage], *, session: str | None = None) -> None:
        """The same, blocking. Raises TypeError when the block was given an AsyncGeniffy."""
        messages = memory.get_all() if isinstance(memory, BaseMemory) else memory
        held = memory.get_all(MessageStatus.ACTIVE) if isinstance(memory, Memory) else messages
        session = session or _session_of(memory)
        space, talk = space_for(self.space, session), self._talk(messages, session)
        try:
            self._conversations.save(space, talk)
        except GeniffyError as error:
            self._report(error)
        self._note(space, session, turns_of(held))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """What is left of the block when that many tokens have to go: the instructions and the best lines.

        None when no line fits.
        """
        if not content:
            return None
        tokens = Tokens.of(self.tokenizer_fn)
        return self._within(content, tokens, tokens.less(content, tokens_to_truncate)) or None

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        session = block_kwargs.get("session_id")
        space, seen = space_for(self.space, session), list(messages or ())
        text = await self._recalled(space, last_words(seen))
        if session and self.accept_short_term_memory:
            turns = turns_of(seen)
            over = turns if turns and is_answer(turns[-1]) else turns[: run_start(turns)]
            noted = self._seen.noted((space, session), over)
            whole = over if noted is not None else [*self._seen.kept_back((space, session)), *over]
            talk = Talk(session, whole, run_start(whole), self._labels(), fresh=noted)
            await self._told(self._conversations.asave(space, talk))
            if noted != len(over):  # else `save()` may have noted the run at hand too
                self._note(space, session, over)
        return text

    async def _aput(self, messages: list[ChatMessage]) -> None:
        session = next((message.additional_kwargs.get("session_id") for message in messages), None)
        space, turns = space_for(self.space, session), turns_of(messages)
        if not session:
            await self._told(self._conversations.asave(space, Talk(new_session_id(), turns, labels=self._labels())))
            return
        key = (space, session)
        unseen = self._seen.unseen(key, turns)
        if unseen is not None:
            talk = Talk(session, unseen, labels=self._labels(), is_new=True, fresh=0)
            await self._told(self._conversations.asave(space, talk))
            return
        # What an earlier process saved is moved out too. Unless the conversation begins here, what Memory still holds
        # tells how far it was saved: these wait for it.
        back = [*self._seen.kept_back(key), *turns]
        talk = Talk(session, back, labels=self._labels(), only_first=True)
        await self._told(self._conversations.asave(space, talk))
        if self._conversations.is_just(space, talk):
            self._note(space, session, ())
        else:
            self._seen.keep_back(key, back)

    async def _recalled(self, space: str | None, cue: str) -> str:
        def read(client: Client) -> Any:
            return self._recollections.flow(client, cue)

        try:
            found = await self._clients.arun(space, read)
        except GeniffyError as error:
            self._report(error)
            return ""
        if not found and not cue:
            return ""
        content = self._head + (defused(found, self.name) or NOTHING_REMEMBERED)
        if self.token_limit is None:
            return content
        tokens = Tokens.of(self.tokenizer_fn)
        return self._within(content, tokens, tokens.within(self.token_limit))

    def _within(self, content: str, tokens: Tokens, most: int) -> str:
        head = self._head if content.startswith(self._head) else ""
        return tokens.first_lines(head, content.removeprefix(head), most)

    @property
    def _head(self) -> str:
        return f"{self.instructions}\n\n" if self.instructions else ""

    def _talk(self, messages: Sequence[ChatMessage], session: str | None) -> Talk:
        turns = turns_of(messages)
        start = run_start(turns)
        if session:
            return Talk(session, turns, start, self._labels())
        return Talk(new_session_id(), turns[start:], labels=self._labels())

    def _note(self, space: str | None, session: str | None, turns: Sequence[Turn]) -> None:
        if session:
            self._seen.note((space, session), turns)
            self._seen.keep_back((space, session), ())

    def _labels(self) -> dict[str, str] | None:
        return {"project": self.project} if self.project else None

    async def _told(self, save: Awaitable[None]) -> None:
        try:
            await save
        except GeniffyError as error:
            self._report(error)

    def _report(self, error: GeniffyError) -> None:
        (self.on_error or warn)(error)


def _session_of(memory: Any) -> str | None:
    """The conversation that a memory is of; a buffer whose key is the one that all have is of none."""
    if isinstance(memory, BaseChatStoreMemory):
        return memory.chat_store_key if memory.chat_store_key != DEFAULT_CHAT_STORE_KEY else None
    return memory.session_id if isinstance(memory, Memory) else None
