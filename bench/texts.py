"""The texts: ../shared/corpus where it is there, else ones made here, the same in every run."""

from __future__ import annotations

import argparse
import pydoc_data.topics
from itertools import accumulate
from pathlib import Path
from random import Random

from tests.reference import SHARED, vocab_path

CORPUS = SHARED / "corpus"
LENGTH = 400_000  # characters of a text that is made here
MODULES = ("argparse", "typing", "inspect", "doctest", "pickle", "tarfile", "turtle")
WORDS = {
    "zh": (
        "",
        "的一是不了在人有我他这为之大来以个中上们到说国和地也子时道出要于就下得可你年生",
        (1, 3),
    ),
    "ru": (" ", "оеаинтсрвлкмдпуяыьгзбчй", (2, 11)),
    "mixed-emoji": (" ", "aeiotnsrhlаоеинтс的一是不了🙂🚀👩‍🚀é̂🇩🇪", (1, 8)),
}


def text(name: str) -> str:
    """One of `cases.TEXTS`."""
    path = CORPUS / f"{name}.txt"
    if path.exists():
        return path.read_bytes().decode()
    if name == "en":
        return "\n".join(pydoc_data.topics.topics.values())[:LENGTH]
    if name == "code":
        files = (Path(argparse.__file__).with_name(f"{name}.py") for name in MODULES)
        return "".join(file.read_text(encoding="utf-8") for file in files)[:LENGTH]
    return made_up(*WORDS[name])


def made_up(space: str, letters: str, lengths: tuple[int, int]) -> str:
    """Words of a small language: a few come often, most of them rarely (Zipf)."""
    random = Random(letters)
    words = ["".join(random.choices(letters, k=random.randint(*lengths))) for _ in range(20_000)]
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    some = random.choices(words, cum_weights=weights, k=LENGTH // (sum(lengths) // 2 + len(space)))
    lines = [space.join(some[i : i + 12]) for i in range(0, len(some), 12)]
    return ".\n".join(lines)


def vocab(name: str) -> Path | None:
    """NAME.gguf, or None where it is not at hand: a clone alone has only some of them."""
    path = vocab_path(name)
    return path if path.exists() else None
