"""`verify` and `fix`: a file beside the model's own tokenizer.json, and a corrected copy."""

from __future__ import annotations

import re
from argparse import Namespace
from array import array
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pyodide_tok.cli.commands import FAILED, load
from pyodide_tok.cli.terminal import Terminal, show
from pyodide_tok.cli.texts import Source
from pyodide_tok.errors import EncodeError
from pyodide_tok.gguf.editing import changed
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.gguf.writer import copy_with_header
from pyodide_tok.pretokenize.table import pre_tokenizer
from pyodide_tok.tokenizer import Tokenizer
from pyodide_tok.verify import Cause, Example, Report, verify
from pyodide_tok.vocab.families import KEY
from pyodide_tok.vocab.specials import SPECIAL_ID_KEYS

# -- verify -------------------------------------------------------------------------------


def verify_model(args: Namespace, terminal: Terminal) -> int:
    """Compares with a tokenizer.json: exit status 0 if the same, 1 if different."""
    tokenizer = load(args.model, args, terminal)
    data = [Source(name).read(terminal) for name in args.file or ()]
    texts = [part.decode("utf-8", "replace") for part in data]
    report = verify(tokenizer, args.original, texts)
    if args.format == "json":
        terminal.json(report.as_dict())
    else:
        _write_report(report, terminal)
    return 0 if report.same else FAILED


def _write_report(report: Report, terminal: Terminal) -> None:
    result = "same" if report.same else f"{report.different:,} differ"
    terminal.line(f"{report.checked:,} texts compared: {result}")
    for cause in report.causes:
        _write_cause(cause, cause.code, terminal)
        terminal.line(f"  {cause.suggestion}")
    for cause in report.known:
        _write_cause(cause, "known difference", terminal)


def _write_cause(cause: Cause, title: str, terminal: Terminal) -> None:
    terminal.line(f"{title} ({cause.different:,} texts): {cause.message}")
    for example in cause.examples:
        _write_example(example, terminal)


def _write_example(example: Example, terminal: Terminal) -> None:
    terminal.line(f"  {example.text!r}")
    for name, pieces in (("file", example.our_pieces), ("original", example.their_pieces)):
        terminal.line(f"    {name:8}  {'|'.join(pieces)}")


# -- fix ----------------------------------------------------------------------------------


def fix_model(args: Namespace, terminal: Terminal) -> int:
    """Writes a copy with corrected metadata, once a tokenizer can be made of it."""
    file = GGUFFile.open(args.model)
    edits = dict(_edits(args, file))
    if not edits:
        raise EncodeError("No change is given: see pyodide-tok fix --help.")
    fixed = changed(file, edits)
    for warning in Tokenizer(fixed).warnings:
        terminal.warn(f"{args.out}: {warning}")
    copy_with_header(args.model, args.out, fixed)
    for key in edits:
        terminal.line(f"{key}: {_shown(file, key)} -> {_shown(fixed, key)}")
    return 0


def _edits(args: Namespace, file: GGUFFile) -> Iterator[tuple[str, Any]]:
    """Key -> value, for each option in this order; a later one overrides."""
    if args.like:
        for cause in verify(Tokenizer(file), args.like).causes:
            yield from cause.changes.items()
    if args.pre is not None:
        pre_tokenizer(args.pre)
        yield KEY + "pre", args.pre
    for name, token in map(_pair, args.special or ()):
        yield _special_key(name), _token_id(file, token)
    if args.type:
        yield (
            KEY + "token_type",
            _types(file, dict(_pair(option, last=True) for option in args.type)),
        )
    if args.chat_template:
        yield "tokenizer.chat_template", Path(args.chat_template).read_text(encoding="utf-8")
    for key, value in map(_pair, args.set or ()):
        yield key, _value(file, key, value)
    for key in args.remove or ():
        yield key, None


def _pair(option: str, *, last: bool = False) -> tuple[str, str]:
    """NAME=VALUE. last: the last = counts, because a token's text may have others."""
    name, equals, value = option.rpartition("=") if last else option.partition("=")
    if not equals or not name:
        raise EncodeError(f"{option!r} is not of the form NAME=VALUE.")
    return name, value


def _special_key(name: str) -> str:
    keys = dict(reversed(SPECIAL_ID_KEYS))  # the first key of a name is the current one
    if name not in keys:
        raise EncodeError(f"{name!r} is not a special token; these are: {', '.join(sorted(keys))}.")
    return keys[name]


def _token_id(file: GGUFFile, token: str) -> int:
    """A token by its text, or by its id."""
    texts = _texts(file)
    if token in texts:
        return texts.index(token)
    if token.isascii() and token.isdigit() and len(token) < 10 and int(token) < len(texts):
        return int(token)
    raise EncodeError(f"The vocabulary has no token {token!r}.")


def _texts(file: GGUFFile) -> list[str]:
    texts: Any = file.metadata.get(KEY + "tokens", ())
    return list(texts)


_TYPES = {"normal": 1, "unknown": 2, "control": 3, "user-defined": 4, "unused": 5, "byte": 6}


def _types(file: GGUFFile, kinds: Mapping[str, str]) -> memoryview:
    old: Any = file.metadata.get(KEY + "token_type")
    types = array("i", old if old is not None else [_TYPES["normal"]] * len(_texts(file)))
    for token, kind in kinds.items():
        if kind not in _TYPES:
            raise EncodeError(f"{kind!r} is not a token type; these are: {', '.join(_TYPES)}.")
        types[_token_id(file, token)] = _TYPES[kind]
    return memoryview(types)


_FORMS: dict[str, Callable[[str], Any]] = {
    r"true|false": lambda text: text == "true",
    r"-?\d{1,18}": int,
    r"-?\d+\.\d+(e-?\d+)?": float,
}


def _value(file: GGUFFile, key: str, text: str) -> Any:
    """A value by its form; a string if the file has one there."""
    if file.types.get(key, "").startswith("array["):
        raise EncodeError(f"{key} is an array, which --set cannot write.")
    if file.types.get(key) != "string":
        for form, read in _FORMS.items():
            if re.fullmatch(form, text, re.ASCII):
                return read(text)
    return text


def _shown(file: GGUFFile, key: str) -> str:
    value = file.metadata.get(key)
    if isinstance(value, bool | int | float | None):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(value, str):
        return show(value.encode("utf-8", "surrogateescape"))[:60]
    return f"{len(value):,} values"
