"""PLaMo: the cheapest way to cut a text into tokens (llama.cpp: llm_tokenizer_plamo2)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING

from pyodide_tok.encoders.alignment import Span
from pyodide_tok.encoders.boundaries import Boundaries, pairs_of
from pyodide_tok.encoders.memo import Ids, Memo
from pyodide_tok.encoders.suffix_table import SuffixTable
from pyodide_tok.encoders.suffixes import NO_ID, UNKNOWN, UNUSABLE, Step, Suffixes
from pyodide_tok.errors import VocabError
from pyodide_tok.text.codepoints import WHITESPACE, by_code_points, lenient, lenient_widths
from pyodide_tok.text.escapes import hex_byte
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.vocab import BYTE

if TYPE_CHECKING:
    from pyodide_tok.vocab.vocab import Vocab

__all__ = ["PlamoEncoder"]

_INFINITE = 1 << 60
BOM = "\ufeff"
MAX_SUFFIXES = 1 << 24  # characters of all suffixes: of 100,000 tokens with 17 each
BOUNDARY = "\uee00"  # PLaMo 3: ends a segment and is dropped
# A code point over U+10FFFF: no token has it, and llama.cpp falls back to its very bytes.
BEYOND = re.compile("([\udcf4][\udc90-\udcbf][\udc80-\udcbf]{2}|[\udcf5-\udcf7][\udc80-\udcbf]{3})")
_MARKUP = re.compile(rf"<\|plamo:[^|\x1c-\x1f{WHITESPACE}]{{0,64}}\|>")
_RUN = re.compile(r"([^\n])\1{3,}|  +")


class PlamoEncoder:
    """Encodes fragments of text; immutable but for its memo tables.

    No token crosses two neighbouring characters that none has side by side, and costs are whole
    numbers: so a text is cut there, and the chunks, each encoded by itself, are memoised.
    Raises VocabError if a byte token is missing, as llama.cpp does, or if tokens are too long.
    """

    lengths = None

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._bytes = byte_ids(vocab)
        _check_suffixes(vocab)
        self._segmented = vocab.family.segments
        self._lines = Memo(self._encode_line)
        self._memo = Memo(self._encode_chunk)

    def encode(self, text: str) -> list[int]:
        """The ids of a fragment. It never raises."""
        if BEYOND.search(text):
            return [id_ for id_, _, _ in self.spans(text)]
        lines = self._line_chunks.findall(self._trimmed(lenient(text)))
        return list(chain.from_iterable([self._lines[line] for line in lines]))

    def _encode_line(self, line: str) -> Ids:
        return tuple([token for chunk in self._chunks(line) for token in self._memo[chunk]])

    def spans(self, text: str) -> list[Span]:
        """(id, start, end) of each token, in UTF-8 bytes of the fragment."""
        spans: list[Span] = []
        at = 0
        for part in BEYOND.split(text):
            if BEYOND.match(part):
                spans += [(self._bytes[ord(b) & 0xFF], i, i + 1) for i, b in enumerate(part, at)]
                at += len(part)
            else:
                offsets = list(accumulate(lenient_widths(part), initial=at))
                points = lenient(part) if at else self._trimmed(lenient(part))
                spans += self._part_spans(points, offsets[-len(points) - 1 :])
                at = offsets[-1]
        return spans

    def _part_spans(self, points: str, offsets: list[int]) -> Iterator[Span]:
        """Spans of decoded characters; `offsets` has the bytes before each, and their end."""
        first = 0
        for chunk in self._chunks(points):
            at = first
            for step in self._path(chunk):
                ids = self._step_ids(step, points[at])
                yield from _spread(ids, offsets[at], offsets[at + step.length])
                at += step.length
            first += len(chunk)

    def _encode_chunk(self, chunk: str) -> Ids:
        ids: list[int] = []
        at = 0
        for step in self._path(chunk):
            ids += self._step_ids(step, chunk[at])
            at += step.length
        return tuple(ids)

    def _step_ids(self, step: Step, char: str) -> Ids:
        if step.id != NO_ID:
            return (step.id,)
        return tuple(self._bytes[byte] for byte in char.encode("utf-8", "surrogatepass"))

    # --- cutting ---

    def _trimmed(self, points: str) -> str:
        """PLaMo 2 drops a byte order mark."""
        return points if self._segmented else points.removeprefix(BOM)

    def _chunks(self, points: str) -> Iterator[str]:
        cuts = list(self._boundaries.places(points))
        if self._segmented:
            cuts = sorted((*cuts, *borders(points)))
        return map(points.__getitem__, map(slice, (0, *cuts), (*cuts, None)))

    @cached_property
    def _line_chunks(self) -> re.Pattern[str]:
        """Lines: PLaMo 3's segments do not reach over them either."""
        if isinstance(self._suffixes, SuffixTable):
            return re.compile("(?s:.+)")
        return self._boundaries.lines()

    @cached_property
    def _boundaries(self) -> Boundaries:
        """Between characters that no token has side by side.

        But not before a token of the unknown character's cost: that token changes how the
        character before it is read (see `suffixes`). Nor where tokens are not UTF-8, except at
        PLaMo 3's own boundaries.
        """
        if isinstance(self._suffixes, SuffixTable):
            return Boundaries(set(), lambda pair: self._segmented and BOUNDARY in pair)
        tokens = self._suffixes.tokens
        stops = {text[0] for text, (_, cost) in tokens.items() if cost == UNKNOWN}
        lasts = {text[-1] for text in tokens}
        pairs = {*pairs_of(tokens), *(a + b for a in lasts for b in stops)}
        if self._segmented:
            pairs = {pair for pair in pairs if BOUNDARY not in pair}
        return Boundaries(pairs)

    # --- the cheapest path ---

    def _path(self, chunk: str) -> list[Step]:
        """The steps through a chunk of the lowest total cost, from its start to its end.

        From the end on: at each place, the longest token suffix that begins there gives the
        tokens to choose from; of equals the longest is taken.
        """
        if self._segmented and chunk == BOUNDARY:
            return []
        costs = [0] * (len(chunk) + 1)
        best: list[Step] = []
        at = len(chunk)
        for steps in self._suffixes.steps(chunk):
            at -= 1
            least = _INFINITE
            for step in steps:
                length, _, cost = step
                if (cost := costs[at + length] + cost) < least:
                    least, chosen = cost, step
            costs[at] = least
            best.append(chosen)
        return _walk(best[::-1])

    @cached_property
    def _suffixes(self) -> Suffixes | SuffixTable:
        return suffixes_of(self._vocab)


def _walk(best: list[Step]) -> list[Step]:
    """The steps that are taken, of the best ones from every place."""
    path = []
    at = 0
    while at < len(best):
        path.append(best[at])
        at += best[at].length
    return path


def _spread(ids: Ids, start: int, end: int) -> Iterator[Span]:
    """Spans for the tokens of one step: a byte for each, the last has the rest, some have none."""
    for at, id_ in enumerate(ids, start):
        last = at == start + len(ids) - 1
        yield id_, min(at, end), end if last else min(at + 1, end)


def borders(points: str) -> Iterator[int]:
    """Where PLaMo 3's segments end: about markup and, within what is between, about runs."""
    markup = (border for match in _MARKUP.finditer(points) for border in match.span())
    for start, end in pairwise((0, *markup, len(points))):
        yield start
        for match in _RUN.finditer(points, start, end):
            yield from match.span()


# --- from the vocabulary ---


def byte_ids(vocab: Vocab) -> list[int]:
    """The id of each of the 256 byte tokens; llama.cpp takes one of id 0 for a missing one."""
    ids = [0] * 256
    for id_, (text, attr) in enumerate(zip(vocab.texts, vocab.attrs, strict=True)):
        if attr & BYTE and (byte := hex_byte(text)) is not None:
            ids[byte] = id_
    if missing := [f"<0x{byte:02X}>" for byte, id_ in enumerate(ids) if not id_]:
        raise VocabError(
            f"{len(missing)} of the 256 byte tokens that a PLaMo vocabulary needs are not set, "
            f"or have id 0: {', '.join(missing[:8])}{', ...' * (len(missing) > 8)}; "
            "convert the model again, with its whole vocabulary"
        )
    return ids


def _check_suffixes(vocab: Vocab) -> None:
    """They take the square of a token's length in memory, in llama.cpp too."""
    if sum(len(text) * (len(text) + 1) // 2 for text in vocab.texts) > MAX_SUFFIXES:
        longest = max(range(len(vocab.texts)), key=lambda i: len(vocab.texts[i]))
        raise VocabError(
            f"token {longest} is {len(vocab.texts[longest])} characters long: too long for the"
            " suffixes that PLaMo looks tokens up by; convert the model again"
        )


def suffixes_of(vocab: Vocab) -> Suffixes | SuffixTable:
    """What tokens are looked up by. Not the byte tokens; of several alike the last counts."""
    columns = zip(vocab.texts, vocab.attrs, vocab.scores, strict=True)
    costs = {
        text: (id_, _cost(score))
        for id_, (text, attr, score) in enumerate(columns)
        if not attr & BYTE
    }
    read = {by_code_points(text) or "": cost for text, cost in costs.items()}
    if "" in read:
        return SuffixTable({utf8(text): cost for text, cost in costs.items()})
    return Suffixes(read)


def _cost(score: float) -> int:
    """-10000 times a score, rounded half away from zero; UNUSABLE if it is no int32."""
    if not math.isfinite(score):
        return UNUSABLE
    rounded = int(score * 1e4 + math.copysign(0.5, score))
    return min(-rounded, UNUSABLE) if rounded < 1 << 31 else UNUSABLE
