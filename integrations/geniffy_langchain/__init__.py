"""LangChain and LangGraph agents with a memory of each of their users.

    from geniffy_langchain import GeniffyMemory

    agent = create_agent(model, middleware=[GeniffyMemory(space="user-42")], checkpointer=InMemorySaver())

`GeniffyMemory` is middleware that recalls before each model call and saves each run; `geniffy_tools` are `recall` and
`remember` for an agent that decides for itself; `GeniffyRetriever` finds memories for a chain; `GeniffyStore` is a
LangGraph store, for LangMem too. Needs the extra: `pip install 'geniffy-agents[langchain]'`.
"""

try:
    from geniffy_langchain.messages import turn_of
    from geniffy_langchain.middleware import GeniffyMemory
    from geniffy_langchain.retriever import GeniffyRetriever
    from geniffy_langchain.store import GeniffyStore
    from geniffy_langchain.tools import geniffy_tools
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] not in ("langchain", "langchain_core", "langgraph"):
        raise
    raise ImportError("geniffy_langchain needs LangChain: pip install 'geniffy-agents[langchain]'.") from missing

__all__ = ["GeniffyMemory", "GeniffyRetriever", "GeniffyStore", "geniffy_tools", "turn_of"]
