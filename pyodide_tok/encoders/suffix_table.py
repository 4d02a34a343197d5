"""llama.cpp's own table for PLaMo, row by row: for vocabularies with tokens that are not UTF-8.

Such a token is in the table as it is, but its characters are decoded and encoded again, so rows
exist that no sound vocabulary has: a suffix may lead where the text does not match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from pyodide_tok.encoders.suffixes import NO_ID, UNKNOWN, UNUSABLE, Step
from pyodide_tok.text.codepoints import lenient

Costs = Mapping[bytes, tuple[int, int]]  # id and cost; of a suffix that is no token UNUSABLE


class _Row(NamedTuple):
    """A beginning of a suffix that is a suffix too: a step, and where its own rows start."""

    step: Step
    first: int


class SuffixTable:
    """The steps from each character, as `Suffixes` gives them. tokens: by their bytes."""

    def __init__(self, tokens: Costs) -> None:
        self._next: dict[tuple[str, int], int] = {}  # character, rows of the suffix behind it
        self._rows: list[_Row] = []
        self._build(_with_suffixes(tokens))
        self._steps = cache(self._steps_of)

    def _build(self, costs: Costs) -> None:
        """The rows of one suffix after the other, by their bytes read backwards."""
        firsts: dict[bytes, int] = {}
        pieces_of: list[list[bytes]] = []
        size = 0
        for suffix in sorted((b"", *costs), key=lambda data: data[::-1]):
            firsts[suffix] = size
            points = _points(suffix)
            if points:  # a suffix whose end has no rows yet is taken for one of the empty end
                self._next[points[0], firsts.setdefault(_encoded(points[1:]), 0)] = size
            prefixes = (_encoded(points[:end]) for end in range(len(points), 0, -1))
            pieces_of.append([prefix for prefix in prefixes if prefix in costs])
            size += len(pieces_of[-1]) + 1
        rows = {
            piece: _Row(Step(len(_points(piece)), *cost), firsts[piece])
            for piece, cost in costs.items()
        }
        unknown = _Row(Step(1, NO_ID, UNKNOWN), 0)
        for pieces in pieces_of:
            self._rows += [*map(rows.__getitem__, pieces), unknown]

    def steps(self, text: str) -> Iterator[tuple[Step, ...]]:
        """The steps from each character, the last character first."""
        first = 0
        for size, char in enumerate(reversed(text), 1):
            first = self._before(first, char)
            yield tuple(step for step in self._steps(first) if step.length <= size)

    def _before(self, first: int, char: str) -> int:
        for row in self._rows_from(first):
            if found := self._next.get((char, row.first), 0):
                return found
        return 0

    def _steps_of(self, first: int) -> tuple[Step, ...]:
        return tuple(row.step for row in self._rows_from(first) if row.step.cost < UNUSABLE)

    def _rows_from(self, first: int) -> Iterator[_Row]:
        """The rows of a suffix: up to the unknown character, or a token of its cost."""
        while True:
            yield self._rows[first]
            if self._rows[first].step.cost == UNKNOWN:
                return
            first += 1


def _with_suffixes(tokens: Costs) -> Costs:
    costs = dict(tokens)
    for token in tokens:
        points = _points(token)
        for at in range(1, len(points)):
            costs.setdefault(_encoded(points[at:]), (NO_ID, UNUSABLE))
    return costs


def _points(data: bytes) -> str:
    return lenient(data.decode("utf-8", "surrogateescape"))


def _encoded(points: str) -> bytes:
    return points.encode("utf-8", "surrogatepass")
