"""What a GGUF file says of itself and its tokenizer, and what looks wrong with it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pyodide_tok.errors import Notice, TokError
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.gguf.strings import StringArray
from pyodide_tok.tokenizer import Tokenizer

_KINDS = {  # general.type, or the architecture, of files that are no language models
    "adapter": "this is a LoRA adapter: its model has the tokenizer",
    "mmproj": "this is a projector for images or sound (mmproj): its model has the tokenizer",
    "clip": "this is a projector for images or sound (mmproj): its model has the tokenizer",
    "imatrix": "this is an importance matrix, no model",
}


@dataclass(frozen=True, slots=True)
class Inspection:
    """facts: by section, name -> value, plain data. faults: what looks wrong, the worst first."""

    facts: Mapping[str, Mapping[str, Any]]
    metadata: Mapping[str, tuple[str, Any]]  # key -> type and value; arrays only counted
    faults: tuple[Notice, ...]

    def as_dict(self) -> dict[str, Any]:
        """Dicts, lists, strings and numbers only."""
        metadata = {k: {"type": t, "value": v} for k, (t, v) in self.metadata.items()}
        faults = [{"code": fault.code, "message": str(fault)} for fault in self.faults]
        return {**self.facts, "metadata": metadata, "faults": faults}


def inspect(gguf: GGUFFile, pre: str | None = None) -> Inspection:
    """A file's facts and faults; a tokenizer that cannot be made is one of these."""
    error: list[Notice] = []
    tokenizer = None
    try:
        tokenizer = Tokenizer(gguf, pre)
    except TokError as problem:
        error.append(Notice(problem.code, str(problem)))
    facts = {"file": _file(gguf), "tensors": _tensors(gguf)}
    if tokenizer:
        facts = {"file": facts["file"], "tokenizer": _tokenizer(tokenizer), **facts}
    return Inspection(facts, _metadata(gguf), (*error, *faults(gguf, tokenizer)))


def faults(gguf: GGUFFile, tokenizer: Tokenizer | None) -> tuple[Notice, ...]:
    """What looks wrong with a file, and with its tokenizer if it has one."""
    found = [Notice(code, what) for code, check in _FILE_CHECKS.items() for what in check(gguf)]
    if tokenizer:
        found += tokenizer.warnings
        found += (
            Notice(code, what) for code, look in _CHECKS.items() for what in look(gguf, tokenizer)
        )
    return tuple(found)


# -- facts --------------------------------------------------------------------------------


def _file(gguf: GGUFFile) -> dict[str, Any]:
    general = {key: gguf.metadata.get(f"general.{key}") for key in ("name", "architecture", "type")}
    return {
        **{key: value for key, value in general.items() if value is not None},
        "version": gguf.version,
        "byteorder": gguf.byteorder,
        "header_bytes": gguf.header_size,
        "context_length": _own(gguf, "context_length"),
    }


def _own(gguf: GGUFFile, key: str) -> Any:
    """A key of the file's architecture."""
    return gguf.metadata.get(f"{gguf.metadata.get('general.architecture')}.{key}")


def _tensors(gguf: GGUFFile) -> dict[str, Any]:
    return {
        "count": len(gguf.tensors),
        "parameters": sum(math.prod(tensor.shape) for tensor in gguf.tensors),
        "types": dict(Counter(tensor.type for tensor in gguf.tensors).most_common()),
    }


def _tokenizer(tokenizer: Tokenizer) -> dict[str, Any]:
    vocab = tokenizer.vocab
    return {
        "type": tokenizer.type,
        "model": vocab.model,
        "pre": tokenizer.pre,
        "tokens": len(vocab),
        "merges": len(vocab.merges),
        "special": {n: [i, vocab.texts[i]] for n, i in tokenizer.special_ids.items()},
        "eog": {str(i): vocab.texts[i] for i in sorted(tokenizer.eog_ids)},
        "flags": [name for name in vocab.flags.__slots__ if getattr(vocab.flags, name)],
        "chat_templates": list(tokenizer.chat_templates),
    }


def _metadata(gguf: GGUFFile) -> dict[str, tuple[str, Any]]:
    def shown(value: Any) -> Any:
        return len(value) if isinstance(value, memoryview | StringArray | tuple) else value

    return {key: (gguf.types.get(key, ""), shown(value)) for key, value in gguf.metadata.items()}


# -- faults -------------------------------------------------------------------------------


def _kind(gguf: GGUFFile) -> Iterator[str]:
    for key in ("general.type", "general.architecture"):
        what = _KINDS.get(str(gguf.metadata.get(key)))
        if what:
            yield what
            return


def _shard(gguf: GGUFFile) -> Iterator[str]:
    count = gguf.metadata.get("split.count", 1)
    if isinstance(count, int) and count > 1:
        yield f"this is one of {count} files of a model: the tensors of the others are not counted"


def _old(gguf: GGUFFile) -> Iterator[str]:
    if gguf.version < 3:
        yield f"GGUF version {gguf.version} is old; llama.cpp reads 2 and 3"


def _byteorder(gguf: GGUFFile) -> Iterator[str]:
    if gguf.byteorder == "big":
        yield "big-endian: llama.cpp reads it on big-endian machines only"


def _offsets(gguf: GGUFFile) -> Iterator[str]:
    alignment = gguf.metadata.get("general.alignment", 32)
    odd = [t.name for t in gguf.tensors if isinstance(alignment, int) and t.offset % alignment]
    if odd:
        yield f"{len(odd)} tensors do not begin at a multiple of {alignment} bytes, as {odd[0]}"
    if len({tensor.offset for tensor in gguf.tensors}) < len(gguf.tensors):
        yield "several tensors begin at the same place"


def _pre(gguf: GGUFFile, tokenizer: Tokenizer) -> Iterator[str]:
    if tokenizer.type == "BPE" and gguf.metadata.get("tokenizer.ggml.pre") == "default":
        yield (
            "tokenizer.ggml.pre is 'default', which hardly any model has: ids may be wrong;"
            " convert the model with a newer llama.cpp, or choose the right pre-tokenizer by name"
        )


def _embedding(gguf: GGUFFile, tokenizer: Tokenizer) -> Iterator[str]:
    for tensor in gguf.tensors:
        rows = tensor.shape[-1] if tensor.shape else 0
        if tensor.name == "token_embd.weight" and rows < tokenizer.n_vocab:
            yield f"{tokenizer.n_vocab} tokens, but only {rows} have embeddings"


def _vocab_size(gguf: GGUFFile, tokenizer: Tokenizer) -> Iterator[str]:
    claimed = _own(gguf, "vocab_size")
    if isinstance(claimed, int) and claimed != tokenizer.n_vocab:
        yield f"the file claims {claimed} tokens and has {tokenizer.n_vocab}"


def _end(gguf: GGUFFile, tokenizer: Tokenizer) -> Iterator[str]:
    generates = tokenizer.type in ("SPM", "BPE", "RWKV", "PLAMO2", "PLAMO3")
    if generates and not tokenizer.eog_ids:
        yield "no token ends a generation"


def _double_bos(gguf: GGUFFile, tokenizer: Tokenizer) -> Iterator[str]:
    bos = tokenizer.vocab.special.get("bos")
    if bos is None or not tokenizer.vocab.flags.add_bos:
        return
    names = [n for n, text in tokenizer.chat_templates.items() if _begins_with_bos(text, tokenizer)]
    if names:
        yield (
            f"the chat template {names[0]!r} writes the BOS that encoding adds too: encode its text"
            " with add_special=False"
        )


def _begins_with_bos(template: str, tokenizer: Tokenizer) -> bool:
    bos = tokenizer.vocab.texts[tokenizer.vocab.special["bos"]]
    return "bos_token" in template or bos in template


_FILE_CHECKS: dict[str, Callable[[GGUFFile], Iterator[str]]] = {
    "no-language-model": _kind,
    "one-of-several": _shard,
    "old-version": _old,
    "big-endian": _byteorder,
    "tensor-offsets": _offsets,
}
_CHECKS: dict[str, Callable[[GGUFFile, Tokenizer], Iterator[str]]] = {
    "default-pre": _pre,
    "embedding-rows": _embedding,
    "vocab-size": _vocab_size,
    "no-end": _end,
    "template-bos": _double_bos,
}
