"""The problems of a GGUF file and its tokenizer: each with its consequence and a fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pyodide_tok.errors import TokError
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.tokenizer import Tokenizer

Severity = Literal["error", "warning", "info"]
_ORDER: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    code: stable, for programs. severity: "error" (it cannot be used, or ids are wrong), "warning"
    (it is wrong in some uses) or "info" (worth knowing). message: what is wrong, and the
    consequence. fix: what to do.
    """

    code: str
    severity: Severity
    message: str
    fix: str


def problems(tokenizer: Tokenizer) -> tuple[Problem, ...]:
    """The problems of a tokenizer and of its file, worst first; empty for a good file."""
    found = [problem for check in _CHECKS for problem in check(tokenizer)]
    return _worst_first([*_of_file(tokenizer.gguf), *_of_notices(tokenizer), *found])


def problems_of_file(gguf: GGUFFile, error: TokError) -> tuple[Problem, ...]:
    """The problems of a file whose tokenizer cannot be loaded because of `error`."""
    fix = _FIXES.get(error.code, _CONVERT)
    problem = Problem(error.code, "error", str(error), fix)
    return _worst_first([problem, *_of_file(gguf)])


def _worst_first(found: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(found, key=lambda problem: _ORDER.index(problem.severity)))


def _of_file(gguf: GGUFFile) -> Iterator[Problem]:
    for check in _FILE_CHECKS:
        yield from check(gguf)


def _of_notices(tokenizer: Tokenizer) -> Iterator[Problem]:
    """Those of the loader's notices that are a problem: a good file has some of the others."""
    for notice in tokenizer.warnings:
        if notice.code in _NOTICES:
            severity, fix = _NOTICES[notice.code]
            yield Problem(notice.code, severity, str(notice), fix)


_CONVERT = "Convert the model again with a current llama.cpp (convert_hf_to_gguf.py)."
_FIXES = {  # of errors: the rest are about what a converter wrote
    "no-tokenizer": "Open the file of the language model.",
    "pre-tokenizer-unknown": "Name a known pre-tokenizer: pre= or --pre.",
}
_NOTICES: Mapping[str, tuple[Severity, str]] = {
    "no-tokens": ("error", _CONVERT),
    "missing-model": ("warning", _CONVERT),
    "missing-pre": ("error", f"{_CONVERT} Or name the model's pre-tokenizer: pre= or --pre."),
    "duplicate-tokens": ("error", _CONVERT),
    "missing-bos": ("warning", "Set tokenizer.ggml.bos_token_id, or add_bos_token to false."),
    "missing-eos": ("warning", "Set tokenizer.ggml.eos_token_id, or add_eos_token to false."),
    "missing-sep": ("warning", "Set tokenizer.ggml.seperator_token_id."),
    "special-id-out-of-range": ("warning", "Set the key to an id of the vocabulary."),
    "missing-mask": ("warning", _CONVERT),
}


# -- the file -----------------------------------------------------------------------------


def _version(gguf: GGUFFile) -> Iterator[Problem]:
    if gguf.version == 1:
        message = "This is GGUF version 1: llama.cpp reads versions 2 and 3 only."
        yield Problem("old-version", "warning", message, _CONVERT)


def _byteorder(gguf: GGUFFile) -> Iterator[Problem]:
    if gguf.byteorder == "big":
        message = "The file is big-endian: llama.cpp reads it on big-endian machines only."
        fix = "Convert it with gguf-convert-endian (PyPI: gguf)."
        yield Problem("big-endian", "warning", message, fix)


def _shard(gguf: GGUFFile) -> Iterator[Problem]:
    count = gguf.metadata.get("split.count", 1)
    if isinstance(count, int) and count > 1:
        message = f"This is one of {count} files of a model: the others' tensors are not counted."
        fix = "Keep the files together. To join them, run llama-gguf-split --merge."
        yield Problem("one-of-several", "info", message, fix)


def _offsets(gguf: GGUFFile) -> Iterator[Problem]:
    alignment = gguf.metadata.get("general.alignment", 32)
    odd = [t.name for t in gguf.tensors if isinstance(alignment, int) and t.offset % alignment]
    if odd:
        message = (
            f"{len(odd)} tensors, {odd[0]!r} first, are not aligned to {alignment} bytes:"
            " llama.cpp refuses the file."
        )
        yield Problem("tensor-alignment", "error", message, _CONVERT)
    if len({tensor.offset for tensor in gguf.tensors}) < len(gguf.tensors):
        message = "Several tensors have the same offset: llama.cpp refuses the file."
        yield Problem("tensor-overlap", "error", message, _CONVERT)


_FILE_CHECKS: tuple[Callable[[GGUFFile], Iterator[Problem]], ...] = (
    _version,
    _byteorder,
    _shard,
    _offsets,
)


# -- the tokenizer ------------------------------------------------------------------------


def _pre(tokenizer: Tokenizer) -> Iterator[Problem]:
    if tokenizer.pre == "default" and "tokenizer.ggml.pre" in tokenizer.gguf.metadata:
        message = (
            "tokenizer.ggml.pre is 'default', which almost no model is trained with: words are"
            " split in other places, and ids differ from the model's own."
        )
        fix = f"{_CONVERT} Or name the model's pre-tokenizer: pre= or --pre."
        yield Problem("default-pre", "warning", message, fix)


def _embedding(tokenizer: Tokenizer) -> Iterator[Problem]:
    for tensor in tokenizer.gguf.tensors:
        rows = tensor.shape[-1] if tensor.shape else 0
        if tensor.name == "token_embd.weight" and rows < tokenizer.n_vocab:
            message = (
                f"The vocabulary has {tokenizer.n_vocab:,} tokens, but only {rows:,} have an"
                " embedding: the model cannot read the others."
            )
            yield Problem("embedding-rows", "error", message, _CONVERT)


def _vocab_size(tokenizer: Tokenizer) -> Iterator[Problem]:
    metadata = tokenizer.gguf.metadata
    key = f"{metadata.get('general.architecture')}.vocab_size"
    claimed = metadata.get(key)
    if isinstance(claimed, int) and claimed != tokenizer.n_vocab:
        message = (
            f"{key} is {claimed:,}, but the vocabulary has {tokenizer.n_vocab:,} tokens: programs"
            " that go by the key read or sample wrong ids."
        )
        yield Problem("vocab-size", "warning", message, _CONVERT)


def _end(tokenizer: Tokenizer) -> Iterator[Problem]:
    if tokenizer.vocab.family.generates and not tokenizer.eog_ids:
        message = "No token ends a generation: the model writes until the context is full."
        yield Problem("no-end", "warning", message, "Set tokenizer.ggml.eos_token_id.")


_CHECKS: tuple[Callable[[Tokenizer], Iterator[Problem]], ...] = (
    _pre,
    _embedding,
    _vocab_size,
    _end,
)
