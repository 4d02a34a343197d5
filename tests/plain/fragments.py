"""llama.cpp's `tokenizer_st_partition`, on bytes: one special token after the other, each from left
to right through every fragment that is still plain."""

from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.cpp_order import longest_first
from pyodide_tok.vocab.vocab import CONTROL, LSTRIP, RSTRIP, SPECIAL, UNKNOWN, Vocab

SPACES = b" \t\n\v\f\r"
Fragment = tuple[int, int, int | None]  # start, end, token


def split(vocab: Vocab, data: bytes, parse_special: bool) -> list[Fragment]:
    """The fragments in order; white space that a token swallows is in none."""
    fragments: list[Fragment] = [(0, len(data), None)] if data else []
    for token in special_tokens(vocab):
        if parse_special or not vocab.attrs[token] & (CONTROL | UNKNOWN):
            parts = [cut(vocab, data, fragment, token) for fragment in fragments]
            fragments = [fragment for part in parts for fragment in part]
    return fragments


def special_tokens(vocab: Vocab) -> list[int]:
    """The longest first (and equals as `std::sort` leaves them, which has its own tests)."""
    tokens = [i for i, attr in enumerate(vocab.attrs) if attr & SPECIAL]
    return [tokens[i] for i in longest_first([len(utf8(vocab.texts[i])) for i in tokens])]


def cut(vocab: Vocab, data: bytes, fragment: Fragment, token: int) -> list[Fragment]:
    """One fragment; if it is plain, cut at every occurrence of one token."""
    start, end, taken = fragment
    if taken is not None:
        return [fragment]
    text, attr = utf8(vocab.texts[token]), vocab.attrs[token]
    parts: list[Fragment] = []
    while (found := data.find(text, start, end)) >= 0:
        left = found
        while attr & LSTRIP and left > start and data[left - 1] in SPACES:
            left -= 1
        if left > start:
            parts.append((start, left, None))
        start = found + len(text)
        parts.append((found, start, token))
        while attr & RSTRIP and start < end and data[start] in SPACES:
            start += 1
    return [*parts, (start, end, None)] if start < end else parts
