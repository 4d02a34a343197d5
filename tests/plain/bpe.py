"""Byte-pair encoding as llama.cpp's `llm_tokenizer_bpe_session` does it: words are split off by
`splitter`, and each merge of a word looks at every pair again."""

from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import NamedTuple

from pyodide_tok.text.codepoints import WHITESPACE, to_lower
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.vocab import Vocab
from tests.plain import splitter

SPACE = "\u2581"
NEWLINE_WORDS = {"gemma4", "granite-embed-multi-311m", "mmbert"}
RAW_UTF8 = {*NEWLINE_WORDS, "sarvam-moe", "whitespace"}


class Tables(NamedTuple):
    """What a vocabulary is looked up in: ids by text, and ranks of merges."""

    token_of: dict[bytes, int]
    ranks: dict[tuple[str, str], int]


def tables_of(vocab: Vocab) -> Tables:
    return Tables({utf8(text): i for text, i in vocab.token_to_id.items()}, merge_ranks(vocab))


def encode(vocab: Vocab, text: bytes, tables: Tables | None = None) -> list[int]:
    """The ids of one fragment."""
    token_of, ranks = tables or tables_of(vocab)
    read = decode(text.replace(b" ", SPACE.encode()) if vocab.flags.escape_whitespaces else text)
    ids = []
    for word in words(vocab.pre, read):
        symbols = list(word) if vocab.pre in RAW_UTF8 else [printable(byte) for byte in raw(word)]
        if not is_whole(vocab, "".join(symbols), token_of):
            symbols = merge(symbols, ranks)
        else:
            symbols = ["".join(symbols)]
        for symbol in symbols:
            ids += symbol_ids(raw(symbol), token_of, vocab.pre not in RAW_UTF8)
    return ids


def merge_ranks(vocab: Vocab) -> dict[tuple[str, str], int]:
    """A merge is split at the first space after its first character; of equals the first counts."""
    ranks: dict[tuple[str, str], int] = {}
    for rank, text in enumerate(vocab.merges):
        at = text.find(" ", 1)
        if at >= 0:
            ranks.setdefault((text[:at], text[at + 1 :]), rank)
    return ranks


def merge(symbols: list[str], ranks: dict[tuple[str, str], int]) -> list[str]:
    while True:
        pairs = pairwise(symbols)
        found = [(ranks[pair], i) for i, pair in enumerate(pairs) if pair in ranks]
        if not found:
            return symbols
        _, i = min(found)
        symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]


def words(pre: str, read: str) -> Iterator[str]:
    for word in splitter.words(pre, read):
        if pre == "mmbert" and word.strip("\n"):
            yield from metaspace_words(word if word[0] == SPACE else SPACE + word)
        else:
            yield word


def metaspace_words(line: str) -> list[str]:
    return [SPACE + word for word in line.split(SPACE)[1:]]


def is_whole(vocab: Vocab, word: str, token_of: dict[bytes, int]) -> bool:
    newlines = vocab.pre in NEWLINE_WORDS and not word.strip("\n")
    return (vocab.flags.ignore_merges or newlines) and raw(word) in token_of


def symbol_ids(symbol: bytes, token_of: dict[bytes, int], byte_encoded: bool) -> list[int]:
    """A symbol's token, or those of its bytes that have one."""
    if symbol in token_of:
        return [token_of[symbol]]
    names = [bytes([byte]) if byte_encoded else b"<0x%02X>" % byte for byte in symbol]
    return [token_of[name] for name in names if name in token_of]


def raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """Code points as `unicode_cpts_from_utf8` reads them: each byte that starts none is U+FFFD."""
    points = []
    i = 0
    while i < len(data):
        point, size = decode_one(data, i)
        points.append(chr(point))
        i += size
    return "".join(points)


def decode_one(data: bytes, i: int) -> tuple[int, int]:
    lead = data[i]
    if lead < 0x80:
        return lead, 1
    for size, low, high in ((2, 0xC0, 0xDF), (3, 0xE0, 0xEF), (4, 0xF0, 0xF7)):
        rest = data[i + 1 : i + size]
        if low <= lead <= high and len(rest) == size - 1 and all(b >> 6 == 2 for b in rest):
            point = lead - low
            for byte in rest:
                point = point * 64 + byte % 64
            return (point if point <= 0x10FFFF else 0xFFFD), size
    return 0xFFFD, 1


def printable(byte: int) -> str:
    """GPT-2's stand-in for a byte: itself if it can be printed, else the next from U+0100 on."""
    hidden = [b for b in range(256) if not (0x20 < b < 0x7F or 0xA0 < b < 0x100) or b == 0xAD]
    return chr(256 + hidden.index(byte)) if byte in hidden else chr(byte)


# -- what llama.cpp puts before BPE for two models ------------------------------------------

MARKER = "\ue000".encode()


def encode_dna(vocab: Vocab, text: bytes) -> list[int]:
    """hybriddna: six bases a token between <dna> and </dna>; -1 for a tag that is no token."""
    tables = tables_of(vocab)
    token_of = tables.token_of
    ids = []
    while text:
        plain, tag, text = text.partition(b"<dna>")
        ids += encode(vocab, plain, tables)
        if tag:
            bases, end, text = text.partition(b"</dna>")
            ids += [token_of[b"<dna>"], *kmers(bases, token_of), *([token_of[end]] if end else [])]
    return ids


def kmers(bases: bytes, token_of: dict[bytes, int]) -> list[int]:
    six = [bases[i : i + 6].upper().ljust(6, b"A") for i in range(0, len(bases), 6)]
    return [token_of.get(kmer + MARKER, token_of[b"<oov>"]) for kmer in six]


def encode_whitespace(vocab: Vocab, text: bytes) -> list[int]:
    """whitespace: every run between white space on its own, lowercased if the file says so."""
    tables = tables_of(vocab)
    lower = to_lower if vocab.flags.lowercase else str
    ids = []
    for is_space, run in groupby(decode(text), key=lambda char: char in WHITESPACE):
        if not is_space:
            ids += encode(vocab, raw("".join(map(lower, run))), tables)
    return ids
