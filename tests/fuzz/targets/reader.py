"""The reader: real headers in which counts, lengths, types, nesting, order and ends are wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyodide_tok import GGUFFile, TokError
from pyodide_tok.inspection import inspect
from tests import gguf_writer as w
from tests.fuzz.choices import Choices
from tests.fuzz.exercise import about, exercise, tokenizer_of
from tests.fuzz.recipes import Case
from tests.gguf_writer import Entry, Tensor, Writer

LIES = (0, 1, 2, 3, 7, 8, 9, 12, 13, 100, 255, 256, 1 << 16, 1 << 20, (1 << 20) + 1, 1 << 28)
LARGE_LIES = tuple((1 << bits) - low for bits in (30, 31, 32, 40, 62, 63, 64) for low in (0, 1))
KEYS = (
    *(
        "tokenizer.ggml.tokens",
        "tokenizer.ggml.model",
        "tokenizer.ggml.scores",
        "general.alignment",
    ),
    *("tokenizer.ggml.token_type", "tokenizer.ggml.merges", "tokenizer.ggml.pre", "general.name"),
    *("tokenizer.ggml.precompiled_charsmap", "tokenizer.ggml.bos_token_id", "x.vocab_size", "k"),
    *("tokenizer.ggml.add_bos_token", "general.architecture", "split.no", "split.count", "", "é"),
    *("tokenizer.chat_template", "tokenizer.chat_template.x", "tokenizer.ggml.suppress_tokens"),
)
TEXTS = (
    "",
    "a",
    "b",
    "llama",
    "gpt2",
    "bert",
    "t5",
    "rwkv",
    "none",
    "x",
    "a b",
    "\0",
    "é",
    "\udcff",
)
SCALARS: tuple[int, ...] = (
    w.UINT32,
    w.STRING,
    w.BOOL,
    w.INT8,
    w.UINT8,
    w.INT16,
    w.UINT16,
    w.INT32,
    w.FLOAT32,
)
SCALARS += (w.UINT64, w.INT64, w.FLOAT64)


@dataclass(frozen=True)
class LyingWriter(Writer):
    """Now and then it writes another number than it should."""

    choices: Choices = field(default_factory=lambda: Choices(b""))
    one_in: int = 16

    def number(self, form: str, value: Any) -> bytes:
        if form in ("I", "Q") and self.choices.chance(self.one_in):
            bits = 32 if form == "I" else 64
            value = self.choices.pick(LIES + LARGE_LIES) % (1 << bits)
        return super().number(form, value)


def make(choices: Choices) -> Case:
    entries = choices.several(lambda: entry(choices), 8)
    tensors = choices.several(lambda: tensor(choices), 3)
    version, order = choices.pick((3, 2, 1, 3, 0, 4)), choices.pick("<>")
    writer = LyingWriter(version, order, choices, choices.pick((256, 64, 16)))
    return {"hex": damaged(choices, writer.file(entries, tensors)).hex()}


def entry(choices: Choices) -> Entry:
    kind = choices.pick((*SCALARS, w.ARRAY, w.ARRAY, w.ARRAY))
    return Entry(choices.pick(KEYS), kind, value(choices, kind, 0))


def value(choices: Choices, kind: int, depth: int) -> Any:
    if kind == w.ARRAY:
        element = choices.pick((*SCALARS, w.ARRAY) if depth < 10 else SCALARS)
        return element, choices.several(lambda: value(choices, element, depth + 1), 4)
    if kind == w.STRING:
        return choices.pick(TEXTS) * (1 + choices.chance(32) * 500)
    if kind in (w.FLOAT32, w.FLOAT64):
        return choices.pick((0.0, -1.5, float("nan"), float("inf"), 1e30))
    return choices.below(2 if kind == w.BOOL else 100)


def tensor(choices: Choices) -> Tensor:
    shape = tuple(choices.several(lambda: choices.pick(LIES), 4))
    return Tensor(choices.pick(("t", "token_embd.weight", "", "\udcff")), shape, choices.below(50))


def damaged(choices: Choices, data: bytes) -> bytes:
    """Bytes changed, left out, said twice; or the end missing."""
    for _ in range(choices.below(4)):
        at = choices.below(len(data) + 1)
        n = choices.pick((1, 4, 8, 40))
        middle = choices.pick((choices.take(n), b"", data[at : at + n] * 2, b"\xff" * n))
        data = data[:at] + middle + data[at + n :]
    return data[: choices.below(len(data) + 1)] if choices.chance(4) else data


def size(case: Case) -> int:
    return len(case["hex"]) // 2


def check(case: Case) -> None:
    data = bytes.fromhex(case["hex"])
    try:
        file = GGUFFile.parse(data)
    except TokError:
        return
    assert file.header_size <= len(data)
    assert GGUFFile.parse(data[: file.header_size]).metadata.keys() == file.metadata.keys()
    assert file.types.keys() == file.metadata.keys()
    inspect(file).as_dict()
    tok = tokenizer_of(bytearray(data))
    if tok is not None:
        about(tok)
        exercise(tok, "a b é")
