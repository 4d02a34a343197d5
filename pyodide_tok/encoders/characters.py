r"""Byte-level BPE that starts from characters instead of bytes, where that gives the same.

A Chinese word of six characters is 18 bytes and needs some 12 merges before any two characters
meet. Those merges are the same wherever a character stands, so they are done once per character.
That is exact under two conditions, which are checked:

- No merge joins a part of a character to its neighbour: a tail of the left one (continuation
  bytes alone) to what starts the right one, or the head of the right one (a lead byte with too
  few continuation bytes) to what ends the left one. Such merges are rare, and do no harm if the
  part has merged within its own character before their turn comes (`_Unit.after`, `.before`).
- A character is formed before its first merge with a neighbour would come up: `merge_formed`
  gives up otherwise. Ranks of merges that follow one another then only rise, so merging from the
  bytes passes through the same merges in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from pyodide_tok.codepoints import BYTE_TO_CHAR
from pyodide_tok.encoders.merging import NO_RANK, merge_formed

_BORDER = "\ud800"  # is in no merge: they are read as UTF-8
_CONTINUATION_CHARS = BYTE_TO_CHAR[0x80:0xC0]
_CONTINUATION = re.escape(_CONTINUATION_CHARS)
_LEADS = [re.escape(BYTE_TO_CHAR[a:b]) for a, b in ((0xC0, 0xE0), (0xE0, 0xF0), (0xF0, 0x100))]
_TAIL_MERGES = re.compile(
    f"{_BORDER}([{_CONTINUATION}]{{1,3}}) ([^{_CONTINUATION}{_BORDER}])[^{_BORDER}]*"
)
_HEADS = f"[{_LEADS[0]}]|[{_LEADS[1]}][{_CONTINUATION}]?|[{_LEADS[2]}][{_CONTINUATION}]{{0,2}}"
_HEAD_MERGES = re.compile(f" ({_HEADS})(?={_BORDER})")
_MOST = 1 << 15  # characters that are remembered, as Memo bounds words
_LONGEST = 250  # characters; the bytes of a longer word are merged more quickly, by the queue


class _Unit(NamedTuple):
    """A character (or two, see `Characters._head`) after its own merges.

    `rank` is that of the last of them. `after` are the first bytes, and `before` the last bytes,
    of neighbours that would take a part of it. `whole`: no part but continuation bytes, and no
    whole character, stood at its end on the way.
    """

    symbols: tuple[str, ...]
    rank: float
    first: str
    last: str
    after: frozenset[str]
    before: frozenset[str]
    whole: bool


class Characters:
    """The merged characters of a byte-level vocabulary, made as they come up."""

    def __init__(self, merges: Sequence[str], ranks: Mapping[str, float]) -> None:
        self._merges = merges
        self._ranks = ranks
        self._units: dict[str, _Unit] = {}

    def merge(self, word: str) -> list[str] | None:
        """The symbols of a word, or None if they have to be merged from the word's bytes."""
        if len(word) > _LONGEST:
            return None
        known = self._units
        symbols: list[str] = []
        ranks: list[float] = []
        after_left, last_left = _NONE, ""
        for char in self._split(word):
            parts, rank, first, last, after, before, _ = known.get(char) or self._unit(char)
            if first in after_left or last_left in before:
                return None
            symbols += parts
            ranks += [rank] * len(parts)
            after_left, last_left = after, last
        return merge_formed(symbols, ranks, self._ranks.get, " ")

    def _split(self, word: str) -> Sequence[str]:
        """The characters; but the first two together if a part of the second goes to the first.

        That is what a space often does. It is only right if the second never stands there as a
        whole character on the way.
        """
        head = word[:2]
        left, right = (self._units.get(char) or self._unit(char) for char in head)
        if right.first not in left.after and left.last not in right.before:
            return word
        if not (self._units.get(head) or self._unit(head)).whole:
            return word
        return [head, *word[2:]]

    def _unit(self, text: str) -> _Unit:
        symbols = [BYTE_TO_CHAR[byte] for byte in text.encode("utf-8", "surrogatepass")]
        first, last = symbols[0], symbols[-1]
        ranks = self._ranks.get
        rank = -1.0
        heads, tails = [], []  # parts, and the ranks at which they merged within the unit
        while True:
            found = [ranks(f"{a} {b}", NO_RANK) for a, b in pairwise(symbols)]
            best = min(found, default=NO_RANK)
            merged = max(rank, best)
            heads.append((symbols[0], merged))
            tails.append((symbols[-1], merged))
            if best == NO_RANK:
                break
            i = found.index(best)
            symbols[i] += symbols.pop(i + 1)
            rank = merged
        if len(self._units) >= _MOST:
            self._units.clear()
        unit = self._units[text] = _Unit(
            symbols=tuple(symbols),
            rank=rank,
            first=first,
            last=last,
            after=_takers(tails, self._part_merges[0]),
            before=_takers(heads, self._part_merges[1]),
            whole=not any(tail.strip(_CONTINUATION_CHARS) for tail, _ in tails[:-1]),
        )
        return unit

    @cached_property
    def _part_merges(self) -> tuple[_Takers, _Takers]:
        """For tails: what comes first in the neighbour -> the earliest merge; for heads: last."""
        tails: _Takers = {}
        heads: _Takers = {}
        joined = _BORDER + _BORDER.join(self._merges) + _BORDER
        for match in _TAIL_MERGES.finditer(joined):
            self._note(tails, match[1], match[2], match[0][1:])
        for match in _HEAD_MERGES.finditer(joined):
            start = joined.rfind(_BORDER, 0, match.start()) + 1
            self._note(heads, match[1], joined[match.start() - 1], joined[start : match.end()])
        return tails, heads

    def _note(self, takers: _Takers, part: str, neighbour: str, merge: str) -> None:
        ranks = takers.setdefault(part, {})
        ranks[neighbour] = min(self._ranks[merge], ranks.get(neighbour, self._ranks[merge]))


_Takers = dict[str, dict[str, float]]
_NONE: frozenset[str] = frozenset()


def _takers(parts: list[tuple[str, float]], takers: _Takers) -> frozenset[str]:
    """The neighbours' bytes whose merge with a part comes before the part has merged."""
    if not any(part in takers for part, _ in parts):
        return _NONE
    return frozenset(
        neighbour
        for part, merged in parts
        for neighbour, rank in takers.get(part, {}).items()
        if rank <= merged
    )
