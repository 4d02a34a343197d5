"""UTF-8 in a `str`: bytes that are not UTF-8 are escaped, one character (U+DC80..U+DCFF) each."""

from __future__ import annotations

import re

__all__ = ["ESCAPED", "ESCAPES", "LENGTHS", "byte_text", "is_utf8", "sequences", "utf8"]

LENGTHS = (1,) * 12 + (2, 2, 3, 4)  # of a sequence, by the first four bits (unicode_len_utf8)
ESCAPES = "\udc80-\udcff"  # for a class of `re`
ESCAPED = re.compile(f"[{ESCAPES}]")


def utf8(text: str) -> bytes:
    """The bytes of a text."""
    return text.encode("utf-8", "surrogateescape")


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
        found.append(data[at:end].decode("utf-8", "surrogateescape"))
        at = end
    return found
