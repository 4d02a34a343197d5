"""Byte-pair encoding as llama.cpp does it (BPE): split into words, merge by the rank of merges.

A word's bytes are written as GPT-2's printable characters (or, for Gemma 4 and its like, left as
UTF-8 with U+2581 for spaces); of all neighbours that a merge names, the earliest merge goes first,
the leftmost of equals. A symbol that is no token falls back to its bytes.

What makes it fast: words come again and again, so each is merged once and remembered.
"""

from __future__ import annotations

import re
from codecs import charmap_decode
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain

from pyodide_tok.encoders.alignment import Lengths, Span, remap
from pyodide_tok.encoders.boundaries import (
    Boundaries,
    between_byte_merges,
    between_merges,
)
from pyodide_tok.encoders.memo import Ids, Memo
from pyodide_tok.encoders.merging import merge
from pyodide_tok.pretokenize.splitting import Splitter
from pyodide_tok.pretokenize.table import PreTokenizer, line_chunks
from pyodide_tok.text.codepoints import (
    BYTE_TO_CHAR,
    CHAR_TO_BYTE,
    by_code_points,
    lenient,
    lenient_widths,
)
from pyodide_tok.text.spaces import SPACE
from pyodide_tok.text.utf8 import is_utf8, utf8
from pyodide_tok.vocab.vocab import BYTE, Vocab

_LINE_WITHOUT_SPACE = re.compile(f"(?<![^\n])(?=[^\n{SPACE}])")
_METASPACE_WORDS = re.compile(f"\n+|{SPACE}[^{SPACE}\n]*")
_CJK = "\u2e80"  # the first of Chinese, Japanese and Korean characters


class BpeEncoder:
    """Encodes fragments with a vocabulary of type BPE and its pre-tokenizer."""

    def __init__(self, vocab: Vocab, pre: PreTokenizer) -> None:
        self._vocab = vocab
        self._pre = pre
        self._ids, self._merges = readable(vocab, pre)
        self._ranks = merge_ranks(self._merges)
        self._splitter = Splitter(pre.stages, pre.astral)
        self._line_chunks = line_chunks(pre)
        self._lines = Memo(self._encode_line)
        self._memo = Memo(self._encode_word)
        self._parts = Memo(self._encode_part)
        # mmbert's added U+2581 would make a sum of lengths too large
        self.lengths = None if pre.metaspace_words else Lengths(self._source_length)

    def encode(self, text: str) -> list[int]:
        read = self._read(text)
        if self._line_chunks is None:
            return list(self._encode_line(read))
        lines = self._line_chunks.findall(read)
        return list(chain.from_iterable([self._lines[line] for line in lines]))

    def _encode_line(self, read: str) -> Ids:
        return tuple([token for word in self._words(read) for token in self._memo[word]])

    def spans(self, text: str) -> list[Span]:
        read = self._read(text)
        tokens = chain.from_iterable(map(self._tokens, self._words(read)))
        read_widths = [len(char.encode("utf-8", "surrogatepass")) for char in read]
        return remap(tokens, read_widths, self._widths(text))

    # -- text to words --------------------------------------------------------------------

    def _read(self, text: str) -> str:
        """The code points that are split: invalid bytes replaced, spaces escaped.

        mmbert's lines start with a U+2581, if need be with one more.
        """
        read = lenient(text)
        if self._vocab.flags.escape_whitespaces:
            read = read.replace(" ", SPACE)
        return _LINE_WITHOUT_SPACE.sub(SPACE, read) if self._pre.metaspace_words else read

    def _widths(self, text: str) -> list[int]:
        """The bytes of `text` that each character of `_read(text)` was made of."""
        widths = lenient_widths(text)
        if self._pre.metaspace_words:
            read = lenient(text).replace(" ", SPACE)
            for match in reversed(list(_LINE_WITHOUT_SPACE.finditer(read))):
                widths.insert(match.start(), 0)
        return widths

    def _words(self, read: str) -> list[str]:
        if self._pre.metaspace_words:
            return _METASPACE_WORDS.findall(read)
        if self._chunk_pattern is not None:
            return self._chunk_pattern.findall(read)
        return self._splitter.words(read)

    @cached_property
    def _chunk_pattern(self) -> re.Pattern[str] | None:
        """Cuts lines, the words of Gemma 4, before each run of U+2581.

        But not after the few characters that some merge joins to a U+2581.
        """
        flags = self._vocab.flags
        if self._pre.byte_encode or not flags.escape_whitespaces or flags.ignore_merges:
            return None
        if self._line_chunks is None:  # a user's patterns: words need not be lines
            return None
        joined = self._boundaries.before(SPACE) - {SPACE}
        word = f"[^{SPACE}\n]+"
        after = f"(?:(?<=[{re.escape(''.join(joined))}]){SPACE}+(?:{word})?)*" if joined else ""
        return re.compile(f"\n+|{SPACE}*{word}{after}|{SPACE}+")

    # -- words to ids ---------------------------------------------------------------------

    @cached_property
    def _boundaries(self) -> Boundaries:
        between = between_byte_merges if self._pre.byte_encode else between_merges
        return between(self._merges)

    def _encode_word(self, word: str) -> Ids:
        if self._may_have_cuts(word) and not self._is_whole(word, self._written(word)):
            parts = self._boundaries.parts(word)
            if len(parts) > 1:
                return tuple(chain.from_iterable(map(self._parts.__getitem__, parts)))
        return self._symbol_ids(self._merged(word))

    def _may_have_cuts(self, word: str) -> bool:
        """Whether it is worth while to look for them."""
        if self._pre.byte_encode:  # letters of alphabets mostly have merges
            return not word.isascii() and len(word) > 2 and max(word) >= _CJK
        return len(word) > 2 and " " not in word  # merges with spaces of their own are ambiguous

    def _encode_part(self, part: str) -> Ids:
        return self._symbol_ids(self._merge(self._written(part)))

    def _symbol_ids(self, symbols: list[str]) -> Ids:
        try:
            return tuple([self._ids[symbol] for symbol in symbols])
        except KeyError:
            tokens = chain.from_iterable(map(self._symbol_tokens, symbols))
            return tuple(token for token, _ in tokens if token >= 0)

    def _merged(self, word: str) -> list[str]:
        """The symbols that are left of a word when nothing merges any more."""
        written = self._written(word)
        return [written] if self._is_whole(word, written) else self._merge(written)

    def _merge(self, written: str) -> list[str]:
        return merge(list(written), self._ranks.get, " ")

    def _is_whole(self, word: str, written: str) -> bool:
        """Whether a word is a token that needs no merging."""
        return self._whole_words and written in self._ids and self._needs_no_merges(word)

    def _needs_no_merges(self, word: str) -> bool:
        return self._vocab.flags.ignore_merges or not word.strip("\n")

    @cached_property
    def _whole_words(self) -> bool:
        """Whether some words that are tokens need no merging."""
        return self._vocab.flags.ignore_merges or self._pre.newline_words

    def _written(self, word: str) -> str:
        """The word as the vocabulary writes it; each character is a first symbol."""
        if not self._pre.byte_encode:
            return word
        return charmap_decode(word.encode("utf-8", "surrogatepass"), "strict", BYTE_TO_CHAR)[0]

    def _tokens(self, word: str) -> Iterator[tuple[int, int]]:
        """(id, bytes) of each token of a word; id -1 for bytes that are dropped."""
        return chain.from_iterable(map(self._symbol_tokens, self._merged(word)))

    def _symbol_tokens(self, symbol: str) -> list[tuple[int, int]]:
        token = self._ids.get(symbol)
        if self._pre.byte_encode:
            if token is not None:
                return [(token, len(symbol))]
            return list(chain.from_iterable(map(self._printable_byte, symbol)))
        data = symbol.encode("utf-8", "surrogatepass")
        if token is not None:
            return [(token, len(data))]
        if self._pre.raw_words:
            return [(self._vocab.special.get("unk", -1), len(data))]
        return [(self._ids.get(f"<0x{byte:02X}>", -1), 1) for byte in data]

    def _printable_byte(self, char: str) -> list[tuple[int, int]]:
        """llama.cpp looks up each byte of the printable character: but ASCII is hardly found."""
        names = [bytes((byte,)).decode("utf-8", "surrogateescape") for byte in utf8(char)]
        return [(self._ids.get(name, -1), int(i == 0)) for i, name in enumerate(names)]

    def _source_length(self, token: int) -> int:
        text = self._vocab.texts[token]
        if self._pre.byte_encode:
            return sum(char in CHAR_TO_BYTE for char in text)
        if self._vocab.attrs[token] & BYTE:
            return 1
        return len(utf8(text.replace(SPACE, " ")))


def readable(vocab: Vocab, pre: PreTokenizer) -> tuple[dict[str, int], Sequence[str]]:
    """The ids by token text, and the merges, as they are compared with words.

    Words of UTF-8 are code points, re-encoded: an encoded surrogate is among them as such, a byte
    that is part of no character is not.
    """
    ids, merges = vocab.token_to_id, vocab.merges
    if pre.byte_encode or (is_utf8("".join(ids)) and is_utf8("".join(merges))):
        return ids, merges
    read = {by_code_points(text) or "": token for text, token in ids.items()}
    return read, [by_code_points(merge) or "" for merge in merges]


def merge_ranks(merges: Sequence[str]) -> dict[str, int]:
    """Merges as they stand in the file, "left right", by place; of equal ones the first counts."""
    ranks = dict(zip(merges, range(len(merges)), strict=True))
    if len(ranks) < len(merges):
        ranks = dict(zip(reversed(merges), range(len(merges) - 1, -1, -1), strict=True))
    return ranks
