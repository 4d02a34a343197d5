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
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import TypeVar

from pyodide_tok.encoders.alignment import NO_TOKEN, Span
from pyodide_tok.encoders.boundaries import FIRST_ASIAN, between_words
from pyodide_tok.encoders.memo import Ids, Memo
from pyodide_tok.encoders.normalizer import Normalizer
from pyodide_tok.text.prefixes import SHORT, START, lengths_by_start
from pyodide_tok.text.utf8 import ESCAPES, LENGTHS, is_utf8, utf8
from pyodide_tok.vocab.vocab import NORMAL, UNUSED, USER_DEFINED, Vocab

__all__ = ["UnigramEncoder"]

_UNREACHED = -1
_PENALTY = 10.0  # an unknown character scores so much less than the least likely token
_FOUND = NORMAL | USER_DEFINED | UNUSED  # in a text
_FLT_MAX = 3.4028234663852886e38
_WORST = -sys.float_info.max
_UNCOMMON = re.compile(f"[ {FIRST_ASIAN}-\U0010ffff]")

Text = TypeVar("Text", str, bytes)


class UnigramEncoder:
    """Encodes fragments with a vocabulary of type UGM. VocabError: its charsmap is damaged."""

    lengths = None

    def __init__(self, vocab: Vocab) -> None:
        self._ids = vocab.token_to_id
        self._unknown = vocab.special.get("unk", NO_TOKEN)
        self._weights, self._unknown_weight = weights_of(vocab)
        self._lengths = lengths_by_start(self._weights)
        self._normalizer = Normalizer(vocab)
        self._boundaries = between_words(self._weights, self._normalizer.space)
        self._before_space = self._boundaries.before(self._normalizer.space)
        exact = exact_length(self._weights, self._unknown_weight)
        self._longest_exact = exact // self._normalizer.growth
        self._words = Memo(self._encode_word)
        self._pieces = Memo(self._encode_piece)
        self._word_spans = lru_cache(1 << 15)(self._locate)

    def encode(self, text: str) -> list[int]:
        """The ids of a fragment. It never raises."""
        if len(text) > self._longest_exact:
            return self._tidy(list(self._encode_piece(self._normalizer(text))))
        words = self._normalizer.words(text) if self._splits(text) else [text]
        return self._tidy([token for word in words for token in self._words[word]])

    def spans(self, text: str) -> list[Span]:
        """(id, start, end) of each token, in UTF-8 bytes of the fragment.

        A space in a token stands for all the whitespace that was merged into it.
        """
        if len(text) > self._longest_exact or not self._splits(text):
            return self._tidy_spans(self._locate(text))
        spans: list[Span] = []
        position = offset = 0
        for word in filter(None, self._normalizer.words(text)):
            at = text.index(word, position)
            space = offset
            offset += len(utf8(text[position:at]))
            for n, (id_, start, end) in enumerate(self._word_spans(word)):
                spans.append((id_, offset + start if n else space, offset + end))
            offset += len(utf8(word))
            position = at + len(word)
        return self._tidy_spans(spans)

    def _locate(self, text: str) -> tuple[Span, ...]:
        """The spans before tidying, of a text that is long or that was cut at spaces."""
        normal, starts, ends = self._normalizer.trace(text)
        read = normal.decode("utf-8", "surrogateescape")
        pieces = [read] if len(text) > self._longest_exact else self._cut(read)
        spans = []
        at = done = 0
        for id_, size in chain.from_iterable(map(self._sizes, pieces)):
            start, done = max(starts[at], done), max(ends[at + size - 1], done)
            spans.append((id_, start, done))
            at += size
        return tuple(spans)

    def _tidy_spans(self, spans: Iterable[Span]) -> list[Span]:
        """Neighbouring unknowns become one."""
        tidy: list[Span] = []
        for id_, start, end in spans:
            if tidy and id_ == self._unknown == tidy[-1][0]:
                tidy[-1] = (id_, tidy[-1][1], end)
            else:
                tidy.append((id_, start, end))
        return tidy

    def _tidy(self, ids: list[int]) -> list[int]:
        """Neighbouring unknowns become one; without an unknown token they are left out."""
        unknown = self._unknown
        if unknown == NO_TOKEN:
            return [id_ for id_ in ids if id_ != NO_TOKEN]
        if ids.count(unknown) < 2:
            return ids
        return [b for a, b in pairwise((NO_TOKEN, *ids)) if a != b or b != unknown]

    # -- cutting --------------------------------------------------------------------------

    def _splits(self, text: str) -> bool:
        """Whether the text can be cut at its spaces."""
        if self._before_space or not self._normalizer.splits:
            return False
        return not (self._normalizer.is_fragile and not is_utf8(text))

    def _encode_word(self, word: str) -> Ids:
        pieces = self._cut(self._normalizer(word))
        if len(pieces) == 1:
            return self._encode_piece(pieces[0])
        return tuple([token for piece in pieces for token in self._pieces[piece]])

    def _cut(self, normal: str) -> list[str]:
        if not _UNCOMMON.search(normal, 1):
            return [normal]
        if not is_utf8(normal):
            return self._cut_broken.split(normal)
        return self._boundaries.parts(normal)

    @cached_property
    def _cut_broken(self) -> re.Pattern[str]:
        """Where to cut a text that is not UTF-8: before spaces that llama.cpp gets to.

        It trusts lead bytes, so a broken character hides up to three bytes behind it.
        """
        if not is_utf8("".join(self._ids)):
            return re.compile("(?!)")
        before = "".join(map(re.escape, self._before_space))
        return re.compile(
            f"(?s)(?<![{ESCAPES}{before}])(?<![{ESCAPES}].)(?<![{ESCAPES}]..)"
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
        """(id, text) of each token of a piece, on the path of highest score.

        Of equals the one found first stays: llama.cpp goes through the text from left to right,
        and from each character through the tokens from short to long.
        """
        if is_utf8(piece):
            return self._walk_back(piece, self._best_starts(piece), str)
        data = utf8(piece)
        return self._walk_back(data, self._best_starts_in_bytes(data), _as_text)

    def _best_starts(self, text: str) -> list[int]:
        """For each place, where the last token on the best path to it starts."""
        weight_of, unknown_weight = self._weights.get, self._unknown_weight
        lengths = self._lengths.get
        size = len(text)
        scores = [0.0] + [_WORST] * size
        starts = [_UNREACHED] * (size + 1)
        for at in range(size):
            score = scores[at]
            weight = score + weight_of(text[at], unknown_weight)
            if weight > scores[at + 1]:
                scores[at + 1], starts[at + 1] = weight, at
            for length in lengths(text[at : at + START], SHORT):
                end = at + length
                if end > size:
                    break
                found = weight_of(text[at:end])
                if found is not None and score + found > scores[end]:
                    scores[end], starts[end] = score + found, at
        return starts

    def _best_starts_in_bytes(self, data: bytes) -> list[int]:
        """The same where characters are broken: llama.cpp goes by what their first byte says."""
        size = len(data)
        scores = [0.0] + [_WORST] * size
        starts = [_UNREACHED] * (size + 1)
        at = 0
        while at < size:
            after = min(at + LENGTHS[data[at] >> 4], size)
            weight_of = {after: self._unknown_weight}
            for end in range(at + 1, min(at + self._max_bytes, size) + 1):
                weight = self._weights.get(_as_text(data[at:end]))
                if weight is not None:
                    weight_of[end] = weight
            for end, weight in weight_of.items():
                if scores[at] + weight > scores[end]:
                    scores[end], starts[end] = scores[at] + weight, at
            at = after
        return starts

    def _walk_back(
        self, text: Text, starts: list[int], as_text: Callable[[Text], str]
    ) -> list[tuple[int, Text]]:
        """Where no path leads, for scores of -inf or NaN, all that is before is one unknown."""
        path = []
        end = len(text)
        while end:
            start = starts[end]
            if start == _UNREACHED:
                path.append((self._unknown, text[:end]))
                break
            part = text[start:end]
            known = (written := as_text(part)) in self._weights
            path.append((self._ids[written] if known else self._unknown, part))
            end = start
        return path[::-1]

    @cached_property
    def _max_bytes(self) -> int:
        return max((len(utf8(text)) for text in self._weights), default=0)


def _as_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def weights_of(vocab: Vocab) -> tuple[dict[str, float], float]:
    """The score of each token that can be found in a text; and the score of an unknown character,
    which llama.cpp computes in float32.

    Which tokens those are follows from the file: llama.cpp builds its tables before it retypes
    tokens. What a user-defined token scores follows from the types afterwards.
    """
    columns = zip(vocab.texts, vocab.scores, vocab.file_attrs, vocab.attrs, strict=True)
    weights = {
        text: 0.0 if attr & USER_DEFINED else score
        for text, score, file_attr, attr in columns
        if file_attr & _FOUND
    }
    normal = (s for s, attr in zip(vocab.scores, vocab.file_attrs, strict=True) if attr & NORMAL)
    lowest = min(chain((_FLT_MAX,), normal))  # a NaN is never lower
    return weights, array("f", [lowest - _PENALTY])[0]


def exact_length(weights: dict[str, float], unknown_weight: float) -> int:
    """How many characters a normalised text may have for cutting it to be exact.

    llama.cpp compares sums of scores from the start of the text, in doubles. Scores are float32,
    so all are multiples of one power of two: while no sum of them needs more than 53 bits none
    is rounded, and what stands before a piece makes no difference, not even between equals.
    """
    values = [unknown_weight, *weights.values()]
    if not math.isfinite(sum(values)):
        return 0  # what is unreachable in a piece makes all before it unknown
    smallest = min(map(abs, filter(None, values)), default=1.0)
    unit = math.ldexp(1.0, math.frexp(smallest)[1] - 24)
    # each character is a token or unknown, so a text cannot score less than this for each
    single = [abs(weight) for text, weight in weights.items() if len(text) == 1]
    a_character = max(chain((abs(unknown_weight), max(values)), single)) or 1.0
    largest = max(max(values), -min(values))
    return int(max(0.0, unit * 2.0**53 - largest) / a_character)
