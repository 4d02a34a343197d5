"""SentencePiece as llama.cpp does it (SPM): merge the pair that makes the best-scored token.

A fragment's characters are its first symbols, spaces written as U+2581. Of all neighbours whose
texts together are a token, the pair of the highest score merges first, the leftmost of equals. A
character that is no token becomes the tokens of its bytes, <0x00> to <0xFF>.

What makes it fast: a merge never crosses two neighbouring characters that no token has side by
side. Cutting there changes nothing, and the chunks come again and again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, repeat

from pyodide_tok.encoders.alignment import Lengths, Span, remap
from pyodide_tok.encoders.boundaries import Boundaries, between_tokens
from pyodide_tok.encoders.memo import Ids, Memo
from pyodide_tok.encoders.merging import merge
from pyodide_tok.text.codepoints import widths
from pyodide_tok.text.spaces import AT_SPACES, SPACE, has_space_inside
from pyodide_tok.text.utf8 import is_utf8, sequences, utf8
from pyodide_tok.vocab.vocab import BYTE, Vocab

_SHORT = 12  # characters; a shorter chunk is merged as it is


class SpmEncoder:
    """Encodes fragments with a vocabulary of type SPM."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._ids = vocab.token_to_id
        self._ranks = _ranks(vocab)
        self._words = Memo(self._encode_word)
        self._chunks = Memo(self._encode_chunk)
        self.lengths = Lengths(self._source_length)

    def encode(self, text: str) -> list[int]:
        if not is_utf8(text):
            return list(self._encode_chunk(text))
        if not self._cuts_at_spaces:
            return list(self._encode_word(text))
        return list(chain.from_iterable(map(self._words.__getitem__, AT_SPACES.findall(text))))

    def spans(self, text: str) -> list[Span]:
        read = text.replace(" ", SPACE)
        return remap(self._tokens(read), widths(read), widths(text))

    # -- cutting --------------------------------------------------------------------------

    @cached_property
    def _cuts_at_spaces(self) -> bool:
        return not has_space_inside(self._ids)

    @cached_property
    def _boundaries(self) -> Boundaries:
        return between_tokens(self._ids)

    def _encode_word(self, word: str) -> Ids:
        if len(word) < _SHORT:
            return self._encode_chunk(word)
        parts = self._boundaries.parts(word.replace(" ", SPACE))
        return tuple(chain.from_iterable(map(self._chunks.__getitem__, parts)))

    # -- merging --------------------------------------------------------------------------

    def _encode_chunk(self, chunk: str) -> Ids:
        symbols = self._merged(chunk.replace(" ", SPACE))
        try:
            return tuple([self._ids[symbol] for symbol in symbols])
        except KeyError:
            tokens = chain.from_iterable(map(self._symbol_tokens, symbols))
            return tuple(token for token, _ in tokens if token >= 0)

    def _merged(self, chunk: str) -> list[str]:
        return merge(sequences(chunk), self._ranks.get, "")

    def _tokens(self, chunk: str) -> Iterator[tuple[int, int]]:
        """(id, bytes) of each token; id -1 where no token can stand for a byte."""
        return chain.from_iterable(map(self._symbol_tokens, self._merged(chunk)))

    def _symbol_tokens(self, symbol: str) -> list[tuple[int, int]]:
        data = utf8(symbol)
        token = self._ids.get(symbol)
        if token is not None:
            return [(token, len(data))]
        return [(self._byte_token(byte), 1) for byte in data]

    def _byte_token(self, byte: int) -> int:
        """<0xNN>, or the byte itself; llama.cpp ends the process where neither is there."""
        raw = bytes((byte,)).decode("utf-8", "surrogateescape")
        unknown = self._vocab.special.get("unk", -1)
        return self._ids.get(f"<0x{byte:02X}>", self._ids.get(raw, unknown))

    def _source_length(self, token: int) -> int:
        if self._vocab.attrs[token] & BYTE:
            return 1
        return len(utf8(self._vocab.texts[token].replace(SPACE, " ")))


def _ranks(vocab: Vocab) -> dict[str, int]:
    """Token text -> the place of its score: the best merge has the lowest, one of NaN the last."""
    scores = sorted({score for score in vocab.scores if score == score}, reverse=True)
    places = {score: place for place, score in enumerate(scores)}
    ranks = map(places.get, vocab.scores, repeat(len(scores)))
    return dict(zip(vocab.texts, ranks, strict=True))
