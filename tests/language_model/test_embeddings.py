"""An embedder behind an endpoint: what it is asked, what it may answer, and that nothing is lost while it is away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from geniffy_agents import Geniffy
from geniffy_server.commands.doctor import findings
from geniffy_server.errors import BadInput, Unavailable
from geniffy_server.models import embeddings_endpoint
from geniffy_server.models.embeddings_endpoint import EmbeddingsEndpoint
from geniffy_server.models.minilm import MiniLM
from geniffy_server.settings import read_settings
from tests.language_model.conftest import Endpoint, Reply


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def vectors_of(embed: Callable[[list[str]], Any]) -> Callable[[Mapping[str, Any]], Reply]:
    """A script that answers with vectors, the last text's first: an answer names their places."""

    def script(body: Mapping[str, Any]) -> Reply:
        rows = embed(body["input"])
        data = [{"object": "embedding", "index": at, "embedding": [*map(float, row)]} for at, row in enumerate(rows)]
        return 200, {"object": "list", "model": "small", "data": data[::-1], "usage": {}}

    return script


def test_texts_come_back_as_vectors_in_their_order_and_one_long(endpoint: Endpoint, model: MiniLM) -> None:
    texts = ["Kim works at Acme.", " ", "I like tea."]
    endpoint.script = vectors_of(lambda asked: model.embed(asked) * 3)

    found = EmbeddingsEndpoint(endpoint.base_url, "small", "sk-test").embed(texts)

    np.testing.assert_allclose(found, model.embed(texts), atol=1e-5)
    (body,) = endpoint.asked
    assert (body["model"], body["input"], body["dimensions"]) == ("small", [texts[0], texts[2]], 384)
    assert endpoint.keys == ["Bearer sk-test"]


def test_many_texts_are_sent_in_parts(endpoint: Endpoint) -> None:
    endpoint.script = vectors_of(lambda asked: np.eye(384)[[int(text) for text in asked]])

    found = EmbeddingsEndpoint(endpoint.base_url, "small").embed([str(number) for number in range(150)])

    assert [len(body["input"]) for body in endpoint.asked] == [64, 64, 22]
    assert found.argmax(axis=1).tolist() == list(range(150))


def test_an_endpoint_that_takes_no_dimensions_is_not_asked_for_them_again(endpoint: Endpoint, model: MiniLM) -> None:
    answer = vectors_of(model.embed)
    endpoint.script = lambda body: (400, {"error": {"message": "no"}}) if "dimensions" in body else answer(body)
    embedder = EmbeddingsEndpoint(endpoint.base_url, "small")

    for _ in range(2):
        assert embedder.embed(["I like tea."]).any()

    assert ["dimensions" in body for body in endpoint.asked] == [True, False, False]


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ((500, {"error": "Kim is ill"}), "InternalServerError 500"),
        ((401, {"error": "Kim is ill"}), "AuthenticationError 401"),
        ((200, "Kim is ill"), "embeddings endpoint"),
        ((200, {"data": []}), "embeddings endpoint"),
        ((200, "Kim is ill " * 800_000), "APIConnectionError"),
        ((200, {"data": [{"index": 0, "embedding": [0.5] * 768}]}), "768 dimensions; the store keeps 384"),
        ((200, {"data": [{"index": 0, "embedding": ["x"]}]}), "something else than a vector"),
    ],
)
def test_what_is_no_vector_is_refused_in_a_sentence_that_holds_no_word_of_the_reply(
    endpoint: Endpoint, reply: Reply, sentence: str
) -> None:
    endpoint.script = lambda body: reply

    with pytest.raises(Unavailable, match=sentence) as refused:
        EmbeddingsEndpoint(endpoint.base_url, "small").embed(["I like tea."])

    assert "Kim" not in str(refused.value)


def test_after_a_failure_it_is_left_alone_for_a_while(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = EmbeddingsEndpoint(endpoint.base_url, "small")
    for _ in range(3):
        with pytest.raises(Unavailable):
            embedder.embed(["I like tea."])
    asked = len(endpoint.asked)

    monkeypatch.setattr(embeddings_endpoint, "_REST_S", 0.0)
    embedder._rests_until = 0.0
    with pytest.raises(Unavailable):
        embedder.embed(["I like tea."])

    assert asked == 2  # once, and once again
    assert len(endpoint.asked) == 4


@pytest.fixture
def chosen(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    """The endpoint, configured as an operator does."""
    monkeypatch.setenv("GENIFFY_EMBEDDER", endpoint.base_url)
    monkeypatch.setenv("GENIFFY_EMBEDDER_MODEL", "small")
    return endpoint


def test_a_memory_learns_and_finds_while_its_endpoint_is_away_and_when_it_is_back(
    chosen: Endpoint, model: MiniLM, tmp_path: Path
) -> None:
    with Geniffy.local(tmp_path / "memory") as memory:
        source = memory.memories.add("I love espresso.")
        memory.sources.wait(source.id)
        away = memory.search("espresso")

    chosen.script = vectors_of(model.embed)
    with Geniffy.local(tmp_path / "memory") as memory:
        back = memory.search("Which coffee do I like?")

    assert [one.text for one in away] == [one.text for one in back] == ["I love espresso."]
    assert any("Which coffee" in text for body in chosen.asked for text in body["input"])


def test_doctor_says_whether_the_endpoint_answers(chosen: Endpoint, model: MiniLM, tmp_path: Path) -> None:
    chosen.script = vectors_of(model.embed)

    assert [one.state for one in findings(tmp_path) if one.about == "embedder"] == ["ok"]


@pytest.mark.parametrize(
    "options",
    [{"embedder": "http://127.0.0.1:9/v1"}, {"embedder_model": "small"}, {"embedder": "a", "embedder_model": "small"}],
)
def test_an_address_and_a_model_go_together(options: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="GENIFFY_EMBEDDER_MODEL"):
        read_settings(**options)
