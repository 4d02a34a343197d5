r"""Where words can be cut: between neighbouring characters that no merge joins.

A Chinese word of BPE is a whole clause, hardly ever the same twice, but most of its characters are
in no merge with their neighbours; where words are what stands between spaces, so it is with their
punctuation. Cutting there changes nothing, and the parts come again and again.

In byte-level BPE a merge reaches over the border of two characters if its left symbol ends with
the first, or with a tail of it, and its right one starts with the second, or with a head of it.
Merges of whole characters are known by the two; of those that have a part of a character, which
are rare, just the two bytes at the border are kept. Borders with ASCII are left uncut.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator, Set
from itertools import compress, count, islice, pairwise
from operator import add

from pyodide_tok.text.codepoints import BYTE_TO_CHAR
from pyodide_tok.text.utf8 import ESCAPED

_END, _SPACE = "\0", "\1"  # of merges and of their left halves, as bytes
_MANY = 1 << 12
_TO_BYTES = codecs.charmap_build("\0 " + BYTE_TO_CHAR[2:])  # quick with a NUL in front
_BYTE_BORDERS = re.compile(rf"{_SPACE}(?<=([^\0-\x7f]){_SPACE})([^\0-\x7f])")
_BORDERS = re.compile("[^ ] [^ ]", re.DOTALL)
_MOST = 1 << 16  # pairs that are remembered, as Memo bounds words


class Cuts(dict[str, bool]):
    """`cuts[a + b]`: whether no merge reaches over the border of these two characters.

    joined: pairs that merges join. loose: the bytes at the border of merges of their parts.
    """

    def __init__(self, joined: Set[str], loose: Set[bytes] | None = None) -> None:
        super().__init__()
        self.joined = joined
        self._loose = loose

    def __missing__(self, pair: str) -> bool:
        cut = pair not in self.joined and self._is_firm(pair[0], pair[1])
        if len(self) >= _MOST:
            self.clear()
        self[pair] = cut
        return cut

    def _is_firm(self, left: str, right: str) -> bool:
        if self._loose is None:
            return True
        if left.isascii() or right.isascii():
            return False
        return _edges(left, right, "surrogatepass") not in self._loose

    def parts(self, word: str) -> list[str]:
        """The word in parts that merge on their own."""
        cuts = compress(count(1), map(self.__getitem__, map(add, word, word[1:])))
        return [word[a:b] for a, b in pairwise((0, *cuts, len(word)))]


def token_cuts(texts: Collection[str]) -> Cuts:
    """For merges that make tokens, whatever the two halves."""
    pairs: set[str] = set()
    for joined in _joined(texts):
        pairs.update(map(add, joined, joined[1:]))
    return Cuts(pairs)


def merge_cuts(merges: Collection[str]) -> Cuts:
    """For merges as they stand in a file, "left right", of characters."""
    borders: set[str] = set()
    for joined in _joined(merges):
        borders.update(_BORDERS.findall(joined))
    return Cuts({border[0] + border[2] for border in borders})


def byte_level_cuts(merges: Collection[str]) -> Cuts:
    """For merges of GPT-2's printable characters, which stand for bytes.

    Any other character is in no word, and so are their merges: it may stand for any.
    """
    borders: set[tuple[str, str]] = set()
    for joined in _joined(merges):
        data, _ = codecs.charmap_encode(joined, "replace", _TO_BYTES)
        borders.update(_BYTE_BORDERS.findall(data.decode("utf-8", "surrogateescape")))
    parts = {(a, b) for a, b in borders if ESCAPED.match(a) or ESCAPED.match(b)}
    return Cuts(
        joined={a + b for a, b in borders - parts},
        loose={_edges(a, b, "surrogateescape") for a, b in parts},
    )


def _joined(texts: Collection[str]) -> Iterator[str]:
    """The texts, many in one; not all, as so much memory takes time."""
    rest = iter(texts)
    while some := list(islice(rest, _MANY)):
        yield _END.join(some)


def _edges(left: str, right: str, errors: str) -> bytes:
    return left.encode("utf-8", errors)[-1:] + right.encode("utf-8", errors)[:1]
