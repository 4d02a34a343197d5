"""What differs by tokenizer type: one row each, and the only place that knows a type's name.

Encoders, explainers and the rules of borders are code: the tables in their own folders have one
entry for each row, by its name. Everything else asks the row (llama-vocab.cpp: the switches on
`llama_vocab_type` in `load`, `tokenize`, `token_to_piece` and `detokenize`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pyodide_tok.errors import VocabError

KEY = "tokenizer.ggml."
DNA_MARKER = "\ue000"  # keeps a 6-mer apart from a word of the same letters

# How the text of a token becomes bytes.
# spaces: U+2581 is a space. printable: GPT-2's characters are bytes. raw, bytes: as it is (bytes:
# whatever the token's type). escaped: by RWKV's escapes. hex: as it is, but <0xNN> is a byte.
# number: the id instead. none: not at all.
Rendering = Literal["spaces", "printable", "raw", "escaped", "hex", "bytes", "number", "none"]


@dataclass(frozen=True, slots=True)
class Family:
    """How vocabularies of one `tokenizer.ggml.model` work.

    name: the tokenizer type. special, flags: what holds unless the file's keys override it.

    The vocabulary:
    tokens: where the token texts come from: the file, one dummy for each id, or the 256 bytes.
    has_merges: words are split by a pre-tokenizer, and merged by the file's merges.
    forced_pre: the pre-tokenizer, whatever the file says. has_scores: scores decide on the ids.
    has_charsmap: the file may hold a normalizer. marker: a suffix of some tokens in the file that
    their pieces do not have. preparation: what happens to a text before BPE encodes it.

    Encoding:
    before, after: the names of the special ids that add_special puts around a text, if the flags
    add_bos and add_eos say so; added_always: whatever they say. checks_bos, checks_eos: a text
    that has them already is worth a warning. spaces_fragments: the flag add_space_prefix puts a
    space before a text, and after each special token. segments: texts are cut at markup first.
    trusts_utf8: borders are only known in a text that is UTF-8.
    newlines: of these texts one must be a token, or the padding token stands for a newline; ():
    the newline must encode to some token; None: nothing is asked.

    Decoding:
    rendering: how a token's text becomes bytes. generates: a model of this type
    writes text until a token ends it.
    """

    name: str
    special: Mapping[str, int] = field(default_factory=dict)
    flags: Mapping[str, bool] = field(default_factory=dict)
    tokens: Literal["file", "dummies", "bytes"] = "file"
    has_merges: bool = False
    forced_pre: str = ""
    has_scores: bool = False
    has_charsmap: bool = False
    marker: str = ""
    preparation: Literal["", "dna", "whitespace"] = ""
    before: str = "bos"
    after: str = "eos"
    added_always: bool = False
    checks_bos: bool = True
    checks_eos: bool = False
    spaces_fragments: bool = False
    segments: bool = False
    trusts_utf8: bool = False
    newlines: tuple[str, ...] | None = ()
    rendering: Rendering = "spaces"
    generates: bool = True


_SPM = Family(
    "SPM",
    special={"bos": 1, "eos": 2, "unk": 0},
    flags={"add_space_prefix": True, "add_bos": True},
    has_scores=True,
    spaces_fragments=True,
    trusts_utf8=True,
    newlines=("<0x0A>", "\n"),
)
_BPE = Family(
    "BPE",
    special={"bos": 11, "eos": 11},
    flags={"escape_whitespaces": False, "clean_spaces": True},
    has_merges=True,
    checks_eos=True,
    rendering="printable",
)
_WPM = Family(
    "WPM",
    special={"bos": 101, "unk": 100, "sep": 102, "pad": 0, "mask": 103},
    flags={"clean_spaces": True, "add_bos": True, "add_sep": True},
    after="sep",
    added_always=True,
    checks_bos=False,
    newlines=None,
    generates=False,
)
_UGM = Family(
    "UGM",
    special={"eos": 1, "unk": 2, "pad": 0},
    flags={"add_eos": True},
    has_scores=True,
    has_charsmap=True,
    generates=False,
)
_RWKV = Family("RWKV", before="", after="", trusts_utf8=True, rendering="escaped")
_PLAMO2 = Family(
    "PLAMO2",
    special={"bos": 1, "eos": 2, "unk": 0, "pad": 3},
    has_scores=True,
    rendering="hex",
)
_TEST = Family("TEST", before="", after="", newlines=None, rendering="number", generates=False)
_NONE = replace(_TEST, name="NONE", tokens="dummies", rendering="none")
_BYTE = replace(_TEST, name="BYTE", tokens="bytes", rendering="bytes")

# By `tokenizer.ggml.model`; "" is a file without tokens.
FAMILIES: Mapping[str, Family] = {
    "llama": _SPM,
    "bert": _WPM,
    "gpt2": _BPE,
    "hybriddna": replace(_BPE, marker=DNA_MARKER, preparation="dna"),
    "whitespace": replace(_BPE, preparation="whitespace"),
    "gemma4": replace(_BPE, special={}, forced_pre="gemma4"),
    "t5": _UGM,
    "rwkv": _RWKV,
    "plamo2": _PLAMO2,
    "plamo3": replace(_PLAMO2, name="PLAMO3", segments=True),
    "test": _TEST,
    "no_vocab": _NONE,
    "none": _NONE,
    "": _BYTE,
}


def model_of(metadata: Mapping[str, Any]) -> str:
    """The key of `FAMILIES` for a file: the `tokenizer.ggml.model` that it declares.

    A file without tokens gets the byte tokenizer (""); one without a model string is BPE when
    it has merges and no scores, else SentencePiece.
    """
    model = metadata.get(KEY + "model", "")
    if isinstance(model, str) and model in FAMILIES and FAMILIES[model].tokens == "dummies":
        return model
    if _is_empty(metadata, "tokens"):
        return ""
    if model == "":
        has_merges = not _is_empty(metadata, "merges")
        return "gpt2" if has_merges and KEY + "scores" not in metadata else "llama"
    if not isinstance(model, str) or model not in FAMILIES:
        known = ", ".join(sorted(filter(None, FAMILIES)))
        raise VocabError(
            f"{KEY}model is {model!r}, which is not a tokenizer that is known here ({known})"
        )
    return model


def _is_empty(metadata: Mapping[str, Any], name: str) -> bool:
    """Whether an array has no elements or is missing; what is not an array is for the loader."""
    value = metadata.get(KEY + name, ())
    return isinstance(value, Sized) and not len(value)
