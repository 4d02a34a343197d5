"""The frozen `Vocab`: token columns, special ids and flags; and which kinds of it there are."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Mapping, Sized
from dataclasses import dataclass, field
from operator import index
from typing import Any

from pyodide_tok.errors import EncodeError, Notice, VocabError
from pyodide_tok.vocab.cpp_order import first_in_hash_order

# llama_token_attr
UNDEFINED, UNKNOWN, UNUSED, NORMAL, CONTROL = 0, 1, 2, 4, 8
USER_DEFINED, BYTE, NORMALIZED, LSTRIP, RSTRIP, SINGLE_WORD = 16, 32, 64, 128, 256, 512
SPECIAL = UNKNOWN | CONTROL | USER_DEFINED  # what is cut out of a text before it is tokenized

KEY = "tokenizer.ggml."
DNA_MARKER = "\ue000"  # keeps a 6-mer apart from a word of the same letters


@dataclass(frozen=True, slots=True)
class Flags:
    """The loader's switches; each key of the file overrides the default of its type."""

    add_bos: bool = False
    add_eos: bool = False
    add_sep: bool = False
    add_space_prefix: bool = False
    ignore_merges: bool = False
    clean_spaces: bool = False
    remove_extra_whitespaces: bool = False
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False
    lowercase: bool = True
    strip_accents: bool = True
    nfc: bool = False
    prepend_first: bool = False


@dataclass(frozen=True, slots=True)
class VocabKind:
    """What a `tokenizer.ggml.model` means before the file's own keys are looked at."""

    type: str
    special: Mapping[str, int] = field(default_factory=dict)
    flags: Mapping[str, bool] = field(default_factory=dict)
    needs_merges: bool = False
    forced_pre: str = ""


_BPE_FLAGS = {"escape_whitespaces": False, "clean_spaces": True}
_BPE = VocabKind("BPE", {"bos": 11, "eos": 11}, _BPE_FLAGS, needs_merges=True)
_PLAMO_IDS = {"bos": 1, "eos": 2, "unk": 0, "pad": 3}
KINDS: Mapping[str, VocabKind] = {
    "llama": VocabKind(
        "SPM", {"bos": 1, "eos": 2, "unk": 0}, {"add_space_prefix": True, "add_bos": True}
    ),
    "bert": VocabKind(
        "WPM",
        {"bos": 101, "unk": 100, "sep": 102, "pad": 0, "mask": 103},
        {"clean_spaces": True, "add_bos": True, "add_sep": True},
    ),
    "gpt2": _BPE,
    "hybriddna": _BPE,
    "whitespace": _BPE,
    "gemma4": VocabKind("BPE", {}, _BPE_FLAGS, needs_merges=True, forced_pre="gemma4"),
    "t5": VocabKind("UGM", {"eos": 1, "unk": 2, "pad": 0}, {"add_eos": True}),
    "rwkv": VocabKind("RWKV"),
    "plamo2": VocabKind("PLAMO2", _PLAMO_IDS),
    "plamo3": VocabKind("PLAMO3", _PLAMO_IDS),
    "test": VocabKind("TEST"),
    "no_vocab": VocabKind("NONE"),
    "none": VocabKind("NONE"),
    "": VocabKind("BYTE"),
}


@dataclass(frozen=True, slots=True)
class Vocab:
    """A vocabulary: columns by token id, special ids and flags.

    `texts` are the file's token texts, decoded as UTF-8 with `surrogateescape`; `scores` is a
    float32 memoryview; `attrs` holds llama_token_attr bits. `special` has only the ids that are
    set; an "eot" that several texts claim is resolved on first use (`special_ids`).
    """

    type: str
    model: str
    pre: str
    texts: tuple[str, ...]
    scores: memoryview
    attrs: array[int]
    file_attrs: array[int]  # before the loader retypes tokens: Unigram is built from these
    token_to_id: dict[str, int]
    merges: tuple[str, ...]
    special: dict[str, int]
    eot_candidates: tuple[str, ...]
    eog: frozenset[int]
    suppress_tokens: tuple[int, ...]
    flags: Flags
    precompiled_charsmap: bytes
    token_type_count: int
    warnings: tuple[Notice, ...]

    def __len__(self) -> int:
        return len(self.texts)

    def checked(self, token: int) -> int:
        """`token` as an `int`, whatever integer type it is of. Raises `EncodeError` for no id."""
        try:
            i = index(token)
        except TypeError:
            i = -1
        if not 0 <= i < len(self.texts):
            raise EncodeError(f"{token!r} is no token id: ids go from 0 to {len(self.texts) - 1}")
        return i

    @property
    def special_ids(self) -> dict[str, int]:
        """`special`, with the "eot" that llama.cpp's hash table would find first."""
        if self.eot_candidates:
            # not `texts`, from which hybriddna's markers are gone
            text = first_in_hash_order(self.token_to_id, self.eot_candidates)
            return {**self.special, "eot": self.token_to_id[text]}
        return dict(self.special)


def tokens_with(attrs: array[int], bits: int) -> list[int]:
    """The ids whose attributes have any of `bits`, in order."""
    if bits > 0xFF:
        return [token for token, attr in enumerate(attrs) if attr & bits]
    low = attrs.tobytes()[sys.byteorder == "big" :: attrs.itemsize]
    wanted = bytes(value for value in range(256) if value & bits)
    return [match.start() for match in re.finditer(b"[" + re.escape(wanted) + b"]", low)]


def _is_empty(metadata: Mapping[str, Any], name: str) -> bool:
    """Whether an array has nothing in it or is not there; what is no array is for the loader."""
    value = metadata.get(KEY + name, ())
    return isinstance(value, Sized) and not len(value)


def kind_name(metadata: Mapping[str, Any]) -> str:
    """The `tokenizer.ggml.model` to go by: the declared one wins.

    A file without tokens gets the byte tokenizer (""); one without a model string is BPE when
    it has merges and no scores, else SentencePiece.
    """
    model = metadata.get(KEY + "model", "")
    if model in ("no_vocab", "none"):
        return str(model)
    if _is_empty(metadata, "tokens"):
        return ""
    if model == "":
        has_merges = not _is_empty(metadata, "merges")
        return "gpt2" if has_merges and KEY + "scores" not in metadata else "llama"
    if not isinstance(model, str) or model not in KINDS:
        known = ", ".join(sorted(filter(None, KINDS)))
        raise VocabError(
            f"{KEY}model is {model!r}, which is not a tokenizer that is known here ({known})"
        )
    return str(model)
