"""A tokenizer of every type and every way that its encoder can go, small ones and real ones."""

from functools import cache
from typing import Any

from pyodide_tok import Tokenizer
from pyodide_tok.text.codepoints import BYTE_TO_CHAR
from tests import small
from tests.reference import ROOT, vocab_path

__all__ = ["FILES", "MADE", "NAMES", "ROOT", "UNITS", "fresh", "tokenizer"]

ASCII = [chr(point) for point in range(0x21, 0x7F)]
SPACE = small.SPACE
FILES = (
    *("gpt-2", "mistral-v1", "bert-bge", "t5", "rwkv", "plamo2", "plamo2-edge", "plamo3", "test"),
    *("hybriddna", "whitespace", "spm-ugly", "spm-ugly-lstrip", "spm-ugly-noprefix", "spm-nolf"),
    *("spm-notypes", "spm-dup", "ugm-nocharsmap", "probe"),
)
BPE_BYTES: dict[str, Any] = {
    "model": "gpt2",
    "tokens": [*BYTE_TO_CHAR, "Ġa", "ab", "abc", "ä¸", "ä¸Ń"],
}
BPE_BYTES |= {"merges": ["Ġ a", "a b", "ab c", "ä ¸", "ä¸ Ń"]}
RAW: dict[str, Any] = {
    "tokens": ["<unk>", "a", "b", "ab", SPACE, SPACE + "a", "\n", "\n\n", *small.BYTES]
}
RAW |= {"merges": ["a b", SPACE + " a", "\n \n"], "types": dict.fromkeys(range(8, 264), 6)}
BROKEN = ["[UNK]", SPACE, SPACE + "a", "b", "\udce4\udcb8", "\udcad", "\udce4", "中"]
MADE: dict[str, dict[str, Any]] = {
    "byte": {"model": "", "tokens": []},
    "gemma4": RAW | {"model": "gemma4"},
    "mmbert": RAW | {"model": "gpt2", "pre": "mmbert"},
    "llama3": BPE_BYTES | {"pre": "llama-bpe"},
    "afmoe": BPE_BYTES | {"pre": "afmoe"},
    "superbpe": BPE_BYTES | {"pre": "superbpe"},
    "soprano": {
        **{"model": "gpt2", "pre": "soprano", "tokens": ["<unk>", *ASCII, "ab"]},
        **{"merges": ["a b"], "unknown_token_id": 0},
    },
    "nfc": BPE_BYTES | {"pre": "gpt-2", "normalizer__nfc": True},
    "wpm-broken": {"model": "bert", "tokens": BROKEN, "unknown_token_id": 0},
    "ugm-user": {
        **{"model": "t5", "tokens": ["<pad>", "</s>", "<unk>", SPACE, "a", "▁a", "ab", "bé"]},
        **{"types": {6: small.USER_DEFINED, 7: small.USER_DEFINED}},
        **{"scores": [0.0, 0.0, 0.0, -2.0, -3.0, -2.5, 0.0, -1.0]},
    },
    "rwkv-odd": {
        **{"model": "rwkv"},
        **{"tokens": ["a", "ab", "\\xe4\\xb8", "\\n", "\\n ", "中文", "\\x"]},
    },
}
NAMES = (*FILES, *MADE)
UNITS = (
    *(
        "a",
        "b",
        "ab",
        "Hello",
        " world",
        "  ",
        " ",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "1234",
        "it's",
        ".",
    ),
    *(
        "é",
        "e\u0301",
        "中",
        "中文",
        "丮",
        "ひら",
        "한",
        "😀",
        "👩‍👩‍👧",
        "İ",
        "ß",
        "ﬁ",
        "½",
        "\u1100\u1161",
    ),
    *(SPACE, "\0", "\x1c", "\x7f", "\u00a0", "\u2028", "\ufeff", "\ufffd", "\ufffe", "\uee00"),
    *(
        "½",
        "\u1100\u1161",
        ".",
        "?",
        "<s>",
        "</s>",
        "<unk>",
        "[MASK]",
        "<dna>",
        "ACGTACGT",
        "</dna>",
        "<0x41>",
        "<|plamo:x|>",
    ),
)


@cache
def tokenizer(name: str) -> Tokenizer:
    """One for all tests."""
    return fresh(name)


def fresh(name: str) -> Tokenizer:
    """One that has encoded nothing yet."""
    if name in FILES:
        return Tokenizer.from_gguf(vocab_path(name))
    options = dict(MADE[name])
    return small.tokenizer(options.pop("model"), options.pop("tokens"), **options)
