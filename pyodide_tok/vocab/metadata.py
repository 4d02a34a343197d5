"""Typed access to the metadata keys of a tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyodide_tok.errors import VocabError
from pyodide_tok.vocab.families import KEY

Metadata = Mapping[str, Any]


def value_of(metadata: Metadata, name: str, kind: type, default: Any) -> Any:
    """A single value, or `default` if the key is missing. Raises `VocabError`."""
    value = metadata.get(KEY + name, default)
    if not isinstance(value, kind):
        raise VocabError(
            f"{KEY}{name} is a {type(value).__name__}, but should be a {kind.__name__}"
        )
    return value


def numbers_of(metadata: Metadata, name: str, formats: str, types: str) -> memoryview | None:
    """A numeric array, or None if the key is missing.

    formats: the struct letters that are accepted; types: their names for the message.
    Raises `VocabError`.
    """
    array = metadata.get(KEY + name)
    if array is None:
        return None
    if not isinstance(array, memoryview) or array.format not in formats:
        raise VocabError(f"{KEY}{name} is not an array of {types}")
    return array


def column_of(
    metadata: Metadata, name: str, formats: str, types: str, size: int
) -> memoryview | None:
    """A numeric array with one value for each of `size` tokens; else as `numbers_of`."""
    column = numbers_of(metadata, name, formats, types)
    if column is None:
        return None
    if len(column) < size:
        raise VocabError(
            f"{KEY}{name} has {len(column)} values for {size} tokens: the file was"
            " written wrongly; convert the model again"
        )
    return column[:size]


def strings_of(metadata: Metadata, name: str) -> tuple[str, ...]:
    """An array of strings, each up to its first NUL: llama.cpp reads them as C strings.

    Raises `VocabError`.
    """
    value = metadata.get(KEY + name, ())
    if isinstance(value, str | bytes | memoryview) or not isinstance(value, Sequence):
        raise VocabError(f"{KEY}{name} is not an array of strings")
    if len(value) and not isinstance(value[0], str):
        raise VocabError(f"{KEY}{name} is not an array of strings")
    texts = tuple(value[:])  # a StringArray returns its own tuple
    if "\0" not in "".join(texts):
        return texts
    return tuple([text.split("\0", 1)[0] for text in texts])
