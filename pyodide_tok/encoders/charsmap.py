"""SentencePiece's precompiled character map: which bytes normalise to which.

The blob has a double array (XCDA: the child of entry i over byte c is at base(i) ^ c) and, behind
it, the replacements, each ended by a zero byte. An entry is 32 bits: the byte that leads to it in
bits 0-7, "a replacement ends here" in 8, a shift in 9, the base in 10-30; bit 31 marks the entries
that hold the offset of a replacement.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterator

from pyodide_tok.errors import VocabError
from pyodide_tok.text.utf8 import LENGTHS

_VALUE = 1 << 31
_LABEL = _VALUE | 0xFF
_HAS_VALUE = 1 << 8

MAX_KEY = 512  # bytes; Unicode's normalisation forms have keys of some 20
MOST_WAYS = 8  # to an entry, on average; maps that are sound have fewer than one

Children = dict[int, list[int]]  # base -> entries


class Charsmap:
    """A map that was read and checked; an empty blob maps nothing.

    blob: the bytes of the file's array. VocabError: the map is damaged.

    single: one-character keys and their replacements, for `str.translate`
    starts: every character that a longer key starts with
    tails: every character that stands second or later in a longer key
    is_text: all keys and replacements are whole characters; if not, the three do not tell all
    longest: bytes of the longest replacement, 1 or more

    A damaged map may lead round in circles: then is_text is false, and no key is longer than
    MAX_KEY bytes.
    """

    def __init__(self, blob: bytes) -> None:
        self._units, self._replacements = _parse(blob)
        self._last_end = self._replacements.rfind(0)
        self.longest = max(1, *map(len, self._replacements.split(b"\0")))
        self.single: dict[int, str] = {}
        self.starts: set[str] = set()
        self.tails: set[str] = set()
        self.is_text = _decoded(self._replacements) is not None
        self._ways = MOST_WAYS * len(self._units)
        if self._units:
            self._survey(_children(self._units))

    def match(self, data: bytes, at: int) -> tuple[bytes, int]:
        """The replacement of the longest key that is at `data[at:]`, and the key's length in
        bytes: 0 if there is none."""
        found = (b"", 0)
        units = self._units
        node = _base(units[0]) if units else 0
        for end in range(at, min(at + MAX_KEY, len(data))):
            byte = data[end]
            node ^= byte
            # llama.cpp throws where a byte leads out of the array; here it leads nowhere
            if not byte or node >= len(units) or units[node] & _LABEL != byte:
                break
            unit = units[node]
            node ^= _base(unit)
            if unit & _HAS_VALUE and (value := self._replacement(node)) is not None:
                found = (value, end + 1 - at)
        return found

    def _replacement(self, node: int) -> bytes | None:
        if not self._is_sound(node):
            return None
        start = self._units[node] & ~_VALUE
        return self._replacements[start : self._replacements.index(0, start)]

    def _is_sound(self, node: int) -> bool:
        """Whether an entry is there, and the offset in it."""
        return node < len(self._units) and self._units[node] & ~_VALUE <= self._last_end

    def _survey(self, children: Children) -> None:
        """Visit every entry that can be reached: check it, and learn its character."""
        todo = set()
        for char, has_value, base in self._characters(children, _base(self._units[0])):
            if has_value:
                self._learn(char, base)
            if base in children:
                self.starts.add(char)
                todo.add(base)
        seen = set(todo)
        while todo and self._ways > 0:
            for char, _, base in self._characters(children, todo.pop()):
                self.tails.add(char)
                if base in children and base not in seen:
                    seen.add(base)
                    todo.add(base)

    def _learn(self, char: str, node: int) -> None:
        value = _decoded(self._replacement(node) or b"")
        if value is None:
            self.is_text = False
        else:
            self.single[ord(char)] = value

    def _characters(self, children: Children, base: int) -> Iterator[tuple[str, int, int]]:
        """(character, whether a replacement ends there, next base) of all that can follow."""
        ways = [(base, b"")]
        for length in (1, 2, 3, 4):
            longer = []
            for start, before in ways:
                for node in children.get(start, ()):
                    self._ways -= 1
                    unit = self._units[node]
                    child = node ^ _base(unit)
                    has_value = unit & _HAS_VALUE
                    self._check(child, has_value)
                    way = before + bytes((unit & 0xFF,))
                    if LENGTHS[way[0] >> 4] == length and (char := _decoded(way)):
                        yield char, has_value, child
                        continue
                    self.is_text &= length < 4 and not has_value
                    longer.append((child, way))
                if self._ways < 0:
                    self.is_text = False
                    return
            ways = longer

    def _check(self, child: int, has_value: int) -> None:
        """Of an entry that points at nothing llama.cpp knows only when a text leads there."""
        if child >= len(self._units) or (has_value and not self._is_sound(child)):
            self.is_text = False
        elif has_value:
            first = self._replacements[self._units[child] & ~_VALUE]
            self.is_text &= first & 0xC0 != 0x80


def _parse(blob: bytes) -> tuple[array[int], bytes]:
    """The entries and the replacements."""
    units = array("I")
    if not blob:
        return units, b""
    size = struct.unpack_from("<I", blob)[0] if len(blob) >= 4 else len(blob)
    if 4 + size > len(blob):
        raise _damaged(f"it is {len(blob)} bytes long, shorter than it says")
    units.frombytes(blob[4 : 4 + size - size % 4])
    if sys.byteorder == "big":  # pragma: no cover (such a machine is needed)
        units.byteswap()
    return units, blob[4 + size :]


def _children(units: array[int]) -> Children:
    children: Children = {}
    for node, unit in enumerate(units):
        if 0 < unit & _LABEL < 0x100:
            children.setdefault(node ^ unit & 0xFF, []).append(node)
    return children


def _base(unit: int) -> int:
    return unit >> 10 << ((unit & 0x200) >> 6)


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _damaged(what: str) -> VocabError:
    return VocabError(
        f"tokenizer.ggml.precompiled_charsmap is damaged: {what}; convert the model again"
    )
