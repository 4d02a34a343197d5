"""Chunks of whole lines: the largest parts of a text that are worth remembering."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, chain, pairwise, repeat

from pyodide_tok.encoders.memo import Ids, Memo, Table

_BORDER = "\ud800"  # is in no token: they are read as UTF-8
_BLOCK = 1 << 14  # characters that are split at once
_NEW: Ids = (-1,)


class Lines:
    """Encodes line by line, and remembers the lines.

    Where many lines are new they are split into words as one text, which is quicker.
    """

    def __init__(
        self, pattern: re.Pattern[str], split: Callable[[str], list[str]], words: Memo
    ) -> None:
        self._pattern = pattern
        self._split = split
        self._words = words
        self._known = Table()

    def encode(self, text: str) -> Iterator[int]:
        lines = self._pattern.findall(text)
        blocks = chain.from_iterable(map(self._block, _blocks(lines)))
        return chain.from_iterable(blocks)

    def _block(self, lines: list[str]) -> list[Ids]:
        found = list(map(self._known.get, lines, repeat(_NEW)))
        if _NEW in found:
            first, last = found.index(_NEW), len(found) - found[::-1].index(_NEW)
            found[first:last] = self._encode(lines[first:last])
        return found

    def _encode(self, lines: list[str]) -> list[Ids]:
        words = self._split("".join(lines))
        ids = list(map(self._words.__getitem__, words))
        ends = list(accumulate(map(len, words)))
        stops = [bisect(ends, stop) for stop in accumulate(map(len, lines))]
        found = [tuple(chain.from_iterable(ids[a:b])) for a, b in pairwise((0, *stops))]
        for line, line_ids in zip(lines, found, strict=True):
            self._known.keep(line, line_ids)
        return found


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    ends = list(accumulate(map(len, lines), initial=0))
    starts = {bisect(ends, start) - 1 for start in range(0, ends[-1], _BLOCK)}
    return (lines[a:b] for a, b in pairwise((*sorted(starts), len(lines))))


def line_pattern(pairs: Iterable[str]) -> re.Pattern[str]:
    """Cuts a text before newlines, or after them, wherever the two characters are no pair.

    pairs: those of a newline and another character that some token has side by side.
    """
    pairs = set(pairs)
    before = _class(pair[0] for pair in pairs if pair[0] != "\n")
    after = _class(pair[1] for pair in pairs if pair[1] != "\n")
    return re.compile(rf"\n*[^\n]+(?:(?<={before})\n+(?:(?={after})[^\n]+)?)*|\n+")


def newline_pairs(texts: Iterable[str]) -> set[str]:
    """The pairs of a newline and another character in some of the texts."""
    joined = _BORDER.join(texts)
    pairs = re.findall(rf"(?=(\n[^\n{_BORDER}]|[^\n{_BORDER}]\n))", joined)
    return set(pairs)


def _class(chars: Iterable[str]) -> str:
    inside = "".join(map(re.escape, sorted(set(chars))))
    return f"[{inside}]" if inside else r"[^\s\S]"
