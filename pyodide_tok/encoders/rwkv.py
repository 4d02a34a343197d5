"""RWKV: the longest token first, from left to right, over bytes (llama.cpp: llm_tokenizer_rwkv)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING

from pyodide_tok.encoders.alignment import NO_TOKEN, Lengths, Span
from pyodide_tok.encoders.boundaries import between_tokens, line_pattern, newline_pairs
from pyodide_tok.encoders.memo import Ids, Memo
from pyodide_tok.text.escapes import rwkv_unescape
from pyodide_tok.text.prefixes import SHORT_FALLING, START, falling_lengths
from pyodide_tok.text.utf8 import is_utf8, utf8

if TYPE_CHECKING:
    from pyodide_tok.vocab.vocab import Vocab

__all__ = ["RWKVEncoder"]

_WITHIN_CHARACTER = re.compile(rb"[\xc0-\xff]?[\x80-\xbf]*")


class RWKVEncoder:
    """Encodes fragments of text; immutable but for its memo table.

    A text is cut between characters that no token has side by side, for no match crosses such a
    border, and the chunks are memoised.
    """

    def __init__(self, vocab: Vocab) -> None:
        self._texts = vocab.texts
        self._unknown = vocab.special.get("unk", NO_TOKEN)
        self._lines = Memo(self._encode_line)
        self._memo = Memo(self._encode_chunk)
        known = self._unknown == NO_TOKEN  # else a byte may be called unknown
        self.lengths = Lengths(lambda id_: len(rwkv_unescape(vocab.texts[id_]))) if known else None

    def encode(self, text: str) -> list[int]:
        """The ids of a fragment. It never raises."""
        if self._chunk is None or not is_utf8(text):
            return list(self._encode_chunk(text))
        lines = self._line_chunks.findall(text)
        return list(chain.from_iterable([self._lines[line] for line in lines]))

    def _encode_line(self, line: str) -> Ids:
        chunks = self._chunk.findall(line) if self._chunk else (line,)
        return tuple([token for chunk in chunks for token in self._memo[chunk]])

    def spans(self, text: str) -> list[Span]:
        """(id, start, end) of each token, in UTF-8 bytes of the fragment."""
        pieces = self._pieces(utf8(text))
        ends = accumulate(map(len, pieces), initial=0)
        spans = zip(self._ids_of(pieces), pairwise(ends), strict=True)
        return [(id_, start, end) for id_, (start, end) in spans]

    def _encode_chunk(self, text: str) -> Ids:
        ids = self._ids_of(self._pieces(utf8(text)))
        return tuple(id_ for id_ in ids if id_ != NO_TOKEN)

    def _ids_of(self, pieces: list[bytes]) -> Iterator[int]:
        return (self._ids.get(piece, self._unknown) for piece in pieces)

    def _pieces(self, data: bytes) -> list[bytes]:
        """The longest matches; a byte that begins no token is a piece by itself.

        Where the bytes begin a token but none ends there, llama.cpp never comes to an end (it
        emits id 0 and starts over from byte 0); here such a byte is unknown, like any other.
        """
        ids, lengths = self._ids, self._lengths
        pieces = []
        at = 0
        while at < len(data):
            for length in lengths.get(data[at : at + START], SHORT_FALLING):
                piece = data[at : at + length]
                if piece in ids:
                    break
            else:
                piece = data[at : at + 1]
            pieces.append(piece)
            at += len(piece)
        return pieces

    # --- made on first use ---

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        """Token bytes to id: of several with the same bytes the last counts, an empty one never."""
        ids = {rwkv_unescape(text): id_ for id_, text in enumerate(self._texts)}
        ids.pop(b"", None)
        return ids

    @cached_property
    def _lengths(self) -> dict[bytes, tuple[int, ...]]:
        return falling_lengths(self._ids)

    @cached_property
    def _line_chunks(self) -> re.Pattern[str]:
        texts = (token.decode("utf-8", "replace") for token in self._ids)
        return line_pattern(newline_pairs(texts))

    @cached_property
    def _chunk(self) -> re.Pattern[str] | None:
        """What matches one chunk, or None where tokens begin or end inside characters."""
        tokens = []
        for token in self._ids:
            try:
                tokens.append(token.decode())
            except UnicodeDecodeError:
                if not _WITHIN_CHARACTER.fullmatch(token):
                    return None
        return between_tokens(tokens).chunks()
