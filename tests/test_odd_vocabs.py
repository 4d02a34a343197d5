"""Vocabularies that nobody trained, one for each kind of difference that `vocabfuzz` found.

The ids are llama.cpp's (b11549), with add_special=False.
"""

import math
from typing import Any, NamedTuple

import pytest

from pyodide_tok import Tokenizer
from tests import small

INF, NAN = math.inf, math.nan
CONTROL, USER, UNUSED = small.CONTROL, small.USER_DEFINED, small.UNUSED
RAW: dict[str, Any] = {"merges": (), "pre": "gemma4"}


class Row(NamedTuple):
    model: str
    tokens: list[str | bytes]
    keys: dict[str, Any]
    text: str | bytes
    ids: list[int]
    parsed: list[int] | None = None  # with parse_special, if that is another answer


ROWS = {
    "unigram is built before tokens are retyped": Row(
        "t5", ["</s>", "x", "<|tool_response>"], {"types": {0: CONTROL, 2: CONTROL}}, "</s>", [2]
    ),
    "unigram finds no control token that is unused later": Row(
        "t5", ["<unused0>", "x", "y"], {"types": {0: CONTROL}}, "<unused0>", [2], [0]
    ),
    "unigram, NaN": Row("t5", ["||", "▁", "e"], {"scores": [-1.0, -0.0, NAN]}, "e ", [2]),
    "unigram, -inf": Row("t5", ["aa", "b", "y"], {"scores": [-INF, -INF, 0.0]}, "b", [2]),
    "an encoded surrogate is a token": Row("gemma4", [b"\xed\xa0\x80"], RAW, b"\xed\xa0\x80", [0]),
    "an encoded surrogate is merged": Row(
        "gemma4",
        ["a", b"\xed\xa0\x80a"],
        {"merges": ("\udced\udca0\udc80 a", "\udcff a"), "pre": "gemma4"},
        b"\xed\xa0\x80a",
        [1],
    ),
    "U+DC80 is not byte 80": Row(
        "whitespace", [b"\x80"], {"merges": (), "pre": "whitespace"}, b"\xed\xb2\x80", []
    ),
    "whitespace, spaces escaped first": Row("whitespace", ["▁"], RAW, " ", [0]),
    "hybriddna, spaces escaped first": Row(
        "hybriddna",
        ["<dna>", "</dna>", "<oov>"],
        {"merges": (), "pre": "mmbert"},
        "<dna>T AcC",
        [0, 2, 2],
    ),
    "SPM, a broken token in a broken text": Row(
        "llama", [b"\xc1\xc4\xb0", "<0xE2>", "<0x96>", "<0x81>"], {}, b"\xc1\xc4\xb0", [1, 2, 3, 0]
    ),
    "PLaMo, a token that is not UTF-8 leads to the rows of another": Row(
        "plamo2",
        ["<unk>", *small.BYTES, b"a\x80", "a\ufffd", "b"],
        {
            "types": dict.fromkeys(range(1, 257), small.BYTE),
            "scores": [0.0] * 257 + [-1.0, -2.0, -3.0],
        },
        b"ba\x80ab",
        [259, 258, 258],
    ),
    "SPM, NaN merges in the order of a heap": Row(
        "llama", ["▁", "文B", "B▁ſ", "▁ſ"], {"scores": [3e38, NAN, 0.0, 1e-45]}, "文B▁ſ", [0, 1, 3]
    ),
}


def tokenizer(row: Row) -> Tokenizer:
    texts = [text if isinstance(text, str) else small.as_text(text) for text in row.tokens]
    return small.tokenizer(row.model, texts, **row.keys)


@pytest.mark.parametrize("name", ROWS)
def test_ids_are_those_of_llama_cpp(name: str) -> None:
    row = ROWS[name]
    tok = tokenizer(row)
    assert tok.encode(row.text, add_special=False) == row.ids
    parsed = row.ids if row.parsed is None else row.parsed
    assert tok.encode(row.text, add_special=False, parse_special=True) == parsed


@pytest.mark.parametrize("name", ROWS)
def test_offsets_and_steps_have_the_same_ids(name: str) -> None:
    row = ROWS[name]
    tok = tokenizer(row)
    encoding = tok.tokenize(row.text, add_special=False)
    assert encoding.ids == row.ids
    edges = [edge for offsets in encoding.byte_offsets for edge in offsets]
    assert edges == sorted(edges)
    assert tok.explain(row.text, add_special=False).ids == row.ids


def test_bytes_of_a_lowercased_character_are_split() -> None:
    tokens = [*small.BYTES, "a"]
    types = dict.fromkeys(range(256), small.BYTE)
    tok = small.tokenizer("whitespace", tokens, types=types, merges=(), pre="whitespace")
    offsets = tok.tokenize("É ßa", add_special=False).byte_offsets
    assert offsets == [(0, 1), (1, 2), (3, 4), (4, 5), (5, 6)]
