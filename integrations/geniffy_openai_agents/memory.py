"""`GeniffyMemory`: a memory of each user for any agent of the OpenAI Agents SDK."""

from __future__ import annotations

import inspect
import logging
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeAlias, TypeVar

from agents import RunConfig
from agents.memory import Session
from agents.result import RunResultBase
from agents.run_config import CallModelData, ModelInputData

from geniffy_agents.clients import Client, Clients
from geniffy_agents.conversations import Conversations, Talk, is_answer, run_start
from geniffy_agents.errors import GeniffyError
from geniffy_agents.recollection import Recollections
from geniffy_agents.run_names import Named, run_name
from geniffy_agents.space_names import Space
from geniffy_agents.turns import MEMORY_INSTRUCTIONS, Turn, memory_block, new_session_id
from geniffy_openai_agents.items import last_words, turns_of
from geniffy_openai_agents.spaces import checked, space_of
from geniffy_openai_agents.version import INTEGRATION

log = logging.getLogger("geniffy_openai_agents")

K = TypeVar("K")
V = TypeVar("V")
OnError: TypeAlias = Callable[[Exception], None]

_PROJECTS_MOST: Final = 64
_CUES_MOST: Final = 256
_CONVERSATIONS_MOST: Final = 256


def warn(error: Exception) -> None:
    """What is done about an error when `on_error` is left out: a line in the log."""
    log.warning("Geniffy: %s", error)


class GeniffyMemory:
    """Puts what is remembered of the user in an agent's instructions before each model call, and saves each run.

        memory = GeniffyMemory(space=lambda user: user.id)
        result = await Runner.run(agent, message, context=user, session=session, run_config=memory.run_config())
        await memory.save(user, result, session=session)

    A conversation becomes one source, with its tool calls and their results. An error of the server never stops a run:
    `on_error` is called with it, the run goes on without memory, and what was not saved goes with the next save, also
    after a restart, where the SDK's session still holds it.

    `space`: the user, or a function of the context that a run is given (`Runner.run(context=)`) that names one for each
    run; an explicit None is the key owner's own memory. Left out it is a TypeError; a blank one, or None from the
    function, is refused (SpaceRefusedError, a UserError) before any call. `session` and `project`: the conversation,
    and the project that what is read keeps to and what is saved is labelled with; a name or a function of the context.
    `budget_chars`: the most that is put in the instructions, 500 to 40,000 characters. `instructions`: what the model
    is told about the memory that follows. `client`: a Geniffy, which is called in a thread, or an AsyncGeniffy of the
    loop that runs are made in; left out, one is made from GENIFFY_API_KEY and GENIFFY_BASE_URL.
    """

    def __init__(
        self,
        *,
        space: Space,
        session: Named = None,
        project: Named = None,
        budget_chars: int = 6000,
        instructions: str = MEMORY_INSTRUCTIONS,
        client: Client | None = None,
        on_error: OnError | None = None,
    ) -> None:
        self._space = checked(space)
        self._session, self._project = session, project
        self._instructions = instructions
        self._on_error = on_error or warn
        self._clients = Clients.of(INTEGRATION, client)
        self._conversations = Conversations(self._clients, self._forget)
        self._cues = _Latest[str | None, str](_CUES_MOST)
        self._recollections = _Latest[str | None, Recollections](_PROJECTS_MOST)
        self._budget_chars = budget_chars
        self._last = _Latest[tuple[str | None, str], _Handed](_CONVERSATIONS_MOST)

    def run_config(self, config: RunConfig | None = None) -> RunConfig:
        """What makes a run remember, for `Runner.run(run_config=)`: your own config with the memory added.

        An input filter that it has already runs behind this one.
        """
        config = config or RunConfig()
        own = config.call_model_input_filter
        if own is None:
            return replace(config, call_model_input_filter=self.filter)

        async def both(data: CallModelData[Any]) -> ModelInputData:
            filtered = own(replace(data, model_data=await self.filter(data)))
            return await filtered if inspect.isawaitable(filtered) else filtered

        return replace(config, call_model_input_filter=both)

    async def filter(self, data: CallModelData[Any]) -> ModelInputData:
        """What is sent to the model, with what is remembered behind the agent's own instructions.

        It is a `call_model_input_filter`, for a config of your own. Raises SpaceRefusedError.
        """
        sent = data.model_data
        space = space_of(self._space, data.context)
        # Where OpenAI keeps the conversation, a run's later calls send what its tools gave back, and no user's words.
        said = last_words(sent.input)
        cue = self._cues.put(space, said) if said else self._cues.get(space, lambda: "")
        recollections = self._recollected(data.context)
        try:
            found = await self._clients.arun(space, lambda client: recollections.flow(client, cue))
        except GeniffyError as error:
            self._on_error(error)
            return sent
        if not found and not cue:
            return sent
        block = memory_block(found, self._instructions)
        own = f"{sent.instructions}\n\n" if sent.instructions else ""
        return ModelInputData(input=sent.input, instructions=own + block)

    async def save(self, context: Any, result: RunResultBase, *, session: str | Session | None = None) -> None:
        """Save what a run that has ended added to its conversation; saving it again sends nothing.

        `context` is what the run was given. `session`: the conversation, as the SDK's session or its id; left out, the
        one that this memory was made with, and without one the run becomes a conversation of its own. A streamed run
        has ended when all its events were read. Raises SpaceRefusedError.
        """
        space, talk = self._due(context, result, session)
        try:
            await self._conversations.asave(space, talk)
        except GeniffyError as error:
            self._on_error(error)

    def save_sync(self, context: Any, result: RunResultBase, *, session: str | Session | None = None) -> None:
        """The same, blocking, for `Runner.run_sync`. Raises TypeError when the memory was given an AsyncGeniffy."""
        space, talk = self._due(context, result, session)
        try:
            self._conversations.save(space, talk)
        except GeniffyError as error:
            self._on_error(error)

    def _due(self, context: Any, result: RunResultBase, session: str | Session | None) -> tuple[str | None, Talk]:
        space = space_of(self._space, context)
        name = session if isinstance(session, str | None) else session.session_id
        name = (name or "").strip() or run_name(self._session, context, "session=")
        project = run_name(self._project, context, "project=")
        labels = {"project": project} if project else None
        turns = turns_of(result.to_input_list())
        start = run_start(turns)
        if name:
            fresh = self._handed_over((space, name), result, turns)
            return space, Talk(name, turns, start, labels, fresh=None if start else fresh)
        return space, Talk(new_session_id(), turns[start:], labels=labels)

    def _handed_over(
        self, conversation: tuple[str | None, str], result: RunResultBase, turns: Sequence[Turn]
    ) -> int | None:
        """How many turns of a run that brings nothing of what was before it were handed over; None if that is unknown.

        So are runs where OpenAI keeps the conversation, and one may be word for word the last one. After an approval a
        run goes on in a result of its own, which brings what was handed over already.
        """
        last = self._last.get(conversation, lambda: _Handed(lambda: None, 0, is_answered=False))
        is_answered = bool(turns) and is_answer(turns[-1])
        self._last.put(conversation, _Handed(weakref.ref(result), len(turns), is_answered=is_answered))
        if last.result() is result:
            return last.turns
        return 0 if last.is_answered else None

    def _recollected(self, context: Any) -> Recollections:
        project = run_name(self._project, context, "project=")
        return self._recollections.get(project, lambda: Recollections(project=project, budget_chars=self._budget_chars))

    def _forget(self, client: Client) -> None:
        for recollections in self._recollections.values():
            recollections.forget(client)


@dataclass(frozen=True, slots=True)
class _Handed:
    """The result that was handed over last, how many turns it had then, and whether its run had ended."""

    result: Callable[[], RunResultBase | None]
    turns: int
    is_answered: bool


class _Latest(Generic[K, V]):
    """The latest `most` of something; may be shared between threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._held: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """What is held for `key`, made when there is none."""
        with self._lock:
            held = self._held.get(key)
        return held if held is not None else self.put(key, make())

    def put(self, key: K, value: V) -> V:
        """Hold `value`."""
        with self._lock:
            self._held[key] = value
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)
        return value

    def values(self) -> list[V]:
        """All that is held."""
        with self._lock:
            return list(self._held.values())
