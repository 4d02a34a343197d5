r"""Splitting a text into words by stages of patterns, with `re` (llama.cpp's unicode_regex_split).

Each stage splits every piece that the stages before it left, into its matches and the gaps between
them. A stage is a pattern in the dialect of llama.cpp's tables (`\p{L}` and so on, and `\s` for
its 25 code points), or a function for what a pattern would be slow at.

`re` is fast as long as classes stay within the BMP: an ASCII variant serves ASCII text, and
characters above U+FFFF are stood in for by one of their class, the words being cut from the text
itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

from pyodide_tok.text.codepoints import category, class_ranges


@dataclass(frozen=True, slots=True)
class Pattern:
    """A stage that is a regular expression; `covers`: it matches any text without gaps."""

    text: str
    covers: bool = False


Split = Callable[[str], list[str]]
Stage = Pattern | Callable[[bool], Split]
AstralRanges = tuple[tuple[int, int, str], ...]  # first, last, stand-in


_ASCII_CLASSES = {
    "L": "A-Za-z",
    "N": "0-9",
    "M": "",
    "P": r"!-#%-*,-/:;?@\[-\]_{}",
    "S": "$+<->^`|~",
    "W": "\\t-\\r ",
}
_DIALECT = re.compile(r"\\p\{(\w)\}|(\\[sS])|\\.|\[\^?|\]|.", re.DOTALL)


def expand(pattern: str, ascii_only: bool) -> str:
    r"""A pattern of the dialect as a pattern for `re`: `\p{..}`, `\s` and `\S` become ranges."""
    inside = False
    out = []
    for match in _DIALECT.finditer(pattern):
        token, name, space = match[0], match[1], match[2]
        if name or space:
            token = _class(name or "W", ascii_only, inside, negated=space == "\\S")
        elif token[0] == "[" and not inside:
            inside = True
        elif token == "]":
            inside = False
        out.append(token)
    return "".join(out)


def _class(name: str, ascii_only: bool, inside: bool, negated: bool) -> str:
    ranges = _ASCII_CLASSES[name] if ascii_only else class_ranges(name)
    if inside:
        return ranges
    if not ranges:
        return "(?:(?!))"
    return f"[^{ranges}]" if negated else f"[{ranges}]"


def _compile(stage: Stage, ascii_only: bool) -> Split:
    if not isinstance(stage, Pattern):
        return stage(ascii_only)
    pattern = expand(stage.text, ascii_only)
    if stage.covers:
        return re.compile(pattern).findall
    split = re.compile(f"({pattern})").split
    return lambda text: [part for part in split(text) if part]


@cache
def _compiled(stages: tuple[Stage, ...], ascii_only: bool) -> Split:
    first, *rest = [_compile(stage, ascii_only) for stage in stages]
    if not rest:
        return first

    def split(text: str) -> list[str]:
        words = first(text)
        for stage in rest:
            words = [word for piece in words for word in stage(piece)]
        return words

    return split


_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
# BMP characters of each class that stand in no explicit range of any pattern above
_STAND_INS = {"L": "\u05d0", "N": "\u0660", "M": "\u0300", "P": "\u00a1", "S": "\u00a9"}
_OTHER = "\u0378"
_MOST_STAND_INS = 1 << 15


class _StandIns(dict[str, str]):
    """Astral character -> a BMP character that every pattern treats alike."""

    def __init__(self, ranges: AstralRanges) -> None:
        super().__init__()
        self._ranges = ranges

    def __missing__(self, char: str) -> str:
        point = ord(char)
        listed = (c for first, last, c in self._ranges if first <= point <= last)
        stand_in = next(listed, None) or _STAND_INS.get(category(point), _OTHER)
        if len(self) >= _MOST_STAND_INS:
            self.clear()
        self[char] = stand_in
        return stand_in


class Splitter:
    """Splits a text (code points, as of `codepoints.lenient`) into the words of a pre-tokenizer.

    The words joined are the text. astral: None for stages that see characters above U+FFFF
    themselves, not their stand-ins.
    """

    __slots__ = ("_stages", "_stand_ins")

    def __init__(self, stages: tuple[Stage, ...], astral: AstralRanges | None) -> None:
        self._stages = stages
        self._stand_ins = None if astral is None else _StandIns(astral)

    def words(self, text: str) -> list[str]:
        if text.isascii():
            return _compiled(self._stages, True)(text)
        split = _compiled(self._stages, False)
        stand_ins = self._stand_ins
        if stand_ins is None or not _ASTRAL.search(text):
            return split(text)
        words = split(_ASTRAL.sub(lambda match: stand_ins[match[0]], text))
        return [text[a:b] for a, b in pairwise(accumulate(map(len, words), initial=0))]


# -- stages that are functions ------------------------------------------------------------


def right_aligned_digits(ascii_only: bool) -> Split:
    r"""Runs of `\p{N}` in groups of three from the right (afmoe).

    What stands before a run stays with its first group, as in llama.cpp.
    """
    runs = re.compile("(" + expand(r"\p{N}+", ascii_only) + ")")

    def split(text: str) -> list[str]:
        *parts, end = runs.split(text)
        words: list[str] = []
        for gap, digits in zip(parts[::2], parts[1::2], strict=True):
            head, *rest = filter(None, _groups(digits))
            words += [gap + head, *rest]
        return [*words, end] if end else words

    return split


def _groups(digits: str) -> list[str]:
    first = len(digits) % 3
    return [digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3))]


def cut_before_thousands(ascii_only: bool) -> Split:
    r"""`(?=(\d{3})+(?!\d))` of superbpe: cuts where 3, 6, 9... ASCII digits are left."""
    runs = re.compile("([0-9]{3,})")

    def split(text: str) -> list[str]:
        words: list[str] = []
        open_word = ""
        for i, part in enumerate(runs.split(text)):
            if i % 2 == 0:
                open_word += part
                continue
            head, *rest = _groups(part)
            words += filter(None, [open_word + head, *rest[:-1]])
            open_word = rest[-1]
        return [*words, open_word] if open_word else words

    return split
