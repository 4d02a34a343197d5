"""Orders that follow from libstdc++, where llama.cpp leaves the choice to it.

The hash table: llama.cpp looks for some special tokens by walking
`std::unordered_map<std::string, llama_token>` and takes the first that fits. Which one that is
follows from the string hash (MurmurHash64A, seed 0xc70f6907), the bucket counts, and where a node
is inserted. A node whose bucket is empty goes to the front of the one list of all nodes; any other
goes to the front of its bucket. A rehash inserts all nodes again, in the order of the walk.

The sort: llama.cpp sorts the special tokens by length alone, and cuts them out of a text in that
order. Which of two equally long ones that overlap is found follows from `std::sort`: its introsort
splits stretches of more than 16 about the median of three, swapping equals too, and finishes with
an insertion sort, which is stable.
"""

from __future__ import annotations

import struct
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

_SEED = 0xC70F6907
_MUL = 0xC6A4A7935BD1E995
_WORD = (1 << 64) - 1
_SMALL = 16  # a stretch that is left to the insertion sort

# How many buckets there are, from the first insertion on; a table is rehashed when it would hold
# more nodes than buckets.
_BUCKETS = (
    *(13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061),
    *(712697, 1447153, 2938679, 5967347, 12117689, 24607243, 49969847, 101473717, 206062531),
)


def first_in_hash_order(texts: Iterable[str], candidates: Collection[str]) -> str:
    """The first of `candidates`, each one of `texts`, in the walk of a table of `texts`.

    `texts` are inserted in their order; one that came before is not inserted again.
    """
    unique = list(dict.fromkeys(texts))
    wanted = {unique.index(text) for text in candidates}
    epoch = next(i for i, buckets in enumerate(_BUCKETS) if buckets >= len(unique))
    return unique[_walk(_hashes(unique), wanted, epoch)[0]]


def _walk(hashes: Sequence[int], wanted: set[int], epoch: int) -> list[int]:
    """`wanted`, in the order of the walk when `epoch`'s table is as full as it gets.

    Only nodes that share a bucket with a wanted one matter, so the sets stay small.
    """
    buckets = _BUCKETS[epoch]
    start = _BUCKETS[epoch - 1] if epoch else 0
    homes = {hashes[i] % buckets for i in wanted}
    members = [i for i, code in enumerate(hashes[:buckets]) if code % buckets in homes]
    old = {i for i in members if i < start}
    chains = defaultdict(list)
    for i in (_walk(hashes, old, epoch - 1) if old else []) + [i for i in members if i >= start]:
        chains[hashes[i] % buckets].append(i)
    walk = [i for chain in reversed(chains.values()) for i in reversed(chain)]
    return [i for i in walk if i in wanted]


def _hashes(texts: Sequence[str]) -> list[int]:
    raws = [text.encode("utf-8", "surrogateescape") for text in texts]
    of_length = defaultdict(list)
    for i, raw in enumerate(raws):
        of_length[len(raw)].append(i)
    hashes = [0] * len(raws)
    for length, places in of_length.items():
        codes = _hash_equals([raws[i] for i in places], length)
        for i, code in zip(places, codes, strict=True):
            hashes[i] = code
    return hashes


def _hash_equals(raws: Sequence[bytes], length: int) -> tuple[int, ...]:
    """std::hash of byte strings that all have `length` bytes.

    All at once: one large integer holds them in lanes of 128 bits, 64 of them room for products,
    so that each step is one operation in C.
    """
    ones = int.from_bytes((b"\1" + bytes(15)) * len(raws), "little")
    low = ones * _WORD
    codes = ones * (_SEED ^ (length * _MUL & _WORD))
    for column, lanes in enumerate(_columns(raws, length)):
        if column < length // 8:
            lanes = lanes * _MUL & low
            lanes = ((lanes ^ lanes >> 47) & low) * _MUL & low
        codes = (codes ^ lanes) * _MUL & low
    codes = ((codes ^ codes >> 47) & low) * _MUL & low
    codes = (codes ^ codes >> 47) & low
    return struct.unpack(f"<{2 * len(raws)}Q", codes.to_bytes(16 * len(raws), "little"))[::2]


def _columns(raws: Sequence[bytes], length: int) -> Iterable[int]:
    """For each 8 bytes of the strings (the last filled up with zeros), lanes of them."""
    width = -(-length // 8)
    fill = bytes(8 * width - length)
    words = memoryview(fill.join(raws) + fill).cast("Q")
    for column in range(width):
        lanes = array("Q", bytes(16 * len(raws)))
        lanes[::2] = array("Q", words[column::width].tobytes())
        yield int.from_bytes(lanes.tobytes(), "little")


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
