"""`geniffy_tools`: recall and remember, for an agent that decides for itself when to look something up or keep it."""

from __future__ import annotations

from typing import Annotated, Any

from llama_index.core.tools import FunctionTool
from pydantic import Field, create_model

from geniffy_agents.agent_tools import RECALL, REMEMBER, AgentTool
from geniffy_agents.clients import Client, Clients
from geniffy_agents.errors import GeniffyError
from geniffy_agents.space_names import Space, checked_space, space_for
from geniffy_llamaindex.block import OnError, warn
from geniffy_llamaindex.version import INTEGRATION


def geniffy_tools(*, space: Space, client: Client | None = None, on_error: OnError | None = None) -> list[FunctionTool]:
    """The tools `recall` and `remember`, for any LlamaIndex agent.

        agent = FunctionAgent(llm=llm, tools=geniffy_tools(space="user-42"))

    The model passes a question or a text and nothing else: whose memory it is comes from `space` alone, with the rules
    of `GeniffyMemoryBlock`; a function is called for every call, with None. An error of the server never stops a run:
    the model is told in a sentence and `on_error` is called. Make them for each user, or give a function that knows
    whom it is called for.
    """
    checked_space(space)
    clients = Clients.of(INTEGRATION, client)
    report = on_error or warn

    def made(tool: AgentTool) -> FunctionTool:
        def failed(error: GeniffyError) -> str:
            report(error)
            return tool.told(error)

        def call(**arguments: Any) -> str:
            whose, passed = space_for(space, None), tool.passed(arguments)
            if passed is None:
                return tool.misused
            try:
                return clients.run(whose, lambda each: tool.write(each, passed))
            except GeniffyError as error:
                return failed(error)

        async def acall(**arguments: Any) -> str:
            whose, passed = space_for(space, None), tool.passed(arguments)
            if passed is None:
                return tool.misused
            try:
                return await clients.arun(whose, lambda each: tool.write(each, passed))
            except GeniffyError as error:
                return failed(error)

        takes = {tool.argument: (Annotated[str, Field(description=tool.argument_is)], ...)}
        schema = create_model(tool.name, **takes)  # type: ignore[call-overload]  # a field's name that is a variable
        return FunctionTool.from_defaults(
            call, name=tool.name, description=tool.description, fn_schema=schema, async_fn=acall
        )

    return [made(RECALL), made(REMEMBER)]
