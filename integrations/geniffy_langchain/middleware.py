"""`GeniffyMemory`: a memory of each user around any agent made by `create_agent`."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ModelCallResult
from langchain_core.messages import BaseMessage, SystemMessage
from langgraph.runtime import Runtime

from geniffy_agents.client import AsyncGeniffy, Geniffy
from geniffy_agents.clients import Client, Clients
from geniffy_agents.conversations import Conversations, Places, Talk
from geniffy_agents.errors import GeniffyError
from geniffy_agents.flows import Flow
from geniffy_agents.recollection import Recollections
from geniffy_agents.run_names import Named, run_name
from geniffy_agents.space_names import Space, checked_space, space_for
from geniffy_agents.turns import MEMORY_INSTRUCTIONS, memory_block
from geniffy_langchain.due import Due
from geniffy_langchain.ledger import KEY, Ledger, SavedState, Seen, earlier, opened, owed, unsaved
from geniffy_langchain.messages import last_words
from geniffy_langchain.version import INTEGRATION

log = logging.getLogger("geniffy_langchain")

OnError: TypeAlias = Callable[[Exception], None]

_PROJECTS_MOST: Final = 64


def warn(error: Exception) -> None:
    """What is done about an error when `on_error` is left out: a line in the log."""
    log.warning("Geniffy: %s", error)


class GeniffyMemory(AgentMiddleware[SavedState, Any, Any]):
    """Puts what is remembered of the user in the system prompt before each model call, and saves each run.

        agent = create_agent(
            "anthropic:claude-opus-5-5",
            middleware=[GeniffyMemory(space=lambda runtime: runtime.context.user_id)],
            context_schema=User,
            checkpointer=InMemorySaver(),
        )

    A conversation becomes one source, with its tool calls and their results. An error of the server never stops a
    run: `on_error` is called with it, the run goes on without memory, and what was not saved goes with the next save.

    `space`: the user, or a function of the runtime that names one for each run; an explicit None is the key owner's
    own memory. Left out it is a TypeError; a blank one, or None from the function, is refused (ValueError, TypeError)
    before any call. `session`: the conversation; left out, the run's LangGraph thread, and without one each run is a
    conversation of its own. `project`: keeps what is read to one project, and labels what is saved with it.
    `budget_chars`: the most that is put in the prompt, 500 to 40,000 characters. `remember`: False only reads.
    `instructions`: what the model is told about the memory that follows. `client` serves `invoke`, and `ainvoke` too,
    in a thread, unless there is an `async_client`; with neither, they are made from GENIFFY_API_KEY and
    GENIFFY_BASE_URL.
    """

    state_schema = SavedState

    def __init__(
        self,
        *,
        space: Space,
        session: Named = None,
        project: Named = None,
        budget_chars: int = 6000,
        remember: bool = True,
        instructions: str = MEMORY_INSTRUCTIONS,
        client: Geniffy | None = None,
        async_client: AsyncGeniffy | None = None,
        on_error: OnError | None = None,
    ) -> None:
        super().__init__()
        self._space = checked_space(space)
        self._session, self._project = session, project
        self._remember, self._instructions = remember, instructions
        self._on_error = on_error or warn
        self._clients = Clients(INTEGRATION, client, async_client)
        self._budget_chars = budget_chars
        self._recollections: OrderedDict[str | None, Recollections] = OrderedDict()
        self._lock = threading.Lock()
        self._conversations = Conversations(self._clients, self._forget)
        self._places = Places(self._forget)
        self._seen = Seen()

    # Before each model call: what is remembered goes in the prompt.

    def remembered(self, messages: Sequence[BaseMessage], runtime: Any) -> str | None:
        """What to put behind an app's own prompt, for a graph of one's own: `wrap_model_call` does it for an agent.

        None when the memory can't be read, or when the user said nothing to recall by.
        """
        read = self._reading(messages, runtime)
        try:
            return self._block(read, self._clients.run(read.space, read.flow))
        except GeniffyError as error:
            self._on_error(error)
            return None

    async def aremembered(self, messages: Sequence[BaseMessage], runtime: Any) -> str | None:
        """The same, awaited."""
        read = self._reading(messages, runtime)
        try:
            return self._block(read, await self._clients.arun(read.space, read.flow))
        except GeniffyError as error:
            self._on_error(error)
            return None

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelCallResult[Any]:
        """Put what is remembered in the prompt of one model call."""
        self._note(request.state)
        return handler(_informed(request, self.remembered(request.messages, request.runtime)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelCallResult[Any]:
        """The same, awaited."""
        self._note(request.state)
        return await handler(_informed(request, await self.aremembered(request.messages, request.runtime)))

    # Around a run: it is saved when it ends.

    def before_agent(self, state: SavedState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Open the thread's ledger. Raises TypeError or ValueError when the run has no user."""
        space_for(self._space, runtime)
        return {KEY: opened(state["messages"])} if self._remember and not _ledger(state) else None

    async def abefore_agent(self, state: SavedState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """The same; it waits for nothing."""
        return self.before_agent(state, runtime)

    def after_agent(self, state: SavedState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Save what the run added to its conversation. It may also be a node of a graph of one's own."""
        due = self._due(state, runtime)
        if due is None:
            return None
        try:
            if due.is_of_a_thread:
                return due.closed(self._clients.run(due.space, due.flow))
            self._conversations.save(due.space, due.talk)
        except GeniffyError as error:
            self._on_error(error)
        return due.closed(None)

    async def aafter_agent(self, state: SavedState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """The same, awaited."""
        due = self._due(state, runtime)
        if due is None:
            return None
        try:
            if due.is_of_a_thread:
                return due.closed(await self._clients.arun(due.space, due.flow))
            await self._conversations.asave(due.space, due.talk)
        except GeniffyError as error:
            self._on_error(error)
        return due.closed(None)

    def _reading(self, messages: Sequence[BaseMessage], runtime: Any) -> _Reading:
        project = run_name(self._project, runtime, "project=")
        with self._lock:
            recollections = self._recollections.pop(project, None)
            if recollections is None:
                recollections = Recollections(project=project, budget_chars=self._budget_chars)
            self._recollections[project] = recollections
            while len(self._recollections) > _PROJECTS_MOST:
                self._recollections.popitem(last=False)
        return _Reading(space_for(self._space, runtime), last_words(messages), recollections)

    def _forget(self, client: Client) -> None:
        """What was recalled in a space before something was saved there may be out of date."""
        with self._lock:
            for recollections in self._recollections.values():
                recollections.forget(client)

    def _block(self, read: _Reading, text: str) -> str | None:
        return memory_block(text, self._instructions) if text or read.cue else None

    def _note(self, state: Any) -> None:
        ledger = _ledger(state)
        if self._remember and ledger:
            self._seen.note(ledger["run"], unsaved(state["messages"], ledger))

    def _due(self, state: SavedState, runtime: Runtime[Any]) -> Due | None:
        if not self._remember:
            return None
        messages, ledger = state["messages"], _ledger(state) or opened(state["messages"])
        due = owed(messages, ledger, self._seen.take(ledger["run"]))
        if not due:
            return None
        space = space_for(self._space, runtime)
        thread = runtime.execution_info.thread_id if runtime.execution_info else None
        project = run_name(self._project, runtime, "project=")
        session = run_name(self._session, runtime, "session=") or thread
        before = earlier(messages, due) if session else []
        talk = Talk(
            session or ledger["run"],
            [*before, *due.values()],
            run=len(before),
            labels={"project": project} if project else None,
            places=self._places,
        )
        return Due(space, talk, messages, ledger, due, is_of_a_thread=thread is not None)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read before a model call."""

    space: str | None
    cue: str
    recollections: Recollections

    def flow(self, client: Client) -> Flow[str]:
        return self.recollections.flow(client, self.cue)


def _ledger(state: Any) -> Ledger | None:
    ledger: Ledger | None = state.get(KEY)
    return ledger


def _informed(request: ModelRequest[Any], block: str | None) -> ModelRequest[Any]:
    """The request with `block` behind the app's own prompt, which stays as it is so that caches of it hold."""
    if block is None:
        return request
    own = request.system_message
    if own is None:
        return request.override(system_message=SystemMessage(block))
    if isinstance(own.content, str):
        content: Any = f"{own.content}\n\n{block}"
    else:
        content = [*own.content, {"type": "text", "text": block}]
    return request.override(system_message=own.model_copy(update={"content": content}))
