"""What SentencePiece does to a text before Unigram: mapped characters, and spaces as U+2581."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise

from pyodide_tok.encoders.charsmap import Charsmap
from pyodide_tok.text.codepoints import WHITESPACE
from pyodide_tok.text.prefixes import Beginnings
from pyodide_tok.text.spaces import SPACE
from pyodide_tok.text.utf8 import ESCAPES, utf8
from pyodide_tok.vocab.vocab import USER_DEFINED, Vocab

__all__ = ["Normalizer"]

_REPLACEMENT = "\ufffd".encode()
# What llama.cpp's unicode_cpt_from_utf8 takes for a character: overlong forms and surrogates too.
_CHARACTER = re.compile(
    rb"[\0-\x7f]|[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}"
)
_SPLIT = WHITESPACE + "\x1c\x1d\x1e\x1f"  # where str.split() cuts
_ASCII_SPACE = 0x20

Step = tuple[bytes, int]  # what comes out, and how many bytes went in


class Normalizer:
    """normalizer(text) is the text that the tokens are looked for in, surrogateescaped.

    space: how a space is written there
    splits: whether the words between spaces can be normalised one by one
    is_fragile: a broken character of the text may stay as it is, and hide the space behind it
    """

    def __init__(self, vocab: Vocab) -> None:
        flags = vocab.flags
        self.space = SPACE if flags.escape_whitespaces else " "
        self._merges_spaces = flags.remove_extra_whitespaces
        self._adds_before = flags.add_space_prefix and not flags.treat_whitespace_as_suffix
        self._adds_after = flags.add_space_prefix and flags.treat_whitespace_as_suffix
        charsmap = self._charsmap = Charsmap(vocab.precompiled_charsmap)
        tokens = _user_defined(vocab)
        self._beginnings = Beginnings(tokens)
        self._leads = frozenset(token[0] for token in tokens)
        self._shielded = frozenset(b"".join(tokens))  # bytes
        self._single = _Single(charsmap.single)
        self._hard = re.compile(self._hard_characters())
        self.growth = charsmap.longest + 1  # a character becomes at most so many
        self._odd_spaces = "".join(c for c in _SPLIT if not self._is_space(c))
        self.is_fragile = any(byte > 0x7F for byte in self._shielded)
        self.splits = self._merges_spaces and not self._adds_after and self._is_space(" ")

    def words(self, text: str) -> list[str]:
        """The text cut at spaces (and, if it is as well, at all whitespace); when `splits`."""
        if any(char in text for char in self._odd_spaces):
            return text.split(" ")
        return text.split()

    def __call__(self, text: str) -> str:
        if self._hard.search(text):
            mapped = b"".join([out for out, _ in self._steps(utf8(text))])
            return self._escaped(mapped.decode("utf-8", "surrogateescape"))
        return self._escaped(text.translate(self._single))

    def trace(self, text: str) -> tuple[bytes, list[int], list[int]]:
        """The normalised text in bytes; for each byte the start and end of its source in bytes.

        Merged spaces come from all the whitespace that they stand for, an added one from nothing.
        """
        out = bytearray()
        starts: list[int] = []
        ends: list[int] = []

        def emit(what: bytes, start: int, end: int) -> None:
            out.extend(what)
            starts.extend([start] * len(what))
            ends.extend([end] * len(what))

        steps = list(self._steps(utf8(text)))
        position = list(accumulate((consumed for _, consumed in steps), initial=0))
        space = self.space.encode()
        adds, in_word = self._adds_before, False
        for (what, _), (start, end) in zip(steps, pairwise(position), strict=True):
            for byte in what:
                is_space = byte == _ASCII_SPACE
                if not is_space and not in_word and self._merges_spaces:
                    emit(space, ends[-1] if ends else 0, start)
                elif not is_space and adds and not self._merges_spaces:
                    emit(space, start, start)
                adds &= is_space
                in_word = not is_space
                if not is_space:
                    emit(bytes([byte]), start, end)
                elif not self._merges_spaces:
                    emit(space, start, end)
        if self._adds_after:
            emit(space, position[-1], position[-1])
        return bytes(out), starts, ends

    def _escaped(self, text: str) -> str:
        """Spaces merged, added and escaped; llama.cpp adds none to a text of spaces alone."""
        space = self.space
        if self._merges_spaces:
            text = "".join([space + word for word in text.split(" ") if word])
        else:
            if self._adds_before and text.strip(" "):
                text = " " + text
            text = text.replace(" ", space)
        return text + space if self._adds_after else text

    def _steps(self, data: bytes) -> Iterator[Step]:
        """The text as llama.cpp's normalize_prefix eats it."""
        at = 0
        while at < len(data):
            out, consumed = self._step(data, at)
            yield out, consumed
            at += consumed

    def _step(self, data: bytes, at: int) -> Step:
        # A user-defined token shields itself, and so does any beginning of one, even one that
        # ends within a character: llama.cpp asks its trie how far the path goes, not for a token.
        if data[at] in self._leads:
            size = self._beginnings.shared(data, at)
            return data[at : at + size], size
        out, size = self._charsmap.match(data, at)
        if size:
            return out, size
        match = _CHARACTER.match(data, at)
        return (match[0], len(match[0])) if match else (_REPLACEMENT, 1)

    def _is_space(self, char: str) -> bool:
        """Whether a character is a space once mapped, whatever its neighbours."""
        charsmap = self._charsmap
        mapped = charsmap.single.get(ord(char), char)
        is_alone = char not in charsmap.starts and char not in charsmap.tails
        is_shielded = utf8(char)[0] in self._shielded
        return charsmap.is_text and mapped == " " and is_alone and not is_shielded

    def _hard_characters(self) -> str:
        """A class of characters; a text without them can be mapped one by one."""
        if not self._charsmap.is_text:
            return "(?s:.)"
        tails = "".join(map(re.escape, sorted(self._charsmap.tails)))
        leads = "".join(map(_characters_of, sorted(self._leads)))
        return f"[{ESCAPES}{tails}{leads}]"


class _Single(dict[int, str | int]):
    """For `str.translate`; what has no entry stays, and is remembered, which is quicker."""

    def __missing__(self, point: int) -> int:
        self[point] = point
        return point


def _user_defined(vocab: Vocab) -> list[bytes]:
    """The tokens that the file has as user-defined, in bytes."""
    columns = zip(vocab.texts, vocab.file_attrs, strict=True)
    return [utf8(text) for text, attr in columns if attr & USER_DEFINED]


def _characters_of(lead: int) -> str:
    """The characters whose UTF-8 starts with a byte, for an `re` class."""
    if lead < 0x80:
        return re.escape(chr(lead))
    if not 0xC2 <= lead <= 0xF4:
        return ""
    size = 2 + (lead >= 0xE0) + (lead >= 0xF0)
    first = (lead & (0x7F >> size)) << 6 * (size - 1)
    last = min(first + (1 << 6 * (size - 1)) - 1, 0x10FFFF)
    return f"{chr(max(first, (0x80, 0x800, 0x10000)[size - 2]))}-{chr(last)}"
