"""SentencePiece as llama.cpp does it (SPM): merge the pair that makes the best-scored token.

A fragment's characters are its first symbols, spaces written as U+2581. Of all neighbours whose
texts together are a token, the pair of the highest score merges first, the leftmost of equals. A
character that is no token becomes the tokens of its bytes, <0x00> to <0xFF>.

What makes it fast: a merge never crosses two neighbouring characters that no token has side by
side. Cutting there changes nothing, and the chunks come again and again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from itertools import chain

from pyodide_tok.encoders.alignment import NO_TOKEN, Lengths, Span, remap
from pyodide_tok.encoders.boundaries import Boundaries, between_tokens
from pyodide_tok.encoders.memo import Ids, Memo
from pyodide_tok.encoders.merging import merge, merge_by_scores
from pyodide_tok.text.codepoints import widths
from pyodide_tok.text.spaces import AT_SPACES, SPACE, has_space_inside
from pyodide_tok.text.utf8 import byte_text, is_utf8, sequences, utf8
from pyodide_tok.vocab.vocab import BYTE, Vocab

_SHORT = 12  # characters; a shorter chunk is merged as it is


class SpmEncoder:
    """Encodes fragments with a vocabulary of type SPM."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._ids = vocab.token_to_id
        self._ranks = _ranks(vocab)
        self._has_nan = has_nan(vocab)
        self._words = Memo(self._encode_word)
        self._chunks = Memo(self._encode_chunk)
        self.lengths = Lengths(self._source_length)

    def encode(self, text: str) -> list[int]:
        if self._has_nan or not is_utf8(text):
            return [token for token, _ in self._tokens(text.replace(" ", SPACE)) if token >= 0]
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
        symbols = merge(list(chunk.replace(" ", SPACE)), self._ranks.get, "")
        try:
            return tuple([self._ids[symbol] for symbol in symbols])
        except KeyError:
            tokens = self._tokens_of(symbols, self._ids, utf8)
            return tuple([token for token, _ in tokens if token >= 0])

    def _tokens(self, read: str) -> list[tuple[int, int]]:
        """(id, bytes) of each token; NO_TOKEN for a byte that has none.

        In broken UTF-8, bytes that are parts of one token need not be neighbours in a `str`.
        """
        if not self._has_nan and is_utf8(read):
            return self._tokens_of(merge(list(read), self._ranks.get, ""), self._ids, utf8)
        symbols = self._merge_bytes(list(map(byte_text, sequences(read))))
        return self._tokens_of(symbols, self._byte_ids, _latin)

    def _tokens_of(
        self, symbols: list[str], ids: dict[str, int], data_of: Callable[[str], bytes]
    ) -> list[tuple[int, int]]:
        tokens = []
        for symbol in symbols:
            data = data_of(symbol)
            token = ids.get(symbol)
            if token is not None:
                tokens.append((token, len(data)))
            else:
                tokens += [(self._byte_token(byte), 1) for byte in data]
        return tokens

    def _merge_bytes(self, symbols: list[str]) -> list[str]:
        if self._has_nan:
            return merge_by_scores(symbols, self._byte_score)
        return merge(symbols, self._byte_ranks.get, "")

    def _byte_score(self, symbol: str) -> float | None:
        token = self._byte_ids.get(symbol)
        return None if token is None else self._vocab.scores[token]

    @cached_property
    def _byte_ids(self) -> dict[str, int]:
        return {byte_text(text): token for text, token in self._ids.items()}

    @cached_property
    def _byte_ranks(self) -> dict[str, int]:
        return {byte_text(text): rank for text, rank in self._ranks.items()}

    def _byte_token(self, byte: int) -> int:
        """<0xNN>, or the byte itself; llama.cpp ends the process where neither is there."""
        raw = bytes((byte,)).decode("utf-8", "surrogateescape")
        unknown = self._vocab.special.get("unk", NO_TOKEN)
        return self._ids.get(f"<0x{byte:02X}>", self._ids.get(raw, unknown))

    def _source_length(self, token: int) -> int:
        if self._vocab.attrs[token] & BYTE:
            return 1
        return len(utf8(self._vocab.texts[token].replace(SPACE, " ")))


def has_nan(vocab: Vocab) -> bool:
    """Whether some score is NaN: then merges have no order of their own."""
    return any(map(math.isnan, vocab.scores))


def _ranks(vocab: Vocab) -> dict[str, int]:
    """Token text -> the place of its score: the best merge has the lowest."""
    scores = sorted(set(vocab.scores), reverse=True)
    places = {score: place for place, score in enumerate(scores)}
    return dict(zip(vocab.texts, map(places.get, vocab.scores), strict=True))  # type: ignore[arg-type]


def _latin(symbol: str) -> bytes:
    return symbol.encode("latin-1")
