"""The facts of a GGUF file and its tokenizer, as plain data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pyodide_tok.errors import TokError
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.gguf.strings import StringArray
from pyodide_tok.inspection.problem import Problem
from pyodide_tok.inspection.problems import problems, problems_of_file
from pyodide_tok.tokenizer import Tokenizer
from pyodide_tok.vocab.families import KEY


@dataclass(frozen=True, slots=True)
class Inspection:
    """A file's facts and problems.

    facts: by section, name -> value, plain data. metadata: key -> type and value; of arrays, the
    length. problems: worst first; empty for a good file.
    """

    facts: Mapping[str, Mapping[str, Any]]
    metadata: Mapping[str, tuple[str, Any]]
    problems: tuple[Problem, ...]

    def as_dict(self) -> dict[str, Any]:
        """Dicts, lists, strings and numbers only."""
        metadata = {k: {"type": t, "value": v} for k, (t, v) in self.metadata.items()}
        problems = [asdict(problem) for problem in self.problems]
        return {**self.facts, "metadata": metadata, "problems": problems}


def inspect(gguf: GGUFFile, pre: str | None = None) -> Inspection:
    """A file's facts and problems. A tokenizer that cannot be loaded is one of the problems."""
    facts = {"file": _file(gguf), "tensors": _tensors(gguf)}
    try:
        tokenizer = Tokenizer(gguf, pre)
    except TokError as error:
        return Inspection(facts, _metadata(gguf), problems_of_file(gguf, error))
    facts = {"file": facts["file"], "tokenizer": _tokenizer(tokenizer), **facts}
    return Inspection(facts, _metadata(gguf), problems(tokenizer))


def describe(tokenizer: Tokenizer) -> dict[str, Any]:
    """The facts of a tokenizer and its file by name, as plain data: what the page shows."""
    gguf, vocab = tokenizer.gguf, tokenizer.vocab
    told = sorted({*tokenizer.special_ids.values(), *tokenizer.eog_ids})
    return {
        "name": _general(gguf, "name"),
        "architecture": _general(gguf, "architecture"),
        "kind": _general(gguf, "type"),
        "gguf_version": gguf.version,
        "byteorder": gguf.byteorder,
        "context_length": _context_length(gguf),
        "type": tokenizer.type,
        "model": vocab.model,
        "pre": tokenizer.pre,
        "file_pre": _fact(gguf, KEY + "pre", str),
        "n_vocab": tokenizer.n_vocab,
        "n_merges": len(vocab.merges),
        "added": tokenizer.count(""),
        "special": tokenizer.special_ids,
        "eog": sorted(tokenizer.eog_ids),
        "texts": {str(id): tokenizer.id_to_token(id) for id in told},
        "flags": {flag: getattr(vocab.flags, flag) for flag in vocab.flags.__slots__},
        "chat_template": tokenizer.chat_template,
        "chat_templates": dict(tokenizer.chat_templates),
    }


def _fact(gguf: GGUFFile, key: str, kind: type) -> Any:
    """The value of a key, if it is of the kind that it should be: plain data, never an array."""
    value = gguf.metadata.get(key)
    return value if isinstance(value, kind) else None


def _general(gguf: GGUFFile, name: str) -> str:
    return _fact(gguf, f"general.{name}", str) or ""


def _context_length(gguf: GGUFFile) -> int | None:
    length: int | None = _fact(gguf, f"{_general(gguf, 'architecture')}.context_length", int)
    return length


def _file(gguf: GGUFFile) -> dict[str, Any]:
    general = {key: _general(gguf, key) for key in ("name", "architecture", "type")}
    return {
        **{key: value for key, value in general.items() if value},
        "version": gguf.version,
        "byteorder": gguf.byteorder,
        "header_bytes": gguf.header_size,
        "context_length": _context_length(gguf),
    }


def _tensors(gguf: GGUFFile) -> dict[str, Any]:
    return {
        "count": len(gguf.tensors),
        "parameters": sum(math.prod(tensor.shape) for tensor in gguf.tensors),
        "types": dict(Counter(tensor.type for tensor in gguf.tensors).most_common()),
    }


def _tokenizer(tokenizer: Tokenizer) -> dict[str, Any]:
    facts = describe(tokenizer)
    texts = facts["texts"]
    return {
        "type": facts["type"],
        "model": facts["model"],
        "pre": facts["pre"],
        "tokens": facts["n_vocab"],
        "merges": facts["n_merges"],
        "special": {name: [id, texts[str(id)]] for name, id in facts["special"].items()},
        "eog": {str(id): texts[str(id)] for id in facts["eog"]},
        "flags": [name for name, on in facts["flags"].items() if on],
        "chat_templates": list(facts["chat_templates"]),
    }


def _metadata(gguf: GGUFFile) -> dict[str, tuple[str, Any]]:
    def shown(value: Any) -> Any:
        return len(value) if isinstance(value, memoryview | StringArray | tuple) else value

    return {key: (gguf.types.get(key, ""), shown(value)) for key, value in gguf.metadata.items()}
