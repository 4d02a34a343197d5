"""Texts and bytes for every type of vocabulary, small ones and real ones."""

# ruff: noqa: E501  (tables of odd values)

from __future__ import annotations

from functools import cache
from pathlib import Path

from pyodide_tok import Tokenizer
from tests.fuzz.choices import Choices
from tests.fuzz.exercise import exercise
from tests.fuzz.recipes import Case, text_of
from tests.fuzz.targets.vocab import TEXT_WEIGHT, UNITS

ROOT = Path(__file__).parents[3]
FILES = {path.stem: path for path in sorted((ROOT / "tests/data/vocabs").glob("*.gguf"))}
FILES |= {path.stem: path for path in sorted((ROOT / "web/samples").glob("*.gguf"))}
REFUSED = {"spm-shortscores", "spm-shorttypes"}
TIMES = (2, 3, 10, 100, 1000)
VOCABS = ("byte", *(name for name in FILES if name not in REFUSED))
# characters of every width and class, and what pre-tokenizers and normalisers look at
CHARS = "aA1 .,'\n\t\r_-<>|#é\u00a0\u0130\u0301ß中文字。ひ한글\u1100\u1161\u11a8עאก\u0e33ﬁ½①😀👩\u200d👧🇩𠮷\ufeff"
CHARS += "\u2581\ue000\uee00\u2028\x1c\x85\0\x7f\ufffd\ufffe\U0010ffff\ud800\udfff"
BYTES: tuple[bytes, ...] = (
    b"\x80",
    b"\xbf",
    b"\xc0",
    b"\xc3",
    b"\xe4\xb8",
    b"\xf0\x9f\x98",
    b"\xff",
    b"\xed\xa0\x80",
)
BYTES += (b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xfe", b"\xe2\x96", b"\x81")


@cache
def tokenizer(name: str) -> Tokenizer:
    if name == "byte":
        return Tokenizer.from_gguf(b"GGUF\3\0\0\0" + bytes(16))
    return Tokenizer.from_gguf(FILES[name])


def make(choices: Choices) -> Case:
    name = choices.pick(VOCABS)
    as_bytes = choices.chance(2)
    parts = []
    for _ in range(choices.below(16)):
        text = part(choices, name, as_bytes)
        parts.append([text, choices.pick(TIMES)] if choices.chance(12) else text)
    return {"vocab": name, "text": parts, "as_bytes": as_bytes, "which": choices.below(4)}


def part(choices: Choices, name: str, as_bytes: bool) -> str:
    """Some characters, a token's text, or (where bytes are wanted) bytes that are not UTF-8."""
    how = choices.below(5)
    if as_bytes and how == 4:
        return (choices.take(3) or choices.pick(BYTES)).decode("latin-1")
    if as_bytes and how == 3:
        return choices.pick(BYTES).decode("latin-1")
    if how == 2:
        texts = tokenizer(name).vocab.texts
        text = texts[choices.below(len(texts))] if texts else ""
    elif how == 1:
        text = choices.pick(UNITS)
    else:
        text = "".join(choices.several(lambda: choices.pick(CHARS), 6))
    return text.encode("utf-8", "replace").decode("latin-1") if as_bytes else text


def size(case: Case) -> int:
    return 1000 + TEXT_WEIGHT * len(text_of(case))


def check(case: Case) -> None:
    tok, text = tokenizer(case["vocab"]), text_of(case)
    exercise(tok, text, case.get("which"))
    if isinstance(text, bytes):
        exercise(tok, text.decode("utf-8", "surrogateescape"), case.get("which"))
