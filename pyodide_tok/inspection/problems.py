"""The problems of a GGUF file and its tokenizer: each with its consequence and a fix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pyodide_tok.errors import TokError
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.inspection.file_checks import FILE_CHECKS
from pyodide_tok.inspection.fit import check_added, check_merges, check_pre
from pyodide_tok.inspection.problem import CONVERT, Problem, Severity
from pyodide_tok.inspection.token_checks import CHECKS
from pyodide_tok.tokenizer import Tokenizer

_ORDER: tuple[Severity, ...] = ("error", "warning", "info")
_FIT = (check_pre, check_merges, check_added)


def problems(tokenizer: Tokenizer) -> tuple[Problem, ...]:
    """The problems of a tokenizer and of its file, worst first; empty for a good file."""
    found = [problem for check in (*_FIT, *CHECKS) for problem in check(tokenizer)]
    return _worst_first([*_of_file(tokenizer.gguf), *_of_notices(tokenizer), *found])


def problems_of_file(gguf: GGUFFile, error: TokError) -> tuple[Problem, ...]:
    """The problems of a file whose tokenizer cannot be loaded because of `error`."""
    fix = _FIXES.get(error.code, CONVERT)
    problem = Problem(error.code, "error", str(error), fix)
    return _worst_first([problem, *_of_file(gguf)])


def _worst_first(found: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(found, key=lambda problem: _ORDER.index(problem.severity)))


def _of_file(gguf: GGUFFile) -> Iterator[Problem]:
    for check in FILE_CHECKS:
        yield from check(gguf)


def _of_notices(tokenizer: Tokenizer) -> Iterator[Problem]:
    """Those of the loader's notices that are a problem: a good file has some of the others."""
    for notice in tokenizer.warnings:
        is_problem = notice.code != "missing-newline" or tokenizer.vocab.family.generates
        if notice.code in _NOTICES and is_problem:
            severity, fix = _NOTICES[notice.code]
            yield Problem(notice.code, severity, str(notice), fix)


_FIXES = {  # of errors: the rest are about what a converter wrote
    "no-tokenizer": "Open the file of the language model.",
    "pre-tokenizer-unknown": "Name a known pre-tokenizer: pre= or --pre.",
}
_NOTICES: Mapping[str, tuple[Severity, str]] = {
    "no-tokens": ("error", CONVERT),
    "missing-model": ("warning", CONVERT),
    "duplicate-tokens": ("error", CONVERT),
    "missing-bos": ("warning", "Set tokenizer.ggml.bos_token_id, or add_bos_token to false."),
    "missing-eos": ("warning", "Set tokenizer.ggml.eos_token_id, or add_eos_token to false."),
    "missing-sep": ("warning", "Set tokenizer.ggml.seperator_token_id."),
    "special-id-out-of-range": ("warning", "Set the key to an id of the vocabulary."),
    "missing-newline": ("warning", CONVERT),
    "missing-mask": ("warning", CONVERT),
}
