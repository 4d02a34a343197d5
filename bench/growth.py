"""Growth: twice the text, how many times the time? Also: what do thousands of special tokens cost?

python -m bench.growth [--quick] [TYPE or KIND OF TEXT...]
"""

from __future__ import annotations

import argparse
import gc
from array import array
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from random import Random
from string import ascii_lowercase, digits, punctuation
from time import process_time
from typing import Any

from bench import texts
from bench.options import say
from bench.table import section, table
from pyodide_tok import GGUFFile, Tokenizer
from pyodide_tok.vocab.families import KEY
from pyodide_tok.vocab.vocab import USER_DEFINED

SIZES = (1 << 18, 1 << 19, 1 << 20)  # bytes of UTF-8
TARGET = 2.3
VOCABS = {
    "SPM": ("llama-spm", "mistral-v1"),
    "BPE": ("gpt-2",),
    "BPE, llama-bpe": ("llama-bpe",),
    "BPE, gemma-4": ("gemma-4",),
    "UGM": ("t5",),
    "WPM": ("bert-bge",),
    "RWKV": ("rwkv",),
    "PLAMO2": ("plamo2",),
}
RUNS = 10  # at most: what is quick is noisy, so it is repeated more often than what is slow
SPECIALS, SPECIALS_TARGET = 5000, 2.0  # tokens; times the time without them
USER_TOKEN = 4  # llama_token_type
NOTE = """\
The worst of the two ratios of time when a text grows from 256 kB to 512 kB to 1 MB, and the
seconds of processor time for 1 MB. Each run has a new tokenizer that has seen a short text only;
the best of 1 to {runs} runs. At most {target} is wanted; ! is over it."""
WARM_UP = "Hello, it's 2 o'clock.\n\n  naïve 你好 Привет 🙂 e\u0301"

_MARKS = [chr(point) for point in range(0x300, 0x370)]
_HAN = [chr(point) for point in range(0x4E00, 0x9FA6)]
_EMOJI = [chr(point) for point in range(0x1F300, 0x1F650)]


def of(alphabet: str | list[str]) -> Callable[[int], str]:
    """Random characters of an alphabet, as many as make `size` bytes; the same in every run."""
    width = len(alphabet[-1].encode())
    return lambda size: "".join(Random(7).choices(alphabet, k=size // width))


KINDS: dict[str, Callable[[int], str]] = {
    "one letter": lambda size: "a" * size,
    "spaces": lambda size: " " * size,
    "newlines": lambda size: "\n" * size,
    "digits": of(digits),
    "punctuation": of(punctuation),
    "Chinese": of(_HAN),
    "emoji": of(_EMOJI),
    "combining marks": of(_MARKS),
    "base64": lambda size: b64encode(Random(7).randbytes(size * 3 // 4)).decode(),
    "one random word": of(ascii_lowercase),
}


def report(budget: float, words: list[str]) -> str:
    kinds = [kind for kind in KINDS if not set(words) & KINDS.keys() or kind in words]
    rows, worst = [], (0.0, "")
    for name, candidates in VOCABS.items():
        path = next(filter(None, map(texts.vocab, candidates)), None)
        if path is None or (set(words) & VOCABS.keys() and name not in words):
            continue
        gguf = GGUFFile.open(path)
        found = {kind: doubling(gguf, KINDS[kind], budget) for kind in kinds}
        worst = max([worst, *((ratio, f"{name}, {kind}") for kind, (ratio, _) in found.items())])
        rows.append([name, *(cell(*pair) for pair in found.values())])
        say(f"growth {rows[-1]}")
    summary = f"Worst: {worst[0]:.2f} ({worst[1]})."
    note = NOTE.format(runs=RUNS, target=TARGET)
    parts = table(("", *kinds), rows), summary, specials(budget), hostile(budget)
    return section("Growth", note, *parts)


def cell(ratio: float, seconds: float) -> str:
    mark = " !" if ratio > TARGET else ""
    return f"{ratio:.2f}{mark} ({seconds:.2f} s)"


def doubling(gguf: GGUFFile, kind: Callable[[int], str], budget: float) -> tuple[float, float]:
    """The worst ratio of neighbouring sizes, and the seconds of the largest."""
    times = [best(gguf, kind(size), budget) for size in SIZES]
    return max(b / a for a, b in pairwise(times)), times[-1]


def best(gguf: GGUFFile, text: str, budget: float) -> float:
    """The least seconds of as many runs as `budget` seconds give time for."""
    times: list[float] = []
    while sum(times) < budget and len(times) < RUNS:
        encode = Tokenizer(gguf).encode
        encode(WARM_UP)
        gc.collect()
        start = process_time()
        encode(text)
        times.append(process_time() - start)
    return min(times)


# -- hostile vocabularies -------------------------------------------------------------------


def hostile(budget: float) -> str:
    """Vocabularies, and a stream, that once took the square of their length."""
    rows = []
    for name, make in HOSTILE.items():
        times = [quickest(make(size), budget) for size in HOSTILE_SIZES]
        rows.append([name, cell(max(b / a for a, b in pairwise(times)), times[-1])])
        say(f"growth {rows[-1]}")
    sizes = " to ".join(f"{size:,}" for size in HOSTILE_SIZES)
    return f"Hostile vocabularies and texts, {sizes} letters or tokens:\n\n" + table(
        ("", "ratio"), rows
    )


def quickest(run: Callable[[], object], budget: float) -> float:
    times: list[float] = []
    while sum(times) < budget and len(times) < RUNS:
        start = process_time()
        run()
        times.append(process_time() - start)
    return min(times)


def one_long_token(model: str, token: int, kind: int, repeats: int) -> Callable[[], object]:
    """A token of equal letters, over a text of `repeats` times as many but for one."""
    tokens = ("<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "a" * token)
    metadata: dict[str, Any] = {
        "general.architecture": "llama",
        KEY + "model": model,
        KEY + "tokens": tokens,
        KEY + "merges": (),
        KEY + "pre": "gpt-2",
        KEY + "token_type": memoryview(array("i", [2, *[6] * 256, kind])),
        KEY + "scores": memoryview(array("f", [-1.0] * 258)),
    }
    tok = Tokenizer(GGUFFile(metadata, {}, (), 3, "little", 0))
    text = "a" * (token * repeats - 1)
    return lambda: tok.encode(text)


def stream(size: int) -> Callable[[], object]:
    """Quotation marks: what follows could still clean all of them up."""
    metadata: dict[str, Any] = {
        KEY + "model": "gpt2",
        KEY + "tokens": ("'", "\u0120'"),
        KEY + "merges": (),
        KEY + "pre": "gpt-2",
    }
    tok = Tokenizer(GGUFFile(metadata, {}, (), 3, "little", 0))
    return lambda: [*map(tok.stream_decoder().feed, [0, 1] * (size // 2))]


HOSTILE_SIZES = (10_000, 20_000, 40_000)
HOSTILE: dict[str, Callable[[int], Callable[[], object]]] = {
    "PLaMo-2, one token of 4,000 letters": lambda n: one_long_token("plamo2", 4000, 1, n // 2000),
    "a user-defined token, the text one shorter": lambda n: one_long_token("gpt2", n, 4, 1),
    "the stream decoder, quotation marks": stream,
}


# -- special tokens -------------------------------------------------------------------------


def specials(budget: float) -> str:
    """A text that has none of 5000 special tokens, and one where each line ends with one."""
    path = texts.vocab("gpt-2")
    if path is None:
        return ""
    gguf = GGUFFile.open(path)
    more = with_specials(gguf)
    text = texts.text("en")[: 1 << 18]
    lines = text.splitlines()
    marked = "\n".join(f"{line}<extra {i % SPECIALS}>" for i, line in enumerate(lines))
    plain = best(gguf, text, budget)
    with_none, with_many = (best(more, some, budget) / plain for some in (text, marked))
    return (
        f"{SPECIALS} user-defined tokens more in gpt-2: {with_none:.2f} times the time for an"
        f" English text without any, {with_many:.2f} times when each of its {len(lines)} lines"
        f" ends with one (at most {SPECIALS_TARGET:g} is wanted)."
    )


def with_specials(gguf: GGUFFile) -> GGUFFile:
    metadata: dict[str, Any] = dict(gguf.metadata)
    extra = [f"<extra {i}>" for i in range(SPECIALS)]
    types = [*metadata[KEY + "token_type"], *[USER_TOKEN] * SPECIALS]
    metadata[KEY + "tokens"] = [*metadata[KEY + "tokens"], *extra]
    metadata[KEY + "token_type"] = memoryview(array("i", types))
    more = replace(gguf, metadata=metadata)
    assert Tokenizer(more).vocab.attrs[-1] == USER_DEFINED
    return more


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs")
    parser.add_argument("words", nargs="*", help=f"of {[*VOCABS, *KINDS]}")
    given = parser.parse_args()
    print(report(0.1 if given.quick else 1, given.words))


if __name__ == "__main__":
    main()
