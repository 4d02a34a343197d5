"""Where a vocabulary comes from: a path, bytes or a `GGUFFile`; and how it travels in a pickle."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.gguf.strings import StringArray

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | GGUFFile
Frozen = str | dict[str, Any]


def read_gguf(source: Source) -> GGUFFile:
    """The head of a GGUF file. Raises `GGUFError`, `TruncatedError`."""
    if isinstance(source, GGUFFile):
        return source
    if isinstance(source, str | os.PathLike):
        return GGUFFile.open(source)
    return GGUFFile.parse(source)


def path_of(source: Source) -> str:
    """The absolute path of a source; "" if it is none."""
    return os.path.abspath(source) if isinstance(source, str | os.PathLike) else ""


def freeze(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata as plain data that can be pickled."""
    return {key: _frozen(value) for key, value in metadata.items()}


def thaw(frozen: Frozen) -> GGUFFile:
    """The file of a path or of frozen metadata, without what it said of tensors."""
    if isinstance(frozen, str):
        return GGUFFile.open(frozen)
    metadata = {key: _thawed(value) for key, value in frozen.items()}
    return GGUFFile(metadata, {}, (), 3, "little", 0)


def _frozen(value: Any) -> Any:
    if isinstance(value, memoryview):
        return {"format": value.format, "bytes": value.tobytes()}
    return list(value) if isinstance(value, StringArray) else value


def _thawed(value: Any) -> Any:
    if isinstance(value, dict):
        return memoryview(value["bytes"]).cast(value["format"])
    return value
