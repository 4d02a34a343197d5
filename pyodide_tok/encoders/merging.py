"""Merging neighbouring symbols by rank: what BPE and SentencePiece have in common.

llama.cpp keeps a queue of pairs and takes the best, the leftmost of equals. Doing the same over
lists is quicker for the short chunks that texts are made of; long chunks get the queue.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import pairwise

NO_RANK = float("inf")
_LONG = 80  # symbols; from here on the queue is quicker

Ranks = Callable[[str, float], float]  # dict.get of "left" + joiner + "right"


def merge(symbols: list[str], ranks: Ranks, joiner: str) -> list[str]:
    """The symbols left when no pair of neighbours has a rank; low ranks merge first."""
    if len(symbols) > _LONG:
        return _merge_by_queue(symbols, ranks, joiner)
    found = [ranks(a + joiner + b, NO_RANK) for a, b in pairwise(symbols)]
    while found and (best := min(found)) != NO_RANK:
        i = found.index(best)
        del found[i]
        merged = symbols[i] = symbols[i] + symbols.pop(i + 1)
        if i:
            found[i - 1] = ranks(symbols[i - 1] + joiner + merged, NO_RANK)
        if i < len(found):
            found[i] = ranks(merged + joiner + symbols[i + 1], NO_RANK)
    return symbols


def merge_formed(
    symbols: list[str], formed: list[float], ranks: Ranks, joiner: str
) -> list[str] | None:
    """`merge` from symbols that were merged already, `formed` at these ranks at the latest.

    None if a merge comes up that would have come before one of its symbols was formed: then the
    order is not that of merging from the start, which has to be done instead.
    """
    found = [ranks(a + joiner + b, NO_RANK) for a, b in pairwise(symbols)]
    while found and (best := min(found)) != NO_RANK:
        i = found.index(best)
        if best <= formed[i] or best <= formed.pop(i + 1):
            return None
        formed[i] = best
        del found[i]
        merged = symbols[i] = symbols[i] + symbols.pop(i + 1)
        if i:
            found[i - 1] = ranks(symbols[i - 1] + joiner + merged, NO_RANK)
        if i < len(found):
            found[i] = ranks(merged + joiner + symbols[i + 1], NO_RANK)
    return symbols


def _merge_by_queue(symbols: list[str], ranks: Ranks, joiner: str) -> list[str]:
    size = len(symbols)
    after = list(range(1, size + 1))
    before = list(range(-1, size - 1))
    queue = [
        (rank, i)
        for i, (a, b) in enumerate(pairwise(symbols))
        if (rank := ranks(a + joiner + b, NO_RANK)) != NO_RANK
    ]
    heapify(queue)
    while queue:
        rank, left = heappop(queue)
        right = after[left]
        symbol = symbols[left]
        # out of date if one of the two has since changed; an equal rank is as good as the old pair
        if not symbol or right >= size or ranks(symbol + joiner + symbols[right], NO_RANK) != rank:
            continue
        symbol = symbols[left] = symbol + symbols[right]
        symbols[right] = ""
        following = after[left] = after[right]
        if following < size:
            before[following] = left
            rank = ranks(symbol + joiner + symbols[following], NO_RANK)
            if rank != NO_RANK:
                heappush(queue, (rank, left))
        preceding = before[left]
        if preceding >= 0:
            rank = ranks(symbols[preceding] + joiner + symbol, NO_RANK)
            if rank != NO_RANK:
                heappush(queue, (rank, preceding))
    return [symbol for symbol in symbols if symbol]
