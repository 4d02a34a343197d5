"""WordPiece (llama.cpp: WPM), for BERT models: normalised words, longest tokens first."""

from __future__ import annotations

import re
from itertools import accumulate

from pyodide_tok.encoders.alignment import NO_TOKEN, Span
from pyodide_tok.encoders.memo import Ids, Memo
from pyodide_tok.text.codepoints import (
    category,
    class_ranges,
    is_whitespace,
    lenient,
    lenient_widths,
    lower_table,
    nfd_table,
)
from pyodide_tok.text.prefixes import SHORT_FALLING, START, falling_lengths
from pyodide_tok.text.spaces import SPACE
from pyodide_tok.text.utf8 import byte_text, is_utf8
from pyodide_tok.vocab.vocab import Vocab

__all__ = ["WordPieceEncoder"]

_CHINESE = (
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B920, 0x2CEB0),  # not from U+2B820 on: llama.cpp keeps a slip of the Rust original
    range(0xF900, 0xFB00),
    range(0x2F800, 0x2FA20),
)
# str.split() cuts at these; llama.cpp drops them and joins what is beside them.
_NOT_WHITESPACE = dict.fromkeys(range(0x1C, 0x20))


class WordPieceEncoder:
    """Encodes fragments of text; immutable but for its memo table.

    A word is a stretch between whitespace, or one mark of punctuation or Chinese character. No
    word knows its neighbours, so what lies between two spaces can be memoised as it stands.
    """

    lengths = None

    def __init__(self, vocab: Vocab) -> None:
        self._texts = vocab.texts
        # llama.cpp compares bytes; that is another thing only where a token is not UTF-8
        self._spelled = str if is_utf8("".join(vocab.texts)) else byte_text
        self._token_to_id = {self._spelled(text): id_ for text, id_ in vocab.token_to_id.items()}
        self._unknown: Ids = (vocab.special["unk"],) if "unk" in vocab.special else ()
        self._normal = Normal(vocab.flags.lowercase, vocab.flags.strip_accents)
        self._lengths = falling_lengths(self._token_to_id)
        self._lone = re.compile(f"({_lone_characters()}+)")
        self._memo = Memo(self._encode_chunk)

    def encode(self, text: str) -> list[int]:
        """The ids of a fragment. It never raises."""
        chunks = self._chunks(lenient(text))
        return [token for chunk in chunks for token in self._memo[chunk]]

    def spans(self, text: str) -> list[Span]:
        """(id, start, end) of each token, in UTF-8 bytes of the fragment."""
        offsets = list(accumulate(lenient_widths(text), initial=0))
        pieces = [char.translate(self._normal) for char in lenient(text)]
        origin = [at for at, piece in enumerate(pieces) for _ in piece]
        spans: list[Span] = []
        done = 0  # a character that two tokens share is the first's
        for word in re.finditer("[^ ]+", "".join(pieces)):
            for id_, first, last in self._places(word[0], word.start()):
                start = max(offsets[origin[first]], done)
                done = max(offsets[origin[last] + 1], start) if last >= first else start
                spans.append((id_, start, done))
        return spans

    def _places(self, word: str, at: int) -> list[tuple[int, int, int]]:
        """(id, first, last) of a normalised word's tokens: characters, counted from `at` on."""
        ids = self._memo[word] or (NO_TOKEN,)
        places = [i for i, char in enumerate(SPACE + word, at - 1) for _ in self._spelled(char)]
        sizes = [len(self._spelled(self._texts[id_])) for id_ in ids if id_ != NO_TOKEN]
        if sum(sizes) != len(places):  # unknown: one id for the whole word
            sizes = [len(places)]
        starts = accumulate(sizes, initial=0)
        return [
            (id_, max(places[start], at), places[start + size - 1])
            for id_, start, size in zip(ids, starts, sizes, strict=False)
        ]

    def _chunks(self, text: str) -> list[str]:
        """Pieces that can be encoded one by one: cut at whitespace and beside lone characters."""
        if any(control in text for control in "\x1c\x1d\x1e\x1f"):
            text = text.translate(_NOT_WHITESPACE)
        if text.isascii():
            return text.split()
        chunks: list[str] = []
        plain_and_lone = iter([*self._lone.split(text), ""])
        for plain, lone in zip(plain_and_lone, plain_and_lone, strict=True):
            chunks += plain.split()
            chunks += lone
        return chunks

    def _encode_chunk(self, chunk: str) -> Ids:
        words = chunk.translate(self._normal).split()
        if words == [chunk]:
            return self._encode_word(chunk)
        return tuple([token for word in words for token in self._memo[word]])

    def _encode_word(self, word: str) -> Ids:
        """Longest match first, from left to right; all or nothing."""
        word = self._spelled(SPACE + word)
        ids = []
        at = 0
        while at < len(word):
            for length in self._lengths.get(word[at : at + START], SHORT_FALLING):
                if (id_ := self._token_to_id.get(word[at : at + length])) is not None:
                    break
            else:
                return self._unknown
            ids.append(id_)
            at += length
        return tuple(ids)


class Normal(dict[int, str]):
    """A table for `str.translate`, filled as characters come: code point to what stands for it.

    That is nothing for dropped characters, one space for whitespace, and a space on both sides
    of characters that are words of their own. Normalising twice changes nothing.
    """

    def __init__(self, lowercase: bool, strip_accents: bool) -> None:
        super().__init__()
        self._base = nfd_table() if strip_accents else {}
        self._lower = lower_table() if lowercase else {}
        self._dropped = frozenset("CM" if strip_accents else "C")

    def __missing__(self, point: int) -> str:
        self[point] = normal = self._normalise(self._base.get(point, point))
        return normal

    def _normalise(self, point: int) -> str:
        if is_whitespace(point):
            return " "
        if point == 0xFFFD or category(point) in self._dropped:
            return ""
        char = chr(self._lower.get(point, point))
        return f" {char} " if _is_word(point) else char


def _is_word(point: int) -> bool:
    """Whether a code point is a word of its own: punctuation, ASCII symbol or Chinese."""
    kind = category(point)
    return kind == "P" or (kind == "S" and point < 0x7F) or any(point in run for run in _CHINESE)


def _lone_characters() -> str:
    """A class for `re` of BMP characters, not ASCII, that are words of their own."""
    ranges = class_ranges("P").partition("\\u00a1")
    chinese = "".join(f"\\u{run[0]:04x}-\\u{run[-1]:04x}" for run in _CHINESE if run[0] < 0x10000)
    return f"[{''.join(ranges[1:])}{chinese}]"
