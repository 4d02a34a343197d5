"""Memory: Pyodide's heap with a large model and 1 MB of text, and after another took its place.

python -m bench.memory
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from bench import texts
from bench.cases import TEXTS
from bench.options import say
from bench.table import section, table
from bench.v8 import Node

MODELS = ("gemma-4", "gemma-4", "llama-bpe", "gemma-4")
SIZE = 1_000_000  # bytes of UTF-8, of all kinds of text
TARGET = 300  # MB
FREED = 1.1  # how much more than the first load a later one of the same model may need
SETUP = """
import tracemalloc
from pyodide_tok.page import bridge
held = None

def put(head):
    global held
    old, held = held, bridge.load(head)["handle"]
    bridge.unload(old)

def encode(text):
    return bridge.encode(held, text)
"""
NOTE = """\
Megabytes. Each row: a model is loaded, the one before is let go, and 1 MB of all the texts is
encoded, as the page does it. Heap: the WebAssembly memory, which never shrinks. Python: what its
allocators hold (`tracemalloc`, in a run of its own)."""


@dataclass(frozen=True, slots=True)
class Step:
    """Megabytes once a model took the place of the one before."""

    model: str
    loaded: float
    encoded: float


def report() -> str:
    models = [model for model in MODELS if texts.vocab(model)] or ["gpt-2", "gpt-2"]
    heaps = steps(models, traced=False)
    traced = steps(models, traced=True)
    rows = [
        [heap.model, *(f"{n:.0f}" for n in (heap.loaded, heap.encoded, held.loaded, held.encoded))]
        for heap, held in zip(heaps, traced, strict=True)
    ]
    head = ("model", "heap, loaded", "heap, encoded", "Python, loaded", "Python, encoded")
    return section("Memory", NOTE, table(head, rows), verdicts(heaps, traced))


def verdicts(heaps: list[Step], traced: list[Step]) -> str:
    first, last = traced[0], traced[-1]
    under = heaps[0].encoded < TARGET
    freed = last.loaded <= FREED * first.loaded
    return (
        f"Heap after {heaps[0].model} and 1 MB: {heaps[0].encoded:.0f} MB,"
        f" under {TARGET} is wanted: {'yes' if under else 'no'}. Models let go are freed"
        f" ({last.loaded:.0f} MB after the last load, {first.loaded:.0f} MB after the first):"
        f" {'yes' if freed else 'no'}."
    )


def steps(models: list[str], traced: bool) -> list[Step]:
    with Node() as node:
        node.call("python", code=SETUP)
        node.call("text", name="all", text=mixed())
        if traced:
            node.call("python", code="tracemalloc.start()")
        return [step(node, model, traced) for model in models]


def step(node: Node, model: str, traced: bool) -> Step:
    def megabytes() -> float:
        code = "tracemalloc.get_traced_memory()[0]"
        used: int = node.call("python", code=code) if traced else node.call("heap")
        return used / 1e6

    node.call("put", path=str(texts.vocab(model)))
    loaded = megabytes()
    node.call("encode", text="all")
    found = Step(model, loaded, megabytes())
    say(f"memory {found}")
    return found


def mixed() -> str:
    """The beginnings of all texts, one after another."""
    share = SIZE // len(TEXTS)
    return "\n".join(texts.text(name).encode()[:share].decode(errors="ignore") for name in TEXTS)


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(report())


if __name__ == "__main__":
    main()
