from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from geniffy_server.errors import Unavailable
from geniffy_server.models import minilm, onnx_file
from geniffy_server.models.minilm import MiniLM
from geniffy_server.models.minilm_graph import multiplies_exactly


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def test_rows_have_length_one_and_keep_the_order_of_the_texts(model: MiniLM) -> None:
    texts = ["I like tea.", "The deadline is 15 November 2026. " * 30, "x", "Ana lives in Porto."] * 12

    together = model.embed(texts)

    assert together.shape == (48, 384)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = np.concatenate([model.embed([text]) for text in texts[:4]])
    np.testing.assert_array_equal(together[:4], alone)


def test_a_text_is_nearer_to_its_paraphrase_than_to_another_matter(model: MiniLM) -> None:
    tea, hot, car = model.embed(["I love tea.", "My favourite hot drink is tea.", "The car needs new tyres."])

    assert tea @ hot > tea @ car + 0.3


@pytest.mark.parametrize("text", ["word " * 200_000, "しりとり", "x\n\t\x7f", "我喜欢喝茶。", "7", "Zoë 🎉"])
def test_any_text_with_a_word_that_the_model_knows_gets_a_vector(model: MiniLM, text: str) -> None:
    assert np.linalg.norm(model.embed([text])[0]) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("text", ["", " ", "👩‍👩‍👧 🎉", "a" * 1_000_000, "茶", "働?", "ฉันชอบกาแฟเย็น", "!?", "\n\t\x7f"])
def test_a_text_of_which_the_model_knows_no_word_is_like_nothing(model: MiniLM, text: str) -> None:
    assert not model.embed([text, "x"])[0].any()


def test_the_rebuilt_graph_gives_nearly_the_vectors_of_the_packaged_one(model: MiniLM) -> None:
    texts = ["Kim works at Acme.", "My favourite hot drink is tea."]

    likeness = (model.embed(texts) * MiniLM(as_packaged=True).embed(texts)).sum(axis=1)

    assert likeness.min() > 0.95


def test_no_texts_give_no_rows(model: MiniLM) -> None:
    assert model.embed([]).shape == (0, 384)


def test_threads_may_embed_at_once(model: MiniLM) -> None:
    expected = model.embed(["Kim works at Acme."])
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(model.embed(["Kim works at Acme."]))) for _ in range(4)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert len(found) == 4
    for rows in found:
        np.testing.assert_allclose(rows, expected, atol=1e-6)


def test_damaged_weights_are_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_WEIGHTS_SHA256", "0" * 64)

    with pytest.raises(Unavailable, match="damaged: its SHA-256 is not the known one"):
        MiniLM().embed(["tea"])


def test_a_folder_without_a_model_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"holds no model\.onnx"):
        MiniLM(tmp_path).embed(["tea"])


def test_a_folder_with_an_unreadable_model_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    (tmp_path / "tokenizer.json").write_text("{}")

    with pytest.raises(Unavailable, match="can't be loaded"):
        MiniLM(tmp_path).embed(["tea"])


def test_a_folder_with_the_same_files_embeds_alike_under_an_id_of_its_own(tmp_path: Path, model: MiniLM) -> None:
    weights, tokenizer = MiniLM()._files()
    (tmp_path / "model.onnx").symlink_to(weights)
    (tmp_path / "tokenizer.json").symlink_to(tokenizer)
    other = MiniLM(tmp_path)

    assert other.embed(["tea"])[0] @ model.embed(["tea"])[0] > 0.98  # a folder's model runs as it is, in float32
    assert other.id != model.id


@pytest.mark.parametrize("exactly", [True, False])
def test_both_graphs_of_the_same_weights_agree(exactly: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["Kim works at Acme as CFO.", "今日は成語しりとりをした", "The tunnel listens on port 6543.", "x"]
    monkeypatch.setattr(minilm, "multiplies_exactly", lambda start: exactly)

    vectors = MiniLM().embed(texts)

    monkeypatch.setattr(minilm, "multiplies_exactly", lambda start: not exactly)
    assert (np.einsum("ij,ij->i", vectors, MiniLM().embed(texts)) > 0.975).all()


def test_an_int8_product_that_overflows_is_noticed() -> None:
    class Overflowing:
        def run(self, outputs: None, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
            return [np.array([[32 * 32767 / 255]], np.float32)]

    assert not multiplies_exactly(lambda model: Overflowing())


def test_constants_and_nodes_survive_writing_and_reading() -> None:
    constants = {"a": np.arange(6, dtype=np.int8).reshape(2, 3), "b": np.array([1.5, -2], np.float32)}

    written = onnx_file.model([], constants, {"x": ("n", 300)}, ("y", ("n",)))

    for name, tensor in onnx_file.initializers(written).items():
        np.testing.assert_array_equal(tensor, constants.pop(name))
    assert constants == {}


@pytest.mark.parametrize("broken", [b"not a model", b"\x3a\xff\x01"])
def test_a_broken_file_is_no_model(broken: bytes) -> None:
    with pytest.raises(ValueError, match="not a"):
        onnx_file.initializers(broken)
