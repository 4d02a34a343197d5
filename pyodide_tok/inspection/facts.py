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
