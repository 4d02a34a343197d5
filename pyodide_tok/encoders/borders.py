"""Where a text can be cut so that its parts have the tokens of the whole, one after the other.

A border is known by the two characters beside it alone: no word, no merge and no special token
reaches over it, and what stands on one side changes nothing on the other. So a text of any length
can be read part by part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pyodide_tok.encoders.lines import newline_pairs
from pyodide_tok.pretokenize.table import (
    PreTokenizer,
    words_end_before_newlines,
    words_start_after_newlines,
)
from pyodide_tok.text.escapes import rwkv_unescape
from pyodide_tok.text.spaces import SPACE, has_space_inside
from pyodide_tok.vocab.vocab import LSTRIP, RSTRIP, SPECIAL, Vocab, tokens_with


def border_of(vocab: Vocab, pre: PreTokenizer | None) -> re.Pattern[str] | None:
    """A pattern of no width that matches at borders; not at all of them.

    None if no rule is known: then a text has to be read as a whole. `pre` is of BPE.
    SPM's and RWKV's borders hold as long as the text before them is UTF-8.
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
        """A rule for borders between what is no white space and `char`; "" if there are none."""
        if char in self.firsts:
            return ""
        joined = {pair[0] for pair in self.pairs if pair[1] == char}
        return rf"(?<=[^\s{SPACE}{_escaped(joined | self.lasts)}])(?={char})"


def _escaped(chars: Iterable[str]) -> str:
    return "".join(map(re.escape, sorted(chars)))


def _joined(vocab: Vocab, texts: Iterable[str] = ()) -> _Joined:
    """By the special tokens; and by the newlines in further texts."""
    attrs, all_texts = vocab.attrs, vocab.texts
    ids = tokens_with(attrs, SPECIAL)
    special = [all_texts[i] for i in ids]
    prefixed = vocab.type == "SPM" and vocab.flags.add_space_prefix  # comes after special tokens
    return _Joined(
        pairs={text[i : i + 2] for text in special for i in range(len(text) - 1)}
        | newline_pairs(texts),
        lasts={all_texts[i][-1] for i in ids if prefixed or attrs[i] & RSTRIP},
        firsts={all_texts[i][0] for i in ids if attrs[i] & LSTRIP},
    )


def _bpe(vocab: Vocab, pre: PreTokenizer | None) -> list[str]:
    if pre is None or pre.raw_words or vocab.model == "hybriddna":
        return []
    if words_end_before_newlines(pre):
        return [_joined(vocab).before("\n")]
    if vocab.model == "whitespace" or words_start_after_newlines(pre):
        return [_joined(vocab).after_newline()]
    return []


def _spm(vocab: Vocab, _: PreTokenizer | None) -> list[str]:
    joined = _joined(vocab, vocab.token_to_id)
    words = not has_space_inside(vocab.token_to_id)
    return [joined.after_newline(), joined.before(" ") if words else ""]


def _wpm(vocab: Vocab, _: PreTokenizer | None) -> list[str]:
    return [_joined(vocab).after_newline()]


def _rwkv(vocab: Vocab, _: PreTokenizer | None) -> list[str]:
    """Not where a token with a newline ends inside a character, or begins there."""
    try:
        texts = [data.decode() for data in map(rwkv_unescape, vocab.texts) if b"\n" in data]
    except UnicodeDecodeError:
        return []
    return [_joined(vocab, texts).after_newline()]


_Rules = Callable[[Vocab, PreTokenizer | None], list[str]]
_RULES: dict[str, _Rules] = {"BPE": _bpe, "SPM": _spm, "WPM": _wpm, "RWKV": _rwkv}
