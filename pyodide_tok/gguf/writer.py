"""GGUF metadata -> bytes, and a copy of a file with another header.

Tensor data is copied as it is: tensors keep their offsets, which count from where the data begins.
"""

from __future__ import annotations

import os
import shutil
import struct
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from pyodide_tok.errors import GGUFError
from pyodide_tok.gguf.codes import ARRAY, STRING, TENSOR_TYPES, VALUE_TYPES
from pyodide_tok.gguf.reader import GGUFFile, TensorInfo
from pyodide_tok.text.utf8 import utf8

_CODES = {name: code for code, (name, _) in VALUE_TYPES.items()}
_TENSOR_CODES = {name: code for code, name in TENSOR_TYPES.items()}
_CHUNK = 1 << 22  # bytes copied at a time


def header(gguf: GGUFFile) -> bytes:
    """The bytes of a file before its tensor data, in the file's own version and byte order."""
    form = _Form("<" if gguf.byteorder == "little" else ">", "I" if gguf.version == 1 else "Q")
    parts = [
        b"GGUF",
        form.number("I", gguf.version),
        form.count(len(gguf.tensors)),
        form.count(len(gguf.metadata)),
    ]
    for key, value in gguf.metadata.items():
        parts += [form.string(key), *form.value(gguf.types[key], value)]
    parts += map(form.tensor, gguf.tensors)
    data = b"".join(parts)
    return data.ljust(_aligned(len(data), gguf), b"\0") if gguf.tensors else data


def copy_with_header(
    source: str | os.PathLike[str], target: str | os.PathLike[str], gguf: GGUFFile
) -> None:
    """Writes `target`: the header of `gguf`, then the tensor data of the file `source`.

    The target appears when it is complete. Raises `GGUFError` if it exists, `OSError`.
    """
    place = Path(target)
    if place.exists():
        raise GGUFError(f"{place} exists. Give the name of a new file.")
    present = GGUFFile.open(source)
    with open(source, "rb") as file, NamedTemporaryFile(dir=place.parent, delete=False) as out:
        try:
            out.write(header(gguf))
            file.seek(_aligned(present.header_size, present))
            shutil.copyfileobj(file, out, _CHUNK)
            out.close()
            os.chmod(out.name, 0o644)
            os.replace(out.name, place)
        except BaseException:
            out.close()
            os.unlink(out.name)
            raise


def _aligned(size: int, gguf: GGUFFile) -> int:
    alignment = int(str(gguf.metadata.get("general.alignment", 32)))
    return -(-size // alignment) * alignment


@dataclass(frozen=True, slots=True)
class _Form:
    """`order`: struct's byte order. `counts`: the struct letter of lengths and counts."""

    order: str
    counts: str

    def number(self, letter: str, value: Any) -> bytes:
        return struct.pack(self.order + letter, value)

    def count(self, n: int) -> bytes:
        return self.number(self.counts, n)

    def string(self, text: str) -> bytes:
        data = utf8(text)
        return self.count(len(data)) + data

    def value(self, kind: str, value: Any) -> Iterator[bytes]:
        """The type's code and the value."""
        if not kind.startswith("array["):
            yield self.number("I", _CODES[kind])
            letter = VALUE_TYPES[_CODES[kind]][1]
            yield self.number(letter, value) if letter else self.string(value)
        else:
            yield self.number("I", ARRAY)
            yield from self.array(kind.removeprefix("array[").removesuffix("]"), value)

    def array(self, kind: str, values: Any) -> Iterator[bytes]:
        """The type of the elements, how many there are, and the elements."""
        code = _CODES[kind]
        yield self.number("I", code) + self.count(len(values))
        if code == STRING:
            yield from map(self.string, values)
        elif code == ARRAY:
            for inner in values:
                yield from self.array(_element(inner), inner)
        else:
            yield self.numbers(values)

    def numbers(self, values: memoryview) -> bytes:
        native = struct.pack("=H", 1) == struct.pack(self.order + "H", 1)
        if native or values.itemsize == 1:
            return values.tobytes()
        swapped = array(values.format, values.tobytes())
        swapped.byteswap()
        return swapped.tobytes()

    def tensor(self, tensor: TensorInfo) -> bytes:
        code = _TENSOR_CODES.get(tensor.type)
        if code is None:
            code = int(tensor.type.removeprefix("type-"))
        shape: Sequence[int] = tensor.shape
        return (
            self.string(tensor.name)
            + self.number("I", len(shape))
            + b"".join(map(self.count, shape))
            + self.number("I", code)
            + self.number("Q", tensor.offset)
        )


def _element(values: Any) -> str:
    """The type of the elements of an array inside an array."""
    if isinstance(values, memoryview):
        letter = values.format
        return next(name for name, form in VALUE_TYPES.values() if form == letter)
    return "array" if isinstance(values, tuple) else "string"
