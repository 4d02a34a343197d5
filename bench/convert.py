"""A GGUF file's vocabulary in the forms that other tokenizers read."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

from pyodide_tok import Tokenizer
from pyodide_tok.pretokenize.splitting import Pattern
from pyodide_tok.pretokenize.table import pre_tokenizer
from pyodide_tok.text.codepoints import CHAR_TO_BYTE
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.vocab import BYTE, CONTROL, UNKNOWN, USER_DEFINED


def pattern(tok: Tokenizer) -> str:
    """The regular expression that splits text into words; for gpt-2, llama-bpe and such."""
    (stage,) = pre_tokenizer(tok.pre).stages
    assert isinstance(stage, Pattern)
    return stage.text


def ranks(tok: Tokenizer) -> dict[bytes, int]:
    """The bytes of each token that merges can make, with its id, which is its rank too."""
    return {
        bytes(map(CHAR_TO_BYTE.__getitem__, text)): id
        for id, text in enumerate(tok.vocab.texts)
        if not tok.vocab.attrs[id] & CONTROL
    }


def ranks_json(tok: Tokenizer) -> str:
    """The pattern, and [bytes as Latin-1, id] of each token."""
    tokens = [[data.decode("latin-1"), id] for data, id in ranks(tok).items()]
    return json.dumps({"pattern": pattern(tok), "tokens": tokens})


def tokenizer_json(tok: Tokenizer) -> str:
    """Hugging Face's tokenizer.json of a BPE model whose words are bytes."""
    vocab = tok.vocab
    words = {"type": "Split", "pattern": {"Regex": pattern(tok)}, "behavior": "Isolated"}
    characters = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    model = {
        "type": "BPE",
        "ignore_merges": vocab.flags.ignore_merges,
        "vocab": {text: id for id, text in enumerate(vocab.texts)},
        "merges": [merge.split(" ", 1) for merge in vocab.merges],
    }
    steps: list[dict[str, Any]] = [words | {"invert": False}, characters | {"use_regex": False}]
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [],
            "normalizer": None,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
            "post_processor": None,
            "decoder": characters | {"use_regex": True},
            "model": model,
        }
    )


# -- SentencePiece's model file: protocol buffers, by hand ---------------------------------

PIECE_TYPES = {UNKNOWN: 2, CONTROL: 3, USER_DEFINED: 4, BYTE: 6}  # else 1, normal
BPE = 2


def sentencepiece_model(tok: Tokenizer) -> bytes:
    """A ModelProto of the pieces and scores of an SPM model."""
    pieces = b"".join(_message(1, piece) for piece in _pieces(tok))
    flags = tok.vocab.flags
    trainer = _number(3, BPE) + _number(35, 1)  # model_type, byte_fallback
    normalizer = (
        _bytes(1, b"identity")
        + _number(3, flags.add_space_prefix)
        + _number(4, flags.remove_extra_whitespaces)
        + _number(5, flags.escape_whitespaces)
    )
    return pieces + _message(2, trainer) + _message(3, normalizer)


def _pieces(tok: Tokenizer) -> Iterator[bytes]:
    vocab = tok.vocab
    for text, score, attr in zip(vocab.texts, vocab.scores, vocab.attrs, strict=True):
        kind = next((kind for bit, kind in PIECE_TYPES.items() if attr & bit), 1)
        yield _bytes(1, utf8(text)) + b"\x15" + struct.pack("<f", score) + _number(3, kind)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


_message = _bytes


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
