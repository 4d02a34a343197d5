"""What the subcommands of `pyodide-tok` do; each returns the exit code."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

from pyodide_tok.cli.terminal import Terminal, show
from pyodide_tok.cli.texts import STDIN, Source, sources, standard_input
from pyodide_tok.encoding import Encoding
from pyodide_tok.errors import EncodeError, TokError
from pyodide_tok.explain.trace import ByteFallback, Merge, Step, Word
from pyodide_tok.explain.trace import Path as Way
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.gguf.source import read_gguf
from pyodide_tok.inspection import inspect
from pyodide_tok.tokenizer import Tokenizer
from pyodide_tok.vocab.vocab import CONTROL, UNKNOWN

FAILED = 1
_LOUD = ("missing-pre", "missing-model", "no-tokens")  # notices that are always shown


# -- models and texts ---------------------------------------------------------------------


def read_model(source: str) -> GGUFFile:
    """The header of a GGUF file: "-" for standard input, a path, an address or a name."""
    if source == STDIN:
        return GGUFFile.read(standard_input())
    return read_gguf(source)


def load(source: str, args: Namespace, terminal: Terminal) -> Tokenizer:
    tokenizer = Tokenizer(read_model(source), args.pre, args.pattern)
    for notice in tokenizer.warnings:
        if notice.code in _LOUD:
            terminal.warn(f"{source}: {notice}")
    return tokenizer


def _options(args: Namespace) -> dict[str, bool]:
    return {"add_special": args.special, "parse_special": args.parse_special}


def _encodings(args: Namespace, terminal: Terminal) -> Iterator[tuple[Source, Encoding]]:
    tokenizer = load(args.model, args, terminal)
    for source in sources(args):
        encoding = tokenizer.tokenize(source.read(terminal), **_options(args))
        for warning in encoding.warnings:
            terminal.warn(f"{source.name or 'text'}: {warning}")
        yield source, encoding


# -- encode -------------------------------------------------------------------------------


def encode(args: Namespace, terminal: Terminal) -> int:
    found = _encodings(args, terminal)
    if args.format == "json":
        terminal.json([_encoding_data(source, encoding) for source, encoding in found])
    elif args.format == "csv":
        header = ("file", "index", "id", "piece", "bytes", "start", "end")
        terminal.csv(header, (row for source, enc in found for row in _rows(source.name, enc)))
    else:
        write = _llama if args.format == "llama" or args.ids or args.show_count else _coloured
        for _, encoding in found:
            write(encoding, args, terminal)
    return 0


def _encoding_data(source: Source, encoding: Encoding) -> dict[str, Any]:
    return {
        "file": source.name or None,
        "count": len(encoding),
        "ids": encoding.ids,
        "pieces": list(map(_piece_data, encoding.pieces)),
        "offsets": encoding.offsets,
        "warnings": list(map(str, encoding.warnings)),
    }


def _piece_data(piece: bytes) -> str | list[int]:
    """As llama-server gives it: a list of bytes where it is no UTF-8."""
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return list(piece)


def _rows(name: str, encoding: Encoding) -> Iterator[tuple[Any, ...]]:
    columns = zip(encoding.ids, encoding.pieces, encoding.offsets, strict=True)
    for i, (token, piece, (start, end)) in enumerate(columns):
        yield name, i, token, show(piece), piece.hex(), start, end


def _llama(encoding: Encoding, args: Namespace, terminal: Terminal) -> None:
    """As llama-tokenize writes them: pieces as they are, up to a zero byte."""
    if args.ids:
        terminal.line(f"[{', '.join(map(str, encoding.ids))}]")
    else:
        for token, piece in zip(encoding.ids, encoding.pieces, strict=True):
            terminal.write(b"%6d -> '%s'\n" % (token, piece.partition(b"\0")[0]))
    if args.show_count:
        terminal.line(f"Total number of tokens: {len(encoding)}")


def _coloured(encoding: Encoding, args: Namespace, terminal: Terminal) -> None:
    """Ids; on a terminal with colours the pieces before them."""
    if terminal.coloured:
        control = [bool(attr & (CONTROL | UNKNOWN)) for attr in encoding.attrs]
        terminal.lines(terminal.tokens(encoding.pieces, control))
    terminal.line(terminal.faint(" ".join(map(str, encoding.ids))))


# -- decode, count ------------------------------------------------------------------------


def decode(args: Namespace, terminal: Terminal) -> int:
    tokenizer = load(args.model, args, terminal)
    options = {"remove_special": args.remove_special, "unparse_special": args.unparse_special}
    ids = _ids(" ".join(args.ids) if args.ids not in ([], [STDIN]) else _read_ids(args, terminal))
    data = tokenizer.decode_bytes(ids, **options)
    if args.format == "json":
        terminal.json({"text": data.decode("utf-8", "replace"), "hex": data.hex()})
    else:
        terminal.write(data + b"\n" if terminal.is_terminal else data)
    return 0


def _read_ids(args: Namespace, terminal: Terminal) -> str:
    return Source(args.file or STDIN).read(terminal).decode("utf-8", "replace")


def _ids(text: str) -> list[int]:
    if re.search(r"[^\d\s\[\](),]", text):
        raise EncodeError("ids are numbers, with spaces or commas between them")
    numbers = re.findall(r"\d+", text)
    longest = max(numbers, key=len, default="")
    if len(longest) > _MOST_DIGITS:
        raise EncodeError(f"{longest[:_MOST_DIGITS]}... is not a token id: it has too many digits")
    return list(map(int, numbers))


_MOST_DIGITS = 20
_COUNTED = ("tokens", "characters", "bytes")


def count(args: Namespace, terminal: Terminal) -> int:
    """Counts of every text, and of all; a file that cannot be read costs the others nothing."""
    tokenizer = load(args.model, args, terminal)
    rows: list[tuple[Any, ...]] = []
    failed = 0
    for source in terminal.progress(sources(args), "Counting"):
        try:
            rows.append((source.name, *_counts(tokenizer, source.read(terminal), args)))
        except TokError as error:
            failed = FAILED
            terminal.error(str(error))
    totals = ("total", *(sum(column) for column in list(zip(*rows, strict=True))[1:]))
    _write_counts(rows, totals if len(rows) > 1 else None, args.format, terminal)
    return failed


def _counts(tokenizer: Tokenizer, data: bytes, args: Namespace) -> tuple[int, int, int]:
    characters = len(data.decode("utf-8", "surrogateescape"))
    return tokenizer.count(data, **_options(args)), characters, len(data)


def _write_counts(
    rows: list[tuple[Any, ...]], totals: tuple[Any, ...] | None, form: str, terminal: Terminal
) -> None:
    header = ("file", *_COUNTED)
    shown = [*rows, totals] if totals else rows
    if form == "json":
        files = [dict(zip(header, row, strict=True)) for row in rows]
        sums = [sum(row[i] for row in rows) for i in (1, 2, 3)]
        terminal.json({"files": files, "total": dict(zip(_COUNTED, sums, strict=True))})
    elif form == "csv":
        terminal.csv(header, shown)
    elif len(shown) == 1 and rows[0][0] in ("", "-"):
        terminal.line(str(rows[0][1]))
    elif shown:
        terminal.table([header, *shown])


# -- inspect ------------------------------------------------------------------------------


def inspect_file(args: Namespace, terminal: Terminal) -> int:
    found = inspect(read_model(args.model), args.pre)
    if args.format == "json":
        terminal.json(found.as_dict(), indent=2)
    elif args.format == "csv":
        terminal.csv(("key", "type", "value"), ((k, t, v) for k, (t, v) in found.metadata.items()))
    else:
        for title, facts in found.facts.items():
            terminal.line(title)
            for name, value in facts.items():
                terminal.line(f"  {name:<16}{_shown(value)}")
        terminal.line("metadata")
        for key, (kind, value) in found.metadata.items():
            terminal.line(f"  {key} ({kind}): {_short(value, kind)}")
        terminal.line(f"problems: {len(found.problems)}" if found.problems else "No problems found")
        for problem in found.problems:
            terminal.line(f"  {problem.severity} {problem.code}: {problem.message}")
            terminal.line(f"    Fix: {problem.fix}")
    return 0


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {_shown(v)}" for k, v in value.items()) or "none"
    if isinstance(value, list):
        return " ".join(map(_shown, value)) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _short(value: Any, kind: str) -> str:
    if kind.startswith("array"):
        return f"{value:,} values"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}... ({len(text):,} characters)"


# -- explain ------------------------------------------------------------------------------


def explain(args: Namespace, terminal: Terminal) -> int:
    tokenizer = load(args.model, args, terminal)
    traces = [
        tokenizer.explain(source.read(terminal), **_options(args)) for source in sources(args)
    ]
    if args.format == "json":
        terminal.json([trace.as_dict() for trace in traces])
        return 0
    for trace in traces:
        for token in trace.before:
            terminal.line(f"added: {token} {tokenizer.id_to_token(token)}")
        for fragment in trace.fragments:
            if fragment.token is not None:
                text = tokenizer.id_to_token(fragment.token)
                terminal.line(f"special token: {fragment.token} {text}")
            for word in fragment.words:
                _explain_word(word, tokenizer, terminal)
        for token in trace.after if trace.complete else ():
            terminal.line(f"added: {token} {tokenizer.id_to_token(token)}")
        if trace.note:
            terminal.line(f"... {trace.note}")
    return 0


def _explain_word(word: Word, tokenizer: Tokenizer, terminal: Terminal) -> None:
    tokens = " ".join(f"{i} {_quoted(tokenizer.token_to_piece(i))}" for i in word.ids)
    note = f" ({word.note})" if word.note else ""
    terminal.line(f"{_quoted(word.text)}{note} -> {tokens or 'nothing'}")
    if word.steps and word.symbols:
        terminal.line(f"    {' '.join(word.symbols)}")
    for number, step in enumerate(word.steps, 1):
        terminal.line(f"{number:>6}. {_step_text(step)}")
    for name, way in (("best", word.best), ("next", word.runner_up)):
        if way is not None:
            terminal.line(f"    {name} {_way_text(way)}")


def _quoted(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return "'" + show(data).replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + "'"


def _step_text(step: Step) -> str:
    if isinstance(step, Merge):
        why = f"rank {step.rank}" if step.rank is not None else f"score {step.score:g}"
        return f"{step.left} + {step.right} -> {step.text}   {why}"
    if isinstance(step, ByteFallback):
        pairs = zip(step.bytes, step.ids, strict=False)
        found = " ".join(f"{byte:02X}={'-' if i is None else i}" for byte, i in pairs)
        return f"{step.text} is no token, its bytes are: {found}"
    if step.id is None:
        return f"no token begins at {step.position}, {step.tried} tried"
    others = f", {len(step.shorter)} shorter ones fit too" if step.shorter else ""
    return f"{_quoted(step.text)} is token {step.id}, the longest of {step.tried + 1} tried{others}"


def _way_text(way: Way) -> str:
    return " ".join(f"{_quoted(p.text)} {p.score:g}" for p in way.parts) + f" = {way.score:g}"


# -- compare ------------------------------------------------------------------------------


def compare(args: Namespace, terminal: Terminal) -> int:
    """Models on the same text: how many tokens each takes, and where their borders differ."""
    names = args.models
    tokenizers = [load(name, args, terminal) for name in names]
    for source in sources(args):
        data = source.read(terminal)
        encodings = [tokenizer.tokenize(data, **_options(args)) for tokenizer in tokenizers]
        ends = [{0, *encoding.byte_ends} for encoding in encodings]
        shared = set.intersection(*ends)
        if args.format == "json":
            terminal.json(_comparison(names, encodings, shared, data))
        elif args.format == "csv":
            rows = (
                (name, *row[1:], end in shared)
                for name, enc in zip(names, encodings, strict=True)
                for row, end in zip(_rows("", enc), enc.byte_ends, strict=True)
            )
            header = ("model", "index", "id", "piece", "bytes", "start", "end", "shared_border")
            terminal.csv(header, rows)
        else:
            _write_comparison(names, encodings, sorted(shared), data, terminal)
    return 0


def _comparison(
    names: Sequence[str], encodings: Sequence[Encoding], shared: set[int], data: bytes
) -> dict[str, Any]:
    models = [
        {"model": name, "count": len(enc), "ids": enc.ids, "byte_offsets": enc.byte_offsets}
        for name, enc in zip(names, encodings, strict=True)
    ]
    return {"bytes": len(data), "models": models, "shared_borders": sorted(shared)}


def _write_comparison(
    names: Sequence[str],
    encodings: Sequence[Encoding],
    shared: Sequence[int],
    data: bytes,
    terminal: Terminal,
) -> None:
    characters = len(data.decode("utf-8", "surrogateescape"))
    rows = [
        (name, len(enc), f"{characters / max(len(enc), 1):.2f}")
        for name, enc in zip(names, encodings, strict=True)
    ]
    terminal.table([("model", "tokens", "characters/token"), *rows])
    for start, end in zip(shared, [*shared[1:], len(data)], strict=True):
        cuts = [_pieces_between(enc, data, start, end) for enc in encodings]
        if cuts.count(cuts[0]) < len(cuts):
            terminal.line(f"at byte {start}:")
            for name, pieces in zip(names, cuts, strict=True):
                terminal.line(f"  {terminal.tokens(pieces, [False] * len(pieces))}  {name}")


def _pieces_between(encoding: Encoding, data: bytes, start: int, end: int) -> list[bytes]:
    """What each token with a place of its own stands for, in a stretch of the text."""
    places = zip(encoding.byte_starts, encoding.byte_ends, strict=True)
    return [data[a:b] for a, b in places if start <= a < b <= end]
