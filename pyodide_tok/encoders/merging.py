"""Merging neighbouring symbols by rank: what BPE and SentencePiece have in common.

llama.cpp keeps a queue of pairs and takes the best, the leftmost of equals. Doing the same over
lists is quicker for the short chunks that texts are made of; long chunks get the queue.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import pairwise

_LONG = 80  # symbols; from here on the queue is quicker

Ranks = Callable[[str, float], float]  # dict.get of "left" + joiner + "right"


def merge(symbols: list[str], ranks: Ranks, joiner: str, no_rank: float) -> list[str]:
    """The symbols left when no pair of neighbours has a rank; low ranks merge first.

    no_rank: above all ranks, and of their type, as comparing an int with a float is slow.
    """
    if len(symbols) > _LONG:
        return _merge_by_queue(symbols, ranks, joiner, no_rank)
    found = [ranks(f"{a}{joiner}{b}", no_rank) for a, b in pairwise(symbols)]
    while found and (best := min(found)) != no_rank:
        i = found.index(best)
        del found[i]
        merged = symbols[i] = symbols[i] + symbols.pop(i + 1)
        if i:
            found[i - 1] = ranks(f"{symbols[i - 1]}{joiner}{merged}", no_rank)
        if i < len(found):
            found[i] = ranks(f"{merged}{joiner}{symbols[i + 1]}", no_rank)
    return symbols


def _merge_by_queue(symbols: list[str], ranks: Ranks, joiner: str, no_rank: float) -> list[str]:
    size = len(symbols)
    after = list(range(1, size + 1))
    before = list(range(-1, size - 1))
    queue = [
        (rank, i)
        for i, (a, b) in enumerate(pairwise(symbols))
        if (rank := ranks(f"{a}{joiner}{b}", no_rank)) != no_rank
    ]
    heapify(queue)
    while queue:
        rank, left = heappop(queue)
        right = after[left]
        symbol = symbols[left]
        # out of date if one of the two has since changed; an equal rank is as good as the old pair
        if not symbol or right >= size:
            continue
        if ranks(f"{symbol}{joiner}{symbols[right]}", no_rank) != rank:
            continue
        symbol = symbols[left] = symbol + symbols[right]
        symbols[right] = ""
        following = after[left] = after[right]
        if following < size:
            before[following] = left
            rank = ranks(f"{symbol}{joiner}{symbols[following]}", no_rank)
            if rank != no_rank:
                heappush(queue, (rank, left))
        preceding = before[left]
        if preceding >= 0:
            rank = ranks(f"{symbols[preceding]}{joiner}{symbol}", no_rank)
            if rank != no_rank:
                heappush(queue, (rank, preceding))
    return [symbol for symbol in symbols if symbol]
