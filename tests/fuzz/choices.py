"""Decisions read from bytes: a fuzzer that changes the bytes changes what is decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Choices:
    """Reads `data` from its start; when it is used up every number is 0.

    So what is simplest stands first among options, and short data makes small cases.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, n: int) -> bytes:
        """The next bytes, `n` at most."""
        taken = self._data[self._at : self._at + n]
        self._at += n
        return taken

    def below(self, n: int) -> int:
        """0 to n - 1."""
        size = max(1, ((n - 1).bit_length() + 7) // 8)
        return int.from_bytes(self.take(size), "little") % n

    def chance(self, one_in: int) -> bool:
        """Seldom true; false at the end of the data."""
        return self.below(one_in) == one_in - 1

    def pick(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def several(self, make: Callable[[], T], most: int) -> list[T]:
        return [make() for _ in range(self.below(most + 1))]
