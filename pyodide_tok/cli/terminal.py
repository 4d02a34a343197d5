"""Where the command line writes: bytes to stdout, single lines to stderr, colours and progress."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle
from typing import Any

from pyodide_tok.errors import find_module

PROGRAM = "pyodide-tok"

_BACKGROUNDS = (153, 223, 157, 225, 229, 195)  # of xterm's 256, of even lightness
_CONTROL = 250
_RESET = "\x1b[0m"
_OURS = "|".join(rf"\x1b\[30;48;5;{colour}m" for colour in (*_BACKGROUNDS, _CONTROL))
# Controls but for tab and line end, joiners, what sets directions, and tags: what a terminal obeys
# or does not show. Our own colours are left, as group 1.
_HIDDEN = re.compile(
    rf"({_OURS}|\x1b\[[02]m)|[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udc9f\xad\u061c\u180e\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_WHITE = str.maketrans({"\n": "↵\n", "\t": "→\t", "\r": "␍"})


class Terminal:
    """stdout and stderr. `colour`: "always", "never", or "auto": on a terminal, unless NO_COLOR."""

    def __init__(self, colour: str = "auto", quiet: bool = False) -> None:
        self.is_terminal = sys.stdout is not None and sys.stdout.isatty()
        wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        auto = self.is_terminal and wanted
        self.coloured = {"always": True, "never": False}.get(colour, auto)
        self._quiet = quiet

    def write(self, text: str | bytes) -> None:
        """Text as UTF-8, exactly, bytes escaped in it (surrogateescape) as themselves.

        But a terminal is never given what it would obey.
        """
        data = text if isinstance(text, bytes) else _bytes(text)
        if self.is_terminal:
            data = _bytes(harmless(data.decode("utf-8", "surrogateescape")))
        sys.stdout.buffer.write(data)

    def line(self, text: str = "") -> None:
        """One line to be read by people: a name or a text in it cannot begin another."""
        self.lines(text.replace("\n", "\\n"))

    def lines(self, text: str) -> None:
        """Lines to be read by people."""
        self.write(harmless(text) + "\n")

    def json(self, value: Any, indent: int | None = None) -> None:
        self.write(json.dumps(value, ensure_ascii=not _is_unicode(value), indent=indent) + "\n")

    def csv(self, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """RFC 4180, but for the line ends, which are \\n."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
        self.write(out.getvalue())

    def table(self, rows: Sequence[Sequence[Any]]) -> None:
        """Columns: the first to the left, the rest, numbers, to the right."""
        cells = [[harmless(str(cell)) for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for first, *rest in cells:
            numbers = (c.rjust(w) for c, w in zip(rest, widths[1:], strict=True))
            self.line("  ".join([first.ljust(widths[0]), *numbers]))

    def tokens(self, pieces: Sequence[bytes], control: Sequence[bool]) -> str:
        """The pieces in colours, neighbours never in the same one; or parted by bars."""
        shown = [show(piece) for piece in pieces]
        if not self.coloured:
            return "|".join(shown)
        parts = []
        for text, special, background in zip(shown, control, cycle(_BACKGROUNDS)):
            paint = f"\x1b[30;48;5;{_CONTROL if special else background}m"
            lines = text.translate(_WHITE).split("\n")
            parts.append(f"{_RESET}\n".join(paint + line for line in lines) + _RESET)
        return "".join(parts)

    def faint(self, text: str) -> str:
        return f"\x1b[2m{text}{_RESET}" if self.coloured else text

    def warn(self, message: str) -> None:
        if not self._quiet:
            self.error(f"warning: {message}")

    def error(self, message: str) -> None:
        """One line on stderr, if there is one and it takes it."""
        if sys.stderr is None:
            return
        with suppress(OSError):
            if sys.stdout is not None:
                sys.stdout.flush()
        with suppress(OSError):
            print(f"{PROGRAM}: {harmless(' '.join(message.split()))}", file=sys.stderr)

    def progress(self, items: Sequence[Any], what: str) -> Iterator[Any]:
        """The items one by one, with a bar on stderr if that is a terminal and rich is there."""
        progress = find_module("rich.progress") if len(items) > 1 and sys.stderr.isatty() else None
        if progress is None or self._quiet:
            yield from items
            return
        console = find_module("rich.console").Console(stderr=True)
        yield from progress.track(items, what, console=console, transient=True)


def harmless(text: str) -> str:
    """Text for a terminal: what it would obey or hide is written out.

    >>> harmless("a\x1b[2J\u202e")
    'a\\\\x1b[2J\\\\u202e'
    """
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if code >> 8 == 0xDC else ascii(found[0])[1:-1]


def show(piece: bytes) -> str:
    """Bytes as text; those that are no UTF-8 as <E4>."""
    text = piece.decode("utf-8", "surrogateescape")
    if text.isascii():
        return text
    return "".join(f"<{ord(c) - 0xDC00:02X}>" if "\udc80" <= c <= "\udcff" else c for c in text)


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _is_unicode(value: Any) -> bool:
    """Whether all strings within are free of surrogates."""
    if isinstance(value, str):
        return not any("\ud800" <= char <= "\udfff" for char in value)
    if isinstance(value, Mapping):
        return all(_is_unicode(item) for pair in value.items() for item in pair)
    return not isinstance(value, list | tuple) or all(map(_is_unicode, value))
