"""Writes small GGUF files for tests: every version, byte order and value type.

    write([Entry("general.name", STRING, "x"), Entry("a", ARRAY, (INT8, [1, 2]))])

An entry's value is a number, a bool, str or bytes, or for ARRAY a pair (element type, values).
Strings are UTF-8 with surrogateescape.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY, UINT64, INT64, FLOAT64 = (
    range(13)
)
FORMATS = dict(
    zip(
        (UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT32, BOOL, UINT64, INT64, FLOAT64),
        "BbHhIif?Qqd",
        strict=True,
    )
)


@dataclass(frozen=True)
class Entry:
    """One metadata entry."""

    key: str | bytes
    type: int
    value: Any


@dataclass(frozen=True)
class Tensor:
    """One tensor's description; `type` is a ggml type number."""

    name: str | bytes
    shape: tuple[int, ...]
    type: int = 0
    offset: int = 0


@dataclass(frozen=True)
class Writer:
    """How to write: GGUF version, and "<" or ">"."""

    version: int = 3
    order: str = "<"

    def number(self, form: str, value: Any) -> bytes:
        return struct.pack(self.order + form, value)

    def count(self, n: int) -> bytes:
        return self.number("I" if self.version == 1 else "Q", n)

    def string(self, text: str | bytes) -> bytes:
        raw = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
        return self.count(len(raw)) + raw

    def value(self, kind: int, value: Any) -> bytes:
        if kind == STRING:
            return self.string(value)
        if kind == ARRAY:
            element, values = value
            head = self.number("I", element) + self.count(len(values))
            if element in FORMATS:
                return head + struct.pack(f"{self.order}{len(values)}{FORMATS[element]}", *values)
            return head + b"".join(self.value(element, item) for item in values)
        return self.number(FORMATS[kind], value)

    def entry(self, entry: Entry) -> bytes:
        return (
            self.string(entry.key)
            + self.number("I", entry.type)
            + self.value(entry.type, entry.value)
        )

    def tensor(self, tensor: Tensor) -> bytes:
        return (
            self.string(tensor.name)
            + self.number("I", len(tensor.shape))
            + b"".join(map(self.count, tensor.shape))
            + self.number("I", tensor.type)
            + self.number("Q", tensor.offset)
        )

    def head(self, n_tensors: int, n_entries: int) -> bytes:
        version = self.number("I", self.version)
        return b"GGUF" + version + self.count(n_tensors) + self.count(n_entries)

    def file(self, entries: Iterable[Entry], tensors: Iterable[Tensor] = ()) -> bytes:
        entries, tensors = list(entries), list(tensors)
        parts = [self.head(len(tensors), len(entries))]
        return b"".join([*parts, *map(self.entry, entries), *map(self.tensor, tensors)])


def write(
    entries: Iterable[Entry], tensors: Iterable[Tensor] = (), version: int = 3, order: str = "<"
) -> bytes:
    """A whole GGUF header."""
    return Writer(version, order).file(entries, tensors)
