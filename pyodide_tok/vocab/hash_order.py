"""The order in which llama.cpp's hash table of token texts is walked.

llama.cpp looks for some special tokens by walking `std::unordered_map<std::string, llama_token>`
and takes the first that fits, so which one it takes follows from libstdc++: its string hash
(MurmurHash64A, seed 0xc70f6907), its bucket counts, and where it puts a node.  A node whose
bucket is empty goes to the front of the one list of all nodes; any other goes to the front of its
bucket.  A rehash puts all nodes anew, in the order of the walk.
"""

from __future__ import annotations

import struct
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

_SEED = 0xC70F6907
_MUL = 0xC6A4A7935BD1E995
_WORD = (1 << 64) - 1

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
