"""What all explainers share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from pyodide_tok.explain.trace import Word

SPACE = "\u2581"
LONGEST = 2000  # characters of a word that is explained
ESCAPED = re.compile("[\udc80-\udcff]")  # a byte that is not UTF-8
AT_SPACES = re.compile(f"{SPACE}*[^{SPACE}]+|{SPACE}+")


class Explainer(Protocol):
    """The words of a fragment, one after the other; their ids are those of the encoder."""

    def words(self, text: str) -> Iterator[Word]: ...


def explained(chunks: Iterable[str], explain: Callable[[str], Word]) -> Iterator[Word]:
    """Every chunk as a word; at one that is too long a reader stops."""
    for chunk in chunks:
        yield explain(chunk) if len(chunk) <= LONGEST else Word(chunk, (), note="too-long")


def has_space_inside(tokens: Iterable[str]) -> bool:
    """Whether some token has a U+2581 after another character; if not, words end before them."""
    return re.search(f"[^{SPACE}\ud800]{SPACE}", "\ud800".join(tokens)) is not None
