"""Ids -> bytes -> text: what a token stands for (llama.cpp's `token_to_piece`, `detokenize`)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable

from pyodide_tok.errors import NoVocabError
from pyodide_tok.text.codepoints import CHAR_TO_BYTE, lenient
from pyodide_tok.text.escapes import hex_byte, rwkv_unescape
from pyodide_tok.text.spaces import SPACE
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.families import Rendering
from pyodide_tok.vocab.vocab import BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED, Vocab

_HIDDEN = UNKNOWN | CONTROL  # not rendered unless special tokens are asked for
_AS_IT_STANDS = _HIDDEN | USER_DEFINED
_SHOWN = 128  # characters

Render = Callable[[int, str, int], bytes]  # of an id, the token's text and its attributes


class Pieces:
    """The bytes of every token of a vocabulary, and decoding of ids."""

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._render = _RENDERERS.get(vocab.rendering)
        self._cache: dict[int, bytes] = {}

    def piece(self, token: int, special: bool = True) -> bytes:
        """The bytes of one token; `special=False` hides CONTROL and UNKNOWN tokens.

        Raises `EncodeError` for an id that is no token, `NoVocabError` for a model without any.
        """
        if type(token) is not int:
            token = self._vocab.checked(token)
        piece = self._cache.get(token)
        if piece is None:
            piece = self._cache[token] = self._make(token)
        return piece if special or not self._vocab.attrs[token] & _HIDDEN else b""

    def _make(self, token: int) -> bytes:
        render = self._renderer()
        i = self._vocab.checked(token)
        return render(i, self._vocab.texts[i], self._vocab.attrs[i])

    def _renderer(self) -> Render:
        if self._render is None:
            raise NoVocabError("this model has no vocabulary, so ids stand for no text")
        return self._render

    def decode(self, ids: Iterable[int], remove_special: bool, unparse_special: bool) -> bytes:
        """The bytes of `ids`, as llama_detokenize gives them."""
        self._renderer()  # no ids of a model without vocabulary are no text
        flags, special = self._vocab.flags, self._vocab.special
        tokens = list(ids)
        lstrip = flags.add_space_prefix
        if remove_special and flags.add_bos and tokens[:1] == [special.get("bos")]:
            # the space after BOS stays, so that a text that begins with one keeps it
            tokens, lstrip = tokens[1:], False
        if remove_special and flags.add_eos and tokens[-1:] == [special.get("eos")]:
            del tokens[-1]
        strip = LeadingSpace(self._vocab, lstrip)
        text = b"".join([strip(token, self.piece(token, unparse_special)) for token in tokens])
        return clean_spaces(text) if flags.clean_spaces else text

    def stream(self, unparse_special: bool) -> StreamDecoder:
        return StreamDecoder(self, self._vocab, unparse_special)


class LeadingSpace:
    """Takes back the space that encoding put before the text.

    That is one space of the first token, whatever that is; with the metaspace scheme "first" (not
    checked against a build) one of the first normal token that is rendered.
    """

    __slots__ = ("_attrs", "_first_normal", "_pending")

    def __init__(self, vocab: Vocab, lstrip: bool) -> None:
        self._attrs = vocab.attrs
        self._first_normal = vocab.flags.prepend_first
        self._pending = lstrip or self._first_normal

    def __call__(self, token: int, piece: bytes) -> bytes:
        if not self._pending or (
            self._first_normal and not (piece and self._attrs[token] & NORMAL)
        ):
            return piece
        self._pending = False
        return piece.removeprefix(b" ")


# Hugging Face's clean_up_tokenization_spaces, in llama.cpp's three passes: what is replaced, by
# what, and what more text could still make into that.
_CLEANING = (
    (rb" (?=[?!.,])", b"", b" "),
    (rb" ' ", b"'", rb" '?"),
    (rb" (?='(?:s|m|re|ve))", b"", rb" (?:'[rv]?)?"),
)


def clean_spaces(text: bytes) -> bytes:
    """The text without the spaces that tokenization put there."""
    for pattern, replacement, _ in _CLEANING:
        text = re.sub(pattern, replacement, text)
    return text


class _Pass:
    """One pass of `clean_spaces` over text in parts; `held` is what it cannot decide on yet."""

    __slots__ = ("_pattern", "_replacement", "held")

    def __init__(self, pattern: bytes, replacement: bytes, undecided: bytes) -> None:
        self._pattern = re.compile(rb"(?P<held>(?!%b)%b\Z)|%b" % (pattern, undecided, pattern))
        self._replacement = replacement
        self.held = b""

    def feed(self, part: bytes) -> bytes:
        text, self.held = self.held + part, b""
        return self._pattern.sub(self._decided, text) if b" " in text else text

    def _decided(self, match: re.Match[bytes]) -> bytes:
        held: bytes | None = match["held"]
        if held is None:
            return self._replacement
        self.held = held
        return b""


class StreamDecoder:
    """Ids one by one to text that never ends inside a character.

    The texts joined, with that of `flush`, are what `decode` gives for all the ids at once.
    """

    __slots__ = ("_passes", "_pieces", "_strip", "_unparse_special", "_utf8")

    def __init__(self, pieces: Pieces, vocab: Vocab, unparse_special: bool) -> None:
        self._pieces = pieces
        self._strip = LeadingSpace(vocab, vocab.flags.add_space_prefix)
        self._passes = [_Pass(*row) for row in _CLEANING] if vocab.flags.clean_spaces else []
        self._unparse_special = unparse_special
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, token: int) -> str:
        """The text that this token settles; often empty. Raises `EncodeError` for no token."""
        text = self._strip(token, self._pieces.piece(token, self._unparse_special))
        for cleaning in self._passes:
            text = cleaning.feed(text)
        return self._utf8.decode(text)

    def flush(self) -> str:
        """The text that was held back; an unfinished character comes as U+FFFD."""
        text = b""
        for cleaning in self._passes:
            text = cleaning.feed(text) + cleaning.held
            cleaning.held = b""
        return self._utf8.decode(text, final=True)


# -- how a token becomes bytes: the values of `Vocab.rendering` ------------------------------


def _by_attr(text: str, attr: int, normal: Callable[[str], bytes]) -> bytes:
    if attr & _AS_IT_STANDS:
        return utf8(text)
    if attr & NORMAL:
        return normal(text)
    if attr & BYTE:
        return _byte_token(text)
    return b""  # UNUSED and UNDEFINED tokens stand for nothing


def _hex(text: str, attr: int) -> bytes:
    byte = hex_byte(text) if attr & BYTE else None
    return utf8(text) if byte is None else bytes((byte,))


def _unescape_space(text: str) -> bytes:
    return utf8(text.replace(SPACE, " "))


def _byte_token(text: str) -> bytes:
    """<0xNN>: strtol of the fourth and fifth bytes, so what is no number is 0."""
    digits = re.match(rb"\s?[+-]?[0-9A-Fa-f]+", utf8(text)[3:5])
    return bytes((int(digits[0], 16) & 0xFF if digits else 0,))


def _printable_to_bytes(text: str) -> bytes:
    try:
        return bytes([CHAR_TO_BYTE[char] for char in text])
    except KeyError:
        return b"".join(_printable_byte(char, text) for char in lenient(text))


def _printable_byte(char: str, text: str) -> bytes:
    """A byte; or llama.cpp's note that the character stands for none.

    The token's text is in each, so of a long one only the beginning is.
    """
    if char in CHAR_TO_BYTE:
        return bytes((CHAR_TO_BYTE[char],))
    code = char.encode("utf-8", "surrogatepass").hex().encode()
    return b"[UNK_BYTE_0x" + code + utf8(text[:_SHOWN]) + b"]"


_RENDERERS: dict[Rendering, Render] = {
    "spaces": lambda _, text, attr: _by_attr(text, attr, _unescape_space),
    "printable": lambda _, text, attr: _by_attr(text, attr, _printable_to_bytes),
    "raw": lambda _, text, attr: _by_attr(text, attr, utf8),
    "escaped": lambda _, text, attr: rwkv_unescape(text),
    "hex": lambda _, text, attr: _hex(text, attr),
    "bytes": lambda _, text, attr: utf8(text),
    "number": lambda token_id, text, attr: b"%x" % token_id,
}
