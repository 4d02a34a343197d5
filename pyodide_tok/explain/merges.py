"""BPE and SentencePiece (SPM), told as merges: every step looks at all neighbours anew."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, pairwise

from pyodide_tok.encoders.spelling import merge_ranks, spelling_of
from pyodide_tok.explain.trace import ByteFallback, Merge, Pair, Word
from pyodide_tok.explain.words import explained
from pyodide_tok.pretokenize.splitting import Splitter
from pyodide_tok.pretokenize.table import PreTokenizer
from pyodide_tok.text.codepoints import BYTE_TO_CHAR, lenient
from pyodide_tok.text.spaces import AT_SPACES, SPACE, has_space_inside
from pyodide_tok.text.utf8 import is_utf8, sequences, utf8
from pyodide_tok.vocab.vocab import Vocab

_NO_RANK = math.inf
_LAST = sys.float_info.max  # the rank of a score of -inf, which merges too

Rank = Callable[[str, str], float]  # of two neighbours; low ones merge first
Note = Callable[[int, str, str], Merge]
Fallback = Callable[[str], tuple[bytes, list[int | None]]]  # a symbol's bytes and their tokens


def merge_all(
    symbols: list[str], rank: Rank, note: Note
) -> tuple[list[str], list[Merge], tuple[Pair, ...]]:
    """The symbols that are left when no neighbours merge any more; the merges; and all pairs of
    neighbours that could merge, in the order in which they met."""
    steps: list[Merge] = []
    ranks = [rank(a, b) for a, b in pairwise(symbols)]
    met = dict.fromkeys(pairwise(symbols))
    while ranks and (best := min(ranks)) != _NO_RANK:
        i = ranks.index(best)
        left, right = symbols[i : i + 2]
        steps.append(note(i, left, right))
        symbols[i : i + 2] = [steps[-1].text]
        first = max(i - 1, 0)
        beside = list(pairwise(symbols[first : i + 2]))
        ranks[first : i + 2] = [rank(a, b) for a, b in beside]
        met.update(dict.fromkeys(beside))
    notes = (note(0, *pair) for pair in met if rank(*pair) != _NO_RANK)
    return symbols, steps, tuple(Pair(n.left, n.right, n.rank, n.score) for n in notes)


def finish(
    word: Word, symbols: list[str], steps: list[Merge], ids: dict[str, int], fallback: Fallback
) -> Word:
    """The word with its tokens; a symbol that is none falls back to its bytes."""
    tokens: list[int] = []
    fallbacks = []
    for i, symbol in enumerate(symbols):
        if symbol in ids:
            tokens.append(ids[symbol])
            continue
        data, found = fallback(symbol)
        tokens += [token for token in found if token is not None]
        fallbacks.append(ByteFallback(i, symbol, tuple(data), tuple(found)))
    return replace(word, ids=tuple(tokens), steps=(*steps, *fallbacks))


class SpmExplainer:
    """SentencePiece as llama.cpp does it: the pair that makes the best-scored token merges first.

    Words end before spaces if no token has one inside: then no merge crosses there.
    """

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._ids = vocab.token_to_id

    def words(self, text: str) -> Iterator[Word]:
        read = text.replace(" ", SPACE)
        whole = self._joins_spaces or not is_utf8(read)
        return explained([read] if whole else AT_SPACES.findall(read), self._word)

    @cached_property
    def _joins_spaces(self) -> bool:
        return has_space_inside(self._ids)

    def _word(self, chunk: str) -> Word:
        symbols = sequences(chunk)
        first = tuple(symbols)
        left, steps, pairs = merge_all(symbols, self._rank, self._note)
        word = Word(chunk, (), first, pairs=pairs)
        return finish(word, left, steps, self._ids, self._bytes)

    def _rank(self, left: str, right: str) -> float:
        token = self._ids.get(_joined(left, right))
        return _NO_RANK if token is None else min(-self._vocab.scores[token], _LAST)

    def _note(self, position: int, left: str, right: str) -> Merge:
        text = _joined(left, right)
        token = self._ids[text]
        return Merge(position, left, right, text, token, score=self._vocab.scores[token])

    def _bytes(self, symbol: str) -> tuple[bytes, list[int | None]]:
        data = utf8(symbol)
        return data, [self._byte(byte) for byte in data]

    def _byte(self, byte: int) -> int | None:
        raw = bytes((byte,)).decode("utf-8", "surrogateescape")
        unknown = self._vocab.special.get("unk")
        return self._ids.get(f"<0x{byte:02X}>", self._ids.get(raw, unknown))


def _joined(left: str, right: str) -> str:
    """Two symbols in one: what was broken UTF-8 may be a character then."""
    text = left + right
    return text if is_utf8(text) else utf8(text).decode("utf-8", "surrogateescape")


class BpeExplainer:
    """Byte-pair encoding: a word of the pre-tokenizer is merged by the ranks of merges."""

    def __init__(self, vocab: Vocab, pre: PreTokenizer) -> None:
        self._vocab = vocab
        self._pre = pre
        self._spelling = spelling_of(vocab, pre)
        self._ids = self._spelling.ids
        self._splitter = Splitter(pre.stages, pre.astral)

    def words(self, text: str) -> Iterator[Word]:
        read = lenient(text)
        if self._vocab.flags.escape_whitespaces:
            read = read.replace(" ", SPACE)
        words = self._splitter.words(read)
        if self._pre.metaspace_words:
            words = list(chain.from_iterable(map(_metaspace_words, words)))
        return explained(words, self._word)

    def _word(self, text: str) -> Word:
        symbols = self._symbols(text)
        word = partial(Word, text, symbols=tuple(symbols))
        whole = "".join(symbols)
        if self._needs_no_merging(text) and whole in self._ids:
            return word((self._ids[whole],), note="whole-word")
        left, steps, pairs = merge_all(symbols, self._rank, self._note)
        fallback = self._printable if self._pre.byte_encode else self._bytes
        return finish(word((), pairs=pairs), left, steps, self._ids, fallback)

    def _symbols(self, text: str) -> list[str]:
        if not self._pre.byte_encode:
            return list(text)
        return [BYTE_TO_CHAR[byte] for byte in text.encode("utf-8", "surrogatepass")]

    def _needs_no_merging(self, text: str) -> bool:
        newlines = self._pre.newline_words and not text.strip("\n")
        return self._vocab.flags.ignore_merges or newlines

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return merge_ranks(self._spelling.merges)

    def _rank(self, left: str, right: str) -> float:
        return self._ranks.get(f"{left} {right}", _NO_RANK)

    def _note(self, position: int, left: str, right: str) -> Merge:
        text, rank = left + right, self._ranks[f"{left} {right}"]
        return Merge(position, left, right, text, self._ids.get(text), rank=rank)

    def _printable(self, symbol: str) -> tuple[bytes, list[int | None]]:
        """llama.cpp looks up each byte of the printable characters."""
        data = utf8(symbol)
        names = [bytes((byte,)).decode("utf-8", "surrogateescape") for byte in data]
        return data, [self._ids.get(name) for name in names]

    def _bytes(self, symbol: str) -> tuple[bytes, list[int | None]]:
        data = symbol.encode("utf-8", "surrogatepass")
        if self._vocab.flags.raw_words:
            return data, [self._vocab.special.get("unk")]
        return data, [self._ids.get(f"<0x{byte:02X}>") for byte in data]


def _metaspace_words(line: str) -> list[str]:
    """mmbert: every U+2581 starts a word, and each line has one in front."""
    if not line.strip("\n"):
        return [line]
    return [SPACE + word for word in line.removeprefix(SPACE).split(SPACE)]
