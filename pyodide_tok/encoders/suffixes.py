"""Which tokens begin at each character of a text, from its end on: how PLaMo looks them up.

llama.cpp's table has a row for every end ("suffix") of a token. At each place of a text the
longest suffix that begins there is known from the one at the next place: that is Aho and Corasick's
automaton over reversed tokens. Its nodes are made on first use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

UNKNOWN = 10_000_000  # the cost of a character that no token covers; 10000 is a score of -1
UNUSABLE = 20_000_000  # tokens of this cost or more are never used
NO_ID = -1  # of a step: the character's bytes instead


class Step(NamedTuple):
    """One way on from some place in a text."""

    length: int  # characters
    id: int
    cost: int


class _Node:
    """A suffix of tokens that was found in a text.

    link: its longest beginning that is such a suffix too. steps: those of all these that are
    tokens, the longest first, then the unknown character. longer: by the character before it.

    A token of just the unknown character's cost (a score of -1000, which padding tokens have)
    looks to llama.cpp like the end of the steps (`stops`): what is shorter is seen neither by the
    steps from there nor in the search for the suffix of the character before.
    """

    __slots__ = ("link", "longer", "steps", "stops", "suffix")

    def __init__(self, suffix: str, link: _Node | None, token: tuple[int, int]) -> None:
        id_, cost = token
        self.suffix = suffix
        self.link = link
        self.longer: dict[str, _Node] = {}
        self.stops = link is None or cost == UNKNOWN
        own = (Step(len(suffix), id_, cost),) if cost < UNUSABLE else ()
        self.steps: tuple[Step, ...] = own if self.stops or link is None else own + link.steps


class Suffixes:
    """tokens: to id and cost."""

    def __init__(self, tokens: Mapping[str, tuple[int, int]]) -> None:
        self.tokens = tokens
        self._suffixes = frozenset(text[at:] for text in tokens for at in range(len(text)))
        self._root = _Node("", None, (NO_ID, UNKNOWN))
        self._root.steps = (Step(1, NO_ID, UNKNOWN),)

    def steps(self, text: str) -> Iterator[tuple[Step, ...]]:
        """The steps from each character, the last character first."""
        node = self._root
        for char in reversed(text):
            node = self._before(node, char)
            yield node.steps

    def _before(self, node: _Node, char: str) -> _Node:
        """The node of the character before."""
        while True:
            found = node.longer.get(char)
            if found is None and char + node.suffix in self._suffixes:
                found = self._make(node, char)
            if found is not None:
                return found
            if node.stops or node.link is None:
                return self._root
            node = node.link

    def _make(self, node: _Node, char: str) -> _Node:
        """The node of `char` before a node, and those that it links to."""
        missing = [node]
        shorter = node.link
        while shorter is not None and char not in shorter.longer:
            if char + shorter.suffix in self._suffixes:
                missing.append(shorter)
            shorter = shorter.link
        made = self._root if shorter is None else shorter.longer[char]
        for node in reversed(missing):
            suffix = char + node.suffix
            made = _Node(suffix, made, self.tokens.get(suffix, (NO_ID, UNUSABLE)))
            node.longer[char] = made
        return made
