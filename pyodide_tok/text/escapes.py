"""Token texts that stand for bytes: RWKV's backslash escapes and byte tokens such as <0x0A>."""

from __future__ import annotations

import re

from pyodide_tok.text.utf8 import utf8

__all__ = ["hex_byte", "rwkv_unescape"]

_ESCAPE = re.compile(rb"\\(?:x(..)|x.?\Z|(.)|\Z)", re.DOTALL)
_LETTERS = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}
_BYTE_TOKEN = re.compile("<0x([0-9A-Fa-f]{2})>")


def rwkv_unescape(text: str) -> bytes:
    r"""The bytes that an RWKV token's text stands for; an escape cut off at the end is nothing.

    >>> rwkv_unescape(r"a\tb\xe4\\"), rwkv_unescape(r"a\x1")
    (b'a\tb\xe4\\', b'a')
    """
    raw = utf8(text)
    return _ESCAPE.sub(_unescaped, raw) if b"\\" in raw else raw


def _unescaped(escape: re.Match[bytes]) -> bytes:
    digits, letter = escape.groups()
    if digits:
        return bytes([(_digit(digits[0]) << 4) + _digit(digits[1]) & 0xFF])
    return _LETTERS.get(letter, letter) if letter else b""


def _digit(char: int) -> int:
    """Of any byte, as in llama_unescape_rwkv_token: only lowercase is told apart; wraps."""
    return (char - 87 if 0x61 <= char < 0x80 else char - 48) & 0xFF


def hex_byte(text: str) -> int | None:
    """The byte (0..255) that a token text of the form <0x0A> stands for, else None.

    >>> hex_byte("<0x0A>"), hex_byte("<0xA>")
    (10, None)
    """
    match = _BYTE_TOKEN.fullmatch(text)
    return int(match[1], 16) if match else None
