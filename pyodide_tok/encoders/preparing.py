"""What llama.cpp puts before another encoder: DNA 6-mers, words at white space, rewriting."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate, chain, islice
from unicodedata import normalize

from pyodide_tok.encoders.alignment import NO_TOKEN, Span, moved, source_bytes
from pyodide_tok.encoders.encoder import Encoder
from pyodide_tok.encoders.memo import Ids, Memo
from pyodide_tok.text.codepoints import (
    WHITESPACE,
    class_ranges,
    lenient,
    lenient_widths,
    lower_table,
    widths,
)
from pyodide_tok.text.spaces import SPACE
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.families import DNA_MARKER
from pyodide_tok.vocab.vocab import Vocab

_DNA = re.compile(r"<dna>(.*?)(</dna>|\Z)", re.DOTALL)


def _shift(spans: list[Span], by: int) -> list[Span]:
    return [(token, start + by, end + by) for token, start, end in spans]


class HybridDnaEncoder:
    """Between <dna> and </dna> every six bases are a token; elsewhere it is plain BPE."""

    _SIZE = 6

    lengths = None

    def __init__(self, vocab: Vocab, bpe: Encoder) -> None:
        self._ids = vocab.token_to_id
        self._bpe = bpe
        self._escapes = vocab.flags.escape_whitespaces
        self._tags = [self._ids.get(text, -1) for text in ("<dna>", "</dna>", "<oov>")]

    def encode(self, text: str) -> list[int]:
        if min(self._tags) < 0 or "<dna>" not in text:
            return self._bpe.encode(text)
        return [token for token, _, _ in self.spans(text) if token != NO_TOKEN]

    def spans(self, text: str) -> list[Span]:
        if min(self._tags) < 0:
            return self._bpe.spans(text)
        read = text.replace(" ", SPACE) if self._escapes else text
        spans = chain.from_iterable(self._parts(read))
        return moved(spans, source_bytes(widths(read), widths(text)))

    def _parts(self, text: str) -> Iterator[list[Span]]:
        open_tag, close_tag, _ = self._tags
        at = done = 0  # bytes and characters before
        for match in _DNA.finditer(text):
            plain, bases = text[done : match.start()], utf8(match[1])
            yield self._plain(plain, at)
            at += len(utf8(plain))
            yield [(open_tag, at, at + 5)]
            yield self._kmers(bases, at + 5)
            at += 5 + len(bases)
            if match[2]:
                yield [(close_tag, at, at + 6)]
                at += 6
            done = match.end()
        yield self._plain(text[done:], at)

    def _plain(self, text: str, at: int) -> list[Span]:
        return _shift(self._bpe.spans(text), at) if text else []

    def _kmers(self, bases: bytes, at: int) -> list[Span]:
        size, oov = self._SIZE, self._tags[2]
        spans = []
        for i in range(0, len(bases), size):
            kmer = bases[i : i + size].upper().ljust(size, b"A")
            text = kmer.decode("utf-8", "surrogateescape") + DNA_MARKER
            spans.append((self._ids.get(text, oov), at + i, at + min(i + size, len(bases))))
        return spans


class WhitespaceEncoder:
    """White space is dropped; what stands between it is lowercased, if the file says so."""

    lengths = None

    def __init__(self, vocab: Vocab, bpe: Encoder) -> None:
        self._lower = vocab.flags.lowercase
        self._escapes = vocab.flags.escape_whitespaces
        self._bpe = bpe
        self._memo = Memo(self._encode_word)
        self._words = re.compile(f"[^{class_ranges('W')}]+")

    def encode(self, text: str) -> list[int]:
        words = self._words.findall(self._read(text))
        return [token for word in words for token in self._memo[word]]

    def words(self, text: str) -> list[str]:
        """What BPE is given, one after the other."""
        return [_escape(self._cased(word)) for word in self._words.findall(self._read(text))]

    def _read(self, text: str) -> str:
        """An escaped space is not white space."""
        read = lenient(text)
        return read.replace(" ", SPACE) if self._escapes else read

    def _encode_word(self, word: str) -> Ids:
        return tuple(self._bpe.encode(_escape(self._cased(word))))

    def _cased(self, word: str) -> str:
        return word.translate(lower_table()) if self._lower else word

    def spans(self, text: str) -> list[Span]:
        source_widths = lenient_widths(text)
        starts = list(accumulate(source_widths, initial=0))
        spans: list[Span] = []
        for match in self._words.finditer(self._read(text)):
            word = self._cased(match[0])
            at = source_bytes(_widths(word), source_widths[slice(*match.span())])
            spans += _shift(moved(self._bpe.spans(_escape(word)), at), starts[match.start()])
        return spans


class RewritingEncoder:
    """Rewrites a fragment piece by piece before another encoder sees it.

    `pieces` matches what is rewritten together, and every text without gaps.
    """

    lengths = None

    def __init__(self, encoder: Encoder, pieces: str, rewrite: Callable[[str], str]) -> None:
        self.inner = encoder
        self._pieces = re.compile(pieces, re.DOTALL)
        self._rewrite = rewrite

    def encode(self, text: str) -> list[int]:
        return self.inner.encode(self.rewritten(text))

    def rewritten(self, text: str) -> str:
        """What the other encoder is given."""
        return _escape("".join(map(self._rewrite, self._split(text))))

    def _split(self, text: str) -> list[str]:
        return self._pieces.findall(lenient(text))

    def spans(self, text: str) -> list[Span]:
        """Of a piece that was rewritten, the last character has all the bytes."""
        rest = iter(lenient_widths(text))
        read: list[str] = []
        source_widths: list[int] = []
        for piece in self._split(text):
            new = self._rewrite(piece)
            own = list(islice(rest, len(piece)))
            source_widths += own if new == piece else [0] * (len(new) - 1) + [sum(own)]
            read.append(new)
        made = "".join(read)
        return moved(self.inner.spans(_escape(made)), source_bytes(_widths(made), source_widths))


def soprano(bpe: Encoder) -> Encoder:
    """White space runs become a space and characters lowercase (U+0130 as i and U+0307).

    Later than the reference build and not checked against one.
    """
    lower = lower_table() | {0x130: "i\u0307"}

    def rewrite(piece: str) -> str:
        return " " if piece[0] in WHITESPACE else piece.translate(lower)

    return RewritingEncoder(bpe, f"[{class_ranges('W')}]+|.", rewrite)


def nfc(encoder: Encoder) -> Encoder:
    """Unicode's canonical composition before all else (tokenizer.ggml.normalizer.nfc).

    Later than the reference build and not checked against one. It is the interpreter's Unicode
    version that composes; what it can compose has not changed since before 15.1.
    """
    composing = f"[\u1100-\u11ff]+|.[{class_ranges('M')}]*"
    return RewritingEncoder(encoder, composing, partial(normalize, "NFC"))


def _escape(read: str) -> str:
    """Code points, lone surrogates among them, as the text that an encoder is given."""
    if read.isascii():
        return read
    return read.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")


def _widths(read: str) -> list[int]:
    return [len(char.encode("utf-8", "surrogatepass")) for char in read]
