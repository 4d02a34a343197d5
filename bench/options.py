"""How much is measured, and with what."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from bench.cases import TEXTS
from bench.v8 import Node


@dataclass(frozen=True, slots=True)
class Options:
    """Rounds and texts of a run; `words` narrow the cases of speed and load down."""

    node: Node
    quick: bool
    rounds: int
    texts: tuple[str, ...]
    words: list[str]


def options(node: Node, quick: bool, words: list[str]) -> Options:
    if quick:
        return Options(node, quick, 2, TEXTS[:2], words)
    return Options(node, quick, 5, TEXTS, words)


def parser(description: str) -> argparse.ArgumentParser:
    """The command line of `python -m bench`."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=form)
    parser.add_argument("--quick", action="store_true", help="2 rounds, 2 texts: a rough look")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    return parser


def say(line: str) -> None:
    """Progress, apart from the report."""
    print(line, file=sys.stderr, flush=True)
