"""A bounded memo table: what makes a warm encoder fast."""

from __future__ import annotations

from collections.abc import Callable

Ids = tuple[int, ...]

_LONGEST_KEY = 512  # a longer chunk is unlikely to come again
_ENTRY_BYTES = 200  # a dict slot, a str header and a tuple header
_ID_BYTES = 36  # an int and its slot in the tuple


class Memo(dict[str, Ids]):
    """`memo[chunk]` is `miss(chunk)`, computed once and kept while there is room.

    The size is an estimate in bytes, kept by adding; a table over `limit_bytes` is emptied and
    fills again with what is in use now. Safe under threads: at worst a chunk is computed twice.
    """

    __slots__ = ("_limit", "_miss", "size_bytes")

    def __init__(self, miss: Callable[[str], Ids], limit_bytes: int = 64 << 20) -> None:
        super().__init__()
        self._miss = miss
        self._limit = limit_bytes
        self.size_bytes = 0

    def __missing__(self, chunk: str) -> Ids:
        ids = self._miss(chunk)
        if len(chunk) <= _LONGEST_KEY:
            self._keep(chunk, ids)
        return ids

    def _keep(self, chunk: str, ids: Ids) -> None:
        size = _ENTRY_BYTES + 2 * len(chunk) + _ID_BYTES * len(ids)
        if self.size_bytes + size > self._limit:
            self.clear()
            self.size_bytes = 0
        self.size_bytes += size
        self[chunk] = ids
