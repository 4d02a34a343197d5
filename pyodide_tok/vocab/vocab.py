"""The frozen `Vocab`: token columns, special ids and flags."""

from __future__ import annotations

import re
import sys
from array import array
from dataclasses import dataclass
from operator import index

from pyodide_tok.errors import EncodeError, Notice
from pyodide_tok.vocab.cpp_order import first_in_hash_order
from pyodide_tok.vocab.families import Family, Rendering

# llama_token_attr
UNDEFINED, UNKNOWN, UNUSED, NORMAL, CONTROL = 0, 1, 2, 4, 8
USER_DEFINED, BYTE, NORMALIZED, LSTRIP, RSTRIP, SINGLE_WORD = 16, 32, 64, 128, 256, 512
SPECIAL = UNKNOWN | CONTROL | USER_DEFINED  # what is cut out of a text before it is tokenized


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
    raw_words: bool = False


@dataclass(frozen=True, slots=True)
class Vocab:
    """A vocabulary: columns by token id, special ids and flags.

    `texts` are the file's token texts, decoded as UTF-8 with `surrogateescape`; `scores` is a
    float32 memoryview; `attrs` holds llama_token_attr bits. `special` has only the ids that are
    set; an "eot" that several texts claim is resolved on first use (`special_ids`).
    """

    family: Family
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

    @property
    def type(self) -> str:
        """The tokenizer type: SPM, BPE and so on."""
        return self.family.name

    @property
    def spaces_fragments(self) -> bool:
        """Whether a space goes before a text, and after each special token."""
        return self.family.spaces_fragments and self.flags.add_space_prefix

    @property
    def rendering(self) -> Rendering:
        """How the texts of normal tokens become bytes: as the family's, unless a flag overrides."""
        if self.flags.raw_words:
            return "raw"
        if self.family.rendering == "printable" and self.flags.escape_whitespaces:
            return "spaces"
        return self.family.rendering

    def checked(self, token: int) -> int:
        """`token` as an `int`, whatever integer type it is of. Raises `EncodeError` for no id."""
        try:
            i = index(token)
        except TypeError:
            i = -1
        if not 0 <= i < len(self.texts):
            last = len(self.texts) - 1
            raise EncodeError(f"{_shown(token)} is not a token id: ids go from 0 to {last}")
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


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of over 4,300 digits
        return "a number of thousands of digits"
    return text if len(text) <= 40 else f"{text[:40]}..."
