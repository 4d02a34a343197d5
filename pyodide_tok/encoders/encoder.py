"""What every encoder offers to the tokenizer: one Protocol for all types."""

from __future__ import annotations

from typing import Protocol

from pyodide_tok.encoders.alignment import Lengths, Span


class Encoder(Protocol):
    """A fragment of plain text to token ids: no special token is cut out or added here.

    A fragment is a `str` whose bytes that are not UTF-8 are escaped (`text.utf8`). An encoder does
    not change once it is made, except for its memo tables, so threads can share it. Encoding
    raises nothing; only a model without vocabulary raises `NoVocabError`.
    """

    @property
    def lengths(self) -> Lengths | None:
        """Bytes of the fragment by token id, if tokens cover fragments one after the other.

        Where these add up to the length of a fragment they place the tokens of `encode`, which is
        quicker than `spans`. None: they never do.
        """

    def encode(self, text: str) -> list[int]:
        """The ids of a fragment, as llama.cpp gives them, without its -1."""

    def spans(self, text: str) -> list[Span]:
        """(id, start, end) of each token, in bytes of the fragment's UTF-8.

        The ids are those of `encode`, with NO_TOKEN for bytes that have none.
        """
