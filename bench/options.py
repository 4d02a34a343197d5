"""How much is measured, and with what."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from bench.cases import TEXTS
from bench.v8 import Node


@dataclass(frozen=True, slots=True)
class Options:
    """Rounds and texts of a run; `words` narrow the cases down."""

    node: Node
    rounds: int
    texts: tuple[str, ...]
    words: list[str]
    quick: bool


def parser(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="2 rounds, 2 texts; a rough look")
    return parser


def options(node: Node, quick: bool, words: list[str]) -> Options:
    return Options(node, 2 if quick else 5, TEXTS[:2] if quick else TEXTS, words, quick)


def say(line: str) -> None:
    """Progress, apart from the report."""
    print(line, file=sys.stderr, flush=True)
