"""Load: from a GGUF file to the ids of a short text."""

from __future__ import annotations

import gc
import importlib.util
from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench import texts
from bench.cases import LOADS, Load
from bench.clock import WORDS, now
from bench.options import Options, say
from bench.table import section, table, verdict
from pyodide_tok import Tokenizer
from tests import llama_ref

SHORT = "Hello, 世界! 🙂"  # as in v8.mjs
NOTE = """\
From a GGUF file to the ids of a short text, each time anew: their {clock} / ours, medians of
{rounds} in turns. llama.cpp loads with `vocab_only`. gguf is llama.cpp's package for Python: it
makes no ids, its part is to read the file and make lists of the tokens and merges."""
HEAD = ("ours runs", "peer", "vocabulary", "theirs, ms", "ours, ms", "ratio", "target", "reached")


def report(options: Options) -> str:
    rows = []
    for load in LOADS:
        if load.matches(options.words) and (pair := contestants(load, options)):
            theirs, ours = in_turns(*pair, options.rounds)
            rows.append(row(load, theirs, ours))
            say(f"load {rows[-1]}")
    return section("Load", NOTE.format(rounds=options.rounds, clock=WORDS), table(HEAD, rows))


def contestants(
    load: Load, options: Options
) -> tuple[Callable[[], float], Callable[[], float]] | None:
    path = texts.vocab(load.vocab)
    package, theirs = PEERS[load.peer]
    if path is None or not importlib.util.find_spec(package):
        return None
    if load.place == "native":
        return (lambda: timed(theirs, path)), (lambda: timed(ours, path))
    if not options.node.available:
        return None
    remote = str(path.resolve())
    return (lambda: timed(theirs, path)), (lambda: options.node.call("load", path=remote))


def ours(path: Path) -> None:
    Tokenizer.from_gguf(path).encode(SHORT)


def llama_cpp(path: Path) -> Callable[[], None]:
    reference = llama_ref.Reference(path)
    reference.tokenize(SHORT.encode())
    return reference.close


def gguf(path: Path) -> None:
    from gguf import GGUFReader

    fields = GGUFReader(path).fields
    for name in ("tokens", "merges"):
        fields[f"tokenizer.ggml.{name}"].contents()


PEERS = {"llama.cpp": ("xllamacpp", llama_cpp), "gguf": ("gguf", gguf)}


def timed(load: Callable[[Path], Callable[[], None] | None], path: Path) -> float:
    """Seconds; what `load` returns is called afterwards, to free its memory."""
    gc.collect()
    start = now()
    free = load(path)
    seconds = now() - start
    if free:
        free()
    return seconds


def in_turns(
    theirs: Callable[[], float], ours: Callable[[], float], rounds: int
) -> tuple[float, float]:
    """The median seconds of each."""
    times = [(theirs(), ours()) for _ in range(rounds)]
    first, second = zip(*times, strict=True)
    return median(first), median(second)


def row(load: Load, theirs: float, ours: float) -> list[str]:
    wanted = "" if load.target is None else f">= {load.target:g}"
    numbers = [f"{theirs * 1e3:.0f}", f"{ours * 1e3:.0f}", f"{theirs / ours:.2f}"]
    names = [load.place, load.peer, load.vocab]
    return [*names, *numbers, wanted, verdict(theirs / ours, load.target)]
