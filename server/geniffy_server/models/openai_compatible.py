"""A language model behind any endpoint that speaks OpenAI's chat completions: hosted, Ollama, vLLM, llama.cpp."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

import httpx
import regex

from geniffy_server.errors import BadInput
from geniffy_server.models.openai_client import NO_KEY, async_http_client, kind_of, own_headers
from geniffy_server.ports import Away, Completion, Task

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion

log = logging.getLogger(__name__)

_RETRIES: Final = 2  # of a call that was refused for a moment (408, 409, 429, 5xx) or whose connection broke
_REST_S: Final = 30.0  # after a failure nobody waits for the endpoint again so soon
_MAX_ANSWER_CHARS: Final = 400_000
_THOUGHTS: Final = regex.compile(r"(?s)\A\s*<think>.*?</think>")
_NEEDS_EXTRA: Final = "A language model needs the `llm` extra: pip install 'geniffy-agents[llm]'."


@dataclass(frozen=True, slots=True)
class _Dialect:
    """What an endpoint takes: the newest form is tried first, and what it refuses is not sent again."""

    form: Literal["json_schema", "json_object", "none"] = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True

    def without(self, refused: str) -> _Dialect | None:
        """The dialect to try after a refusal in these words; None when there is nothing left to leave out."""
        if "max_completion_tokens" in refused and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        if "temperature" in refused and self.temperature:
            return replace(self, temperature=False)
        if self.form == "json_schema":
            return replace(self, form="json_object")
        if self.form == "json_object":
            return replace(self, form="none")
        return None


class OpenAICompatible:
    """A model named `model` at `base_url` (with its `/v1`), through the `openai` client; a call ends in `timeout_s`.

    Answers come as structured output where the endpoint can, else as JSON in plain text. After a failure it rests for
    half a minute, so that nobody waits for an endpoint that is away. Raises BadInput without the `llm` extra.
    """

    def __init__(self, base_url: str, model: str, api_key: str | None = None, *, timeout_s: float = 30.0) -> None:
        self._client = _client(base_url, api_key, timeout_s)
        self._model = model
        self._timeout_s = timeout_s
        self._dialect = _Dialect()
        self._rests_until = 0.0
        self._is_away = False

    async def complete(self, task: Task) -> Completion | Away:
        """What the model makes of a task. Never raises for what the endpoint does."""
        if time.monotonic() < self._rests_until:
            return Away("it failed a moment ago", was_asked=False)
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await self._ask(task)
        except TimeoutError:
            answer = Away(f"it did not answer within {self._timeout_s:g} s")
        if isinstance(answer, Away):
            # One that answers, only not as it should, is asked again; one that does not is left alone for a while.
            self._rests_until = time.monotonic() + _REST_S
            return self._noted(answer)
        return self._noted(_read(answer))

    async def close(self) -> None:
        await self._client.close()

    async def _ask(self, task: Task) -> ChatCompletion | Away:
        """The endpoint's answer to a request in the form that it takes."""
        from openai import BadRequestError, OpenAIError, UnprocessableEntityError

        dialect: _Dialect | None = self._dialect
        while dialect is not None:
            try:
                answer: ChatCompletion = await self._client.chat.completions.create(
                    **_request(self._model, task, dialect)
                )
            except (BadRequestError, UnprocessableEntityError) as refusal:
                dialect = dialect.without(refusal.message)
            except (OpenAIError, httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError) as fault:
                return Away(kind_of(fault))
            else:
                self._dialect = dialect
                return answer
        return Away("it refuses the request in every form")

    def _noted(self, got: Completion | Away) -> Completion | Away:
        """Say once that the model is away, and once that it is back."""
        if isinstance(got, Completion) and self._is_away:
            log.info("the language model %s is back", self._model)
        elif isinstance(got, Away) and not self._is_away:
            log.warning("the language model %s gave nothing: %s; the built-in way goes on", self._model, got.reason)
        self._is_away = isinstance(got, Away)
        return got


def _client(base_url: str, api_key: str | None, timeout_s: float) -> AsyncOpenAI:
    try:
        from openai import AsyncOpenAI
    except ImportError as missing:
        raise BadInput(_NEEDS_EXTRA) from missing
    # Releases of the library differ in the client that they are typed for; all take this one.
    options: dict[str, Any] = {"http_client": async_http_client(timeout_s), "default_headers": own_headers()}
    return AsyncOpenAI(base_url=base_url, api_key=api_key or NO_KEY, max_retries=_RETRIES, **options)


def _request(model: str, task: Task, dialect: _Dialect) -> dict[str, Any]:
    instructions = task.instructions
    if dialect.form != "json_schema":
        instructions += f"\n\nAnswer with one JSON object of this schema and nothing else:\n{json.dumps(task.schema)}"
    request: dict[str, Any] = {
        "model": model,
        "messages": [
            {"role": "system", "content": instructions},
            {"role": "user", "content": json.dumps(task.data, ensure_ascii=False)},
        ],
        dialect.limit: task.max_tokens,
    }
    if dialect.temperature:
        request["temperature"] = 0
    if dialect.form == "json_schema":
        schema = {"name": task.name, "strict": True, "schema": task.schema}
        request["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif dialect.form == "json_object":
        request["response_format"] = {"type": "json_object"}
    return request


def _read(answer: ChatCompletion) -> Completion | Away:
    """The JSON object in an answer, whatever shape an endpoint that only resembles OpenAI's gave it."""
    choices = getattr(answer, "choices", None)
    if not isinstance(choices, list) or not choices:
        return Away("its answer holds no choice")
    content = getattr(getattr(choices[0], "message", None), "content", None)
    if not isinstance(content, str) or len(content) > _MAX_ANSWER_CHARS:
        return Away("its answer holds no text, or too much")
    data = _object_in(content)
    if data is None:
        return Away("its answer is not a JSON object")
    tokens = getattr(getattr(answer, "usage", None), "total_tokens", None)
    return Completion(data, tokens if isinstance(tokens, int) and tokens > 0 else None)


def _object_in(content: str) -> Mapping[str, object] | None:
    """The JSON object in a text that may stand after thoughts, in a code fence or between words."""
    text = _THOUGHTS.sub("", content)
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
