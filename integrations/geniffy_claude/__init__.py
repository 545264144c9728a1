"""Claude's memory tool, kept in Geniffy: what Claude writes comes back exactly, and is learned from like any note.

    import anthropic
    from geniffy_claude import GeniffyMemoryTool

    memory = GeniffyMemoryTool(space="customer_1042")  # GENIFFY_API_KEY, GENIFFY_BASE_URL
    runner = anthropic.Anthropic().beta.messages.tool_runner(
        model="claude-sonnet-5-5",
        max_tokens=4096,
        tools=[memory],
        messages=[{"role": "user", "content": "Remember that I prefer email."}],
    )
    runner.until_done()

`AsyncGeniffyMemoryTool` is the same for `anthropic.AsyncAnthropic`.
"""

try:
    from geniffy_claude.tool import AsyncGeniffyMemoryTool, GeniffyMemoryTool
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] != "anthropic":
        raise
    raise ImportError("geniffy_claude needs anthropic: pip install 'geniffy-agents[claude]'.") from missing

__all__ = ["AsyncGeniffyMemoryTool", "GeniffyMemoryTool"]
