"""Code points as llama.cpp sees them: Unicode 15.1.0 classes, NFD, lowercase, lenient UTF-8.

Python's own `unicodedata`, `\\s` and `str.lower` follow the interpreter and differ: nothing here
asks them. Tables are decoded on first use, so that importing costs next to nothing.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate

from pyodide_tok.text.unicode_tables import CATEGORY_RUNS, LOWER_RUNS, NFD_RUNS, WHITESPACE
from pyodide_tok.text.utf8 import ESCAPES, is_utf8, utf8

__all__ = [
    "BYTE_TO_CHAR",
    "CHAR_TO_BYTE",
    "WHITESPACE",
    "by_code_points",
    "category",
    "class_ranges",
    "is_whitespace",
    "lenient",
    "lenient_widths",
    "lower_table",
    "nfd_base",
    "nfd_table",
    "to_lower",
    "widths",
]

REPLACEMENT = "\ufffd"
_WHITESPACE_POINTS = frozenset(map(ord, WHITESPACE))


# --- classes ---


@cache
def _category_table() -> tuple[list[int], str]:
    """(starts, letters): run i is of class letters[i], from code point starts[i] to the next."""
    runs = re.findall(r"(\D)(\d+)", CATEGORY_RUNS)
    starts = list(accumulate((int(n) for _, n in runs), initial=0))
    return starts, "".join(letter for letter, _ in runs) + "?"


def category(point: int) -> str:
    """The class L, N, M, P, S, Z or C of a code point; "" if undefined or over U+10FFFF.

    Surrogates and private use are C, as in llama.cpp.
    """
    starts, letters = _category_table()
    return letters[bisect_right(starts, point) - 1].strip("?")


@cache
def class_ranges(name: str) -> str:
    r"""The inside of an `re` character class: `re.compile(f"[{class_ranges('L')}]+")`.

    name: a class as of `category`, or "W" for llama.cpp's `\s`. BMP only and without surrogates,
    for `re` is slow with astral ranges; every code point is written `\uXXXX`.
    """
    if name == "W":
        return "".join(f"\\u{point:04x}" for point in sorted(_WHITESPACE_POINTS))
    starts, letters = _category_table()
    runs = (
        (a, b - 1)
        for a, b, letter in zip(starts, starts[1:], letters, strict=False)
        if letter == name
    )
    return "".join(f"\\u{a:04x}-\\u{b:04x}" for a, b in _plain_bmp(runs))


def _plain_bmp(runs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Inclusive ranges, cut down to U+0000..U+D7FF and U+E000..U+FFFF."""
    for first, last in runs:
        for low, high in ((0, 0xD7FF), (0xE000, 0xFFFF)):
            if max(first, low) <= min(last, high):
                yield max(first, low), min(last, high)


def is_whitespace(point: int) -> bool:
    r"""Whether llama.cpp's `\s` matches: 25 code points, U+001C..U+001F not among them."""
    return point in _WHITESPACE_POINTS


# --- maps ---


@cache
def lower_table() -> dict[int, int]:
    """Code point to lowercase code point, for `str.translate`. Unlike `str.lower` it is one to
    one: U+0130 becomes i alone, and a final sigma is as any other."""
    table = {}
    for run in LOWER_RUNS.split():
        start, count, step, delta = (int(field, 16) for field in run.split(":"))
        for point in range(start, start + count * step, step):
            table[point] = point + delta
    return table


@cache
def nfd_table() -> dict[int, int]:
    """Code point to the first code point of its full decomposition, for `str.translate`.

    llama.cpp's NFD keeps no more than that: U+00E9 becomes e, U+AC00 becomes U+1100.
    """
    table: dict[int, int] = {}
    at = 0
    for run in NFD_RUNS.split():
        gap, count, target = (int(field, 16) for field in run.split(":"))
        table.update(dict.fromkeys(range(at + gap, at + gap + count), target))
        at += gap + count
    return table


def to_lower(char: str) -> str:
    """The lowercase of one character by llama.cpp's table."""
    return chr(lower_table().get(ord(char), ord(char)))


def nfd_base(char: str) -> str:
    """The first character of one character's full decomposition."""
    return chr(nfd_table().get(ord(char), ord(char)))


# --- GPT-2's printable bytes ---


def _byte_to_char() -> str:
    """Printable Latin-1 bytes stand for themselves, the rest for U+0100 and up, in order."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    rest = iter(range(0x100, 0x200))
    return "".join(chr(byte if byte in printable else next(rest)) for byte in range(256))


BYTE_TO_CHAR = _byte_to_char()
CHAR_TO_BYTE = {char: byte for byte, char in enumerate(BYTE_TO_CHAR)}


# --- lenient UTF-8 (llama.cpp's unicode_cpts_from_utf8) ---
# Of escaped bytes (U+DC80..U+DCFF) a lead byte with all its continuation bytes is one character,
# even if it is overlong or a surrogate; any other is U+FFFD. Neighbours that were decoded cannot
# be part of such a character: a valid one never starts with a continuation byte.

_CONTINUATION = "[\udc80-\udcbf]"
_ESCAPED_CHAR = (
    f"[\udcc0-\udcdf]{_CONTINUATION}"
    f"|[\udce0-\udcef]{_CONTINUATION}{{2}}"
    f"|[\udcf0-\udcf7]{_CONTINUATION}{{3}}"
    f"|[{ESCAPES}]"
)


def lenient(text: str) -> str:
    """The code points that llama.cpp decodes from the bytes of a surrogateescaped text.

    Encoded surrogates come out as lone surrogates. A sequence for a code point over U+10FFFF
    gives one U+FFFD (llama.cpp ends the process there). Text without escapes is returned as is.
    """
    if is_utf8(text):
        return text
    return re.sub(_ESCAPED_CHAR, lambda match: _lenient_char(match[0]), text)


def _lenient_char(escaped: str) -> str:
    """One character of a whole sequence of 2 to 4 escaped bytes; U+FFFD of a single one."""
    if len(escaped) == 1:
        return REPLACEMENT
    lead, *rest = (ord(char) & 0xFF for char in escaped)
    point = lead & (0x7F >> len(escaped))
    for byte in rest:
        point = point << 6 | byte & 0x3F
    return chr(point) if point <= 0x10FFFF else REPLACEMENT


def by_code_points(text: str) -> str | None:
    """A token's text as texts are read by `lenient`; None if no text reads so.

    That is the case if it is not UTF-8; of what is not, only encoded surrogates read as themselves.
    """
    if is_utf8(text):
        return text
    read = lenient(text)
    return read if read.encode("utf-8", "surrogatepass") == utf8(text) else None


def lenient_widths(text: str) -> list[int]:
    """How many bytes of the source each character of `lenient(text)` was: 1 to 4."""
    if is_utf8(text):
        return widths(text)
    matches = re.findall(f"(?s:{_ESCAPED_CHAR}|.)", text)
    return [_width(chars) if len(chars) == 1 else len(chars) for chars in matches]


def widths(text: str) -> list[int]:
    """How many bytes each character of a surrogateescaped text is in UTF-8; an escape is 1."""
    if text.isascii():
        return [1] * len(text)
    return [_width(char) for char in text]


def _width(char: str) -> int:
    if "\ud800" <= char <= "\udfff":
        return 1
    return 1 + (char > "\x7f") + (char > "\u07ff") + (char > "\uffff")
