"""The original tokenizer, run by the package `tokenizers` (extra hf)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pyodide_tok.errors import need_module
from pyodide_tok.tokenizer import Tokenizer
from pyodide_tok.verify.original import OriginalError, read_original
from pyodide_tok.verify.report import Report
from pyodide_tok.verify.verification import Ask, verification


def verify(
    tokenizer: Tokenizer, original: str | os.PathLike[str] | bytes, texts: Iterable[str] = ()
) -> Report:
    """Compares a GGUF file's tokenizer with the model's own tokenizer.json.

    original: the path of a tokenizer.json, or its bytes. texts: texts of your own, compared beside
    the built-in ones and the text of every token. Raises `OriginalError` for a file that is not a
    tokenizer.json, `OSError` for one that cannot be read, `OptionalDependencyError` without the
    package tokenizers.
    """
    data = original if isinstance(original, bytes) else Path(original).read_bytes()
    facts = read_original(data)
    runner = _runner(data)
    asking = verification(tokenizer, facts, texts)
    ask = next(asking)
    while True:
        try:
            ask = asking.send(_answer(runner, ask))
        except StopIteration as done:
            report: Report = done.value
            return report


def _runner(data: bytes) -> Any:
    tokenizers = need_module("tokenizers", "hf", "verify")
    try:
        runner = tokenizers.Tokenizer.from_buffer(data)
    except Exception as error:  # the package raises Exception itself
        raise OriginalError(f"The package tokenizers cannot read the file: {error}.") from error
    runner.no_truncation()
    runner.no_padding()
    return runner


def _answer(runner: Any, ask: Ask) -> list[Sequence[int]]:
    encodings = runner.encode_batch(list(ask.texts), add_special_tokens=ask.add_special)
    return [encoding.ids for encoding in encodings]
