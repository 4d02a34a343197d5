"""How BPE writes words: as GPT-2's printable bytes, or as UTF-8 with U+2581 for spaces."""

from __future__ import annotations

from codecs import charmap_decode
from collections.abc import Sequence
from itertools import chain
from typing import Protocol

from pyodide_tok.encoders.alignment import NO_TOKEN
from pyodide_tok.encoders.boundaries import Boundaries, between_byte_merges, between_merges
from pyodide_tok.pretokenize.table import PreTokenizer
from pyodide_tok.text.codepoints import BYTE_TO_CHAR, CHAR_TO_BYTE, by_code_points
from pyodide_tok.text.spaces import SPACE
from pyodide_tok.text.utf8 import is_utf8, utf8
from pyodide_tok.vocab.vocab import BYTE, Vocab

_CJK = "\u2e80"  # the first of Chinese, Japanese and Korean characters

Tokens = list[tuple[int, int]]  # id, or NO_TOKEN, and bytes of the word


class Spelling(Protocol):
    """What the characters of a written word are, and what they fall back to.

    ids: by token text. merges: "left right". Both as words are written.
    """

    @property
    def ids(self) -> dict[str, int]: ...
    @property
    def merges(self) -> Sequence[str]: ...

    def written(self, word: str) -> str:
        """The word as the vocabulary writes it; each character is a first symbol."""

    def tokens(self, symbol: str) -> Tokens:
        """The token of a symbol, or those of its bytes."""

    def length(self, token: int) -> int:
        """The bytes of a text that a token stands for."""

    def may_have_cuts(self, word: str) -> bool:
        """Whether it is worthwhile to look for them."""

    def boundaries(self) -> Boundaries:
        """Where words can be cut."""


def spelling_of(vocab: Vocab, pre: PreTokenizer) -> Spelling:
    """The spelling of a vocabulary with its pre-tokenizer."""
    return ByteLevel(vocab) if pre.byte_encode else CodePoints(vocab)


class ByteLevel:
    """Each byte is one of GPT-2's 256 printable characters."""

    def __init__(self, vocab: Vocab) -> None:
        self._texts = vocab.texts
        self.ids = vocab.token_to_id
        self.merges: Sequence[str] = vocab.merges

    def written(self, word: str) -> str:
        return charmap_decode(word.encode("utf-8", "surrogatepass"), "strict", BYTE_TO_CHAR)[0]

    def tokens(self, symbol: str) -> Tokens:
        token = self.ids.get(symbol)
        if token is not None:
            return [(token, len(symbol))]
        return list(chain.from_iterable(map(self._printable_byte, symbol)))

    def _printable_byte(self, char: str) -> Tokens:
        """llama.cpp looks up each byte of the printable character: but ASCII is hardly found."""
        names = [bytes((byte,)).decode("utf-8", "surrogateescape") for byte in utf8(char)]
        found = [self.ids[name] for name in names if name in self.ids] or [NO_TOKEN]
        return [(token, int(i == 0)) for i, token in enumerate(found)]

    def length(self, token: int) -> int:
        return sum(char in CHAR_TO_BYTE for char in self._texts[token])

    def may_have_cuts(self, word: str) -> bool:
        """Letters of alphabets mostly have merges."""
        return not word.isascii() and len(word) > 2 and max(word) >= _CJK

    def boundaries(self) -> Boundaries:
        return between_byte_merges(self.merges)


class CodePoints:
    """Words are UTF-8; bytes that are no tokens become <0x00> to <0xFF>, in soprano the unknown.

    Words are code points, re-encoded: an encoded surrogate is among them as such, a byte that is
    part of no character is not. So are the token texts and merges that they are compared with.
    """

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._unknown = vocab.special.get("unk", NO_TOKEN) if vocab.flags.raw_words else None
        self.ids, self.merges = vocab.token_to_id, vocab.merges
        if not (is_utf8("".join(self.ids)) and is_utf8("".join(self.merges))):
            self.ids = {by_code_points(text) or "": token for text, token in self.ids.items()}
            self.merges = tuple([by_code_points(merge) or "" for merge in self.merges])

    def written(self, word: str) -> str:
        return word

    def tokens(self, symbol: str) -> Tokens:
        data = symbol.encode("utf-8", "surrogatepass")
        token = self.ids.get(symbol, self._unknown)
        if token is not None:
            return [(token, len(data))]
        return [(self.ids.get(f"<0x{byte:02X}>", NO_TOKEN), 1) for byte in data]

    def length(self, token: int) -> int:
        if self._vocab.attrs[token] & BYTE:
            return 1
        return len(utf8(self._vocab.texts[token].replace(SPACE, " ")))

    def may_have_cuts(self, word: str) -> bool:
        """Merges with spaces of their own are ambiguous."""
        return len(word) > 2 and " " not in word

    def boundaries(self) -> Boundaries:
        return between_merges(self.merges)


def merge_ranks(merges: Sequence[str]) -> dict[str, int]:
    """Merges as they are written, "left right", by place; of equal ones the first counts."""
    ranks = dict(zip(merges, range(len(merges)), strict=True))
    if len(ranks) < len(merges):
        ranks = dict(zip(reversed(merges), range(len(merges) - 1, -1, -1), strict=True))
    return ranks
