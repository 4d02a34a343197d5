r"""Where a text or a word can be cut without changing its ids: where nothing joins two characters.

A token covers, and a merge makes, neighbouring characters; between two characters that no token
(or no merge) has side by side there is always a border. The parts repeat where texts and words do
not: a Chinese word of BPE is an entire clause, but most of its characters are in no merge with
their neighbours.

In byte-level BPE a merge reaches over the border of two characters if its left symbol ends with
the first, or with a tail of it, and its right one starts with the second, or with a head of it.
Merges of whole characters are known by the two characters. For the few merges that have a part of
a character, the two bytes at the border are kept. Borders with ASCII are left uncut.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Set
from dataclasses import dataclass
from itertools import compress, count, islice, pairwise
from operator import add

from pyodide_tok.pretokenize.table import PreTokenizer
from pyodide_tok.text.codepoints import BYTE_TO_CHAR
from pyodide_tok.text.escapes import rwkv_unescape
from pyodide_tok.text.spaces import BETWEEN_TOKENS, SPACE, has_space_inside
from pyodide_tok.text.utf8 import ESCAPED
from pyodide_tok.vocab.vocab import LSTRIP, RSTRIP, SPECIAL, Vocab, tokens_with

__all__ = [
    "FIRST_ASIAN",
    "Boundaries",
    "between_byte_merges",
    "between_merges",
    "between_tokens",
    "between_words",
    "border_of",
    "line_pattern",
    "newline_pairs",
    "pairs_of",
]

_MOST = 1 << 16  # pairs that are remembered, as Memo bounds words
_MANY = 1 << 12  # texts that are joined into one
FIRST_ASIAN = "\u0e00"  # scripts without spaces are from here on, and U+2581
_ASIAN = re.compile(f"[{FIRST_ASIAN}-\U0010ffff]{{2,}}")
_BREAKS = " \n"  # characters that begin a chunk unless a token has them after the one before
_END, _SPACE = "\0", "\1"  # of merges and of their left halves, as bytes
_TO_BYTES = codecs.charmap_build("\0 " + BYTE_TO_CHAR[2:])  # quick with a NUL in front
_BYTE_BORDERS = re.compile(rf"{_SPACE}(?<=([^\0-\x7f]){_SPACE})([^\0-\x7f])")
_BORDERS = re.compile("[^ ] [^ ]", re.DOTALL)


class Boundaries(dict[str, bool]):
    """`boundaries[a + b]`: whether a text can be cut between the characters a and b.

    joined: the pairs that something has side by side. may_cut: asked of every other pair.
    A full table is emptied, and fills again with the pairs that are in use now.
    """

    def __init__(self, joined: Set[str], may_cut: Callable[[str], bool] | None = None) -> None:
        super().__init__()
        self.joined = joined
        self._may_cut = may_cut

    def __missing__(self, pair: str) -> bool:
        may_cut = self._may_cut
        cut = pair not in self.joined and (may_cut is None or may_cut(pair))
        if len(self) >= _MOST:
            self.clear()
        self[pair] = cut
        return cut

    def places(self, text: str) -> Iterator[int]:
        """Where the text can be cut, in order; neither its start nor its end."""
        pairs = map(add, text, islice(text, 1, None))
        return compress(count(1), map(self.__getitem__, pairs))

    def parts(self, text: str) -> list[str]:
        """The text in the parts that can be encoded one by one."""
        return [text[a:b] for a, b in pairwise((0, *self.places(text), len(text)))]

    def before(self, char: str) -> set[str]:
        """The characters that something has right before `char`."""
        return {pair[0] for pair in self.joined if pair[1] == char}

    def lines(self) -> re.Pattern[str]:
        """Matches chunks of lines, the largest parts of a text that are worth remembering."""
        return line_pattern(pair for pair in self.joined if "\n" in pair)

    def chunks(self) -> re.Pattern[str]:
        """Matches chunks, quicker to find than `parts` and often longer.

        A chunk goes on while characters follow that are second in some pair and first in another,
        or a break that something has after the character before it. Only one path through the
        pattern matches, so it never backtracks.
        """
        first = {pair[0] for pair in self.joined}
        second = {pair[1] for pair in self.joined}.difference(_BREAKS)
        inner, last = _class(first & second), _class(second - first)
        breaks = "".join(f"|(?<={_class(self.before(char))}){char}" for char in _BREAKS)
        return re.compile(f"(?s:{_class(first)}(?:{inner}++{breaks})*+{last}?|.)")


# -- from what a vocabulary has ---------------------------------------------------------------


def between_tokens(texts: Iterable[str]) -> Boundaries:
    """For anything that finds or makes tokens."""
    return Boundaries(pairs_of(texts))


def between_merges(merges: Collection[str]) -> Boundaries:
    """For merges as they stand in a file, "left right", of characters."""
    borders: set[str] = set()
    for joined in _joined(merges):
        borders.update(_BORDERS.findall(joined))
    return Boundaries({border[0] + border[2] for border in borders})


def between_byte_merges(merges: Collection[str]) -> Boundaries:
    """For merges of GPT-2's printable characters, which stand for bytes.

    Other characters occur in no word, so their merges do not matter: each may stand for any byte.
    """
    borders: set[tuple[str, str]] = set()
    for joined in _joined(merges):
        data, _ = codecs.charmap_encode(joined, "replace", _TO_BYTES)
        borders.update(_BYTE_BORDERS.findall(data.decode("utf-8", "surrogateescape")))
    parts = {(a, b) for a, b in borders if ESCAPED.match(a) or ESCAPED.match(b)}
    loose = {_edges(a, b, "surrogateescape") for a, b in parts}

    def may_cut(pair: str) -> bool:
        left, right = pair[0], pair[1]
        if left.isascii() or right.isascii():
            return False
        return _edges(left, right, "surrogatepass") not in loose

    return Boundaries({a + b for a, b in borders - parts}, may_cut)


def between_words(tokens: Collection[str], space: str) -> Boundaries:
    """Before a space, and between characters from U+0E00 on; other words are short."""
    runs = (run for joined in _joined(tokens) for run in _ASIAN.findall(joined))
    spaced = (token for token in tokens if token.rfind(space) > 0)
    joined = pairs_of(runs) | {pair for pair in pairs_of(spaced) if pair[1] == space}
    return Boundaries(joined, lambda pair: pair[1] == space or min(pair) >= FIRST_ASIAN)


def pairs_of(texts: Iterable[str]) -> set[str]:
    """All pairs of neighbouring characters in the texts."""
    texts = list(texts)
    pairs: set[str] = set()
    for joined in _joined(texts):
        pairs.update(map(add, joined, joined[1:]))
    pairs = {pair for pair in pairs if _END not in pair}
    for text in texts:
        if _END in text:  # hardly ever: the file's strings end there
            pairs.update(map(add, text, text[1:]))
    return pairs


def _joined(texts: Iterable[str]) -> Iterator[str]:
    """The texts, many in one; not all, as so much memory takes time."""
    rest = iter(texts)
    while some := list(islice(rest, _MANY)):
        yield _END.join(some)


def _edges(left: str, right: str, errors: str) -> bytes:
    return left.encode("utf-8", errors)[-1:] + right.encode("utf-8", errors)[:1]


# -- lines ------------------------------------------------------------------------------------


def line_pattern(pairs: Iterable[str]) -> re.Pattern[str]:
    """Cuts a text before newlines, or after them, wherever the two characters are no pair.

    pairs: those of a newline and another character that something has side by side.
    """
    pairs = set(pairs)
    before = _class(pair[0] for pair in pairs if pair[0] != "\n")
    after = _class(pair[1] for pair in pairs if pair[1] != "\n")
    return re.compile(rf"\n*[^\n]+(?:(?<={before})\n+(?:(?={after})[^\n]+)?)*|\n+")


def newline_pairs(texts: Iterable[str]) -> set[str]:
    """The pairs of a newline and another character in some of the texts."""
    joined = BETWEEN_TOKENS.join(texts)
    pairs = re.findall(rf"(?=(\n[^\n{BETWEEN_TOKENS}]|[^\n{BETWEEN_TOKENS}]\n))", joined)
    return set(pairs)


def _class(chars: Iterable[str]) -> str:
    inside = "".join(map(re.escape, sorted(set(chars))))
    return f"[{inside}]" if inside else r"[^\s\S]"


# -- of texts ---------------------------------------------------------------------------------


def border_of(vocab: Vocab, pre: PreTokenizer | None) -> re.Pattern[str] | None:
    """A pattern of zero width that matches where a text can be cut; not at every such place.

    No word, no merge and no special token reaches over a border, and the text on one side changes
    nothing on the other, so a text of any length can be read part by part. The two characters
    beside it identify a border. None if no rule is known: the text is read at once then. `pre` is
    for BPE. SPM's and RWKV's borders hold while the text before them is UTF-8.
    """
    if vocab.flags.nfc or vocab.flags.prepend_first or vocab.type not in _RULES:
        return None
    rules = list(filter(None, _RULES[vocab.type](vocab, pre)))
    return re.compile("|".join(rules)) if rules else None


@dataclass(frozen=True, slots=True)
class _Joined:
    """What keeps together: pairs of characters, and what no border may come after or before."""

    pairs: set[str]
    lasts: set[str]
    firsts: set[str]

    def after_newline(self) -> str:
        """A rule for borders between a newline and what is no white space; "" if there are none."""
        if "\n" in self.lasts:
            return ""
        joined = {pair[1] for pair in self.pairs if pair[0] == "\n"}
        return rf"(?<=\n)(?=[^\s{SPACE}/{_escaped(joined | self.firsts)}])"

    def before(self, char: str) -> str:
        """A rule for borders between characters that are not white space and `char`."""
        joined = {pair[0] for pair in self.pairs if pair[1] == char}
        return rf"(?<=[^\s{SPACE}{_escaped(joined | self.lasts)}])(?={char})"


def _escaped(chars: Iterable[str]) -> str:
    return "".join(map(re.escape, sorted(chars)))


def _joined_by_specials(vocab: Vocab, texts: Iterable[str] = ()) -> _Joined:
    """By the special tokens; and by the newlines in further texts."""
    attrs, all_texts = vocab.attrs, vocab.texts
    ids = tokens_with(attrs, SPECIAL)
    special = [all_texts[i] for i in ids]
    return _Joined(
        pairs={text[i : i + 2] for text in special for i in range(len(text) - 1)}
        | newline_pairs(texts),
        lasts={all_texts[i][-1] for i in ids if attrs[i] & RSTRIP},
        firsts={all_texts[i][0] for i in ids if attrs[i] & LSTRIP},
    )


def _bpe(vocab: Vocab, pre: PreTokenizer | None) -> list[str]:
    preparation = vocab.family.preparation
    if pre is None or vocab.flags.raw_words or preparation == "dna":
        return []
    if pre.lines.before:
        return [_joined_by_specials(vocab).before("\n")]
    if preparation == "whitespace" or pre.lines.after:
        return [_joined_by_specials(vocab).after_newline()]
    return []


def _spm(vocab: Vocab, _: PreTokenizer | None) -> list[str]:
    joined = _joined_by_specials(vocab, vocab.token_to_id)
    words = not has_space_inside(vocab.token_to_id)
    return [joined.after_newline(), joined.before(" ") if words else ""]


def _wpm(vocab: Vocab, _: PreTokenizer | None) -> list[str]:
    return [_joined_by_specials(vocab).after_newline()]


def _rwkv(vocab: Vocab, _: PreTokenizer | None) -> list[str]:
    """Not where a token with a newline ends inside a character, or begins there."""
    try:
        texts = [data.decode() for data in map(rwkv_unescape, vocab.texts) if b"\n" in data]
    except UnicodeDecodeError:
        return []
    return [_joined_by_specials(vocab, texts).after_newline()]


_Rules = Callable[[Vocab, PreTokenizer | None], list[str]]
_RULES: dict[str, _Rules] = {"BPE": _bpe, "SPM": _spm, "WPM": _wpm, "RWKV": _rwkv}
