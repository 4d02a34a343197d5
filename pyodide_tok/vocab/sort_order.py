"""The order in which llama.cpp's `std::sort` leaves what is equal.

llama.cpp sorts the special tokens by length alone, and cuts them out of a text in that order, so
which of two equally long ones that overlap is found follows from libstdc++: its introsort splits
stretches of more than 16 about the median of three, swapping equals too, and finishes with an
insertion sort, which is stable.
"""

from __future__ import annotations

from collections.abc import Sequence

_SMALL = 16  # a stretch that is left to the insertion sort


def longest_first(sizes: Sequence[int]) -> list[int]:
    """The places of `sizes` in the order of `std::sort` by falling size.

    (Where introsort would fall back to a heap sort, on sequences made to provoke it, this goes on
    splitting.)
    """
    order = list(range(len(sizes)))
    stretches = [(0, len(order))]
    while stretches:
        first, last = stretches.pop()
        if last - first > _SMALL:
            cut = _split(order, sizes, first, last)
            stretches += [(first, cut), (cut, last)]
    return sorted(order, key=lambda i: -sizes[i])


def _split(order: list[int], sizes: Sequence[int], first: int, last: int) -> int:
    """Moves what is longer than the pivot, or some of its equals, before the place returned."""
    middle = _median(order, sizes, (first + 1, first + (last - first) // 2, last - 1))
    order[first], order[middle] = order[middle], order[first]
    pivot = sizes[order[first]]
    low, high = first + 1, last
    while True:
        while sizes[order[low]] > pivot:
            low += 1
        high -= 1
        while pivot > sizes[order[high]]:
            high -= 1
        if low >= high:
            return low
        order[low], order[high] = order[high], order[low]
        low += 1


def _median(order: list[int], sizes: Sequence[int], places: tuple[int, int, int]) -> int:
    """The place of the median; of equals the one that libstdc++'s comparisons end at."""
    a, b, c = places
    x, y, z = (sizes[order[place]] for place in places)
    if x > y:
        return b if y > z else c if x > z else a
    return a if x > z else c if y > z else b
