"""UTF-8 in a `str`: bytes that are not UTF-8 are escaped, one character (U+DC80..U+DCFF) each."""

from __future__ import annotations

import re
from array import array
from itertools import accumulate

__all__ = [
    *("ESCAPED", "ESCAPES", "LENGTHS", "byte_text", "char_positions", "from_utf8", "is_utf8"),
    *("sequences", "utf8"),
]

LENGTHS = (1,) * 12 + (2, 2, 3, 4)  # of a sequence, by the first four bits (unicode_len_utf8)
ESCAPES = "\udc80-\udcff"  # for a class of `re`
ESCAPED = re.compile(f"[{ESCAPES}]")


def utf8(text: str) -> bytes:
    """The bytes of a text."""
    return text.encode("utf-8", "surrogateescape")


def from_utf8(data: bytes) -> str:
    """The text of bytes."""
    return data.decode("utf-8", "surrogateescape")


def is_utf8(text: str) -> bool:
    """Whether no byte of the text is escaped."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def byte_text(text: str) -> str:
    """One character, U+0000..U+00FF, for each byte."""
    return utf8(text).decode("latin-1")


def sequences(text: str) -> list[str]:
    """The characters; in broken UTF-8, as many bytes as each lead byte announces."""
    if is_utf8(text):
        return list(text)
    data = utf8(text)
    found = []
    at = 0
    while at < len(data):
        end = at + LENGTHS[data[at] >> 4]
        found.append(from_utf8(data[at:end]))
        at = end
    return found


_IS_LEAD = bytes(byte & 0xC0 != 0x80 for byte in range(256))


def char_positions(
    text: str, starts: array[int], ends: array[int]
) -> tuple[array[int], array[int]]:
    """Byte positions as character positions; a part of a character becomes the complete one."""
    if text.isascii():
        return starts, ends
    # begun[i]: how many characters start before byte i; one more starts at the end
    begun = array("I", accumulate(_lead_bytes(text) + b"\1", initial=0))
    char_starts = [begun[start + 1] - 1 for start in starts]
    char_ends = [begun[b] if b > a else begun[a + 1] - 1 for a, b in zip(starts, ends, strict=True)]
    return array("I", char_starts), array("I", char_ends)


def _lead_bytes(text: str) -> bytes:
    """1 for each byte that a character starts at, else 0; an escaped byte is a character."""
    if is_utf8(text):
        return text.encode().translate(_IS_LEAD)
    return b"".join(b"\1" + bytes(len(utf8(char)) - 1) for char in text)
