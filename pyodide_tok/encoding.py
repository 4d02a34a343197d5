"""What `Tokenizer.tokenize` gives: a text's tokens in columns, with their places."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import accumulate

from pyodide_tok.notices import Notice
from pyodide_tok.vocab import utf8


@dataclass(frozen=True, slots=True)
class Encoding:
    """A text's tokens in columns, one row a token.

    `byte_starts`, `byte_ends`, `char_starts` and `char_ends` are positions in the caller's text,
    in bytes of its UTF-8 and in characters; `offsets` and `byte_offsets` give them as pairs. A
    character split over several tokens is the character span of each of them. Added tokens (BOS,
    EOS, SEP) have empty spans. `attrs` are llama_token_attr bits. `warnings` are of this call.
    """

    ids: list[int]
    pieces: list[bytes]
    byte_starts: array[int]
    byte_ends: array[int]
    char_starts: array[int]
    char_ends: array[int]
    attrs: array[int]
    warnings: tuple[Notice, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def offsets(self) -> list[tuple[int, int]]:
        return list(zip(self.char_starts, self.char_ends, strict=True))

    @property
    def byte_offsets(self) -> list[tuple[int, int]]:
        return list(zip(self.byte_starts, self.byte_ends, strict=True))


_IS_LEAD = bytes(byte & 0xC0 != 0x80 for byte in range(256))


def char_positions(
    source: str, starts: array[int], ends: array[int]
) -> tuple[array[int], array[int]]:
    """Byte positions as character positions; a part of a character becomes the whole of it."""
    if source.isascii():
        return starts, ends
    # begun[i]: how many characters start before byte i; one more starts at the end
    begun = array("I", accumulate(_lead_bytes(source) + b"\1", initial=0))
    char_starts = array("I", (begun[start + 1] - 1 for start in starts))
    char_ends = array(
        "I", (begun[b] if b > a else begun[a + 1] - 1 for a, b in zip(starts, ends, strict=True))
    )
    return char_starts, char_ends


def _lead_bytes(source: str) -> bytes:
    """1 for each byte that a character starts at, else 0; an escaped byte is a character."""
    try:
        return source.encode().translate(_IS_LEAD)
    except UnicodeEncodeError:
        return b"".join(b"\1" + bytes(len(utf8(char)) - 1) for char in source)
