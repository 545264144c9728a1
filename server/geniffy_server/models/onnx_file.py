"""Just enough of the ONNX file format to read the weights of a model and to write a graph of our own.

Source: onnx.proto of the ONNX specification, and the wire format of Protocol Buffers. The `onnx` package does the
same in 60 MB.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_TYPES: Final[dict[int, Any]] = {1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64, 9: np.bool_}
_CODES: Final = {np.dtype(kind): code for code, kind in _TYPES.items()}
_IR_VERSION: Final = 9
_OPSETS: Final = (("", 18), ("com.microsoft", 1))


@dataclass(frozen=True, slots=True)
class Node:
    """One operation; an empty input name is one left out. Attributes are whole numbers or floats."""

    op: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    domain: str = ""
    attributes: Mapping[str, int | float] = field(default_factory=dict)


def initializers(model: bytes) -> dict[str, NDArray[Any]]:
    """The constant tensors of a model by name, of the types above; raises ValueError for a file that is no model."""
    tensors: dict[str, NDArray[Any]] = {}
    for graph in (value for number, value in _fields(memoryview(model)) if number == 7):
        for number, value in _fields(graph):
            if number == 5:
                name, tensor = _tensor(value)
                if tensor is not None:
                    tensors[name] = tensor
    return tensors


def model(
    nodes: Sequence[Node],
    constants: Mapping[str, NDArray[Any]],
    inputs: Mapping[str, Sequence[str | int]],
    output: tuple[str, Sequence[str | int]],
) -> bytes:
    """A model whose inputs are int64 and whose one output is float32; shapes hold sizes or names for any size."""
    graph = b"".join(_bytes(1, _node(node)) for node in nodes) + _bytes(2, b"graph")
    graph += b"".join(_bytes(5, _constant(name, tensor)) for name, tensor in constants.items())
    graph += b"".join(_bytes(11, _value(name, np.int64, shape)) for name, shape in inputs.items())
    graph += _bytes(12, _value(output[0], np.float32, output[1]))
    opsets = b"".join(_bytes(8, _bytes(1, domain.encode()) + _number(2, version)) for domain, version in _OPSETS)
    return _number(1, _IR_VERSION) + _bytes(7, graph) + opsets


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """The fields of a message in order: numbers as int, everything else as bytes."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = _varint(message, at)
            yield number, value
            continue
        if wire == 2:
            size, at = _varint(message, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ValueError("This is not an ONNX file.")
        if at + size > len(message):
            raise ValueError("This is not a whole ONNX file.")
        yield number, message[at : at + size]
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at


def _tensor(message: memoryview) -> tuple[str, NDArray[Any] | None]:
    """A constant, None when it is of another type or kept in another form than raw bytes."""
    sizes: list[int] = []
    name, kind, raw = "", 0, None
    for number, value in _fields(message):
        if number == 1:
            sizes.extend([value] if isinstance(value, int) else _packed(value))
        elif number == 2:
            kind = value
        elif number == 8:
            name = bytes(value).decode()
        elif number == 9:
            raw = value
    if raw is None or kind not in _TYPES:
        return name, None
    return name, np.frombuffer(raw, _TYPES[kind]).reshape(sizes)


def _packed(message: memoryview) -> Iterator[int]:
    at = 0
    while at < len(message):
        value, at = _varint(message, at)
        yield value


def _node(node: Node) -> bytes:
    written = b"".join(_bytes(1, name.encode()) for name in node.inputs)
    written += b"".join(_bytes(2, name.encode()) for name in node.outputs)
    written += _bytes(4, node.op.encode()) + _bytes(7, node.domain.encode())
    for name, value in node.attributes.items():
        if isinstance(value, float):
            attribute = _tag(2, 5) + np.float32(value).tobytes() + _number(20, 1)
        else:
            attribute = _number(3, value) + _number(20, 2)
        written += _bytes(5, _bytes(1, name.encode()) + attribute)
    return written


def _constant(name: str, tensor: NDArray[Any]) -> bytes:
    sizes = b"".join(_number(1, size) for size in tensor.shape)
    return sizes + _number(2, _CODES[tensor.dtype]) + _bytes(8, name.encode()) + _bytes(9, tensor.tobytes())


def _value(name: str, kind: Any, shape: Sequence[str | int]) -> bytes:
    sizes = b"".join(
        _bytes(1, _bytes(2, size.encode()) if isinstance(size, str) else _number(1, size)) for size in shape
    )
    tensor_type = _number(1, _CODES[np.dtype(kind)]) + _bytes(2, sizes)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor_type))


def _tag(number: int, wire: int) -> bytes:
    return _as_varint(number << 3 | wire)


def _number(number: int, value: int) -> bytes:
    return _tag(number, 0) + _as_varint(value)


def _bytes(number: int, value: bytes) -> bytes:
    return _tag(number, 2) + _as_varint(len(value)) + value


def _as_varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
