"""What `Tokenizer.tokenize` gives: a text's tokens in columns, with their places."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from itertools import accumulate
from typing import Any

from pyodide_tok.errors import EncodeError, Notice
from pyodide_tok.text.utf8 import utf8


@dataclass(frozen=True, slots=True)
class Encoding:
    """A text's tokens in columns, one row a token.

    `byte_starts`, `byte_ends`, `char_starts` and `char_ends` are positions in the caller's text,
    in bytes of its UTF-8 and in characters; `offsets` and `byte_offsets` give them as pairs. A
    character split over several tokens is the character span of each of them. Added tokens (BOS,
    EOS, SEP) have empty spans. `attrs` are llama_token_attr bits. `warnings` are of this call.
    """

    ids: list[int]
    byte_starts: array[int]
    byte_ends: array[int]
    char_starts: array[int]
    char_ends: array[int]
    attrs: array[int]
    warnings: tuple[Notice, ...]
    piece_of: Callable[[int], bytes] = field(repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies with its pieces, without the vocabulary."""
        columns = [getattr(self, column.name) for column in fields(self)[:-1]]
        pieces = dict(zip(self.ids, self.pieces, strict=True))
        return Encoding, (*columns, pieces.__getitem__)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def pieces(self) -> list[bytes]:
        """The bytes that each token stands for; special tokens are written out."""
        return list(map(self.piece_of, self.ids))

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Start and end of each token in the text, in characters (code points)."""
        return list(zip(self.char_starts, self.char_ends, strict=True))

    @property
    def byte_offsets(self) -> list[tuple[int, int]]:
        """Start and end of each token in the text's UTF-8, in bytes."""
        return list(zip(self.byte_starts, self.byte_ends, strict=True))


MAX_BYTES = (1 << 32) - 1  # of a text, that its places fit into arrays of uint32


class Places:
    """Where tokens lie, in bytes of the text, collected fragment by fragment.

    is_complete: every part of the text has a token.
    """

    __slots__ = ("ends", "ids", "is_complete", "size", "starts")

    def __init__(self, source: str) -> None:
        """Raises `EncodeError` for a text of more than MAX_BYTES."""
        self.size = len(utf8(source))
        if self.size > MAX_BYTES:
            raise EncodeError(f"places go up to {MAX_BYTES} bytes: tokenize the text in parts")
        self.is_complete = True
        self.ids: list[int] = []
        self.starts = array("I")
        self.ends = array("I")

    def add(self, token: int, start: int, end: int) -> None:
        self.ids.append(token)
        self.starts.append(start)
        self.ends.append(end)

    def add_covering(self, ids: list[int], widths: list[int], base: int, added: int) -> None:
        """Tokens that cover a fragment at byte `base`, each `widths` bytes of it, in order.

        But for the first `added` bytes, which were put before the fragment: they have no place.
        """
        for i, width in enumerate(widths):
            if not added:
                break
            widths[i] -= min(added, width)
            added -= min(added, width)
        places = array("I", accumulate(widths, initial=base))
        self.ids += ids
        self.starts += places[:-1]
        self.ends += places[1:]


def as_items(items: Iterable[Any], what: str) -> Iterable[Any]:
    """The items themselves. Raises `EncodeError` for what has none, and for a single text."""
    if isinstance(items, str | bytes | bytearray) or not isinstance(items, Iterable):
        raise EncodeError(f"{what} are given as a list, not as a {type(items).__name__}")
    return items


_SURROGATE = re.compile("[\ud800-\udfff]")


def as_text(text: str | bytes) -> str:
    """A str without lone surrogates, but for one escape of each byte that is not UTF-8.

    Raises `EncodeError` for what is no text.
    """
    if isinstance(text, bytes | bytearray | memoryview):
        return bytes(text).decode("utf-8", "surrogateescape")
    if not isinstance(text, str):
        raise EncodeError(f"a text is a str or bytes, not a {type(text).__name__}")
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
