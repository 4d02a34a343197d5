"""The tokens of a text that comes in parts, such as a large file: how many, and where to split it.

What is given is read up to the last border (see `border_of`), so the memory that is needed does not
grow with the text. A text without borders is kept until its end and then read as a whole; how
much may be kept can be limited.
"""

from __future__ import annotations

import codecs
from array import array

from pyodide_tok.encoding import Places
from pyodide_tok.errors import EncodeError, TokError
from pyodide_tok.text.utf8 import is_utf8, utf8
from pyodide_tok.tokenizer import Tokenizer

_NEAR = 4096  # characters: where a border is looked for first


class TooLargeError(TokError, ValueError):
    """More of a text would have to be kept than `max_held`, because it cannot be cut before."""

    code = "too-large"


class TokenCounter:
    """`feed` it bytes, then `finish`: `tokens` is what `Tokenizer.count` gives of them all.

    max_held: how many bytes may be kept, where the text has no border; None is no limit.
    characters: code points, a byte that is not UTF-8 is one. bytes: as given.
    is_utf8: whether all of them so far are.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        add_special: bool = True,
        parse_special: bool = False,
        max_held: int | None = None,
    ) -> None:
        self.tokens = sum(map(len, tokenizer.added_ids(add_special)))
        self.characters = self.bytes = 0
        self.is_utf8 = True
        self._tokenizer = tokenizer
        self._parts = tokenizer.parts(parse_special=parse_special)
        self._border = tokenizer.border
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._held: list[str] = []  # text that no border was found in ...
        self._held_size = 0  # ... and its bytes
        self._max_held = max_held

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """The next bytes.

        Raises `EncodeError` for what is not bytes, `NoVocabError` for a model without vocabulary,
        and `TooLargeError` (see `max_held`), after which there is nothing more to count.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise EncodeError(f"a part of a text is bytes, not a {type(data).__name__}")
        self.bytes += len(data)
        self._add(self._decoder.decode(data))

    def finish(self) -> None:
        """There is no more to come."""
        self._add(self._decoder.decode(b"", True))
        self._flush()

    def _add(self, text: str) -> None:
        self.characters += len(text)
        if not is_utf8(text):
            self.is_utf8 = False
            if self._tokenizer.vocab.family.trusts_utf8:
                self._border = None
        cut = self._last_border(text)
        if cut is not None:
            self._held.append(text[:cut])
            self._flush()
            text = text[cut:]
        self._hold(text)

    def _hold(self, text: str) -> None:
        self._held.append(text)
        self._held_size += len(utf8(text))
        if self._max_held is not None and self._held_size > self._max_held:
            raise TooLargeError(
                f"This tokenizer ({self._tokenizer.type}) has to read {self._held_size:,} "
                "bytes of the text as a whole, which takes too much memory: "
                f"{self._max_held:,} are the most. Split the text first."
            )

    def _last_border(self, text: str) -> int | None:
        """Where the last border is; 0 is before `text`, None if there is none."""
        if self._border is None or not text:
            return None
        before = self._held[-1][-1:] if self._held else ""
        seen = before + text
        for start in (max(1, len(seen) - _NEAR), 1):
            found = [match.start() for match in self._border.finditer(seen, start)]
            if found:
                return found[-1] - len(before)
        return None

    def _flush(self) -> None:
        piece = "".join(self._held)
        self._held, self._held_size = [], 0
        if piece:
            self._take(piece)

    def _take(self, piece: str) -> None:
        self.tokens += len(self._parts.encode(piece))


class TokenSplitter(TokenCounter):
    """Finds where to cut a text every `size` tokens, but never inside a character.

    After `finish`, `cuts` are the places in bytes from the start of the text, and `sizes` the
    tokens of the parts, of which there is one more. A part has `size` tokens or fewer, unless its
    first character, with tokens of no text before it, has more. BOS and EOS are not counted.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        size: int,
        *,
        parse_special: bool = False,
        max_held: int | None = None,
    ) -> None:
        super().__init__(
            tokenizer, add_special=False, parse_special=parse_special, max_held=max_held
        )
        if not isinstance(size, int) or size < 1:
            raise EncodeError(f"a part has 1 token or more, not {size}")
        self.cuts = array("Q")
        self.sizes = array("Q", [0])
        self._size = size
        self._done = 0  # bytes of the pieces before

    def _take(self, piece: str) -> None:
        places = Places(piece)
        self._parts.place(piece, places)
        data = utf8(piece)
        total = len(places.ids)
        start = 0  # of the part that is open, in tokens of this piece
        while total - start > self._size - self.sizes[-1]:
            cut = self._cut(places, data, start)
            if cut == total:
                break
            self.sizes[-1] += cut - start
            self.sizes.append(0)
            self.cuts.append(self._done + (places.ends[cut - 1] if cut else 0))
            start = cut
        self.sizes[-1] += total - start
        self.tokens += total
        self._done += len(data)

    def _cut(self, places: Places, data: bytes, start: int) -> int:
        """Before which token the part that is open ends; as many as there are: not in here."""
        least = (self.cuts[-1] if self.cuts else 0) - self._done
        most = places.ends[-1]  # a token may have no text of its own, but no part is without text

        def may_end(at: int) -> bool:
            return least < places.ends[at - 1] < most and _are_apart(places, data, at)

        end = start + self._size - self.sizes[-1]
        before = next(filter(may_end, range(end, start, -1)), None)
        if before is not None:
            return before
        if self.sizes[-1]:
            return start
        return next(filter(may_end, range(end + 1, len(places.ids))), len(places.ids))


def _are_apart(places: Places, data: bytes, at: int) -> bool:
    """Whether tokens `at - 1` and `at` have no character in common."""
    end = places.ends[at - 1]
    return places.starts[at] >= end and (end == len(data) or data[end] & 0xC0 != 0x80)
