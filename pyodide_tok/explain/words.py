"""What all explainers share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from pyodide_tok.explain.trace import Word

LONGEST = 2000  # characters of a word that is explained


class Explainer(Protocol):
    """The words of a fragment, one after the other; their ids are those of the encoder."""

    def words(self, text: str) -> Iterator[Word]: ...


def explained(chunks: Iterable[str], explain: Callable[[str], Word]) -> Iterator[Word]:
    """Every chunk as a word; at one that is too long a reader stops."""
    for chunk in chunks:
        yield explain(chunk) if len(chunk) <= LONGEST else Word(chunk, (), note="too-long")
