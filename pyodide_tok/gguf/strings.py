"""An array of strings in a GGUF file: found at once, decoded when it is first read.

Each string is a count of bytes, then the bytes.  `walk` follows the counts to the end.  Decoding
goes by runs of strings, most of them in a few calls that do the loop in C (see `_decode`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import overload

RUN = 512  # strings; one odd string spoils the fast way for its run only

_WITHOUT_LAST = itemgetter(slice(None, -1))


def walk(data: bytes | memoryview, pos: int, n: int, count: struct.Struct) -> tuple[int, int]:
    """The end of `n` strings from `pos` on, and all their lengths OR-ed.

    The end is over len(data) when they do not fit.
    """
    unpack, width, lengths = count.unpack_from, count.size, 0
    try:
        for _ in range(n):
            (length,) = unpack(data, pos)
            pos += width + length
            lengths |= length
    except (struct.error, OverflowError):
        return len(data) + 1, lengths
    return pos, lengths


@dataclass(frozen=True, slots=True)
class Run:
    """`n` strings from byte `start` to `end`; short: each of less than 128 bytes."""

    start: int
    end: int
    n: int
    short: bool


@dataclass(frozen=True, slots=True)
class Packed:
    """Runs of strings as they stand in the file."""

    data: bytes
    count: struct.Struct
    runs: tuple[Run, ...]

    def __len__(self) -> int:
        return sum(run.n for run in self.runs)

    def decode(self) -> tuple[str, ...]:
        return tuple(chain.from_iterable(_decode(self, run) for run in self.runs))


class StringArray(Sequence[str]):
    """The strings of an array; bytes that are not UTF-8 are surrogates U+DC80..U+DCFF."""

    __slots__ = ("_length", "_state")

    def __init__(self, state: Packed | tuple[str, ...]) -> None:
        self._length = len(state)
        self._state: tuple[str, ...] | Packed = state

    def __reduce__(self) -> tuple[type[StringArray], tuple[tuple[str, ...]]]:
        return StringArray, (self._texts(),)

    def _texts(self) -> tuple[str, ...]:
        state = self._state  # one attribute, read once: threads may decode twice, never half
        if isinstance(state, Packed):
            self._state = state = state.decode()
        return state

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self._texts()[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StringArray | list | tuple):
            return NotImplemented
        return self._length == len(other) and self._texts() == tuple(other)

    def __repr__(self) -> str:
        return f"<StringArray of {self._length} strings>"


def _decode(packed: Packed, run: Run) -> list[str]:
    """The strings of one run.

    A little-endian count below 128 is one ASCII byte and zeros.  When the run has just the zeros
    of its counts (so no string is empty or holds a zero), it can be decoded as a whole and
    split at the zeros; each piece but the last ends with the count of the next string.
    """
    zeros = packed.count.size - 1
    blob = packed.data[run.start : run.end]
    if not run.short or packed.count.format[0] != "<" or blob.count(0) != zeros * run.n:
        return _decode_each(blob, run.n, packed.count)
    pieces = str(blob, "utf-8", "surrogateescape").split("\0" * zeros)
    texts = list(map(_WITHOUT_LAST, pieces))
    texts[-1] = pieces[-1]
    del texts[0]
    return texts


def _decode_each(blob: bytes, n: int, count: struct.Struct) -> list[str]:
    texts, pos = [], 0
    for _ in range(n):
        start = pos + count.size
        pos = start + count.unpack_from(blob, pos)[0]
        texts.append(str(blob[start:pos], "utf-8", "surrogateescape"))
    return texts
