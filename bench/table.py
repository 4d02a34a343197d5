"""Markdown tables that read well in a terminal too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with its columns padded to equal width; numbers stand at the right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * width for width in widths]
    return "\n".join(_line(line, widths) for line in (lines[0], rule, *lines[1:]))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"


def section(title: str, *parts: str) -> str:
    return "\n\n".join((f"## {title}", *filter(None, parts)))


def verdict(ratio: float, target: float | None) -> str:
    """Whether a target is reached, or what share of it."""
    if target is None:
        return ""
    return "yes" if ratio >= target else f"no, {ratio / target:.0%} of it"
