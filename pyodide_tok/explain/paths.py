"""Unigram and PLaMo, told as paths: the best way to cut a word, and the next best."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise, takewhile
from typing import NamedTuple

from pyodide_tok.encoders.normalizer import Normalizer
from pyodide_tok.encoders.plamo import (
    BEYOND,
    BOM,
    BOUNDARY,
    borders,
    byte_ids,
    suffixes_of,
    token_costs,
)
from pyodide_tok.encoders.plamo import UNKNOWN as UNKNOWN_COST
from pyodide_tok.encoders.plamo import UNUSABLE as UNUSABLE_COST
from pyodide_tok.encoders.unigram import exact_length, weights_of
from pyodide_tok.explain.trace import Part, Path, Word
from pyodide_tok.explain.words import explained
from pyodide_tok.text.codepoints import lenient
from pyodide_tok.text.spaces import AT_SPACES, SPACE, has_space_inside
from pyodide_tok.text.utf8 import LENGTHS, is_utf8, utf8
from pyodide_tok.vocab.vocab import Vocab

_WORST = -sys.float_info.max


class _Way(NamedTuple):
    """A path to (Unigram) or from (PLaMo) some place: its last step, and where that goes on."""

    score: float
    size: int  # of the step
    ids: tuple[int, ...]
    weight: float
    rest: _Way | None


def _two_best(ways: list[_Way], sign: int) -> list[_Way]:
    """The two of the highest (sign 1) or lowest (-1) score; of equals what stands first."""
    return sorted(ways, key=lambda way: -sign * way.score)[:2]


def _steps(way: _Way) -> Iterator[tuple[int, tuple[int, ...], float]]:
    """(size, ids, weight) of each step, from the way's end to where it began."""
    while way.rest is not None:
        yield way.size, way.ids, way.weight
        way = way.rest


class UnigramExplainer:
    """Unigram (UGM): of all ways to cut a word into tokens the one of the highest score.

    A character that is no token is unknown, ten below the worst token; neighbouring unknowns
    become one token.
    """

    def __init__(self, vocab: Vocab) -> None:
        self._ids = vocab.token_to_id
        self._unknown = vocab.special.get("unk")
        self._weights, self._unknown_weight = weights_of(vocab)
        self._normalizer = Normalizer(vocab)
        columns = zip(vocab.texts, self._weights, strict=True)
        self._usable = [text for text, weight in columns if not math.isnan(weight)]
        exact = exact_length(vocab, self._weights, self._unknown_weight)
        self._longest_exact = exact // self._normalizer.growth

    @cached_property
    def _sizes(self) -> list[int]:
        """The lengths that tokens have, in bytes, rising."""
        return sorted({len(utf8(text)) for text in self._usable})

    @cached_property
    def _joins_spaces(self) -> bool:
        return self._normalizer.space != SPACE or has_space_inside(self._usable)

    def words(self, text: str) -> Iterator[Word]:
        normal = self._normalizer(text)
        whole = self._joins_spaces or len(text) > self._longest_exact or not is_utf8(normal)
        chunks = [normal] if whole else AT_SPACES.findall(normal)
        last: int | None = None
        for word in explained(filter(None, chunks), self._word):
            ids = word.ids[word.ids[:1] == (last,) == (self._unknown,) :]
            yield Word(word.text, ids, (), (), word.best, word.runner_up, word.note)
            last = (last, *word.ids)[-1]

    def _word(self, text: str) -> Word:
        data = utf8(text)
        best, *others = self._best_ways(data)
        path = _path(best, data)
        return Word(
            text,
            tuple(self._tidy(path)),
            best=path,
            runner_up=_path(others[0], data) if others else None,
        )

    def _tidy(self, path: Path) -> Iterator[int]:
        before = None
        for part in path.parts:
            if part.ids and not part.ids[0] == before == self._unknown:
                yield part.ids[0]
            before = part.ids[0] if part.ids else before

    def _best_ways(self, data: bytes) -> list[_Way]:
        """The two best ways through a word, found from left to right."""
        start = _Way(0.0, 0, (), 0.0, None)
        best: list[list[_Way]] = [[start], *([] for _ in data)]
        at = 0
        while at < len(data):
            after = min(at + LENGTHS[data[at] >> 4], len(data))
            for size, ids, weight in self._tokens_at(data, at, after):
                ways = [_Way(way.score + weight, size, ids, weight, way) for way in best[at]]
                usable = [way for way in ways if way.score > _WORST]
                best[at + size] = _two_best(best[at + size] + usable, 1)
            at = after
        unknown = () if self._unknown is None else (self._unknown,)
        return best[-1] or [_Way(_WORST, len(data), unknown, _WORST, start)]

    def _tokens_at(
        self, data: bytes, at: int, after: int
    ) -> Iterator[tuple[int, tuple[int, ...], float]]:
        """(bytes, ids, score) of the tokens at a place, and of the unknown character there."""
        known = False
        for end in takewhile(len(data).__ge__, (at + size for size in self._sizes)):
            token = self._ids.get(data[at:end].decode("utf-8", "surrogateescape"))
            if token is not None and not math.isnan(self._weights[token]):
                yield end - at, (token,), self._weights[token]
                known |= end == after
        if not known:
            unknown = () if self._unknown is None else (self._unknown,)
            yield after - at, unknown, self._unknown_weight


def _path(way: _Way, data: bytes) -> Path:
    parts = []
    end = len(data)
    for size, ids, score in _steps(way):
        text = data[end - size : end].decode("utf-8", "surrogateescape")
        parts.append(Part(text, ids, score))
        end -= size
    return Path(tuple(reversed(parts)), way.score)


class PlamoExplainer:
    """PLaMo: of all ways to cut a text into tokens that of the lowest cost, -10000 times a score.

    A character that no token covers becomes its bytes, at a high cost. Costs are summed from the
    end, so a word here is a whole stretch: the text, or what PLaMo 3 cuts it into beforehand.
    """

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._bytes = byte_ids(vocab)
        self._segmented = vocab.type == "PLAMO3"

    @cached_property
    def _tokens(self) -> dict[str, tuple[int, int]]:
        return token_costs(self._vocab)

    @cached_property
    def _suffixes(self) -> frozenset[str]:
        return suffixes_of(self._tokens)

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
        best, *others = self._best_ways(text)
        path = self._path(best, text)
        runner_up = self._path(others[0], text) if others else None
        ids = tuple(token for part in path.parts for token in part.ids)
        return Word(text, ids, best=path, runner_up=runner_up)

    def _best_ways(self, text: str) -> list[_Way]:
        """The two best ways through a word, found from its end; of equals the longer token."""
        end = _Way(0, 0, (), 0, None)
        best: list[list[_Way]] = [*([] for _ in text), [end]]
        suffix = ""
        for at in range(len(text) - 1, -1, -1):
            longer = (text[at] + prefix for prefix in self._prefixes(suffix))
            suffix = next((longest for longest in longer if longest in self._suffixes), "")
            ways = [
                _Way(way.score + cost, size, ids, cost, way)
                for size, ids, cost in self._tokens_of(suffix, text[at])
                for way in best[at + size]
            ]
            best[at] = _two_best(ways, -1)
        return best[0]

    def _prefixes(self, suffix: str) -> Iterator[str]:
        """The prefixes of a suffix of tokens that are such suffixes too, longest first.

        A token of just the unknown character's cost hides what is shorter, as in llama.cpp.
        """
        for size in range(len(suffix), -1, -1):
            prefix = suffix[:size]
            if not prefix or prefix in self._suffixes:
                yield prefix
            if prefix in self._tokens and self._tokens[prefix][1] == UNKNOWN_COST:
                return

    def _tokens_of(self, suffix: str, char: str) -> Iterator[tuple[int, tuple[int, ...], int]]:
        """(characters, ids, cost) of the steps from where the longest token suffix is `suffix`."""
        for prefix in self._prefixes(suffix):
            if not prefix:
                data = char.encode("utf-8", "surrogatepass")
                yield 1, tuple(self._bytes[byte] for byte in data), UNKNOWN_COST
            elif prefix in self._tokens and self._tokens[prefix][1] < UNUSABLE_COST:
                token, cost = self._tokens[prefix]
                yield len(prefix), (token,), cost

    def _path(self, way: _Way, text: str) -> Path:
        parts = []
        at = 0
        for size, ids, cost in _steps(way):
            parts.append(Part(text[at : at + size], ids, cost))
            at += size
        return Path(tuple(parts), way.score)
