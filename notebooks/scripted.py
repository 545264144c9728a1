"""Models that say what a script says, for readers without a key: everything around them is real."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import anthropic
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.llms.function_calling import FunctionCallingLLM

Say: TypeAlias = Callable[[str, str], str]
"""What a model says to its instructions, which a memory may be part of, and the last words in the conversation."""
SayOrCall: TypeAlias = Callable[[str, str], str | tuple[str, Mapping[str, Any]]]
"""The same, or the name of a tool and what to call it with."""


def scripted_claude(replies: Iterable[str | Mapping[str, Any]]) -> anthropic.Anthropic:
    """Anthropic's own client, with a script in the place of the network.

    Each request is answered with the next of `replies`: words, or a command that Claude gives its memory tool.
    """
    import anthropic
    import httpx2

    script = iter(enumerate(replies))

    def answer(request: httpx2.Request) -> httpx2.Response:
        number, said = next(script)
        block = (
            {"type": "text", "text": said}
            if isinstance(said, str)
            else {"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": dict(said)}
        )
        message = {
            "id": "msg_scripted",
            "type": "message",
            "role": "assistant",
            "model": json.loads(request.content)["model"],
            "content": [block],
            "stop_reason": "end_turn" if isinstance(said, str) else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        return httpx2.Response(200, json=message)

    http = anthropic.DefaultHttpxClient(transport=httpx2.MockTransport(answer))
    return anthropic.Anthropic(api_key="none", http_client=http)


def scripted_chat_model(say: Say) -> BaseChatModel:
    """A chat model for LangChain that says what `say` does."""
    from langchain_core.language_models import SimpleChatModel

    class Scripted(SimpleChatModel):
        def _call(self, messages: list[BaseMessage], *_: Any, **__: Any) -> str:
            instructions = next((each.text for each in messages if each.type == "system"), "")
            return say(instructions, messages[-1].text)

        @property
        def _llm_type(self) -> str:
            return "scripted"

    return Scripted()


def scripted_llm(say: SayOrCall) -> FunctionCallingLLM:
    """A model for LlamaIndex that says what `say` does, or calls the tool that it names."""
    from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
    from llama_index.core.llms.mock import MockFunctionCallingLLM

    def reply(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
        instructions = next((each.content or "" for each in messages if each.role == "system"), "")
        said = say(instructions, messages[-1].content or "")
        if isinstance(said, str):
            return ChatMessage(role="assistant", blocks=[TextBlock(text=said)])
        name, passed = said
        call = ToolCallBlock(tool_name=name, tool_kwargs=dict(passed), tool_call_id=f"call-{len(messages)}")
        return ChatMessage(role="assistant", blocks=[call])

    return MockFunctionCallingLLM(response_generator=reply, is_chat_model=True)
