"""Which pre-tokenizer a BPE file gets: the one it names, another name, or a user's patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

from pyodide_tok.errors import (
    Notice,
    OptionalDependencyError,
    TokError,
    UnknownPreTokenizerError,
    find_module,
)
from pyodide_tok.pretokenize.splitting import Split, Stage, expand
from pyodide_tok.pretokenize.table import NO_LINES, PRE_TOKENIZERS, PreTokenizer, pre_tokenizer
from pyodide_tok.vocab.families import FAMILIES

_PLAIN = PreTokenizer(())
_ASTRAL = re.compile("[\U00010000-\U0010ffff]|\\\\[UN]")


class PatternError(TokError, ValueError):
    """A pattern of `pre_patterns` cannot be used; `pattern` is which."""

    code = "pattern-invalid"

    def __init__(self, message: str, pattern: str = "") -> None:
        super().__init__(message)
        self.pattern = pattern


def choose_pre(
    metadata: Mapping[str, Any], model: str, name: str | None, patterns: Sequence[str] | None
) -> tuple[tuple[Notice, ...], str, PreTokenizer | None]:
    """Notices, name and pre-tokenizer of a BPE file; `name` and `patterns` are the user's wish.

    Patterns take the place of the named pre-tokenizer's own, whose flags stay.
    """
    if name is not None and not isinstance(name, str):
        raise UnknownPreTokenizerError(f"pre= is a str, not a {type(name).__name__}")
    family = FAMILIES[model]
    if not family.has_merges:
        if patterns is not None:
            raise PatternError(f"pre_patterns= is for BPE; this is {family.name}")
        return (), "", None
    wanted = name or family.forced_pre or str(metadata.get("tokenizer.ggml.pre", ""))
    if patterns is not None:
        base = pre_tokenizer(name) if name else PRE_TOKENIZERS.get(wanted, _PLAIN)
        return (), wanted or "custom", with_patterns(base, patterns)
    if wanted:
        return (), wanted, pre_tokenizer(wanted)
    message = "tokenizer.ggml.pre is missing; 'default' is used, and ids may be wrong for the model"
    return (Notice("missing-pre", message),), "default", pre_tokenizer("default")


def with_patterns(base: PreTokenizer, patterns: Sequence[str]) -> PreTokenizer:
    r"""A pre-tokenizer that splits by these patterns, one stage each.

    A stage cuts every piece that the stages before it left at both ends of each match. PyPI's
    `regex` runs them if it is installed; else `re`, with `\p{L}`, `\p{N}`, `\p{M}`, `\p{P}` and
    `\p{S}`. Raises `PatternError`, and `OptionalDependencyError` for what is beyond `re`.
    """
    if (
        not isinstance(patterns, list | tuple)
        or not patterns
        or not all(isinstance(p, str) for p in patterns)
    ):
        raise PatternError("pre_patterns= is a list of one or more patterns, each a str")
    regex = find_module("regex")
    stages = tuple(_with_regex(regex, p) if regex else _with_re(p) for p in patterns)
    # `regex` sees the text itself, `re` stand-ins for what is above U+FFFF
    astral = None if regex else ()
    unknown = {"lines": NO_LINES, "cut_at_spaces": False, "metaspace_words": False}
    return replace(base, stages=stages, astral=astral, **unknown)  # type: ignore[arg-type]


def _with_regex(regex: Any, pattern: str) -> Stage:
    try:
        split = _splitter(regex.compile(pattern))
    except regex.error as error:
        raise PatternError(f"pattern {pattern!r}: {error}", pattern) from error
    return lambda ascii_only: split


def _with_re(pattern: str) -> Stage:
    if _ASTRAL.search(pattern):
        raise _beyond(pattern, "characters above U+FFFF")
    try:
        splits = [
            _splitter(re.compile(expand(pattern, ascii_only))) for ascii_only in (False, True)
        ]
    except re.error as error:
        raise _beyond(pattern, str(error)) from error
    return lambda ascii_only: splits[ascii_only]


def _beyond(pattern: str, what: str) -> OptionalDependencyError:
    return OptionalDependencyError(
        f"pattern {pattern!r} is wrong, or more than Python's re can do ({what});"
        " for more: pip install 'pyodide-tok[regex]'"
    )


def _splitter(pattern: Any) -> Split:
    def split(text: str) -> list[str]:
        edges = chain.from_iterable(match.span() for match in pattern.finditer(text))
        return [text[a:b] for a, b in pairwise((0, *edges, len(text))) if a < b]

    return split
