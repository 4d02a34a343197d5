"""Where a vocabulary comes from: a path, an address, bytes or a `GGUFFile`."""

from __future__ import annotations

import os
import re

from pyodide_tok.gguf.reader import GGUFFile

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | GGUFFile
_NAME = re.compile("https?://|hf:|ollama:", re.IGNORECASE)


def read_gguf(source: Source) -> GGUFFile:
    """The header of a GGUF file. A str may be a path, an http(s) address or a model's name.

    Names: hf:user/repo, hf:user/repo:quant, ollama:model. Raises `GGUFError`, `TruncatedError`,
    `OSError` for a path, `RemoteError` and `ModelNotFoundError` for the others.
    """
    if isinstance(source, GGUFFile):
        return source
    if isinstance(source, str) and _NAME.match(source):
        from pyodide_tok.gguf.names import open_name  # its modules take a while to import

        return open_name(source)
    if isinstance(source, str | os.PathLike):
        return GGUFFile.open(source)
    return GGUFFile.parse(source)


def path_of(source: Source) -> str:
    """The absolute path of a source that can be read again; "" if it is not one."""
    if not isinstance(source, str | os.PathLike) or not os.path.isfile(source):
        return ""
    return os.path.abspath(source)
