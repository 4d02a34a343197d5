"""How long a token can be that starts so: what bounds the search for tokens in a text."""

from __future__ import annotations

from collections.abc import Iterable

START = 3  # characters


def longest_by_start(tokens: Iterable[str]) -> dict[str, int]:
    """The first START characters of tokens -> characters of the longest token that starts so.

    What is not in it starts no token as long as START.
    """
    longest: dict[str, int] = {}
    for token in tokens:
        start = token[:START]
        if len(token) > longest.get(start, START - 1):
            longest[start] = len(token)
    return longest
