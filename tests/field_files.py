"""The GGUF files that rows of tests/data/field-reports.jsonl speak of, made from their recipes."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache, partial
from typing import Any

from pyodide_tok import GGUFFile
from pyodide_tok.text.codepoints import BYTE_TO_CHAR
from tests import gguf_writer as w
from tests.gguf_writer import Entry, write
from tests.reference import vocab_path

Row = dict[str, Any]
Metadata = dict[str, Any]

KEY = "tokenizer.ggml."
KINDS = {name.lower(): code for name, code in vars(w).items() if isinstance(code, int)}


def vocabulary(row: Row) -> str:
    """All that makes a row's file, as text."""
    text = row["input"] if row.get("vocab") == "words" else ""
    return json.dumps([text, *(row.get(part) for part in ("vocab", "keys", "append", "rename"))])


def listed(texts: list[str], types: Mapping[str, int], scores: Mapping[str, float]) -> Metadata:
    """Columns of tokens; type 1 and score 0 unless it is said."""
    return {
        f"{KEY}tokens": texts,
        f"{KEY}token_type": {"int32": [types.get(text, 1) for text in texts]},
        f"{KEY}scores": {"float32": [scores.get(text, 0.0) for text in texts]},
    }


def made(model: str, texts: list[str], scores: Mapping[str, float], **keys: Any) -> Metadata:
    types = {"<unk>": 2, "<s>": 3, "</s>": 3, "<pad>": 3} | dict.fromkeys(BYTES, 6)
    named = {KEY + key: value for key, value in keys.items()}
    general = {"general.architecture": "llama", f"{KEY}model": model}
    return general | listed(texts, types, scores) | named


def words(text: str) -> Metadata:
    """BPE in which any two neighbours of `text` merge: a token is what the splitter cut."""
    chars = [BYTE_TO_CHAR[byte] for byte in text.encode()]
    runs = {"".join(chars[i:j]) for j in range(len(chars) + 1) for i in range(j)}
    longer = sorted((run for run in runs if len(run) > 1), key=lambda run: (len(run), run))
    merges = [f"{run[:i]} {run[i:]}" for run in longer for i in range(1, len(run))]
    return made("gpt2", [*BYTE_TO_CHAR, *longer], {}, merges=merges)


BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
MERGES = ["n u", "nu s", "L i"]  # the last makes no token
LINES = ["\n\n", "\n\n\n", "\u2581a", "\u2581b", "\u00a0\u00a0"]
SCORED = {"\u2581": -1.0, "a": -1.0, "b": -9.0, "c": -9.0, "ab": -1.0, "bc": -1.5}
SPECIAL = ["<unk>", "<s>", "</s>"]
MADE: dict[str, Callable[[], Metadata]] = {
    # <0x00> is the last token, so no arithmetic on ids finds it
    "bytes-last": lambda: made("llama", [*SPECIAL, "\u2581", "a", "b", *BYTES[::-1]], {}),
    "newline-as-itself": lambda: made("llama", [*SPECIAL, "\u2581", "a", "b", "\n"], {}),
    "one-token": lambda: made("llama", ["a"], {}),
    # merging the best pair first makes ab+c, the best path is a+bc
    "scored-spm": lambda: made("llama", [*SPECIAL, *SCORED], SCORED),
    "scored-ugm": lambda: made("t5", ["<pad>", "</s>", "<unk>", *SCORED], SCORED),
    "merged-twice": lambda: made("gpt2", ["a", "b", "ab", "ba"], {}, merges=["a b", "b a", "a b"]),
    "gemma-like": lambda: made(
        *("gemma4", [*SPECIAL, *BYTES, "\n", "\u2581", *"ab12345Linus", "nus", "\u00a0", *LINES]),
        scores={},
        merges=["\n \n", "\n\n \n", "\u2581 a", "\u2581 b", "\u00a0 \u00a0", *MERGES],
    ),
}


@lru_cache(maxsize=2)
def base(vocab: str) -> tuple[Entry, ...]:
    """The metadata of a vocabulary's file."""
    file = GGUFFile.open(vocab_path(vocab))
    return tuple(entry_of(key, file.types[key], value) for key, value in file.metadata.items())


def entry_of(key: str, kind: str, value: Any) -> Entry:
    """An entry as GGUFFile has it."""
    if not kind.startswith("array"):
        return Entry(key, KINDS[kind], value)
    return Entry(key, w.ARRAY, (KINDS[kind[6:-1]], value))


def entry(key: str, value: Any) -> Entry:
    """An entry as it stands in a row or in `MADE`."""
    if isinstance(value, dict):
        ((kind, value),) = value.items()
        return entry_of(key, f"array[{kind}]" if isinstance(value, list) else kind, value)
    if isinstance(value, list):
        return entry_of(key, "array[string]", value)
    kinds = {bool: "bool", int: "uint32", float: "float32", str: "string"}
    return entry_of(key, kinds[type(value)], value)


@cache
def file_of(recipe: str) -> bytes:
    """The GGUF file of a `vocabulary(row)`."""
    text, vocab, keys, append, rename = json.loads(recipe)
    if vocab in MADE or vocab == "words":
        metadata = words(text) if vocab == "words" else MADE[vocab]()
        entries = {key: entry(key, value) for key, value in metadata.items()}
    elif keys or append or rename:
        entries = {str(entry.key): entry for entry in base(vocab)}
    else:
        return vocab_path(vocab).read_bytes()
    for column, part in enumerate(("tokens", "token_type", "scores")):
        more = [token[column] for token in append or ()]
        edit(entries, part, partial(extended, more))
    edit(entries, "tokens", lambda texts: [(rename or {}).get(text, text) for text in texts])
    changed = {key: entry(key, value) for key, value in (keys or {}).items() if value is not None}
    return write([e for e in entries.values() if e.key not in (keys or ())] + [*changed.values()])


def extended(more: list[Any], values: Iterable[Any]) -> list[Any]:
    return [*values, *more]


def edit(entries: dict[str, Entry], part: str, change: Callable[[Any], list[Any]]) -> None:
    """Changes the values of an array, if it is there."""
    old = entries.get(KEY + part)
    if old is not None:
        kind, values = old.value
        entries[KEY + part] = Entry(old.key, w.ARRAY, (kind, change(values)))
