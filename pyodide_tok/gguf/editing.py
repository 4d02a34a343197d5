"""A GGUF file with other metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pyodide_tok.errors import GGUFError
from pyodide_tok.gguf.reader import GGUFFile

_TYPES = {bool: "bool", int: "int64", float: "float32", str: "string", list: "array[string]"}
_ARRAYS = {"B": "uint8", "b": "int8", "i": "int32", "f": "float32"}


def changed(gguf: GGUFFile, changes: Mapping[str, Any]) -> GGUFFile:
    """The file with some metadata replaced or added; None removes a key.

    A value is a bool, int, float, str, list of str, or memoryview of numbers. A key that the file
    has keeps its type if the value can be of that type. Raises `GGUFError` for other values.
    """
    metadata, types = dict(gguf.metadata), dict(gguf.types)
    for key, value in changes.items():
        if value is None:
            metadata.pop(key, None)
            types.pop(key, None)
        else:
            metadata[key], types[key] = value, _type_of(value, types.get(key, ""))
    return replace(gguf, metadata=MappingProxyType(metadata), types=MappingProxyType(types))


def _type_of(value: Any, present: str) -> str:
    if isinstance(value, memoryview):
        if value.format not in _ARRAYS:
            raise GGUFError(f"An array of format {value.format!r} cannot be written.")
        return f"array[{_ARRAYS[value.format]}]"
    if type(value) not in _TYPES:
        raise GGUFError(f"A {type(value).__name__} cannot be written as metadata.")
    if type(value) is int:
        return present if present.lstrip("u").startswith("int") else _integer(value)
    return _TYPES[type(value)]


def _integer(value: int) -> str:
    """uint32, as converters write, unless it does not fit."""
    return "uint32" if 0 <= value < 1 << 32 else "int64"
