"""Small vocabularies for tests, as GGUF metadata: no file is written."""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from pyodide_tok import GGUFFile, Tokenizer

SPACE = "\u2581"
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # llama_token_type
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
BPE_MODELS = ("gpt2", "gemma4", "hybriddna", "whitespace")


def gguf(
    model: str | None,
    tokens: Iterable[str],
    *,
    scores: Iterable[float] | None = None,
    types: Mapping[int, int] | None = None,
    general: Mapping[str, Any] | None = None,
    **keys: Any,
) -> GGUFFile:
    """A file of a tokenizer: `types` are by id (the rest is NORMAL), `keys` tokenizer.ggml.*.

    A double underscore in a key stands for a dot.
    """
    tokens = list(tokens)
    keys |= {"tokens": tokens}
    if model in BPE_MODELS:
        keys.setdefault("merges", ())
    if model is not None:
        keys["model"] = model
    if scores is not None:
        keys["scores"] = numbers("f", scores)
    if types is not None:
        keys["token_type"] = numbers("i", [types.get(i, NORMAL) for i in range(len(tokens))])
    metadata = prefixed("general.", general or {}) | prefixed("tokenizer.ggml.", keys)
    return GGUFFile(metadata, {}, (), 3, "little", 0)


def changed(file: GGUFFile, **keys: Any) -> GGUFFile:
    """A file with other tokenizer.ggml.* keys; None takes one away."""
    metadata = {**file.metadata} | prefixed("tokenizer.ggml.", keys)
    return replace(file, metadata={k: v for k, v in metadata.items() if v is not None})


def prefixed(prefix: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    return {prefix + key.replace("__", "."): value for key, value in keys.items()}


def tokenizer(model: str | None, tokens: Iterable[str], **keys: Any) -> Tokenizer:
    return Tokenizer(gguf(model, tokens, **keys))


def numbers(code: str, values: Iterable[Any]) -> memoryview:
    return memoryview(array(code, values))


# -- texts --------------------------------------------------------------------------------

CHARS = ("a", "b", "c", " ", SPACE, "é", "中", "\n", "😀", "\0")
UNITS = st.sampled_from((*CHARS, "ab", "ba", "aa", "中é", "  ", "\n\n"))
# encoded surrogates are among them
NOT_UTF8 = st.sampled_from((b"\xff", b"\x80", b"\xe4\xb8", b"\xed\xa0\x80", b"\xed\xb2\x80"))


def runs(units: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts that are long enough for every path: many units, or a few again and again."""
    few = st.lists(units, max_size=12).map("".join)
    many = st.lists(units, min_size=20, max_size=60).map("".join)
    again = st.tuples(few, st.integers(8, 40)).map(lambda pair: pair[0] * pair[1])
    return st.one_of(few, many, again)


TEXTS = runs(UNITS)
BYTE_TEXTS = st.lists(UNITS.map(str.encode) | NOT_UTF8, max_size=30).map(b"".join)
EITHER = TEXTS.map(str.encode) | BYTE_TEXTS


def as_text(data: bytes) -> str:
    """What an encoder is given: bytes that are not UTF-8 are escaped, each as one character."""
    return data.decode("utf-8", "surrogateescape")


def check_spans(spans: list[tuple[int, int, int]], ids: list[int], size: int) -> None:
    """Spans of encoder or tokenizer: the ids, in order, inside the text, not overlapping.

    Bytes without a token have id -1.
    """
    assert [token for token, _, _ in spans if token >= 0] == ids
    edges = [edge for _, start, end in spans for edge in (start, end)]
    assert edges == sorted(edges)
    assert not edges or (edges[0] >= 0 and edges[-1] <= size)
