"""Merging neighbouring symbols by rank: what BPE and SentencePiece have in common.

llama.cpp keeps a queue of pairs and takes the best, the leftmost of equals. Doing the same over
lists is quicker for the short chunks that texts are made of; long chunks get the queue.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import pairwise

_LONG = 80  # symbols; from here on the queue is quicker
_NO_RANK = 1 << 60

Ranks = Callable[[str, int], int]  # dict.get of "left" + joiner + "right"


def merge(symbols: list[str], ranks: Ranks, joiner: str) -> list[str]:
    """The symbols left when no pair of neighbours has a rank; low ranks merge first."""
    if len(symbols) > _LONG:
        return _merge_by_queue(symbols, ranks, joiner)
    found = [ranks(f"{a}{joiner}{b}", _NO_RANK) for a, b in pairwise(symbols)]
    while found and (best := min(found)) != _NO_RANK:
        i = found.index(best)
        del found[i]
        merged = symbols[i] = symbols[i] + symbols.pop(i + 1)
        if i:
            found[i - 1] = ranks(f"{symbols[i - 1]}{joiner}{merged}", _NO_RANK)
        if i < len(found):
            found[i] = ranks(f"{merged}{joiner}{symbols[i + 1]}", _NO_RANK)
    return symbols


def _merge_by_queue(symbols: list[str], ranks: Ranks, joiner: str) -> list[str]:
    size = len(symbols)
    after = list(range(1, size + 1))
    before = list(range(-1, size - 1))
    queue = [  # of pairs, as one number each: by rank, then by place
        rank * size + i
        for i, (a, b) in enumerate(pairwise(symbols))
        if (rank := ranks(f"{a}{joiner}{b}", _NO_RANK)) != _NO_RANK
    ]
    heapify(queue)
    while queue:
        rank, left = divmod(heappop(queue), size)
        right = after[left]
        symbol = symbols[left]
        # out of date if one of the two has since changed; an equal rank is as good as the old pair
        if not symbol or right >= size:
            continue
        if ranks(f"{symbol}{joiner}{symbols[right]}", _NO_RANK) != rank:
            continue
        symbol = symbols[left] = symbol + symbols[right]
        symbols[right] = ""
        following = after[left] = after[right]
        if following < size:
            before[following] = left
            rank = ranks(f"{symbol}{joiner}{symbols[following]}", _NO_RANK)
            if rank != _NO_RANK:
                heappush(queue, rank * size + left)
        preceding = before[left]
        if preceding >= 0:
            rank = ranks(f"{symbols[preceding]}{joiner}{symbol}", _NO_RANK)
            if rank != _NO_RANK:
                heappush(queue, rank * size + preceding)
    return [symbol for symbol in symbols if symbol]


# -- scores that are not numbers ---------------------------------------------------------------

Pair = tuple[float, int, int, int]  # score, place of the left and of the right symbol, their size


def merge_by_scores(symbols: list[str], score_of: Callable[[str], float | None]) -> list[str]:
    """As llama.cpp merges by score, NaNs included: none is better or worse than another number,
    so the order is the one that libstdc++'s heap leaves them in."""
    heap = _Heap()
    after = [*range(1, len(symbols)), -1]
    before = list(range(-1, len(symbols) - 1))

    def add(left: int, right: int) -> None:
        if min(left, right) >= 0:
            score = score_of(text := symbols[left] + symbols[right])
            if score is not None:
                heap.push((score, left, right, len(text)))

    for right in range(1, len(symbols)):
        add(right - 1, right)
    while heap.pairs:
        _, left, right, size = heap.pop()
        if not (symbols[left] and symbols[right] and len(symbols[left] + symbols[right]) == size):
            continue
        symbols[left] += symbols[right]
        symbols[right] = ""
        after[left] = after[right]
        if after[right] >= 0:
            before[after[right]] = left
        add(before[left], left)
        add(left, after[left])
    return [symbol for symbol in symbols if symbol]


class _Heap:
    """std::priority_queue, with its very swaps."""

    def __init__(self) -> None:
        self.pairs: list[Pair] = []

    def push(self, pair: Pair) -> None:
        self.pairs.append(pair)
        self._lift(len(self.pairs) - 1, pair)

    def pop(self) -> Pair:
        pairs = self.pairs
        last = pairs.pop()
        if not pairs:
            return last
        best, hole, size = pairs[0], 0, len(pairs)
        while (child := 2 * hole + 2) < size:
            child -= _is_worse(pairs[child], pairs[child - 1])
            pairs[hole] = pairs[child]
            hole = child
        if child == size:
            pairs[hole] = pairs[child - 1]
            hole = child - 1
        self._lift(hole, last)
        return best

    def _lift(self, hole: int, pair: Pair) -> None:
        pairs = self.pairs
        while hole and _is_worse(pairs[parent := (hole - 1) // 2], pair):
            pairs[hole] = pairs[parent]
            hole = parent
        pairs[hole] = pair


def _is_worse(a: Pair, b: Pair) -> bool:
    return a[0] < b[0] or (a[0] == b[0] and a[1] > b[1])
