"""Agents of the OpenAI Agents SDK with a memory of each of their users.

    from geniffy_openai_agents import GeniffyMemory

    memory = GeniffyMemory(space=lambda user: user.id)
    result = await Runner.run(agent, message, context=user, session=session, run_config=memory.run_config())
    await memory.save(user, result, session=session)

`GeniffyMemory` puts what is remembered into an agent's instructions and saves each run; `geniffy_tools` are `recall`
and `remember` for an agent that decides for itself. Needs the extra: `pip install 'geniffy-agents[openai-agents]'`.
"""

try:
    from geniffy_openai_agents.items import turns_of
    from geniffy_openai_agents.memory import GeniffyMemory
    from geniffy_openai_agents.spaces import SpaceRefusedError
    from geniffy_openai_agents.tools import geniffy_tools
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] not in ("agents", "openai", "pydantic"):
        raise
    raise ImportError(
        "geniffy_openai_agents needs the OpenAI Agents SDK: pip install 'geniffy-agents[openai-agents]'."
    ) from missing

__all__ = ["GeniffyMemory", "SpaceRefusedError", "geniffy_tools", "turns_of"]
