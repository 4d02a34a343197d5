"""llama.cpp's `token_to_piece` and `detokenize`, on bytes, with its loops as they are."""

import re

from pyodide_tok.text.codepoints import CHAR_TO_BYTE
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.vocab import BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED, Vocab
from tests.plain import bpe, rwkv

SPACE = "\u2581".encode()
HIDDEN = UNKNOWN | CONTROL


def piece(vocab: Vocab, token: int, special: bool = True, lstrip: bool = False) -> bytes:
    if not special and vocab.attrs[token] & HIDDEN:
        return b""
    data = rendered(vocab, token)
    return data[1:] if lstrip and data.startswith(b" ") else data


def rendered(vocab: Vocab, token: int) -> bytes:
    text, attr = vocab.texts[token], vocab.attrs[token]
    if vocab.type == "TEST":
        return format(token, "x").encode()
    if vocab.type == "RWKV":
        return rwkv.unescape(text)
    if vocab.type.startswith("PLAMO"):
        named = re.fullmatch(rb"<0x([0-9A-Fa-f]{2})>", utf8(text)) if attr & BYTE else None
        return bytes.fromhex(named[1].decode()) if named else utf8(text)
    if attr & (HIDDEN | USER_DEFINED):
        return utf8(text)
    if attr & NORMAL:
        escaped = vocab.type != "BPE" or vocab.flags.escape_whitespaces
        return utf8(text).replace(SPACE, b" ") if escaped else printable_to_bytes(utf8(text))
    if attr & BYTE:
        return bytes([strtol(utf8(text)[3:5]) % 256])
    return b""


def printable_to_bytes(text: bytes) -> bytes:
    out = b""
    for char in bpe.decode(text):
        if char in CHAR_TO_BYTE:
            out += bytes([CHAR_TO_BYTE[char]])
        else:
            out += b"[UNK_BYTE_0x" + bpe.raw(char).hex().encode() + text + b"]"
    return out


def strtol(digits: bytes) -> int:
    """C's: leading white space, a sign, as many hexadecimal digits as there are, else 0."""
    for size in range(len(digits), 0, -1):
        if b"_" not in digits and not digits[:size].endswith((b" ", b"\n", b"\t")):
            try:
                return int(digits[:size], 16)
            except ValueError:
                continue
    return 0


def detokenize(vocab: Vocab, ids: list[int], remove_special: bool, unparse_special: bool) -> bytes:
    flags, special = vocab.flags, vocab.special
    remove_space = flags.add_space_prefix
    if remove_special and flags.add_bos and ids and ids[0] == special.get("bos"):
        remove_space = False
        ids = ids[1:]
    if remove_special and flags.add_eos and ids and ids[-1] == special.get("eos"):
        ids = ids[:-1]
    text = b""
    for token in ids:
        text += piece(vocab, token, unparse_special, remove_space)
        remove_space = False
    return clean_spaces(text) if flags.clean_spaces else text


def clean_spaces(data: bytes) -> bytes:
    """Three passes in place, over a buffer that each of them shortens."""
    text = bytearray(data)
    for strip in (before_punctuation, around_apostrophe, before_contraction):
        strip(text)
    return bytes(text)


def before_punctuation(text: bytearray) -> None:
    total = min(len(text), 1)
    for i in range(1, len(text)):
        x = text[i]
        if text[i - 1] == ord(" ") and x in b"?!.,":
            total -= 1
        text[total] = x
        total += 1
    del text[total:]


def around_apostrophe(text: bytearray) -> None:
    total = min(len(text), 1)
    i = 1
    while i < len(text):
        x = text[i]
        if x == ord("'") and i + 1 < len(text) and text[i - 1] == text[i + 1] == ord(" "):
            total -= 1
            i += 1
            text[i] = 0
        text[total] = x
        total += 1
        i += 1
    del text[total:]


def before_contraction(text: bytearray) -> None:
    total = min(len(text), 1)
    for i in range(1, len(text)):
        x = text[i]
        if text[i - 1] == ord(" ") and x == ord("'"):
            one, two = text[i + 1 : i + 2], text[i + 1 : i + 3]
            if bytes(one) in (b"s", b"m") or bytes(two) in (b"re", b"ve"):
                total -= 1
        text[total] = x
        total += 1
    del text[total:]
