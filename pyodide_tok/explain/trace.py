"""What `Tokenizer.explain` gives: how each word of a text was split, step by step.

A `Trace` has the fragments of the text, a fragment its words, a word its steps. Texts are as the
tokenizer reads them (spaces may be U+2581; byte-level BPE writes bytes as GPT-2's characters).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, is_dataclass
from itertools import chain
from typing import Any


@dataclass(frozen=True, slots=True)
class Merge:
    """Two neighbouring symbols became one (BPE by rank, the lowest first; SPM by score, the
    highest first; of equals the leftmost).

    position: index of the left one among the symbols of that moment. id: the token that the
    merged text is, if it is one. Of `rank` and `score` one is None.
    """

    position: int
    left: str
    right: str
    text: str
    id: int | None
    rank: int | None = None
    score: float | None = None
    kind: str = "merge"


@dataclass(frozen=True, slots=True)
class ByteFallback:
    """A symbol that is no token became its bytes (0..255).

    ids: the token of each byte, None for a byte that has none and is dropped.
    """

    position: int
    text: str
    bytes: tuple[int, ...]
    ids: tuple[int | None, ...]
    kind: str = "bytes"


@dataclass(frozen=True, slots=True)
class Match:
    """The longest token that begins at `position` (characters of the word; RWKV: bytes).

    tried: how many longer texts were looked up in vain (RWKV: how many bytes further the trie has
    a path). shorter: the tokens that begin there too, long to short. An id of None: none begins
    there.
    """

    position: int
    text: str
    id: int | None
    tried: int = 0
    shorter: tuple[int, ...] = ()
    kind: str = "match"


Step = Merge | ByteFallback | Match


@dataclass(frozen=True, slots=True)
class Pair:
    """Two symbols that were neighbours at some moment and that a rule joins.

    Of `rank` and `score` one is None. Neighbours without a `Pair` cannot merge.
    """

    left: str
    right: str
    rank: int | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Arc:
    """A token that fits in a word, from byte `start` to byte `end` of its UTF-8.

    ids and score: as in `Part`.
    """

    start: int
    end: int
    ids: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Part:
    """One step of a path. ids: several if a character became its bytes, none if it is dropped."""

    text: str
    ids: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Path:
    """One way to cut a word: Unigram's score, a sum of log-probabilities (the highest wins);
    PLaMo's cost (the lowest wins)."""

    parts: tuple[Part, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Word:
    """What is split on its own, and how: by `steps` from `symbols`, or as the best of all paths.

    runner_up: the best path but `best`, None if there is only one. note: "whole-word" (a token
    that needs no merging), "unknown" (the word has no tokens of its own), "too-long" (not
    explained, ids left out), or "". pairs: all neighbours that could merge at some moment.
    arcs: the tokens that all paths are made of.
    """

    text: str
    ids: tuple[int, ...]
    symbols: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    best: Path | None = None
    runner_up: Path | None = None
    note: str = ""
    pairs: tuple[Pair, ...] = ()
    arcs: tuple[Arc, ...] = ()


@dataclass(frozen=True, slots=True)
class FragmentTrace:
    """A stretch of the text: one special token that was cut out, or plain (`token` is None).

    start, end: in characters of the text. prefix: what was put before it (SPM: a space).
    """

    start: int
    end: int
    token: int | None
    prefix: str = ""
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """How a text became tokens.

    type: of the vocabulary (SPM, BPE, ...). before, after: the special tokens added around the
    text. note: "", or why the text is explained only in part (`complete` is false then).
    """

    type: str
    before: tuple[int, ...]
    fragments: tuple[FragmentTrace, ...]
    after: tuple[int, ...]
    note: str = ""

    @property
    def complete(self) -> bool:
        """Whether all of the text is explained."""
        return not self.note

    @property
    def words(self) -> tuple[Word, ...]:
        """The words of all fragments."""
        return tuple(chain.from_iterable(fragment.words for fragment in self.fragments))

    @property
    def ids(self) -> list[int]:
        """What `encode` gives; of a text explained in part, the beginning of that."""
        ids = list(self.before)
        for fragment in self.fragments:
            ids += [fragment.token] if fragment.token is not None else []
            ids += chain.from_iterable(word.ids for word in fragment.words)
        return ids + list(self.after) if self.complete else ids

    def as_dict(self) -> dict[str, Any]:
        """Dicts, lists, strings and numbers only; with `ids` and `complete`.

        A score that is no finite number is None, as JSON has no word for it.
        """
        plain: dict[str, Any] = _plain(self)
        return {**plain, "ids": self.ids, "complete": self.complete}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
