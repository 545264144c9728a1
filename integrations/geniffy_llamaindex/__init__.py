"""LlamaIndex agents with a memory of each of their users.

    from geniffy_llamaindex import GeniffyMemoryBlock

    memory = Memory.from_defaults(session_id="chat-1", memory_blocks=[GeniffyMemoryBlock(space="user-42")])
    await agent.run(user_msg="Where does my sister live?", memory=memory)

`GeniffyMemoryBlock` recalls before each model call and saves each run; `geniffy_tools` are `recall` and `remember` for
an agent that decides for itself. Needs the extra: `pip install 'geniffy-agents[llamaindex]'`.
"""

try:
    from geniffy_llamaindex.block import GeniffyMemoryBlock
    from geniffy_llamaindex.messages import turn_of
    from geniffy_llamaindex.tools import geniffy_tools
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] != "llama_index":
        raise
    raise ImportError("geniffy_llamaindex needs LlamaIndex: pip install 'geniffy-agents[llamaindex]'.") from missing

__all__ = ["GeniffyMemoryBlock", "geniffy_tools", "turn_of"]
