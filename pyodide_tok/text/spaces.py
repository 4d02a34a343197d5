"""How vocabularies write a space, and where texts written so can be cut into words."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["AT_SPACES", "BETWEEN_TOKENS", "SPACE", "has_space_inside"]

SPACE = "\u2581"
BETWEEN_TOKENS = "\ud800"  # a separator: no token contains it, because tokens are read as UTF-8
AT_SPACES = re.compile(f"[ {SPACE}]*[^ {SPACE}]+|[ {SPACE}]+")  # a word with the spaces before it
_INSIDE = re.compile(f"[^{SPACE}{BETWEEN_TOKENS}]{SPACE}")


def has_space_inside(tokens: Iterable[str]) -> bool:
    """Whether some token has a U+2581 after another character; if not, words end before them."""
    return _INSIDE.search(BETWEEN_TOKENS.join(tokens)) is not None
