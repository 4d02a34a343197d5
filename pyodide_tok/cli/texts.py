"""Texts of the command line: an argument, files or standard input, in any encoding."""

from __future__ import annotations

import codecs
import re
import sys
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pyodide_tok.cli.terminal import Terminal
from pyodide_tok.errors import EncodeError
from pyodide_tok.text.utf8 import utf8

STDIN = "-"  # as a model, a text, a file or an id

# a byte order mark, and the encoding that it marks; UTF-32's begins as UTF-16's
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # no text has these; ISO-2022 has ESC
_HEAD = 1 << 16  # bytes that are looked at for control characters
_FEWEST_NULS = 4  # of a binary file that is UTF-8 by chance, such as an archive


@dataclass(frozen=True, slots=True)
class Source:
    """A text to read. text: what was given on the command line; None for a file, or for "-"."""

    name: str
    text: bytes | None = None
    encoding: str | None = None

    def read(self, terminal: Terminal) -> bytes:
        """The text as UTF-8; bytes that are not stay as they are, with a warning."""
        if self.text is not None:
            return self.text
        where, read = self.name, Path(self.name).read_bytes
        if self.name == STDIN:
            where, read = "standard input", standard_input().read
        try:
            data = read()
        except OSError as error:
            raise EncodeError(f"{where}: {error.strerror or error}") from error
        except ValueError as error:  # a NUL in the path
            raise EncodeError(f"{where!r} is not a path: {error}") from error
        text = _as_utf8(data, self.encoding, where)
        if self.encoding is None and not _is_utf8(text):
            terminal.warn(
                f"{where}: This is not UTF-8, so its bytes are tokenized as they are. If it has"
                " another encoding, name it: --encoding latin-1."
            )
        return text


def standard_input() -> BinaryIO:
    """The bytes of standard input. Raises `EncodeError` when it is closed."""
    if sys.stdin is None:
        raise EncodeError("Standard input is closed. Give a text or a file.")
    return sys.stdin.buffer


def sources(args: Namespace) -> list[Source]:
    """The texts that the arguments name; standard input if they name none."""
    given, files = args.text, args.file or ()
    if given is None or given == STDIN:
        names = [STDIN, *files] if given or not files else files
        return [Source(name, encoding=args.encoding) for name in names]
    text = Source("", _argument(args.text, args.escape))
    return [text, *(Source(name, encoding=args.encoding) for name in files)]


def stdin_uses(args: Namespace) -> int:
    """How often the arguments ask for standard input, which can be read once."""
    given = vars(args)
    names = [*given.get("models", ()), given.get("model")]
    if "text" in given:
        names += [source.name for source in sources(args)]
    elif "ids" in given:
        names += given["ids"] or [given["file"] or STDIN]
    return names.count(STDIN)


def _argument(text: str, escape: bool) -> bytes:
    try:
        return utf8(_unescaped(text) if escape else text)
    except UnicodeEncodeError as error:
        raise EncodeError("TEXT has half of a surrogate pair. Give both halves.") from error


_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|(.))",
    re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    byte, pair, point, char = match.groups()
    if byte:
        return bytes((int(byte, 16),)).decode("utf-8", "surrogateescape")
    if pair:
        return bytes.fromhex(pair[1:5] + pair[7:]).decode("utf-16-be")
    if point and 0xD800 <= int(point, 16) <= 0xDFFF:
        raise EncodeError(f"\\u{point} is half of a surrogate pair. Give both halves.")
    return chr(int(point, 16)) if point else _ESCAPES.get(char, char)


# -- encodings ----------------------------------------------------------------------------


def _as_utf8(data: bytes, encoding: str | None, where: str) -> bytes:
    """Text in a named encoding, or in the one that its byte order mark says, as UTF-8."""
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    encoding = encoding or marked
    if encoding is None:
        if _is_binary(data):
            raise EncodeError(
                f"{where}: This is a binary file, not a text. If it is a text, name its encoding:"
                " --encoding utf-16-le."
            )
        return data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except UnicodeError as error:
        raise EncodeError(f"{where}: This is not {encoding}: {error}.") from error


def _is_binary(data: bytes) -> bool:
    head = data[:_HEAD]
    if head.startswith(b"%PDF-"):
        return True
    nuls = head.count(0)
    if nuls >= _FEWEST_NULS and nuls * 10 > len(head):
        return True
    return bool(_CONTROL.search(head)) and not _is_utf8(data)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
