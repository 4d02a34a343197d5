"""Vocabularies that no converter writes: token texts, scores, ids, merges and maps gone wrong."""

from __future__ import annotations

from typing import Any

from pyodide_tok import GGUFFile
from pyodide_tok.inspection import inspect
from tests.fuzz.choices import Choices
from tests.fuzz.exercise import about, exercise, tokenizer_of
from tests.fuzz.recipes import Case, file_of, text_of

MODELS: tuple[str, ...] = (
    "llama",
    "gpt2",
    "bert",
    "t5",
    "rwkv",
    "plamo2",
    "plamo3",
    "gemma4",
    "hybriddna",
)
MODELS += ("whitespace", "test", "no_vocab", "", "other")
MERGING = ("gpt2", "gemma4", "hybriddna", "whitespace")
PRES = (
    "gpt-2",
    "default",
    "llama-bpe",
    "mmbert",
    "soprano",
    "kimi-k2",
    "gemma4",
    "afmoe",
    "superbpe",
)
SPACE = "\u2581"
TEXT_WEIGHT = 10  # for everything is asked of a text several times
UNITS: tuple[str, ...] = (
    "a",
    "b",
    "c",
    "aa",
    "ab",
    "ba",
    "abc",
    SPACE,
    SPACE + "a",
    "a" + SPACE,
    "\n",
    "\n\n",
    "é",
    "中",
)
UNITS += (
    "中文",
    "😀",
    "",
    "\0",
    "a\0b",
    "\udcff",
    "\udce4\udcb8",
    " ",
    "a b",
    "Ġ",
    "Ċ",
    "Ġa",
    "\ue000",
)
UNITS += (
    "<s>",
    "</s>",
    "<unk>",
    "<dna>",
    "</dna>",
    "<oov>",
    "ACGTAC",
    "[MASK]",
    "<|im_end|>",
    "<EOT>",
)
UNITS += (
    "<0x0A>",
    "<0x41>",
    "<0xZZ>",
    "\\xe4",
    "\\n",
    "\\",
    "\u0130",
    "İ",
    "ﬁ",
    "\ufeff",
    "\uee00",
)
UNITS += ("<|end|>", "<|call|>", "<|return|>", "<|fim_pad|>", "[PAD]", "'s", " '", "?", "\u0300")
SCORES: tuple[Any, ...] = (
    0.0,
    -1.0,
    -2.5,
    -0.5,
    float("nan"),
    float("inf"),
    float("-inf"),
    3e38,
    -3e38,
    1e-45,
)
SCORES += (-1000.0, -2000.0, 1e10, -0.0)
IDS = (0, 1, 2, 3, 5, 10, 100, 255, 256, 1 << 31, (1 << 32) - 1)
FLAGS: tuple[str, ...] = ("add_bos_token", "add_eos_token", "add_sep_token", "add_space_prefix")
FLAGS += ("remove_extra_whitespaces", "normalizer.lowercase", "normalizer.strip_accents")
FLAGS += ("normalizer.nfc", "escape_whitespaces", "treat_whitespace_as_suffix")
SPECIAL = ("bos", "eos", "eot", "eom", "unknown", "seperator", "padding", "mask", "fim_pre")
ODD: tuple[Any, ...] = (
    ("uint32", 7),
    ("string", "x"),
    ("float32", float("nan")),
    ("array[string]", ["", "a"]),
)
ODD += (
    ("array[float32]", [1.0]),
    ("array[int32]", [-5, 1]),
    ("array[uint8]", [255] * 9),
    ("int8", -1),
)
ODD_KEYS: tuple[str, ...] = (
    "tokens",
    "model",
    "pre",
    "scores",
    "token_type",
    "merges",
    "precompiled_charsmap",
)
ODD_KEYS += ("bos_token_id", "suppress_tokens", "token_type_count", "metaspace.prepend_scheme")
ODD_KEYS += ("general.name", "general.architecture", "general.type", "x.vocab_size", "split.no")
ODD_KEYS += ("tokenizer.chat_template", "split.count", "x.context_length")
TIMES = (2, 3, 10, 100, 1000, 20_000)


def make(choices: Choices) -> Case:
    case: Case = {"model": choices.pick(MODELS)}
    case["tokens"] = choices.several(lambda: token(choices), 20)
    if case["model"].startswith("plamo") or choices.chance(4):
        case["bytes"] = True
    if choices.below(4):
        case["scores"] = choices.several(lambda: choices.pick(SCORES), 8)
    if choices.below(4):
        case["types"] = choices.several(lambda: choices.below(8), 12)
    if case["model"] in MERGING and not choices.chance(16):
        case["merges"] = choices.several(lambda: merge(choices), 20)
    if case["model"] == "t5" and choices.below(3):
        case["charsmap"] = charsmap(choices)
    case["keys"] = keys(choices)
    case["text"] = choices.several(lambda: piece(choices), 12)
    case["which"] = choices.below(4)
    return case


def token(choices: Choices) -> Any:
    if choices.chance(24):
        first = choices.pick((0x21, 0x4E00, 0x10000))
        return [
            choices.pick(UNITS),
            first,
            choices.pick((3, 300, 3000)),
            choices.pick(("", "a", "|>")),
        ]
    text = choices.pick(UNITS) + (choices.pick(UNITS) if choices.chance(3) else "")
    return [text, choices.pick(TIMES)] if choices.chance(12) else text


def piece(choices: Choices) -> Any:
    text = choices.pick(UNITS)
    return [text, choices.pick(TIMES[:-1])] if choices.chance(6) else text


def merge(choices: Choices) -> Any:
    left, right = choices.pick(UNITS), choices.pick(UNITS)
    return left + choices.pick((" ", " ", " ", "", "  ")) + right


def charsmap(choices: Choices) -> list[Any]:
    """A double array of blocks that may lead to one another in circles, and its replacements."""
    blocks = 1 + choices.below(3)
    units = bytearray(choices.pick((0, 4 * 256 * blocks, 64, 7)).to_bytes(4, "little"))
    for node in range(256 * blocks):
        units += unit(choices, node, blocks).to_bytes(4, "little")
    texts = choices.pick((b"", b"a\0", b"a\0 \0\xe4\xb8\xad\0", b"\x80\0", b"abc" * 99 + b"\0"))
    return [(bytes(units) + texts).decode("latin-1")]


def unit(choices: Choices, node: int, blocks: int) -> int:
    """The entry that byte `node & 255` leads to, whose children begin at some block."""
    how = choices.below(4)
    if how == 0:  # at the end of the data too
        return 0
    if how == 1:
        return choices.below(1 << 32)
    target = choices.below(blocks) << 8
    return (target ^ node) << 10 | node & 0xFF | (how == 3) << 8


def keys(choices: Choices) -> list[Any]:
    made: dict[str, list[Any]] = {}

    def put(key: str, kind: str, value: Any) -> None:
        made[key] = [key, kind, value]

    if choices.below(3):
        put("pre", "string", choices.pick(PRES))
    for flag in choices.several(lambda: choices.pick(FLAGS), 4):
        put(flag, "bool", choices.below(2))
    for name in choices.several(lambda: choices.pick(SPECIAL), 4):
        put(f"{name}_token_id", "uint32", choices.pick(IDS))
    if choices.chance(4):
        put("general.architecture", "string", "x")
        put("x.vocab_size", "uint32", choices.pick(IDS))
    if choices.chance(8):
        put("metaspace.prepend_scheme", "string", "first")
    if choices.chance(3):
        put(choices.pick(ODD_KEYS), *choices.pick(ODD))
    return list(made.values())


def size(case: Case) -> int:
    return len(file_of(case)) + TEXT_WEIGHT * len(text_of(case))


def check(case: Case) -> None:
    data, text = file_of(case), text_of(case)
    tok = tokenizer_of(data)
    if tok is not None:
        inspect(GGUFFile.parse(data)).as_dict()
        about(tok)
        exercise(tok, text, case.get("which"))
        if isinstance(text, str):
            exercise(tok, text.encode("utf-8", "surrogatepass"), case.get("which"))
