"""The native contestants: each makes new tokenizers of one GGUF file and times their passes."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench import convert
from bench.clock import now
from pyodide_tok import Tokenizer
from tests import llama_ref

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # one thread, as we have
Encode = Callable[[str], Sequence[int]]


class Native:
    """A contestant: `fresh()` makes a new tokenizer, `seconds(text)` is the time of one pass."""

    def __init__(
        self,
        make: Callable[[], Encode],
        stateless: bool = False,
        close: Callable[[], object] = bool,  # nothing to close
    ) -> None:
        self._make = make
        self.stateless = stateless  # no pass is faster for the passes before it
        self.close = close
        self._encode: Encode

    def fresh(self) -> None:
        self._encode = self._make()

    def ids(self, text: str) -> list[int]:
        return list(self._encode(text))

    def seconds(self, text: str) -> float:
        gc.collect()
        start = now()
        self._encode(text)
        return now() - start


def ours(path: Path) -> Native:
    return Native(lambda: partial(Tokenizer.from_gguf(path).encode, add_special=False))


def llama_cpp(path: Path) -> Native:
    """The bare C call, into memory that it was given: nothing is charged for Python lists."""
    reference = llama_ref.Reference(path)
    ids = (ctypes.c_int32 * 0)()

    def encode(text: str) -> Sequence[int]:
        nonlocal ids
        data = text.encode()
        if len(ids) < len(data) + 16:
            ids = (ctypes.c_int32 * (len(data) + 16))()
        n = reference.lib.llama_tokenize(
            reference.vocab, data, len(data), ids, len(ids), False, False
        )
        return memoryview(ids).cast("B").cast("i")[:n]

    return Native(lambda: encode, stateless=True, close=reference.close)


def tokenizers(path: Path) -> Native:
    """`encode_batch_fast`, which leaves the offsets out: twice as fast as `encode`."""
    from tokenizers import Tokenizer as HuggingFace

    model = convert.tokenizer_json(Tokenizer.from_gguf(path))

    def make() -> Encode:
        encode = HuggingFace.from_str(model).encode_batch_fast
        return lambda text: encode([text], add_special_tokens=False)[0].ids

    return Native(make)


def tiktoken(path: Path) -> Native:
    from tiktoken import Encoding

    tok = Tokenizer.from_gguf(path)
    encoding = Encoding(
        tok.pre,
        pat_str=convert.pattern(tok),
        mergeable_ranks=convert.ranks(tok),
        special_tokens={},
    )
    return Native(lambda: encoding.encode_ordinary, stateless=True)


def sentencepiece(path: Path) -> Native:
    from sentencepiece import SentencePieceProcessor

    model = convert.sentencepiece_model(Tokenizer.from_gguf(path))
    processor = SentencePieceProcessor(model_proto=model)
    return Native(lambda: processor.encode, stateless=True)


PEERS = {
    "llama.cpp": ("xllamacpp", llama_cpp),
    "tokenizers": ("tokenizers", tokenizers),
    "tiktoken": ("tiktoken", tiktoken),
    "sentencepiece": ("sentencepiece", sentencepiece),
}


def peer(name: str, path: Path) -> Native | None:
    """The peer on a GGUF file, or None where its package is not installed."""
    package, make = PEERS[name]
    return make(path) if importlib.util.find_spec(package) else None
