"""Where a vocabulary comes from: a path, bytes or a `GGUFFile`."""

from __future__ import annotations

import os

from pyodide_tok.gguf.reader import GGUFFile

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | GGUFFile


def read_gguf(source: Source) -> GGUFFile:
    """The header of a GGUF file. Raises `GGUFError`, `TruncatedError`, and `OSError` for a path."""
    if isinstance(source, GGUFFile):
        return source
    if isinstance(source, str | os.PathLike):
        return GGUFFile.open(source)
    return GGUFFile.parse(source)


def path_of(source: Source) -> str:
    """The absolute path of a source that can be read again; "" if it is not one."""
    if not isinstance(source, str | os.PathLike) or not os.path.isfile(source):
        return ""
    return os.path.abspath(source)
