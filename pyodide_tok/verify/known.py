"""Where llama.cpp departs from Hugging Face's tokenizers by itself, whatever the file says.

A rule changes a text so that the departure cannot show. If both tokenizers agree on the changed
text, the rule explains the difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pyodide_tok.pretokenize.table import PRE_TOKENIZERS
from pyodide_tok.tokenizer import Tokenizer
from pyodide_tok.verify.original import Original
from pyodide_tok.vocab.families import KEY
from pyodide_tok.vocab.vocab import CONTROL, tokens_with

CONTROL_TYPE = 3  # llama_token_type
_ASCII_CASE = "(?![a-z])"  # how the table writes "a letter that is not ASCII lower case"


@dataclass(frozen=True, slots=True)
class Departure:
    """`without`: a text -> the text without what is treated differently."""

    code: str
    message: str
    without: Callable[[str], str]


def departures(tokenizer: Tokenizer, original: Original) -> Iterator[Departure]:
    """The departures that can concern this pair."""
    form = original.unicode_form
    if form and not tokenizer.vocab.flags.nfc:
        yield Departure(
            "normalizer",
            f"llama.cpp does not apply the original's {form} normalization.",
            lambda text: unicodedata.normalize(form, text),  # type: ignore[arg-type]
        )
    row = PRE_TOKENIZERS.get(tokenizer.pre)
    if row and any(_ASCII_CASE in getattr(stage, "text", "") for stage in row.stages):
        yield Departure(
            "pre-tokenizer",
            f"llama.cpp's pattern for {tokenizer.pre!r} tells upper and lower case apart in ASCII"
            " only, and does not keep marks with their letters.",
            _without(("Lu", "Ll", "Lt", "Mn", "Mc", "Me"), ascii_too=False),
        )
    if tokenizer.type in _MARKS:
        yield Departure("normalizer", *_MARKS[tokenizer.type])
    retyped = list(retyped_by_text(tokenizer))
    if retyped:
        inside = re.compile("|".join(map(re.escape, retyped)))
        yield Departure(
            "special-token",
            "llama.cpp takes ordinary tokens with certain texts for control tokens:"
            f" {', '.join(map(repr, retyped))}.",
            lambda text: inside.sub("", text),
        )
    strips = [token.text for token in original.added if token.strips]
    if strips:
        beside = re.compile(rf"\s*({'|'.join(map(re.escape, strips))})\s*")
        yield Departure(
            "special-token",
            "llama.cpp does not read lstrip, rstrip and single_word of added tokens.",
            lambda text: beside.sub(r"\1", text),
        )


def retyped_by_text(tokenizer: Tokenizer) -> Iterator[str]:
    """Ordinary tokens of the file that llama.cpp's loader makes control tokens, by their texts."""
    types: Any = tokenizer.gguf.metadata.get(KEY + "token_type")
    for i in tokens_with(tokenizer.vocab.attrs, CONTROL) if types is not None else ():
        if types[i] != CONTROL_TYPE:
            yield tokenizer.vocab.texts[i]


def _without(
    categories: tuple[str, ...], ranges: str = "", *, ascii_too: bool = True
) -> Callable[[str], str]:
    """Drops characters of these categories, decomposed or not, and those of `ranges`."""
    also = re.compile(f"[{ranges}]" if ranges else "(?!)")

    def concerned(char: str) -> bool:
        parts = "" if char.isascii() and not ascii_too else unicodedata.normalize("NFD", char)
        return any(unicodedata.category(part) in categories for part in parts)

    return lambda text: "".join(c for c in also.sub("", text) if not concerned(c))


_MARKS = {
    "WPM": (
        "llama.cpp removes combining marks of every kind and does not decompose Hangul; the"
        " original removes non-spacing marks only.",
        _without(("Mc", "Me"), "\u1100-\u11ff\uac00-\ud7a3"),
    ),
    "UGM": (
        "llama.cpp normalizes the longest match of the charsmap, the original one grapheme at a"
        " time.",
        _without(("Mn", "Mc", "Me")),
    ),
}
