"""The whole way with a real model, small enough for a test: what it says matters little, that nothing breaks does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from geniffy import Geniffy

from geniffy_server.models.openai_compatible import OpenAICompatible
from geniffy_server.ports import Completion, Task
from geniffy_server.recall import draft
from tests.conftest import account_of, learned, running
from tests.language_model.small_model import small_model


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with small_model() as url:
        yield url


async def test_a_real_endpoint_answers_in_the_schema_it_is_given(base_url: str) -> None:
    model = OpenAICompatible(base_url, "smollm2", timeout_s=50)
    evidence = {"question": "Where does Kim live?", "memories": [{"id": 1, "text": "Kim lives in Porto."}]}
    got = await model.complete(Task("answer", draft.instructions(), evidence, draft.SCHEMA, 100))
    await model.close()

    assert isinstance(got, Completion), got
    assert set(got.data) == {"answer", "memories"}
    assert got.tokens is not None
    assert got.tokens > 100


def test_what_is_learned_with_a_real_model_stands_in_the_text_and_loses_nothing(base_url: str, tmp_path: Path) -> None:
    note = "Kim lives in Porto.\n\nShe plays the violin.\n\nOmar's dentist is Dr. Reis."
    with running(tmp_path / "store", llm_base_url=base_url, llm_model="smollm2", llm_timeout_s=50) as server:
        spent = server.ports.clock.now().strftime("%Y-%m-%d")
        space = Geniffy(account_of(server).key, base_url=server.base_url, timeout=60).space("tried")
        learned(space, space.memories.add(note))
        answered = space.ask("Where does Kim live?")
        quotes = sorted(one.quote for one in space.memories.iter())

        assert quotes == sorted(note.split("\n\n"))
        assert answered.answer is not None
        assert "Porto" in answered.answer
        assert server.read(lambda tx: tx.meta("llm_tokens")).startswith(spent)
