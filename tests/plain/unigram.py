"""Unigram straight from the algorithm: bytes, every token tried at every place."""

import math
import struct
from array import array

from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.vocab import NORMAL, UNUSED, USER_DEFINED, Vocab

Tokens = dict[bytes, tuple[int, float]]
Tables = tuple[Tokens, float]  # the score of an unknown character is the second

SPACE = "\u2581".encode()
FLT_MAX = 3.4028234663852886e38


def encode(vocab: Vocab, text: str, tables: Tables | None = None) -> list[int]:
    """The ids of a fragment. tables: `matchers(vocab)`, when there are many texts."""
    unknown = vocab.special.get("unk", -1)
    data = normalise(vocab, utf8(text))
    tokens, penalty = tables or matchers(vocab)
    return [id_ for id_ in best_path(tokens, penalty, data, unknown) if id_ != -1]


def best_path(tokens: Tokens, penalty: float, data: bytes, unknown: int) -> list[int]:
    longest = max(map(len, tokens), default=0)
    best = [(-1.7976931348623157e308, unknown, 0) for _ in range(len(data) + 1)]
    best[0] = (0.0, unknown, 0)
    at = 0
    while at < len(data):
        after = min(at + (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4)[data[at] >> 4], len(data))
        found = [(n, data[at : at + n]) for n in range(1, longest + 1) if at + n <= len(data)]
        found = [(n, token) for n, token in found if token in tokens]
        for size, token in sorted(found):
            id_, score = tokens[token]
            if best[at][0] + score > best[at + size][0]:
                best[at + size] = (best[at][0] + score, id_, at)
        if after - at not in [size for size, _ in found]:
            score = best[at][0] + penalty
            if score > best[after][0]:
                best[after] = (score, unknown, at)
        at = after
    ids: list[int] = []
    while at:
        _, id_, at = best[at]
        if not (ids and ids[-1] == id_ == unknown):
            ids.append(id_)
    return ids[::-1]


def matchers(vocab: Vocab) -> Tables:
    """({token: (id, score)}, the score of an unknown character)."""
    tokens = {}
    lowest = FLT_MAX
    columns = zip(vocab.texts, vocab.scores, vocab.file_attrs, vocab.attrs, strict=True)
    for id_, (text, score, attr, retyped) in enumerate(columns):
        if attr & NORMAL:
            lowest = min(lowest, score)
        if attr & (NORMAL | USER_DEFINED | UNUSED):
            tokens[utf8(text)] = (id_, 0.0 if retyped & USER_DEFINED else score)
    return tokens, array("f", [lowest - 10.0])[0]


def normalise(vocab: Vocab, data: bytes) -> bytes:
    flags = vocab.flags
    space = SPACE if flags.escape_whitespaces else b" "
    prepend = flags.add_space_prefix and not flags.treat_whitespace_as_suffix
    append = flags.add_space_prefix and flags.treat_whitespace_as_suffix
    user = [utf8(t) for t, attr in zip(vocab.texts, vocab.file_attrs, strict=True) if attr & 16]
    out = b""
    prepended = in_word = False
    at = 0
    while at < len(data):
        piece, consumed = normalise_prefix(user, vocab.precompiled_charsmap, data[at:])
        for byte in piece:
            if byte != 0x20:
                if not in_word and ((prepend and not prepended) or flags.remove_extra_whitespaces):
                    out += space
                    prepended = True
                in_word = True
                out += bytes([byte])
            else:
                in_word = False
                if not flags.remove_extra_whitespaces:
                    out += space
        at += consumed
    return out + space if append else out


def normalise_prefix(user: list[bytes], charsmap: bytes, data: bytes) -> tuple[bytes, int]:
    shared = max([common(token, data) for token in user], default=0)
    if shared:
        return data[:shared], shared
    replacement, size = longest_key(charsmap, data)
    if size:
        return replacement, size
    size = character(data)
    return (data[:size], size) if size else (b"\xef\xbf\xbd", 1)


def common(a: bytes, b: bytes) -> int:
    size = 0
    while size < min(len(a), len(b)) and a[size] == b[size]:
        size += 1
    return size


def longest_key(charsmap: bytes, data: bytes) -> tuple[bytes, int]:
    if not charsmap:
        return b"", 0
    size = struct.unpack_from("<I", charsmap)[0]
    units = struct.unpack_from(f"<{size // 4}I", charsmap, 4)
    replacements = charsmap[4 + size :]

    def base(unit: int) -> int:
        return (unit >> 10) << (8 if unit & 512 else 0)

    found = (b"", 0)
    node = base(units[0])
    for size, byte in enumerate(data, 1):
        node ^= byte
        if not byte or node >= len(units) or units[node] & 0x800000FF != byte:
            break
        has_value = units[node] & 256
        node ^= base(units[node])
        if has_value:
            start = units[node] & 0x7FFFFFFF
            found = (replacements[start : replacements.index(b"\0", start)], size)
    return found


def character(data: bytes) -> int:
    """Bytes of the character that data starts with, by llama.cpp's lenient reading; 0: none."""
    lead = data[0]
    sizes = [(0x80, 1), (0xC0, 0), (0xE0, 2), (0xF0, 3), (0xF8, 4), (math.inf, 0)]
    size = next(size for top, size in sizes if lead < top)
    rest = data[1:size]
    return size if len(rest) == size - 1 and all(byte & 0xC0 == 0x80 for byte in rest) else 0
