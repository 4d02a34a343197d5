"""Checks of a file, whatever its tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.inspection.problem import CONVERT, Problem


def _version(gguf: GGUFFile) -> Iterator[Problem]:
    if gguf.version == 1:
        message = "This is GGUF version 1: llama.cpp reads versions 2 and 3 only."
        yield Problem("old-version", "warning", message, CONVERT)


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
        yield Problem("tensor-alignment", "error", message, CONVERT)
    if len({tensor.offset for tensor in gguf.tensors}) < len(gguf.tensors):
        message = "Several tensors have the same offset: llama.cpp refuses the file."
        yield Problem("tensor-overlap", "error", message, CONVERT)


FILE_CHECKS: tuple[Callable[[GGUFFile], Iterator[Problem]], ...] = (
    _version,
    _byteorder,
    _shard,
    _offsets,
)
