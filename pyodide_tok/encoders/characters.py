r"""Byte-level BPE that starts from characters instead of bytes, where that gives the same.

A Chinese word of six characters is 18 bytes and needs some 12 merges before any two characters
meet. Those merges are the same wherever a character stands, so they are done once per character.
That is exact under two conditions, which are checked:

- No merge joins a part of a character to its neighbour: not a tail of the left one (continuation
  bytes alone) to what starts the right one, nor the head of the right one (a lead byte with too
  few continuation bytes) to what ends the left one. `_joins_parts` says so for a pair.
- A character is formed before its first merge with a neighbour would come up: `merge_formed`
  gives up otherwise. Ranks of merges that follow one another then only rise, so merging from the
  bytes passes through the same merges in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from pyodide_tok.codepoints import BYTE_TO_CHAR
from pyodide_tok.encoders.merging import NO_RANK, merge_formed

_CONTINUATION = re.escape(BYTE_TO_CHAR[0x80:0xC0])
_LEADS = [re.escape(BYTE_TO_CHAR[a:b]) for a, b in ((0xC0, 0xE0), (0xE0, 0xF0), (0xF0, 0x100))]
_TAIL_MERGES = re.compile(f"(?:\\A|\0)([{_CONTINUATION}]{{1,3}} [^{_CONTINUATION}\0])")
_HEAD_MERGES = re.compile(
    f"([^ \0] (?:[{_LEADS[0]}]|[{_LEADS[1]}][{_CONTINUATION}]?"
    f"|[{_LEADS[2]}][{_CONTINUATION}]{{0,2}}))(?=\0|\\Z)"
)

Formed = tuple[tuple[str, ...], float]  # a character's symbols, and the rank of its last merge


class Characters:
    """The merged characters of a byte-level vocabulary, made as they come up."""

    def __init__(self, merges: Sequence[str], ranks: Mapping[str, int]) -> None:
        self._merges = merges
        self._ranks = ranks
        self._formed: dict[str, Formed] = {}
        self._parts_joined: dict[str, bool] = {}

    def merge(self, word: str) -> list[str] | None:
        """The symbols of a word, or None if they have to be merged from its bytes."""
        joined = self._parts_joined
        for pair in map("".join, pairwise(word)):
            if joined[pair] if pair in joined else self._joins_parts(pair):
                return None
        symbols: list[str] = []
        ranks: list[float] = []
        for char in word:
            parts, rank = self._formed[char] if char in self._formed else self._form(char)
            symbols += parts
            ranks += [rank] * len(parts)
        return merge_formed(symbols, ranks, self._ranks.get, " ")  # type: ignore[arg-type]

    def _form(self, char: str) -> Formed:
        symbols = [BYTE_TO_CHAR[byte] for byte in char.encode("utf-8", "surrogatepass")]
        last = -1.0
        while len(symbols) > 1:
            found = [self._ranks.get(f"{a} {b}", NO_RANK) for a, b in pairwise(symbols)]
            best = min(found)
            if best == NO_RANK:
                break
            i = found.index(best)
            symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
            last = max(last, best)
        formed = self._formed[char] = (tuple(symbols), last)
        return formed

    @cached_property
    def _part_merges(self) -> set[str]:
        joined = "\0".join(self._merges)
        return set(_TAIL_MERGES.findall(joined)) | set(_HEAD_MERGES.findall(joined))

    def _joins_parts(self, pair: str) -> bool:
        left, right = (
            "".join([BYTE_TO_CHAR[byte] for byte in char.encode("utf-8", "surrogatepass")])
            for char in pair
        )
        tails = (f"{left[i:]} {right[0]}" for i in range(1, len(left)))
        heads = (f"{left[-1]} {right[:i]}" for i in range(1, len(right)))
        answer = any(key in self._part_merges for key in (*tails, *heads))
        self._parts_joined[pair] = answer
        return answer
