"""Which lengths tokens have that start so: what bounds the search for tokens in a text."""

from __future__ import annotations

from collections.abc import Iterable

START = 3  # characters
SHORT = 1 << 2  # the bits of a start that no token has: two characters are always tried


def lengths_by_start(tokens: Iterable[str]) -> dict[str, int]:
    """The first START characters of tokens -> their lengths in characters, as bits.

    Bit 2 is always set, so that shorter tokens need not be found by what comes after them.
    """
    lengths: dict[str, int] = {}
    for token in tokens:
        start = token[:START]
        lengths[start] = lengths.get(start, SHORT) | 1 << len(token)
    return lengths


class Bits(dict[int, tuple[int, ...]]):
    """A set in bits -> its members, in order."""

    def __missing__(self, bits: int) -> tuple[int, ...]:
        members = tuple(n for n in range(bits.bit_length()) if bits >> n & 1)
        self[bits] = members
        return members
