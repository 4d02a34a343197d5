"""Chunks of whole lines: the largest parts of a text that are worth remembering."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pyodide_tok.text.spaces import BETWEEN_TOKENS


def line_pattern(pairs: Iterable[str]) -> re.Pattern[str]:
    """Cuts a text before newlines, or after them, wherever the two characters are no pair.

    pairs: those of a newline and another character that some token has side by side.
    """
    pairs = set(pairs)
    before = _class(pair[0] for pair in pairs if pair[0] != "\n")
    after = _class(pair[1] for pair in pairs if pair[1] != "\n")
    return re.compile(rf"\n*[^\n]+(?:(?<={before})\n+(?:(?={after})[^\n]+)?)*|\n+")


def newline_pairs(texts: Iterable[str]) -> set[str]:
    """The pairs of a newline and another character in some of the texts."""
    joined = BETWEEN_TOKENS.join(texts)
    pairs = re.findall(rf"(?=(\n[^\n{BETWEEN_TOKENS}]|[^\n{BETWEEN_TOKENS}]\n))", joined)
    return set(pairs)


def _class(chars: Iterable[str]) -> str:
    inside = "".join(map(re.escape, sorted(set(chars))))
    return f"[{inside}]" if inside else r"[^\s\S]"
