"""From token lengths to spans: where in the source each token lies, in bytes of UTF-8."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Span = tuple[int, int, int]  # id, start, end

NO_TOKEN = -1  # the id of bytes that no token stands for; llama.cpp may emit it, `encode` does not


class Lengths(dict[int, int]):
    """Token id -> bytes of the source that the token stands for, asked for once.

    They are of use where tokens cover a text one after the other: then their lengths add up to
    the text's. A token that stands for more or less than its own text must make the sum smaller.
    """

    def __init__(self, length: Callable[[int], int]) -> None:
        super().__init__()
        self._length = length

    def __missing__(self, token: int) -> int:
        length = self[token] = self._length(token)
        return length


def source_bytes(read_widths: Iterable[int], source_widths: Iterable[int]) -> list[int]:
    """For each byte of a text that was made of a source, and for its end, the byte of the source.

    Each character of the text has `read_widths` bytes, and was made of `source_widths` bytes of
    the source. A byte inside a character lies as far inside the source's character, if it can.
    """
    at = [0]
    for width, source_width in zip(read_widths, source_widths, strict=True):
        start = at[-1]
        at += (start + min(k, source_width) for k in range(1, width))
        at.append(start + source_width)
    return at


def moved(spans: Iterable[Span], at: list[int]) -> list[Span]:
    """Spans of a text as spans of its source; `at` is of `source_bytes`."""
    return [(token, at[start], at[end]) for token, start, end in spans]


def remap(
    tokens: Iterable[tuple[int, int]], read_widths: list[int], source_widths: list[int]
) -> list[Span]:
    """Spans in the source of (id, length) tokens, whose lengths are in bytes of a text made of it.

    The widths are those of `source_bytes`.
    """
    at = source_bytes(read_widths, source_widths)
    spans = []
    position = 0
    for token, length in tokens:
        spans.append((token, at[position], at[position + length]))
        position += length
    return spans
