"""Cases as plain JSON: a GGUF file is told by its tokenizer's columns, long texts by repetition.

    {"model": "llama", "tokens": ["a", ["b", 1000]], "types": [1], "scores": [0, NaN]}

A text is a str, [str, times], or [before, first, n, after] for n texts with the characters from
number `first` on.  Columns shorter than the tokens go round.  "bytes": and the 256 byte tokens.
"keys": further [key, type name, value] under tokenizer.ggml., or anywhere if it has a dot.
Byte strings are latin-1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from typing import Any

from tests import gguf_writer as w
from tests.gguf_writer import Entry, Writer

Case = dict[str, Any]

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
KINDS = {name.lower(): code for name, code in vars(w).items() if isinstance(code, int)}


def texts(parts: Iterable[Any]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif len(part) == 2:
            yield part[0] * part[1]
        else:
            before, first, n, after = part
            yield from (before + chr(first + i) + after for i in range(n))


def entry(key: str, kind: str, value: Any) -> Entry:
    key = key if "." in key else f"tokenizer.ggml.{key}"
    if not kind.startswith("array"):
        return Entry(key, KINDS[kind], value)
    return Entry(key, w.ARRAY, (KINDS[kind[6:-1]], value))


def column(case: Case, name: str, n: int) -> list[Any]:
    return list(islice(cycle(case[name]), n)) if case[name] else []


def entries(case: Case) -> list[Entry]:
    tokens = list(texts(case["tokens"]))
    types = column(case, "types", len(tokens)) if "types" in case else []
    if case.get("bytes"):
        tokens, types = tokens + BYTES, (types or [1] * len(tokens)) + [6] * 256
    made = [entry("tokens", "array[string]", tokens)]
    if case.get("model") is not None:
        made.append(entry("model", "string", case["model"]))
    if types:
        made.append(entry("token_type", "array[int32]", types))
    if "scores" in case:
        made.append(entry("scores", "array[float32]", column(case, "scores", len(tokens))))
    if "merges" in case:
        made.append(entry("merges", "array[string]", list(texts(case["merges"]))))
    if "charsmap" in case:
        blob = "".join(texts(case["charsmap"])).encode("latin-1")
        made.append(entry("precompiled_charsmap", "array[uint8]", list(blob)))
    given = [entry(*key) for key in case.get("keys", ())]
    names = {one.key for one in given}
    return [one for one in made if one.key not in names] + given


def file_of(case: Case) -> bytes:
    writer = Writer(case.get("version", 3), case.get("order", "<"))
    return writer.file(entries(case))


def text_of(case: Case) -> str | bytes:
    text = "".join(texts(case["text"]))
    return text.encode("latin-1") if case.get("as_bytes") else text
