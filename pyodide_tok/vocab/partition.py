"""A text -> plain fragments and special tokens (llama.cpp's `tokenizer_st_partition`).

Special tokens are matched longest text first, and each from left to right in what is still plain:
not leftmost first. LSTRIP and RSTRIP tokens swallow the white space beside them.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

from pyodide_tok.text.prefixes import Beginnings
from pyodide_tok.text.utf8 import byte_text, char_positions, from_utf8, is_utf8, utf8
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
    """A stretch of the text: plain (`token` is None) or one special token.

    start, end: in characters of the text; one that a token is part of counts on both sides. text:
    what encodes to the fragment's tokens, with the bytes of such a character escaped. gap: how
    many bytes of white space before it a special token swallowed.
    """

    start: int
    end: int
    token: int | None
    text: str
    gap: int = 0


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
        if matcher is None:
            return [Fragment(0, len(text), None, text)]
        if self.cuts_characters and not text.isascii():
            return _in_characters(text, matcher.of_bytes)
        return list(_fill(matcher.find(text), text))

    @cached_property
    def cuts_characters(self) -> bool:
        """Whether a special token is not UTF-8, so that it can match a part of a character."""
        attrs, texts = self._vocab.attrs, self._vocab.texts
        return not is_utf8("".join([texts[i] for i in tokens_with(attrs, SPECIAL)]))

    @cached_property
    def _all(self) -> _Matcher | None:
        return self._matcher(0)

    @cached_property
    def _user_defined(self) -> _Matcher | None:
        return self._matcher(CONTROL | UNKNOWN)

    def _matcher(self, ignored: int) -> _Matcher | None:
        attrs, texts = self._vocab.attrs, self._vocab.texts
        tokens = [i for i in tokens_with(attrs, SPECIAL) if not attrs[i] & ignored]
        if len({texts[i] for i in tokens}) < len(tokens):  # the first in order takes all matches
            tokens.sort(key=self._order.__getitem__)
        ids = {texts[i]: i for i in reversed(tokens)}
        return _Matcher(self._vocab, ids, lambda: self._order) if tokens else None

    @cached_property
    def _order(self) -> dict[int, int]:
        """Token -> its turn, as llama.cpp takes them: the longest first, equals as they fall."""
        tokens = tokens_with(self._vocab.attrs, SPECIAL)
        order = longest_first([len(utf8(self._vocab.texts[i])) for i in tokens])
        return {tokens[place]: turn for turn, place in enumerate(order)}


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    token: int
    swallowed_start: int
    swallowed_end: int


def _fill(found: list[_Found], text: str) -> Iterator[Fragment]:
    """The found tokens, and the plain fragments between them."""
    plain = at = 0  # the end of the match before: with the white space it swallowed, and without
    for match in found:
        if plain < match.swallowed_start:
            yield _fragment(text, plain, match.swallowed_start, None, at)
            at = match.swallowed_start
        yield _fragment(text, match.start, match.end, match.token, at)
        plain, at = match.swallowed_end, match.end
    if plain < len(text):
        yield _fragment(text, plain, len(text), None, at)


def _fragment(text: str, start: int, end: int, token: int | None, at: int) -> Fragment:
    return Fragment(start, end, token, text[start:end], start - at)


def _in_characters(text: str, matcher: _Matcher) -> list[Fragment]:
    """The fragments of a text whose bytes, one character each, `matcher` searches."""
    data = byte_text(text)
    found = list(_fill(matcher.find(data), data))
    starts, ends = (array("I", [getattr(f, side) for f in found]) for side in ("start", "end"))
    places = zip(*char_positions(text, starts, ends), strict=True)
    return [
        Fragment(start, end, f.token, from_utf8(f.text.encode("latin-1")), f.gap)
        for f, (start, end) in zip(found, places, strict=True)
    ]


class _Matcher:
    """Longest match first over a fixed set of special tokens: `ids` by the texts to search for."""

    def __init__(
        self, vocab: Vocab, ids: dict[str, int], order: Callable[[], dict[int, int]]
    ) -> None:
        self._vocab = vocab
        self._ids = ids
        self._order = order
        self._size = {text: len(utf8(vocab.texts[token])) for text, token in ids.items()}
        self._beginnings = Beginnings(ids)
        self._candidates = _candidates(ids)

    @cached_property
    def of_bytes(self) -> _Matcher:
        """The matcher of texts that are bytes, one character each."""
        ids = {byte_text(text): token for text, token in self._ids.items()}
        return _Matcher(self._vocab, ids, self._order)

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
        order = self._order()
        return lambda text: order[self._ids[text]]

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
        attr, length = self._vocab.attrs[token], len(token_text)
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
