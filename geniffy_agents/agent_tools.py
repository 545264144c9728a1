"""The two tools that an agent decides about itself, `recall` and `remember`: an integration wraps them for its host.

The model passes a question or a text and nothing else; whose memory it is, is never the model's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from geniffy_agents.clients import Client
from geniffy_agents.errors import BadRequestError, GeniffyError
from geniffy_agents.flows import Flow, MemoriesCalls, RecallCalls
from geniffy_agents.turns import keepable

Write: TypeAlias = Callable[[Client, str], Flow[str]]

_AWAY: Final = "The memory can't be reached just now, so {}. Go on without it and say so if it matters."


@dataclass(frozen=True, slots=True)
class AgentTool:
    """A tool as a model sees it, and what it does with the one text that the model passes it.

    `argument` names that text and `argument_is` says what it is; `away` is what a model is told when the server can't
    be reached.
    """

    name: str
    description: str
    argument: str
    argument_is: str
    away: str
    write: Write

    def passed(self, arguments: Any) -> str | None:
        """The one text among a model's arguments; None when it passed anything else, and is told `misused`."""
        text = arguments.get(self.argument) if isinstance(arguments, Mapping) else None
        return text if isinstance(text, str) else None

    @property
    def misused(self) -> str:
        """What a model is told that passed no text."""
        return f"{self.name} takes one argument, {self.argument!r}, which is a text: call it again with that."

    def told(self, error: GeniffyError) -> str:
        """What a model is told of an error: the server's own sentence where the model can do better, else `away`."""
        return error.message if isinstance(error, BadRequestError) else self.away


def _recalled(client: Client, query: str) -> Flow[str]:
    return (yield from RecallCalls.context.flow(client, keepable(query)))


def _remembered(client: Client, text: str) -> Flow[str]:
    yield from MemoriesCalls.add.flow(client.memories, keepable(text))
    return "Saved."


RECALL: Final = AgentTool(
    name="recall",
    description=(
        "Look up what is remembered about the user: preferences, people, plans and what they said before. Each line "
        "has its source and date; when nothing is known, it says so."
    ),
    argument="query",
    argument_is="What to look up, as a question or a few words.",
    away=_AWAY.format("nothing was looked up"),
    write=_recalled,
)
REMEMBER: Final = AgentTool(
    name="remember",
    description="Remember something the user asks you to, in whole sentences. Never passwords, keys or other secrets.",
    argument="text",
    argument_is="What to remember, in whole sentences that name who and what they are about.",
    away=_AWAY.format("this was not saved"),
    write=_remembered,
)
