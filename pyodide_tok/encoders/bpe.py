"""Byte-pair encoding as llama.cpp does it (BPE): split into words, merge by the rank of merges.

Of all neighbouring symbols that a merge names, the earliest merge is applied first, the leftmost
of equals. How words are written, and what a symbol that is no token falls back to, is `spelling`.

What makes it fast: words come again and again, so each is merged once and remembered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from itertools import chain

from pyodide_tok.encoders.alignment import Lengths, Span, remap
from pyodide_tok.encoders.boundaries import Boundaries
from pyodide_tok.encoders.memo import Ids, Memo
from pyodide_tok.encoders.merging import merge
from pyodide_tok.encoders.spelling import merge_ranks, spelling_of
from pyodide_tok.pretokenize.splitting import Splitter, expand
from pyodide_tok.pretokenize.table import PreTokenizer
from pyodide_tok.text.codepoints import lenient, lenient_widths
from pyodide_tok.text.spaces import SPACE
from pyodide_tok.vocab.vocab import Vocab

_LINE_WITHOUT_SPACE = re.compile(f"(?<![^\n])(?=[^\n{SPACE}])")
_METASPACE_WORDS = re.compile(f"\n+|{SPACE}[^{SPACE}\n]*")

Find = Callable[[str], list[str]]


class BpeEncoder:
    """Encodes fragments with a vocabulary of type BPE and its pre-tokenizer.

    The path from text to words is chosen here, once: `_read` gives the code points that are split,
    `_chunks` about a line of them each (None if no rule is known), `_words` the words.
    """

    def __init__(self, vocab: Vocab, pre: PreTokenizer) -> None:
        spelling = self._spelling = spelling_of(vocab, pre)
        self._ids = spelling.ids
        self._written = spelling.written
        self._ranks = merge_ranks(spelling.merges)
        self._read = _reader(vocab.flags.escape_whitespaces, pre.metaspace_words)
        self._widths = _metaspace_widths if pre.metaspace_words else lenient_widths
        self._words = self._words_of(pre, vocab.flags.ignore_merges)
        chunks = pre.lines.chunks
        self._chunks = re.compile(expand(chunks, ascii_only=False)).findall if chunks else None
        self._needs_no_merges = _needs_no_merges(pre, vocab.flags.ignore_merges)
        self._lines = Memo(self._encode_line)
        self._memo = Memo(self._encode_word)
        self._parts = Memo(self._encode_part)
        # mmbert's added U+2581 would make a sum of lengths too large
        self.lengths = None if pre.metaspace_words else Lengths(spelling.length)

    def encode(self, text: str) -> list[int]:
        read = self._read(text)
        if self._chunks is None:
            return list(self._encode_line(read))
        return list(chain.from_iterable([self._lines[line] for line in self._chunks(read)]))

    def _encode_line(self, read: str) -> Ids:
        return tuple([token for word in self._words(read) for token in self._memo[word]])

    def spans(self, text: str) -> list[Span]:
        read = self._read(text)
        symbols = chain.from_iterable(map(self._merged, self._words(read)))
        tokens = chain.from_iterable(map(self._spelling.tokens, symbols))
        read_widths = [len(char.encode("utf-8", "surrogatepass")) for char in read]
        return remap(tokens, read_widths, self._widths(text))

    # -- text to words --------------------------------------------------------------------

    def _words_of(self, pre: PreTokenizer, ignore_merges: bool) -> Find:
        if pre.metaspace_words:
            return _METASPACE_WORDS.findall
        if pre.cut_at_spaces and not ignore_merges:
            return self._cut_at_spaces
        return Splitter(pre.stages, pre.astral).words

    def _cut_at_spaces(self, read: str) -> list[str]:
        return self._at_spaces(read)

    @cached_property
    def _at_spaces(self) -> Find:
        """Cuts lines, the words of Gemma 4, before each run of U+2581.

        But not after the few characters that some merge joins to a U+2581.
        """
        joined = self._boundaries.before(SPACE) - {SPACE}
        word = f"[^{SPACE}\n]+"
        after = f"(?:(?<=[{re.escape(''.join(joined))}]){SPACE}+(?:{word})?)*" if joined else ""
        return re.compile(f"\n+|{SPACE}*{word}{after}|{SPACE}+").findall

    # -- words to ids ---------------------------------------------------------------------

    @cached_property
    def _boundaries(self) -> Boundaries:
        return self._spelling.boundaries()

    def _encode_word(self, word: str) -> Ids:
        written = self._written(word)
        if self._is_whole(written):
            return (self._ids[written],)
        if self._spelling.may_have_cuts(word):
            parts = self._boundaries.parts(word)
            if len(parts) > 1:
                return tuple(chain.from_iterable(map(self._parts.__getitem__, parts)))
        return self._symbol_ids(self._merge(written))

    def _encode_part(self, part: str) -> Ids:
        return self._symbol_ids(self._merge(self._written(part)))

    def _symbol_ids(self, symbols: list[str]) -> Ids:
        try:
            return tuple([self._ids[symbol] for symbol in symbols])
        except KeyError:
            tokens = chain.from_iterable(map(self._spelling.tokens, symbols))
            return tuple([token for token, _ in tokens if token >= 0])

    def _merged(self, word: str) -> list[str]:
        """The symbols that are left of a word when nothing merges any more."""
        written = self._written(word)
        return [written] if self._is_whole(written) else self._merge(written)

    def _merge(self, written: str) -> list[str]:
        return merge(list(written), self._ranks.get, " ")

    def _is_whole(self, written: str) -> bool:
        """Whether a word is a token that needs no merging."""
        return self._needs_no_merges(written) and written in self._ids


def _needs_no_merges(pre: PreTokenizer, ignore_merges: bool) -> Callable[[str], bool]:
    if ignore_merges:
        return lambda written: True
    if pre.newline_words:
        return lambda written: not written.strip("\n")
    return lambda written: False


def _reader(escapes: bool, metaspace: bool) -> Callable[[str], str]:
    """What gives the code points that are split: invalid bytes replaced, spaces escaped."""
    if metaspace:
        return _read_metaspace
    return _read_escaped if escapes else lenient


def _read_escaped(text: str) -> str:
    return lenient(text).replace(" ", SPACE)


def _read_metaspace(text: str) -> str:
    """mmbert's lines start with a U+2581, if need be with one more."""
    return _LINE_WITHOUT_SPACE.sub(SPACE, _read_escaped(text))


def _metaspace_widths(text: str) -> list[int]:
    """The bytes of `text` that each character of `_read_metaspace(text)` was made of."""
    widths = lenient_widths(text)
    for match in reversed(list(_LINE_WITHOUT_SPACE.finditer(_read_escaped(text)))):
        widths.insert(match.start(), 0)
    return widths
