"""`geniffy_tools`: recall and remember, for an agent that decides for itself when to look something up or keep it."""

from __future__ import annotations

from typing import Annotated, Any, Final

from langchain.tools import ToolRuntime
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import Field, create_model

from geniffy_agents.agent_tools import RECALL, REMEMBER, AgentTool
from geniffy_agents.client import AsyncGeniffy, Geniffy
from geniffy_agents.clients import Clients
from geniffy_agents.errors import GeniffyError
from geniffy_agents.space_names import Space, checked_space, space_for
from geniffy_langchain.middleware import OnError, warn
from geniffy_langchain.version import INTEGRATION

_NO_RUNTIME: Final[Any] = None  # in the place of a `ToolRuntime`, which only an agent has to inject


class SpaceRefusedError(ToolException, ValueError):
    """A tool was called for nobody: the space is blank or missing. No call was made; it stops the run."""


def geniffy_tools(
    *,
    space: Space,
    client: Geniffy | None = None,
    async_client: AsyncGeniffy | None = None,
    on_error: OnError | None = None,
) -> list[BaseTool]:
    """The tools `recall` and `remember`, for any LangChain agent.

        agent = create_agent(model, tools=geniffy_tools(space=lambda runtime: runtime.context.user_id),
                             context_schema=User)

    The model passes a question or a text and nothing else: whose memory it is comes from `space` alone, a name or a
    function of the tool's runtime, with the rules of `GeniffyMemory`. An error of the server never stops a run: the
    model is told in a sentence and `on_error` is called. A missing user id in the runtime raises SpaceRefusedError.
    """
    checked_space(space)
    clients = Clients(INTEGRATION, client, async_client)
    report = on_error or warn

    def whose(runtime: Any) -> str | None:
        # Where no agent injects the runtime, what stands in its place was written by the model.
        known = runtime if isinstance(runtime, ToolRuntime) else None
        if callable(space) and known is None:
            raise SpaceRefusedError(
                "space= is a function of the agent's runtime, and this tool was called outside of an agent: give the "
                "tools a name, or call them in a ToolNode."
            )
        try:
            return space_for(space, known)
        except (TypeError, ValueError) as refused:
            raise SpaceRefusedError(str(refused)) from refused

    def failed(error: GeniffyError, tool: AgentTool, runtime: Any) -> Any:
        report(error)
        call_id = runtime.tool_call_id if isinstance(runtime, ToolRuntime) else None
        return ToolMessage(tool.told(error), tool_call_id=call_id, status="error") if call_id else tool.told(error)

    def made(tool: AgentTool) -> BaseTool:
        def call(runtime: ToolRuntime[Any, Any] = _NO_RUNTIME, **passed: str) -> Any:
            mem = whose(runtime)
            try:
                return clients.run(mem, lambda each: tool.write(each, passed[tool.argument]))
            except GeniffyError as error:
                return failed(error, tool, runtime)

        async def acall(runtime: ToolRuntime[Any, Any] = _NO_RUNTIME, **passed: str) -> Any:
            mem = whose(runtime)
            try:
                return await clients.arun(mem, lambda each: tool.write(each, passed[tool.argument]))
            except GeniffyError as error:
                return failed(error, tool, runtime)

        passed = {tool.argument: (Annotated[str, Field(description=tool.argument_is)], ...)}
        schema = create_model(tool.name, **passed)  # type: ignore[call-overload]  # a field's name that is a variable
        return StructuredTool.from_function(
            call, acall, name=tool.name, description=tool.description, args_schema=schema
        )

    return [made(RECALL), made(REMEMBER)]
