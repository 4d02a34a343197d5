"""Unigram (llama.cpp: UGM), for T5 and XLM-R models: the likeliest segmentation, by Viterbi.

What makes it fast: the path of highest score passes between two characters that no token has side
by side. Cutting there changes nothing, and the pieces come again and again.
"""

from __future__ import annotations

import math
import re
import sys
from array import array
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import chain, compress, count, islice, pairwise
from operator import add
from typing import TypeVar

from pyodide_tok.encoders.alignment import Span
from pyodide_tok.encoders.memo import Ids, Memo
from pyodide_tok.encoders.normalizer import Normalizer
from pyodide_tok.encoders.starts import longest_by_start
from pyodide_tok.vocab import NORMAL, UNUSED, USER_DEFINED, Vocab, utf8

__all__ = ["UnigramEncoder"]

_UNSET = -1
_PENALTY = 10.0  # an unknown character scores so much less than the least likely token
_FLT_MAX = 3.4028234663852886e38
_WORST = -sys.float_info.max
_UTF8_LENGTHS = (1,) * 12 + (2, 2, 3, 4)  # by the first four bits, as unicode_len_utf8
_ESCAPES = "\udc80-\udcff"
_ESCAPED = re.compile(f"[{_ESCAPES}]")
_ASIAN = "\u0e00"  # scripts without spaces are from here on

Text = TypeVar("Text", str, bytes)


class UnigramEncoder:
    """Encodes fragments with a vocabulary of type UGM. VocabError: its charsmap is damaged."""

    def __init__(self, vocab: Vocab) -> None:
        self._ids = vocab.token_to_id
        self._unknown = vocab.special.get("unk", _UNSET)
        self._weights, self._unknown_weight = _weights(vocab)
        tokens = [text for text, w in zip(vocab.texts, self._weights, strict=True) if w == w]
        self._reach = longest_by_start(tokens)
        self._normalizer = Normalizer(vocab)
        self._cuts = _Cuts(tokens, self._normalizer.space)
        self._is_split = self._normalizer.splits and not self._cuts.before_space
        exact = _exact_length(self._weights, vocab.texts, self._unknown_weight)
        self._longest_exact = exact // self._normalizer.growth
        self._words = Memo(self._encode_word)
        self._pieces = Memo(self._encode_piece)

    def encode(self, text: str) -> list[int]:
        """The ids of a fragment. It never raises."""
        if len(text) > self._longest_exact:
            return self._tidy(list(self._encode_piece(self._normalizer(text))))
        words = self._normalizer.words(text) if self._is_split else [text]
        return self._tidy(list(chain.from_iterable(map(self._words.__getitem__, words))))

    def spans(self, text: str) -> list[Span]:
        """(id, start, end) of each token, in UTF-8 bytes of the fragment."""
        normal, starts, ends = self._normalizer.trace(text)
        read = normal.decode("utf-8", "surrogateescape")
        pieces = [read] if len(text) > self._longest_exact else self._cut(read)
        spans: list[Span] = []
        at = done = 0
        for id_, size in chain.from_iterable(map(self._sizes, pieces)):
            start, end = max(starts[at], done), max(ends[at + size - 1], done)
            if id_ == self._unknown and spans and spans[-1][0] == id_:
                spans[-1] = (id_, spans[-1][1], end)
            else:
                spans.append((id_, start, end))
            done = end
            at += size
        return [span for span in spans if span[0] != _UNSET]

    def _tidy(self, ids: list[int]) -> list[int]:
        """Neighbouring unknowns become one; without an unknown token they are left out."""
        unknown = self._unknown
        if unknown == _UNSET:
            return [id_ for id_ in ids if id_ != _UNSET]
        if ids.count(unknown) < 2:
            return ids
        return [b for a, b in pairwise((_UNSET, *ids)) if a != b or b != unknown]

    # -- cutting --------------------------------------------------------------------------

    def _encode_word(self, word: str) -> Ids:
        pieces = self._cut(self._normalizer(word))
        return tuple(chain.from_iterable(map(self._pieces.__getitem__, pieces)))

    def _cut(self, normal: str) -> list[str]:
        if _ESCAPED.search(normal):
            return self._cut_broken.split(normal)
        pairs = map(add, normal, islice(normal, 1, None))
        cuts = compress(count(1), map(self._cuts.__getitem__, pairs))
        return [normal[a:b] for a, b in pairwise((0, *cuts, len(normal)))]

    @cached_property
    def _cut_broken(self) -> re.Pattern[str]:
        """Where to cut a text that is not UTF-8: before spaces that llama.cpp gets to.

        It trusts lead bytes, so a broken character hides up to three bytes behind it.
        """
        if any(map(_ESCAPED.search, self._ids)):
            return re.compile("(?!)")
        before = "".join(map(re.escape, self._cuts.before_space))
        return re.compile(
            f"(?s)(?<![{_ESCAPES}{before}])(?<![{_ESCAPES}].)(?<![{_ESCAPES}]..)"
            f"(?={self._normalizer.space})"
        )

    # -- the best path --------------------------------------------------------------------

    def _encode_piece(self, piece: str) -> Ids:
        return tuple([id_ for id_, _ in self._path(piece)])

    def _sizes(self, piece: str) -> list[tuple[int, int]]:
        """(id, bytes) of each token of a piece."""
        return [
            (id_, len(part if isinstance(part, bytes) else utf8(part)))
            for id_, part in self._path(piece)
        ]

    def _path(self, piece: str) -> list[tuple[int, str]] | list[tuple[int, bytes]]:
        """(id, text) of each token of a piece."""
        if not _ESCAPED.search(piece):
            return self._viterbi(piece, range(len(piece) + 1), self._ids.get, self._reach.get)
        data = utf8(piece)
        offsets = [0]
        while offsets[-1] < len(data):
            step = _UTF8_LENGTHS[data[offsets[-1]] >> 4]
            offsets.append(min(offsets[-1] + step, len(data)))
        return self._viterbi(
            data, offsets, self._find_bytes, lambda start, default: self._max_bytes
        )

    def _find_bytes(self, token: bytes) -> int | None:
        return self._ids.get(token.decode("utf-8", "surrogateescape"))

    @cached_property
    def _max_bytes(self) -> int:
        return max(len(utf8(text)) for text in self._ids)

    def _viterbi(
        self,
        text: Text,
        offsets: Iterable[int],
        find: Callable[[Text], int | None],
        reach: Callable[[Text, int], int],
    ) -> list[tuple[int, Text]]:
        """(id, text) of each token of the path of highest score; the first found of equals.

        offsets: where characters start, and the end. A character that is no token on its own
        may be unknown.
        """
        weights = self._weights
        length = len(text)
        scores = [0.0] + [_WORST] * length
        ids = [self._unknown] * (length + 1)
        starts = [0] * (length + 1)
        for at, after in pairwise(offsets):
            score = scores[at]
            is_known = False
            for end in range(at + 1, min(at + reach(text[at : at + 2], 1), length) + 1):
                id_ = find(text[at:end])
                if id_ is None:
                    continue
                weight = weights[id_]
                if score + weight > scores[end]:
                    scores[end], ids[end], starts[end] = score + weight, id_, at
                if end == after and weight == weight:
                    is_known = True
            if not is_known and score + self._unknown_weight > scores[after]:
                scores[after], ids[after] = score + self._unknown_weight, self._unknown
                starts[after] = at
        path = []
        at = length
        while at:
            path.append((ids[at], text[starts[at] : at]))
            at = starts[at]
        return path[::-1]


class _Cuts(dict[str, bool]):
    """Two neighbouring characters -> whether the text may be cut between them.

    Before a space and between characters from U+0E00 on it is asked whether a token has the two
    side by side; in the middle of other words it is not, they are short.

    before_space: the characters that stand before a space within some token
    """

    _LIMIT = 1 << 16  # pairs

    def __init__(self, tokens: list[str], space: str) -> None:
        super().__init__()
        self._tokens = tokens
        self._space = space
        spaced = (token for token in tokens if token.rfind(space) > 0)
        self.before_space = {a for token in spaced for a, b in pairwise(token) if b == space}

    def __missing__(self, pair: str) -> bool:
        if pair[1] == self._space:
            cut = pair[0] not in self.before_space
        else:
            cut = min(pair) >= _ASIAN and pair not in self._asian_pairs
        if len(self) < self._LIMIT:
            self[pair] = cut
        return cut

    @cached_property
    def _asian_pairs(self) -> frozenset[str]:
        runs = "\n".join(re.findall(f"[{_ASIAN}-\U0010ffff]{{2,}}", "\n".join(self._tokens)))
        return frozenset(map(add, runs, islice(runs, 1, None)))


def _weights(vocab: Vocab) -> tuple[array[float], float]:
    """The score of each token, NaN for those that are never found in a text, and the score of an
    unknown character. llama.cpp reckons the latter in float32."""
    weights = array("d", vocab.scores)
    lowest = _FLT_MAX
    for id_, attr in enumerate(vocab.attrs):
        if attr & NORMAL:
            lowest = min(lowest, weights[id_])
        elif attr & USER_DEFINED:
            weights[id_] = 0.0
        elif not attr & UNUSED:
            weights[id_] = math.nan
    return weights, array("f", [lowest - _PENALTY])[0]


def _exact_length(weights: array[float], texts: list[str], unknown_weight: float) -> int:
    """How many characters a normalised text may have for cutting it to be exact.

    llama.cpp compares sums of scores from the start of the text, in doubles. Scores are float32,
    so all are multiples of one power of two: while no sum of them needs more than 53 bits none
    is rounded, and what stands before a piece makes no difference, not even between equals.
    """
    known = [w for w in weights if w == w]
    sizes = [abs(w) for w in (*known, unknown_weight)]
    single = (abs(w) for w, text in zip(weights, texts, strict=True) if len(text) == 1 and w == w)
    a_character = max(abs(unknown_weight), *single, *known)
    unit = math.ldexp(1.0, math.frexp(min(filter(None, sizes), default=1.0))[1] - 24)
    return int(max(0.0, unit * 2.0**53 - max(sizes)) / a_character)
