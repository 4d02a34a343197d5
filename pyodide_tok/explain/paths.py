"""Unigram and PLaMo, told as paths: the best way to cut a word, and the next best."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, pairwise, takewhile
from typing import NamedTuple

from pyodide_tok.encoders.normalizer import Normalizer
from pyodide_tok.encoders.plamo import (
    BEYOND,
    BOM,
    BOUNDARY,
    borders,
    byte_ids,
    suffixes_of,
)
from pyodide_tok.encoders.suffix_table import SuffixTable
from pyodide_tok.encoders.suffixes import NO_ID, Suffixes
from pyodide_tok.encoders.unigram import exact_length, weights_of
from pyodide_tok.explain.trace import Arc, Part, Path, Word
from pyodide_tok.explain.words import explained
from pyodide_tok.text.codepoints import lenient
from pyodide_tok.text.spaces import AT_SPACES, SPACE, has_space_inside
from pyodide_tok.text.utf8 import LENGTHS, is_utf8, utf8
from pyodide_tok.vocab.vocab import Vocab

_WORST = -sys.float_info.max


class _Way(NamedTuple):
    """A path to (Unigram) or from (PLaMo) some node: its last arc, and the path it goes on from."""

    score: float
    arc: Arc | None
    rest: _Way | None


def _two_best(arcs: Iterable[Arc], end: int, sign: int) -> list[_Way]:
    """The two paths of the highest score from 0 to `end` (sign 1), or of the lowest from `end`
    to 0 (sign -1); of equals the one found first.  Arcs come in the order of the search."""
    best: list[list[_Way]] = [[] for _ in range(end + 1)]
    best[0 if sign > 0 else end] = [_Way(0, None, None)]
    for arc in arcs:
        source, target = (arc.start, arc.end)[::sign]
        ways = [_Way(way.score + arc.score, arc, way) for way in best[source]]
        usable = [way for way in ways if way.score > _WORST]
        best[target] = sorted(best[target] + usable, key=lambda way: -sign * way.score)[:2]
    return best[end if sign > 0 else 0]


def _arcs_of(way: _Way) -> Iterator[Arc]:
    """The arcs of a path, from its end of the search to where that began."""
    while way.arc is not None and way.rest is not None:
        yield way.arc
        way = way.rest


class UnigramExplainer:
    """Unigram (UGM): of all ways to cut a word into tokens the one of the highest score.

    A character that is no token is unknown, ten below the worst token; neighbouring unknowns
    become one token.
    """

    def __init__(self, vocab: Vocab) -> None:
        self._ids = vocab.token_to_id
        self._unknown = vocab.special.get("unk")
        self._unknown_ids = () if self._unknown is None else (self._unknown,)
        self._weights, self._unknown_weight = weights_of(vocab)
        self._normalizer = Normalizer(vocab)
        exact = exact_length(self._weights, self._unknown_weight)
        self._longest_exact = exact // self._normalizer.growth

    @cached_property
    def _sizes(self) -> list[int]:
        """The lengths that tokens have, in bytes, rising."""
        return sorted({len(utf8(text)) for text in self._weights})

    @cached_property
    def _joins_spaces(self) -> bool:
        return self._normalizer.space != SPACE or has_space_inside(self._weights)

    def words(self, text: str) -> Iterator[Word]:
        normal = self._normalizer(text)
        whole = self._joins_spaces or len(text) > self._longest_exact or not is_utf8(normal)
        chunks = [normal] if whole else AT_SPACES.findall(normal)
        last: int | None = None
        for word in explained(filter(None, chunks), self._word):
            ids = word.ids[word.ids[:1] == (last,) == (self._unknown,) :]
            yield replace(word, ids=ids)
            last = (last, *word.ids)[-1]

    def _word(self, text: str) -> Word:
        data = utf8(text)
        arcs = tuple(self._arcs(data))
        best, *others = _two_best(arcs, len(data), 1) or [self._nothing(data)]
        path = _path(best, data)
        return Word(
            text,
            tuple(self._tidy(path)),
            best=path,
            runner_up=_path(others[0], data) if others else None,
            arcs=arcs,
        )

    def _tidy(self, path: Path) -> Iterator[int]:
        before = None
        for part in path.parts:
            if part.ids and not part.ids[0] == before == self._unknown:
                yield part.ids[0]
            before = part.ids[0] if part.ids else before

    def _nothing(self, data: bytes) -> _Way:
        """The path of a word that no path leads through: it is unknown."""
        return _Way(_WORST, Arc(0, len(data), self._unknown_ids, _WORST), _Way(0, None, None))

    def _arcs(self, data: bytes) -> Iterator[Arc]:
        """All tokens that fit in a word, from left to right."""
        at = 0
        while at < len(data):
            after = min(at + LENGTHS[data[at] >> 4], len(data))
            yield from self._arcs_from(data, at, after)
            at = after

    def _arcs_from(self, data: bytes, at: int, after: int) -> Iterator[Arc]:
        """The tokens that begin at a character, and that character as unknown if it is none."""
        known = False
        for end in takewhile(len(data).__ge__, (at + size for size in self._sizes)):
            text = data[at:end].decode("utf-8", "surrogateescape")
            if text in self._weights:
                yield Arc(at, end, (self._ids[text],), self._weights[text])
                known |= end == after
        if not known:
            yield Arc(at, after, self._unknown_ids, self._unknown_weight)


def _path(way: _Way, data: bytes) -> Path:
    arcs = reversed([*_arcs_of(way)])
    texts = ((data[arc.start : arc.end].decode("utf-8", "surrogateescape"), arc) for arc in arcs)
    return Path(tuple(Part(text, arc.ids, arc.score) for text, arc in texts), way.score)


class PlamoExplainer:
    """PLaMo: of all ways to cut a text into tokens that of the lowest cost, -10000 times a score.

    A character that no token covers becomes its bytes, at a high cost. Costs are summed from the
    end, so a word here is a whole stretch: the text, or what PLaMo 3 cuts it into beforehand.
    """

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._bytes = byte_ids(vocab)
        self._segmented = vocab.family.segments

    @cached_property
    def _suffixes(self) -> Suffixes | SuffixTable:
        return suffixes_of(self._vocab)

    def words(self, text: str) -> Iterator[Word]:
        for i, part in enumerate(BEYOND.split(text)):
            if BEYOND.match(part):
                yield Word(part, tuple(self._bytes[ord(byte) & 0xFF] for byte in part))
                continue
            yield from explained(self._segments(lenient(part), i == 0), self._word)

    def _segments(self, points: str, first: bool) -> list[str]:
        if not self._segmented:
            trimmed = points.removeprefix(BOM) if first else points
            return [trimmed] if trimmed else []
        cuts = (0, *borders(points), len(points))
        parts = [points[a:b] for a, b in pairwise(sorted(cuts))]
        return [segment for part in parts for segment in part.split(BOUNDARY) if segment]

    def _word(self, text: str) -> Word:
        arcs = list(self._arcs(text))
        best, *others = _two_best(arcs, len(text), -1)
        path = self._path(best, text)
        sizes = (len(char.encode("utf-8", "surrogatepass")) for char in text)
        at = (*accumulate(sizes, initial=0),)
        return Word(
            text,
            tuple(token for part in path.parts for token in part.ids),
            best=path,
            runner_up=self._path(others[0], text) if others else None,
            arcs=tuple(replace(arc, start=at[arc.start], end=at[arc.end]) for arc in arcs),
        )

    def _arcs(self, text: str) -> Iterator[Arc]:
        """All tokens that fit in a word, from its end, long to short; in characters."""
        for back, steps in enumerate(self._suffixes.steps(text), 1):
            at = len(text) - back
            for size, token, cost in steps:
                yield Arc(at, at + size, self._ids_of(token, text[at]), cost)

    def _ids_of(self, token: int, char: str) -> tuple[int, ...]:
        if token != NO_ID:
            return (token,)
        return tuple(self._bytes[byte] for byte in char.encode("utf-8", "surrogatepass"))

    def _path(self, way: _Way, text: str) -> Path:
        parts = (Part(text[arc.start : arc.end], arc.ids, arc.score) for arc in _arcs_of(way))
        return Path(tuple(parts), way.score)
