"""The GGUF types that llama.cpp accepts for the keys of a tokenizer; it refuses all others."""

from __future__ import annotations

from pyodide_tok.errors import VocabError
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.vocab.families import KEY, Family
from pyodide_tok.vocab.specials import SPECIAL_ID_KEYS

Accepted = dict[str, tuple[str, ...]]

_STRING, _UINT32, _BOOL, _STRINGS = ("string",), ("uint32",), ("bool",), ("array[string]",)
_FLAGS = """
add_bos_token add_eos_token add_sep_token add_space_prefix remove_extra_whitespaces
normalizer.lowercase normalizer.strip_accents normalizer.nfc
"""
# llama-vocab.cpp, impl::load: what is read of every file, of those with tokens, of some types
_ALWAYS: Accepted = {
    f"{KEY}model": _STRING,
    f"{KEY}pre": _STRING,
    f"{KEY}token_type_count": _UINT32,
}
_WITH_TOKENS: Accepted = {
    "general.architecture": _STRING,
    "general.name": _STRING,
    f"{KEY}tokens": _STRINGS,
    f"{KEY}scores": ("array[float32]", "array[int32]"),
    f"{KEY}token_type": ("array[int32]",),
    f"{KEY}suppress_tokens": ("array[int32]",),
    **dict.fromkeys([key for _, key in SPECIAL_ID_KEYS], _UINT32),
    **dict.fromkeys([KEY + name for name in _FLAGS.split()], _BOOL),
}
_MERGES: Accepted = {f"{KEY}merges": _STRINGS, f"{KEY}metaspace.prepend_scheme": _STRING}
_CHARSMAP: Accepted = {f"{KEY}precompiled_charsmap": ("array[int8]", "array[uint8]")}


def check_types(gguf: GGUFFile, family: Family | None = None) -> None:
    """Raises `VocabError` for a key of a type that llama.cpp refuses.

    family: what the keys are for; without it, only the keys that every file may have.
    """
    keys = dict(_ALWAYS)
    if family and family.tokens == "file":
        keys |= _WITH_TOKENS
        keys |= _MERGES if family.has_merges else {}
        keys |= _CHARSMAP if family.has_charsmap else {}
    elif family and family.tokens == "dummies":
        keys[f"{gguf.metadata.get('general.architecture')}.vocab_size"] = _UINT32
    for key, accepted in keys.items():
        found = gguf.types.get(key)
        if found and found not in accepted:
            wanted = " or ".join(map(_words, accepted))
            raise VocabError(
                f"{key} is {_words(found)}, but must be {wanted}: llama.cpp refuses the file."
                " Convert the model again, or set the key with gguf-py."
            )


_PLURALS = {"string": "strings", "bool": "bools", "array": "arrays"}


def _words(type: str) -> str:
    """A type in words: "array[string]" is "an array of strings"."""
    if type.startswith("array["):
        element = type[6:-1]
        return f"an array of {_PLURALS.get(element, element)}"
    return f"an {type}" if type.startswith("i") else f"a {type}"
