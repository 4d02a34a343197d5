"""How long a token can be that starts so: what bounds the search for tokens in a text."""

from __future__ import annotations

from collections.abc import Iterable


def longest_by_start(tokens: Iterable[str]) -> dict[str, int]:
    """The first two characters of tokens -> characters of the longest token that starts so.

    What is not there starts no token of more than one character.
    """
    longest: dict[str, int] = {}
    for token in tokens:
        start = token[:2]
        if len(token) > longest.get(start, 1):
            longest[start] = len(token)
    return longest
