"""`geniffy_tools`: recall and remember, for an agent that decides for itself when to look something up or keep it."""

from __future__ import annotations

import json
from typing import Any

from agents import FunctionTool, Tool
from agents.tool_context import ToolContext

from geniffy_agents.agent_tools import RECALL, REMEMBER, AgentTool
from geniffy_agents.clients import Client, Clients
from geniffy_agents.errors import GeniffyError
from geniffy_agents.space_names import Space
from geniffy_openai_agents.memory import OnError, warn
from geniffy_openai_agents.spaces import checked, space_of
from geniffy_openai_agents.version import INTEGRATION


def geniffy_tools(*, space: Space, client: Client | None = None, on_error: OnError | None = None) -> list[Tool]:
    """The tools `recall` and `remember`, for any agent of the SDK.

        agent = Agent[User](name="Assistant", tools=geniffy_tools(space=lambda user: user.id))

    The model passes a question or a text and nothing else: whose memory it is comes from `space` alone, a name or a
    function of the run's context, with the rules of `GeniffyMemory`. An error of the server never stops a run: the
    model is told in a sentence and `on_error` is called. A missing user raises SpaceRefusedError, which ends the run.
    """
    checked(space)
    clients = Clients.of(INTEGRATION, client)
    report = on_error or warn

    def made(tool: AgentTool) -> FunctionTool:
        async def invoke(context: ToolContext[Any], arguments: str) -> str:
            whose = space_of(space, context.context)
            passed = tool.passed(_object(arguments))
            if passed is None:
                return tool.misused
            try:
                return await clients.arun(whose, lambda each: tool.write(each, passed))
            except GeniffyError as error:
                report(error)
                return tool.told(error)

        return FunctionTool(
            name=tool.name,
            description=tool.description,
            params_json_schema={
                "type": "object",
                "properties": {tool.argument: {"type": "string", "description": tool.argument_is}},
                "required": [tool.argument],
                "additionalProperties": False,
            },
            on_invoke_tool=invoke,
        )

    return [made(RECALL), made(REMEMBER)]


def _object(arguments: str) -> Any:
    """What a model's arguments say; None when they are no JSON."""
    try:
        return json.loads(arguments)
    except ValueError:
        return None
