"""Bytes -> GGUF metadata.  The head of a file is enough; tensor data is never touched.

Functions take a position in bytes and give a value and the position after it.  A claimed length
allocates nothing: it is held against the bytes that are there before any of them is taken.
Keys, names and texts are UTF-8; bytes that are not are the surrogates U+DC80..U+DCFF
(surrogateescape).

Caps, all far above any real model (gemma-4: 16 MB of metadata, 514,906 merges): MAX_HEADER bytes
of header, MAX_STRING bytes a string, MAX_ENTRIES metadata keys or tensors, MAX_DEPTH arrays in
arrays, MAX_DIMENSIONS a tensor.
"""

from __future__ import annotations

import math
import mmap
import os
import stat
import struct
import sys
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, BinaryIO, TypeAlias

from pyodide_tok.errors import GGUFError, TruncatedError
from pyodide_tok.gguf.codes import ARRAY, BOOL, STRING, TENSOR_TYPES, VALUE_TYPES
from pyodide_tok.gguf.pickling import freeze, thaw
from pyodide_tok.gguf.signatures import MAX_HEADER, check_signature, truncated
from pyodide_tok.gguf.strings import RUN, Packed, Run, StringArray, walk

FIRST = 1 << 20  # bytes to ask for first; gpt-2's head has 1.7 million, gemma-4's 16
MAX_STRING = 1 << 28
MAX_ENTRIES = 1 << 20
MAX_DEPTH = 8
MAX_DIMENSIONS = 8

_TRUTH = bytes([0] + [1] * 255)
Value: TypeAlias = "int | float | bool | str | memoryview | StringArray | tuple[Value, ...]"


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One tensor: `shape` as in the file (fastest first), `offset` in bytes into tensor data."""

    name: str
    shape: tuple[int, ...]
    type: str
    offset: int


@dataclass(frozen=True, slots=True, eq=False)
class GGUFFile:
    """What stands in a GGUF file before its tensor data.

    metadata: key -> int, float, bool, str, `memoryview` (numbers; `.format` tells their type),
    `StringArray`, or a tuple (arrays in arrays).  types: key -> the value's type in the file, as
    "uint32" or "array[string]".  version: of the format, 1 to 3.  byteorder: "little" or "big".
    header_size: bytes read.
    """

    metadata: Mapping[str, Value]
    types: Mapping[str, str]
    tensors: tuple[TensorInfo, ...]
    version: int
    byteorder: str
    header_size: int

    @classmethod
    def parse(cls, buffer: bytes | bytearray | memoryview | mmap.mmap) -> GGUFFile:
        """Read the head of a file: any bytes-like object, whole or cut after the header.

        Arrays of a `bytes` object are views of it; from any other buffer they are copied, so it
        may change or close afterwards.  Raises `TruncatedError` when bytes are missing, and
        `GGUFError` when this is no GGUF file.
        """
        return _read_file(_plain_bytes(buffer))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> GGUFFile:
        """Read the header of the file at `path`: a file, a FIFO or a device.

        Errors: as `parse`, and Python's own `OSError`, such as `FileNotFoundError`.
        """
        if not isinstance(path, str | os.PathLike):
            raise GGUFError(f"a path is a str or an os.PathLike, not a {type(path).__name__}")
        if os.path.isdir(path):
            raise GGUFError(f"{os.fspath(path)} is a directory. Give the .gguf file in it.")
        with _opened(path) as file:
            status = os.fstat(file.fileno())
            is_plain = stat.S_ISREG(status.st_mode) and status.st_size
            if not is_plain or sys.platform == "emscripten":  # there mmap copies the entire file
                return cls.read(file)
            return cls.parse(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    @classmethod
    def read(cls, file: BinaryIO) -> GGUFFile:
        """Read the header from a binary stream, not much further.  Errors: as `parse`."""
        data, more = b"", FIRST
        while True:
            data += (part := file.read(more))
            try:
                return _read_file(data)
            except TruncatedError as error:
                if len(part) < more:
                    raise
                more = max(error.need - len(data), len(data))

    def __reduce__(self) -> tuple[Any, ...]:
        values = (self.tensors, self.version, self.byteorder, self.header_size)
        return _restored, (freeze(self.metadata), dict(self.types), *values)


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    try:
        return open(path, "rb")
    except ValueError as error:  # a NUL or a lone surrogate in it
        raise GGUFError(f"{path!r} is not a path: {error}") from error


def _restored(metadata: dict[str, Any], types: dict[str, str], *values: Any) -> GGUFFile:
    return GGUFFile(thaw(metadata), MappingProxyType(types), *values)


@dataclass(frozen=True, slots=True)
class _Source:
    """Bytes to read (`size` of them may be header); `count`: the struct of lengths and counts."""

    data: bytes | memoryview
    size: int
    version: int
    order: str  # "<" or ">"
    count: struct.Struct


def _plain_bytes(buffer: object) -> bytes | memoryview:
    if isinstance(buffer, bytes):
        return buffer
    try:
        view = memoryview(buffer)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise GGUFError(f"{error}; for a file's path use GGUFFile.open") from error
    try:
        return view.cast("B")
    except (TypeError, ValueError):  # not contiguous, empty, or of a foreign format
        return view.tobytes()


def _read_file(data: bytes | memoryview) -> GGUFFile:
    check_signature(bytes(data[:64]))
    source = _source(data)
    n_tensors, pos = _entries(source, 8, "tensors")
    n_keys, pos = _entries(source, pos, "metadata keys")
    metadata, types, pos = _metadata(source, pos, n_keys)
    _check_alignment(metadata, types)
    tensors, pos = _tensors(source, pos, n_tensors)
    return GGUFFile(
        metadata=MappingProxyType(metadata),
        types=MappingProxyType(types),
        tensors=tensors,
        version=source.version,
        byteorder="little" if source.order == "<" else "big",
        header_size=pos,
    )


def _source(data: bytes | memoryview) -> _Source:
    raw = bytes(data[4:8])
    order = ">" if raw[:2] == b"\0\0" else "<"  # llama.cpp: low 16 bits 0, the other byte order
    (version,) = struct.unpack(order + "I", raw)
    if version not in (1, 2, 3):
        raise GGUFError(f"GGUF version {version} is not known here, only 1 to 3", position=4)
    count = struct.Struct(order + ("I" if version == 1 else "Q"))
    return _Source(data, min(len(data), MAX_HEADER), version, order, count)


def _end(source: _Source, pos: int, size: int) -> int:
    """The position after `size` bytes at `pos`; raises when they are not all there."""
    if pos + size > source.size:
        raise truncated(source.size, pos + size)
    return pos + size


def _number(source: _Source, pos: int, form: struct.Struct) -> tuple[int, int]:
    end = _end(source, pos, form.size)
    return form.unpack_from(source.data, pos)[0], end


def _u32(source: _Source, pos: int) -> tuple[int, int]:
    return _number(source, pos, struct.Struct(source.order + "I"))


def _entries(source: _Source, pos: int, what: str) -> tuple[int, int]:
    n, end = _number(source, pos, source.count)
    if n > MAX_ENTRIES:
        raise GGUFError(f"{n} {what} are claimed, over the limit of {MAX_ENTRIES}", position=pos)
    return n, end


def _string_end(source: _Source, pos: int) -> tuple[int, int]:
    """Start and end of the bytes of the string at `pos`."""
    n, start = _number(source, pos, source.count)
    if n > MAX_STRING:
        raise GGUFError(f"a string of {n} bytes, over the limit of {MAX_STRING}", position=pos)
    return start, _end(source, start, n)


def _string(source: _Source, pos: int) -> tuple[str, int]:
    """A string up to its first NUL: llama.cpp reads keys, values and names as C strings."""
    start, end = _string_end(source, pos)
    return str(source.data[start:end], "utf-8", "surrogateescape").partition("\0")[0], end


def _name(source: _Source, pos: int, what: str, seen: set[bytes]) -> tuple[str, int]:
    """A name that is new; as in llama.cpp, the bytes behind a NUL count here."""
    name, end = _string(source, pos)
    raw = bytes(source.data[pos + source.count.size : end])
    if raw in seen:
        raise GGUFError(f"{what} {name!r} appears twice", position=pos)
    if not raw and what == "metadata key":
        raise GGUFError("a metadata key is empty", position=pos)
    seen.add(raw)
    return name, end


def _metadata(source: _Source, pos: int, n: int) -> tuple[dict[str, Value], dict[str, str], int]:
    metadata: dict[str, Value] = {}
    types: dict[str, str] = {}
    seen: set[bytes] = set()
    for _ in range(n):
        key, pos = _name(source, pos, "metadata key", seen)
        code, start = _u32(source, pos)
        value, pos = _value(source, start, _known(code, pos))
        # of keys that are the same up to a NUL, llama.cpp finds the first
        metadata.setdefault(key, value)
        types.setdefault(key, _type_name(source, start, code))
    return metadata, types, pos


def _known(code: int, pos: int) -> int:
    if code not in VALUE_TYPES:
        raise GGUFError(
            f"value type {code} is not known, only 0 to {max(VALUE_TYPES)}", position=pos
        )
    return code


def _type_name(source: _Source, pos: int, code: int) -> str:
    if code != ARRAY:
        return VALUE_TYPES[code][0]
    return f"array[{VALUE_TYPES[_u32(source, pos)[0]][0]}]"


def _value(source: _Source, pos: int, code: int) -> tuple[Value, int]:
    if code == STRING:
        return _string(source, pos)
    if code == ARRAY:
        return _array(source, pos, 1)
    return _number(source, pos, struct.Struct(source.order + VALUE_TYPES[code][1]))


def _array(source: _Source, pos: int, depth: int) -> tuple[Value, int]:
    code, start = _u32(source, pos)
    n, start = _number(source, start, source.count)
    if _known(code, pos) == STRING:
        return _strings(source, start, n)
    if code == ARRAY:
        return _arrays(source, start, n, depth + 1)
    return _numbers(source, start, n, code)


def _arrays(source: _Source, pos: int, n: int, depth: int) -> tuple[Value, int]:
    if depth > MAX_DEPTH:
        raise GGUFError(f"arrays stand in arrays over {MAX_DEPTH} deep", position=pos)
    _end(source, pos, n * (4 + source.count.size))
    values = []
    for _ in range(n):
        value, pos = _array(source, pos, depth)
        values.append(value)
    return tuple(values), pos


def _numbers(source: _Source, pos: int, n: int, code: int) -> tuple[memoryview, int]:
    form = VALUE_TYPES[code][1]
    end = _end(source, pos, n * struct.calcsize(form))
    chunk = memoryview(source.data)[pos:end]
    if not isinstance(source.data, bytes):
        chunk = memoryview(bytes(chunk))
    if code == BOOL:  # any byte but 0 is true, as in llama.cpp
        chunk = memoryview(bytes(chunk).translate(_TRUTH))
    elif (source.order == "<") != (sys.byteorder == "little"):
        swapped = array(form, bytes(chunk))
        swapped.byteswap()
        chunk = memoryview(swapped.tobytes())
    return chunk.cast(form), end  # type: ignore[call-overload]


def _strings(source: _Source, pos: int, n: int) -> tuple[StringArray, int]:
    _end(source, pos, n * source.count.size)
    runs, start = [], pos
    for first in range(0, n, RUN):
        size = min(RUN, n - first)
        end, lengths = walk(source.data, pos, size, source.count)
        if end > source.size or lengths > MAX_STRING:
            end = _walk_checked(source, pos, size)
        runs.append(Run(pos, end, size, lengths < 128))
        pos = end
    return StringArray(_packed(source, start, pos, runs)), pos


def _walk_checked(source: _Source, pos: int, n: int) -> int:
    for _ in range(n):
        _, pos = _string_end(source, pos)
    return pos


def _packed(source: _Source, start: int, end: int, runs: list[Run]) -> Packed:
    if isinstance(source.data, bytes):
        return Packed(source.data, source.count, tuple(runs))
    moved = (Run(run.start - start, run.end - start, run.n, run.short) for run in runs)
    return Packed(bytes(source.data[start:end]), source.count, tuple(moved))


def _check_alignment(metadata: Mapping[str, Value], types: Mapping[str, str]) -> None:
    value = metadata.get("general.alignment", 32)
    kind = types.get("general.alignment", "uint32")
    if not isinstance(value, int) or kind != "uint32" or value.bit_count() != 1:
        raise GGUFError(
            f"general.alignment must be a power of two (uint32), not {value!r} ({kind})"
        )


def _tensors(source: _Source, pos: int, n: int) -> tuple[tuple[TensorInfo, ...], int]:
    tensors: list[TensorInfo] = []
    seen: set[bytes] = set()
    for _ in range(n):
        name, pos = _name(source, pos, "tensor", seen)
        tensor, pos = _tensor(source, pos, name)
        tensors.append(tensor)
    return tuple(tensors), pos


def _tensor(source: _Source, pos: int, name: str) -> tuple[TensorInfo, int]:
    rank, start = _u32(source, pos)
    if rank > MAX_DIMENSIONS:
        raise GGUFError(
            f"tensor {name!r} has {rank} dimensions, over {MAX_DIMENSIONS}", position=pos
        )
    dimensions = struct.Struct(f"{source.count.format[0]}{rank}{source.count.format[1]}")
    end = _end(source, start, dimensions.size)
    shape = dimensions.unpack_from(source.data, start)
    if math.prod(shape) >= 1 << 63:
        raise GGUFError(f"tensor {name!r} claims the shape {shape}", position=start)
    code, end = _u32(source, end)
    offset, end = _number(source, end, struct.Struct(source.order + "Q"))
    return TensorInfo(name, shape, TENSOR_TYPES.get(code, f"type-{code}"), offset), end
