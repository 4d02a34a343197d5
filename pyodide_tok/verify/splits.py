"""Which pre-tokenizer the original has: told by where its tokens begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from pyodide_tok.pretokenize.splitting import Splitter
from pyodide_tok.pretokenize.table import PRE_TOKENIZERS, PreTokenizer
from pyodide_tok.text.codepoints import lenient
from pyodide_tok.tokenizer import Tokenizer
from pyodide_tok.verify.original import Original
from pyodide_tok.verify.repairs import Repair
from pyodide_tok.vocab.families import KEY

_LOOKED_AT = 200  # of the texts that differ, the shortest
_TRIED = 24  # of the pre-tokenizers, those that fit best


def other_pre_tokenizers(
    tokenizer: Tokenizer, original: Original, theirs: Mapping[str, Sequence[int]]
) -> Iterator[Repair]:
    """Repairs, one of which may hold: the pre-tokenizers whose words begin where the original's
    tokens do, in most texts.

    theirs: texts that differ -> the original's ids.
    """
    if not tokenizer.vocab.family.has_merges:
        return
    edges = dict(_edges(tokenizer, original, theirs))
    rows = _distinct(PRE_TOKENIZERS.get(tokenizer.pre))
    fits = {name: _fit(row, edges) for name, row in rows.items()}
    for name in sorted(rows, key=lambda name: fits[name], reverse=True)[:_TRIED]:
        yield Repair(
            "pre-tokenizer",
            f"The file names the pre-tokenizer {tokenizer.pre!r}; the original splits as"
            f" {name!r} does.",
            f"pyodide-tok fix MODEL OUT --pre {name}",
            {KEY + "pre": name},
        )


def _fit(row: PreTokenizer, edges: Mapping[str, set[int]]) -> tuple[int, int]:
    """In how many texts words begin only where tokens do, and how many words these have."""
    words = {text: _begins(row, text) for text in edges}
    fitting = [text for text in edges if words[text] <= edges[text]]
    return len(fitting), sum(len(words[text]) for text in fitting)


def _distinct(present: PreTokenizer | None) -> dict[str, PreTokenizer]:
    """One name for each pre-tokenizer other than `present`."""
    names: dict[str, PreTokenizer] = {}
    for name, row in PRE_TOKENIZERS.items():
        if row != present and row not in names.values():
            names[name] = row
    return names


def _edges(
    tokenizer: Tokenizer, original: Original, theirs: Mapping[str, Sequence[int]]
) -> Iterator[tuple[str, set[int]]]:
    """Texts without special tokens -> where the original's tokens begin, in bytes."""
    special = {token.token_id for token in original.added}
    for text in sorted(theirs, key=len)[:_LOOKED_AT]:
        known = [i for i in theirs[text] if i < tokenizer.n_vocab and i not in special]
        edges = list(accumulate((len(tokenizer.token_to_piece(i)) for i in known), initial=0))
        if edges[-1] == len(text.encode()):
            yield text, set(edges)


def _begins(row: PreTokenizer, text: str) -> set[int]:
    words = Splitter(row.stages, row.astral).words(lenient(text))
    return set(accumulate((len(word.encode()) for word in words), initial=0))
