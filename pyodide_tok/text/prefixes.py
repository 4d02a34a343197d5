"""Texts by their beginnings and lengths: which is at a position, without trying every length.

A set of a text's beginnings would take the square of its length in memory, and a file may have a
text of megabytes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import AnyStr, Generic

_FIRST = 32  # characters or bytes that are compared at first; most texts are shorter
_FEW = 16  # texts that are compared one by one, however long they are


class Beginnings(Generic[AnyStr]):
    """Texts, or byte strings, none of them empty."""

    def __init__(self, texts: Iterable[AnyStr]) -> None:
        self._texts: list[AnyStr] = sorted(set(texts))
        self._shorter: dict[AnyStr, AnyStr | None] = {}
        open_texts: list[AnyStr] = []  # each begins the next
        for text in self._texts:
            while open_texts and not text.startswith(open_texts[-1]):
                open_texts.pop()
            self._shorter[text] = open_texts[-1] if open_texts else None
            open_texts.append(text)

    def shorter(self, text: AnyStr) -> AnyStr | None:
        """The longest other text that one of them begins with."""
        return self._shorter[text]

    def longest(self, source: AnyStr, at: int) -> AnyStr | None:
        """The longest of the texts that stands in `source` at `at`.

        >>> Beginnings(["a", "ab", "abcd"]).longest("xabc", 1)
        'ab'
        """
        chunk, place = self._place(source, at, _FEW)
        for text in reversed(self._texts[place : place + _FEW]):  # longer ones stand later
            if source.startswith(text, at):  # quick where the source is too short
                return text
        best = self._texts[place - 1] if place else None
        while best is not None and not chunk.startswith(best):
            best = self._shorter[best]
        return best

    def shared(self, source: AnyStr, at: int) -> int:
        """How far `source` goes, from `at` on, as some text begins.

        >>> Beginnings([b"abx", b"abcd"]).shared(b"-abce", 1)
        3
        """
        chunk, place = self._place(source, at)
        beside = self._texts[max(place - 1, 0) : place + 1]
        return max((_common(chunk, text) for text in beside), default=0)

    def _place(self, source: AnyStr, at: int, few: int = 0) -> tuple[AnyStr, int]:
        """What is at `at`, as much of it as tells all texts apart except `few`, and how many texts
        are before it in order, or are it."""
        size = _FIRST
        while True:
            chunk = source[at : at + size]
            place = bisect_right(self._texts, chunk)
            if len(chunk) < size or not self._goes_on(chunk, place + few):
                return chunk, place
            size *= 4

    def _goes_on(self, chunk: AnyStr, place: int) -> bool:
        """Whether some text is longer than `chunk` and begins so."""
        return place < len(self._texts) and self._texts[place].startswith(chunk)


def _common(a: AnyStr, b: AnyStr) -> int:
    """How much of two texts is the same, from their start on."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))


# -- lengths ----------------------------------------------------------------------------------

START = 3  # characters or bytes
SHORT = (2,)  # the lengths of a start that no token has: two characters are always tried
SHORT_FALLING = (2, 1)


def lengths_by_start(tokens: Iterable[AnyStr]) -> dict[AnyStr, tuple[int, ...]]:
    """The first START characters of tokens -> their lengths, rising: what bounds a search.

    2 is always among them, so that shorter tokens need not be found by what comes after them.
    """
    sets: dict[AnyStr, int] = {}  # as bits; few sets are different
    for token in tokens:
        start = token[:START]
        sets[start] = sets.get(start, 1 << 2) | 1 << len(token)
    members = {bits: tuple(_members(bits)) for bits in set(sets.values())}
    return {start: members[bits] for start, bits in sets.items()}


def falling_lengths(tokens: Iterable[AnyStr]) -> dict[AnyStr, tuple[int, ...]]:
    """The same for the longest match, longest first and with 1; SHORT_FALLING where no token is."""
    lengths = lengths_by_start(tokens)
    falling = {sizes: _falling(sizes) for sizes in set(lengths.values())}
    return {start: falling[sizes] for start, sizes in lengths.items()}


def _falling(lengths: tuple[int, ...]) -> tuple[int, ...]:
    return (*(length for length in reversed(lengths) if length > 1), 1)


def _members(bits: int) -> Iterator[int]:
    """The places of the bits that are set, not of all that a long token's number has."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
