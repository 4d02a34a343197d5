"""Vocabularies without a tokenizer of their own: TEST, BYTE and NONE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyodide_tok.encoders.alignment import Span
from pyodide_tok.errors import NoVocabError
from pyodide_tok.text.utf8 import utf8

if TYPE_CHECKING:
    from pyodide_tok.vocab.vocab import Vocab

__all__ = ["ByteEncoder", "NoVocabEncoder", "TestEncoder"]

_CHUNK = 5  # bytes that TEST hashes to one id


class TestEncoder:
    """llama.cpp's test vocabulary: every five bytes are hashed to some id."""

    __test__ = False  # pytest: no test case

    lengths = None

    def __init__(self, vocab: Vocab) -> None:
        self._size = len(vocab)

    def encode(self, text: str) -> list[int]:
        """The ids of a fragment. It never raises."""
        data = utf8(text)
        whole = len(data) - len(data) % _CHUNK
        size = self._size
        ids = [
            ((((a * 31 + b) * 31 + c) * 31 + d) * 31 + e) % size
            for a, b, c, d, e in zip(*[iter(data[:whole])] * _CHUNK, strict=True)
        ]
        return ids if whole == len(data) else [*ids, self._hash(data[whole:])]

    def spans(self, text: str) -> list[Span]:
        """(id, start, end) of each token, in UTF-8 bytes of the fragment."""
        end = len(utf8(text))
        starts = range(0, end, _CHUNK)
        ids = self.encode(text)
        return [(id_, at, min(at + _CHUNK, end)) for id_, at in zip(ids, starts, strict=True)]

    def _hash(self, data: bytes) -> int:
        value = 0
        for byte in data:
            value = value * 31 + byte
        return value % self._size


class ByteEncoder:
    """The byte tokenizer, for files without tokens: 256 symbols, each id is its byte."""

    lengths = None

    def __init__(self, vocab: Vocab) -> None:
        """Takes a vocabulary as every encoder does; nothing of it is needed."""

    def encode(self, text: str) -> list[int]:
        """The ids of a fragment. It never raises."""
        return list(utf8(text))

    def spans(self, text: str) -> list[Span]:
        """(id, start, end) of each token, in UTF-8 bytes of the fragment."""
        return [(byte, at, at + 1) for at, byte in enumerate(self.encode(text))]


class NoVocabEncoder:
    """Refuses: the file says that its model has no vocabulary."""

    lengths = None

    def __init__(self, vocab: Vocab) -> None:
        self._model = vocab.model

    def encode(self, text: str) -> list[int]:
        """Raises NoVocabError, whatever the text."""
        raise self._error()

    def spans(self, text: str) -> list[Span]:
        """Raises NoVocabError, whatever the text."""
        raise self._error()

    def _error(self) -> NoVocabError:
        return NoVocabError(
            f"this model has no vocabulary (tokenizer.ggml.model is {self._model!r}), so text "
            "cannot be encoded; use the GGUF file of a language model"
        )
