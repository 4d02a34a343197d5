"""A text -> plain fragments and special tokens (llama.cpp's `tokenizer_st_partition`).

Special tokens are matched longest text first, and each from left to right in what is still plain:
not leftmost first. LSTRIP and RSTRIP tokens swallow the white space beside them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

from pyodide_tok.text.prefixes import Beginnings
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.cpp_order import longest_first
from pyodide_tok.vocab.vocab import (
    CONTROL,
    LSTRIP,
    RSTRIP,
    SPECIAL,
    UNKNOWN,
    Vocab,
    tokens_with,
)

_SPACES = " \t\n\v\f\r"  # C's isspace
_ASTRAL = "\U00010000-\U0010ffff"
_FEW = 32  # first characters; each is one way more for `re` to try


@dataclass(frozen=True, slots=True)
class Fragment:
    """A stretch of the text, in characters: plain (`token` is None) or one special token."""

    start: int
    end: int
    token: int | None


class Partition:
    """Finds the special tokens of a vocabulary in texts.

    A place is looked at only if two characters there start a token, and then by hash lookups, so
    the time does not grow with the number of special tokens.
    """

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab

    def split(self, text: str, parse_special: bool) -> list[Fragment]:
        """The fragments of `text` in order; white space that a token swallows is in none.

        `parse_special=False` still finds USER_DEFINED tokens.
        """
        if not text:
            return []
        matcher = self._all if parse_special else self._user_defined
        found = matcher.find(text) if matcher else []
        return list(_fill(found, len(text)))

    @cached_property
    def _all(self) -> _Matcher | None:
        return self._matcher(0)

    @cached_property
    def _user_defined(self) -> _Matcher | None:
        return self._matcher(CONTROL | UNKNOWN)

    def _matcher(self, ignored: int) -> _Matcher | None:
        attrs = self._vocab.attrs
        tokens = [i for i in tokens_with(attrs, SPECIAL) if not attrs[i] & ignored]
        return _Matcher(self._vocab, tokens, lambda: self._order) if tokens else None

    @cached_property
    def _order(self) -> dict[str, int]:
        """Text -> its turn, as llama.cpp takes them: the longest first, equals as they fall."""
        texts = [self._vocab.texts[i] for i in tokens_with(self._vocab.attrs, SPECIAL)]
        order = longest_first([len(utf8(text)) for text in texts])
        return {texts[place]: turn for turn, place in enumerate(order)}


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    token: int
    swallowed_start: int
    swallowed_end: int


def _fill(found: list[_Found], length: int) -> Iterator[Fragment]:
    """The found tokens, and the plain fragments between them."""
    plain = 0
    for match in found:
        if plain < match.swallowed_start:
            yield Fragment(plain, match.swallowed_start, None)
        yield Fragment(match.start, match.end, match.token)
        plain = match.swallowed_end
    if plain < length:
        yield Fragment(plain, length, None)


class _Matcher:
    """Longest match first over a fixed set of special tokens."""

    def __init__(
        self, vocab: Vocab, tokens: list[int], order: Callable[[], dict[str, int]]
    ) -> None:
        self._attrs = vocab.attrs
        self._order = order
        self._ids = {vocab.texts[token]: token for token in reversed(tokens)}
        self._size = {text: len(utf8(text)) for text in self._ids}
        self._beginnings = Beginnings(self._ids)
        self._candidates = _candidates(self._ids)

    def find(self, text: str) -> list[_Found]:
        """The special tokens in `text`, ordered by position.

        Every place where some token starts is noted under the longest that does; a place whose
        longest is blocked by a token claimed before is noted again under the next shorter one.
        """
        places: dict[str, list[int]] = {}
        for match in self._candidates.finditer(text):
            longest = self._beginnings.longest(text, match.start())
            if longest is not None:
                places.setdefault(longest, []).append(match.start())
        if not places:
            return []
        turn = self._turns(places)
        claimed = bytearray(len(text))
        found: list[_Found] = []
        queue = [(turn(token_text), token_text) for token_text in places]
        heapify(queue)
        while queue:
            _, token_text = heappop(queue)
            starts = places.pop(token_text)
            blocked = self._claim(text, token_text, sorted(starts), claimed, found)
            shorter = self._beginnings.shorter(token_text)
            if blocked and shorter is not None:
                if shorter not in places:
                    heappush(queue, (turn(shorter), shorter))
                places.setdefault(shorter, []).extend(blocked)
        return sorted(found, key=lambda match: match.start)

    def _turns(self, texts: Iterable[str]) -> Callable[[str], int]:
        """What to take first: the longest; llama.cpp's order is asked only if some are equal."""
        may_come = set(texts)
        for text in texts:
            while (shorter := self._beginnings.shorter(text)) is not None:
                may_come.add(shorter)
                text = shorter
        if len({self._size[text] for text in may_come}) == len(may_come):
            return lambda text: -self._size[text]
        return self._order().__getitem__

    def _claim(
        self,
        text: str,
        token_text: str,
        starts: list[int],
        claimed: bytearray,
        found: list[_Found],
    ) -> list[int]:
        """Claims what is free; returns the starts that are free, but not for the whole token."""
        token = self._ids[token_text]
        attr, length = self._attrs[token], len(token_text)
        blocked = []
        for start in starts:
            end = start + length
            if claimed[start]:
                continue
            if claimed.count(1, start, end):
                blocked.append(start)
                continue
            low, high = start, end
            if attr & LSTRIP:
                while low and not claimed[low - 1] and text[low - 1] in _SPACES:
                    low -= 1
            if attr & RSTRIP:
                while high < len(text) and not claimed[high] and text[high] in _SPACES:
                    high += 1
            claimed[low:high] = b"\1" * (high - low)
            found.append(_Found(start, end, token, low, high))
        return blocked


def _candidates(texts: Iterable[str]) -> re.Pattern[str]:
    """Matches the first character of every place where a token may start.

    Of few first characters it is asked too what comes second.
    """
    seconds: dict[str, set[str]] = {}
    for text in texts:
        seconds.setdefault(text[0], set()).add(text[1:2])
    if len(seconds) > _FEW:
        return re.compile(_class(seconds))
    return re.compile(
        "|".join(
            re.escape(first) + (f"(?={_class(second)})" if "" not in second else "")
            for first, second in seconds.items()
        )
    )


def _class(chars: Iterable[str]) -> str:
    """A class for `re`; characters above U+FFFF, at which it is slow, are all in it or none."""
    inside = {char if char <= "\uffff" else _ASTRAL for char in chars}
    return f"[{''.join(_ASTRAL if char == _ASTRAL else re.escape(char) for char in inside)}]"
