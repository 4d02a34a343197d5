"""Which lengths tokens have that start so: what bounds the search for tokens in a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

START = 3  # characters
SHORT = (2,)  # the lengths of a start that no token has: two characters are always tried


def lengths_by_start(tokens: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """The first START characters of tokens -> their lengths in characters, rising.

    2 is always among them, so that shorter tokens need not be found by what comes after them.
    """
    sets: dict[str, int] = {}  # as bits; few sets are different
    for token in tokens:
        start = token[:START]
        sets[start] = sets.get(start, 1 << 2) | 1 << len(token)
    members = {bits: tuple(_members(bits)) for bits in set(sets.values())}
    return {start: members[bits] for start, bits in sets.items()}


def _members(bits: int) -> Iterator[int]:
    """The places of the bits that are set, not of all that a long token's number has."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
