"""Errors, warnings and missing extras: what the package reports to its callers.

Every error has the root `TokError`; each leaf is also a `ValueError`. A message says what is
wrong, where, and what to do. `code` is stable, for programs; `vars(error)` holds the details
named below, as plain data. A warning is a `Notice`: a text with such a code.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class TokError(Exception):
    """Root of all errors of this package."""

    code: str = "error"


class GGUFError(TokError, ValueError):
    """The bytes are not a GGUF file that can be read; `position` is where, in bytes."""

    code = "gguf-invalid"

    def __init__(self, message: str, *, position: int | None = None) -> None:
        super().__init__(f"{message} (at byte {position:,})" if position else message)
        self.position = position


class TruncatedError(GGUFError):
    """The bytes end inside the header.  `need`: bytes wanted at least, from the start."""

    code = "gguf-truncated"

    def __init__(self, message: str, *, need: int = 0, position: int | None = None) -> None:
        super().__init__(message)
        self.need, self.position = need, position


class VocabError(TokError, ValueError):
    """The metadata holds no vocabulary that can be used."""

    code = "vocab-invalid"


class NoTokenizerError(VocabError):
    """The file is not a language model, but an adapter, a projector, an image model or the like."""

    code = "no-tokenizer"


class UnknownPreTokenizerError(VocabError):
    """No splitter is called `pre`; `near` are names much like it."""

    code = "pre-tokenizer-unknown"

    def __init__(self, message: str, *, pre: str = "", near: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.pre = pre
        self.near = near


class NoVocabError(TokError, ValueError):
    """The model says that it has no vocabulary, so no text can be encoded or decoded."""

    code = "vocab-none"


class EncodeError(TokError, ValueError):
    """An argument of encode or decode cannot be used."""

    code = "encode-invalid"


class ModelNotFoundError(TokError, ValueError):
    """No model has this name, on the Hub or on this machine."""

    code = "model-not-found"


class ChatError(TokError, ValueError):
    """A chat template is missing, is invalid or rejects the messages.

    `template` is its name; `line` is the template's line, if known.
    """

    code = "chat-template"

    def __init__(self, message: str, *, template: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.template = template
        self.line = line


class OptionalDependencyError(TokError, ValueError):
    """A feature was asked for whose optional dependency is not installed."""

    code = "dependency-missing"


class Notice(str):
    """A warning: a plain `str` that also has a stable `code` such as "double-bos"."""

    __slots__ = ("code",)
    code: str

    def __new__(cls, code: str, message: str) -> Notice:
        notice = super().__new__(cls, message)
        notice.code = code
        return notice

    def __reduce__(self) -> tuple[type[Notice], tuple[str, str]]:
        return (Notice, (self.code, str(self)))


def find_module(name: str) -> Any:
    """An optional module, or None if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


def need_module(name: str, extra: str, what: str) -> Any:
    """An optional module. Raises `OptionalDependencyError`, which says what to install."""
    found = find_module(name)
    if found is None:
        raise OptionalDependencyError(
            f"{what} needs {name}, which is not installed: pip install 'pyodide-tok[{extra}]'"
        )
    return found
