"""Where a vocabulary comes from: a path, an address, bytes or a `GGUFFile`."""

from __future__ import annotations

import os
import re

from pyodide_tok.gguf.reader import GGUFFile

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | GGUFFile
_ADDRESS = re.compile("https?://", re.IGNORECASE)


def read_gguf(source: Source) -> GGUFFile:
    """The header of a GGUF file. A str may be a path or an http(s) address.

    Raises `GGUFError`, `TruncatedError`, `OSError` for a path, `RemoteError` for an address.
    """
    if isinstance(source, GGUFFile):
        return source
    if isinstance(source, str) and _ADDRESS.match(source):
        from pyodide_tok.gguf.remote import fetch  # its modules take a while to import

        return fetch(source)
    if isinstance(source, str | os.PathLike):
        return GGUFFile.open(source)
    return GGUFFile.parse(source)


def path_of(source: Source) -> str:
    """The absolute path of a source that can be read again; "" if it is not one."""
    if not isinstance(source, str | os.PathLike) or not os.path.isfile(source):
        return ""
    return os.path.abspath(source)
