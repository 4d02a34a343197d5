"""tokenizer.json files for our vocabularies: the inverse of llama.cpp's converter.

What a model's own tokenizer.json would say, in Hugging Face's format, made from the GGUF file. A
file made so and the GGUF agree; tests then break one of them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from pyodide_tok import GGUFFile

KEY = "tokenizer.ggml."
CONTROL, USER_DEFINED = 3, 4
# The split patterns of the models' own tokenizer.json files.
_GPT2 = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
_AFTER_SPLIT = {**_GPT2, "use_regex": False}
_CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
PATTERNS = {
    "llama-bpe": rf"{_CONTRACTION}|{_WORDS}|\p{{N}}{{1,3}}|{_REST}",
    "qwen2": rf"{_CONTRACTION}|{_WORDS}|\p{{N}}|{_REST}",
    "tekken": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}


def original(gguf: GGUFFile, *, form: str | None = None) -> dict[str, Any]:
    """The content of a tokenizer.json. form: a Unicode normalization before all else."""
    model = gguf.metadata[KEY + "model"]
    content = _MAKERS[str(model)](gguf)
    if form:
        first = [{"type": form}, *([content["normalizer"]] if content["normalizer"] else [])]
        content["normalizer"] = {"type": "Sequence", "normalizers": first}
    return {"version": "1.0", "added_tokens": _added(gguf), **content}


def original_json(gguf: GGUFFile, **options: Any) -> bytes:
    return json.dumps(original(gguf, **options)).encode()


def texts_of(gguf: GGUFFile) -> list[str]:
    tokens: Any = gguf.metadata[KEY + "tokens"]
    return list(tokens)


def _types(gguf: GGUFFile) -> Sequence[int]:
    types: Any = gguf.metadata.get(KEY + "token_type")
    return list(types) if types is not None else [1] * len(texts_of(gguf))


def _added(gguf: GGUFFile) -> list[dict[str, Any]]:
    flags = dict.fromkeys(("lstrip", "rstrip", "single_word", "normalized"), False)
    unknown = gguf.metadata.get(KEY + "unknown_token_id", -1)
    return [
        {"id": i, "content": text, "special": kind != USER_DEFINED, **flags}
        for i, (text, kind) in enumerate(zip(texts_of(gguf), _types(gguf), strict=True))
        if kind in (CONTROL, USER_DEFINED) or i == unknown
    ]


def _vocab(gguf: GGUFFile) -> dict[str, int]:
    return {text: i for i, text in enumerate(texts_of(gguf))}


def _template(gguf: GGUFFile, before: Sequence[str], after: Sequence[str]) -> dict[str, Any] | None:
    texts = texts_of(gguf)
    special: dict[str, Any] = {}

    def item(name: str) -> dict[str, Any]:
        i = gguf.metadata[f"{KEY}{name}_token_id"]
        text = texts[int(str(i))]
        special[text] = {"id": text, "ids": [i], "tokens": [text]}
        return {"SpecialToken": {"id": text, "type_id": 0}}

    start = list(map(item, before))
    end = list(map(item, after))
    if not special:
        return None
    a, b = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
    return {
        "type": "TemplateProcessing",
        "single": [*start, a, *end],
        "pair": [*start, a, *end, b, *end],
        "special_tokens": special,
    }


def _added_around(gguf: GGUFFile) -> tuple[list[str], list[str]]:
    wanted = [[n] if gguf.metadata.get(f"{KEY}add_{n}_token") else [] for n in ("bos", "eos")]
    return wanted[0], wanted[1]


def _bpe(gguf: GGUFFile) -> dict[str, Any]:
    pre = str(gguf.metadata.get(KEY + "pre", ""))
    split = {
        "type": "Split",
        "pattern": {"Regex": PATTERNS.get(pre, "")},
        "behavior": "Isolated",
        "invert": False,
    }
    stages = {"type": "Sequence", "pretokenizers": [split, _AFTER_SPLIT]}
    merges: Any = gguf.metadata[KEY + "merges"]
    before, after = _added_around(gguf)
    if pre == "llama-bpe":
        before = ["bos"]
    return {
        "normalizer": None,
        "pre_tokenizer": stages if pre in PATTERNS else _GPT2,
        "post_processor": _template(gguf, before, after),
        "decoder": {**_GPT2},
        "model": {
            "type": "BPE",
            "vocab": _vocab(gguf),
            "merges": list(merges),
            "ignore_merges": pre in ("llama-bpe", "tekken"),
        },
    }


def _spm(gguf: GGUFFile) -> dict[str, Any]:
    return {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            ],
        },
        "pre_tokenizer": None,
        "post_processor": _template(gguf, *_added_around(gguf)),
        "decoder": None,
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
            "vocab": _vocab(gguf),
            "merges": spm_merges(gguf),
        },
    }


def spm_merges(gguf: GGUFFile) -> list[str]:
    """Every pair of tokens whose text together is a token, the best scores first."""
    vocab = _vocab(gguf)
    scores: Any = gguf.metadata[KEY + "scores"]
    found = [
        (-scores[i], len(text) - cut, len(text), f"{text[:cut]} {text[cut:]}")
        for text, i in vocab.items()
        for cut in range(1, len(text))
        if text[:cut] in vocab and text[cut:] in vocab
    ]
    return [pair for *_, pair in sorted(found, key=lambda row: row[0])]


def _wpm(gguf: GGUFFile) -> dict[str, Any]:
    texts = texts_of(gguf)
    return {
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "cls": [texts[101], 101],
            "sep": [texts[102], 102],
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {_as_wordpiece(text): i for i, text in enumerate(texts)},
        },
    }


def _as_wordpiece(text: str) -> str:
    if text.startswith("▁"):
        return text[1:]
    return text if text.startswith("[") and text.endswith("]") else "##" + text


def _ugm(gguf: GGUFFile) -> dict[str, Any]:
    scores: Any = gguf.metadata[KEY + "scores"]
    charsmap: Any = gguf.metadata[KEY + "precompiled_charsmap"]
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}
    return {
        "normalizer": {
            "type": "Precompiled",
            "precompiled_charsmap": base64.b64encode(bytes(charsmap)).decode(),
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {
                    "type": "Metaspace",
                    "replacement": "▁",
                    "prepend_scheme": "always",
                    "split": True,
                },
            ],
        },
        "post_processor": _template(gguf, [], ["eos"]),
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": gguf.metadata[KEY + "unknown_token_id"],
            "vocab": [list(row) for row in zip(texts_of(gguf), scores, strict=True)],
            "byte_fallback": False,
        },
    }


_MAKERS = {"gpt2": _bpe, "llama": _spm, "bert": _wpm, "t5": _ugm}
