"""GGUF files broken on purpose: metadata as a bad conversion leaves it, and the cause to name."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyodide_tok import GGUFFile
from tests.originals import KEY, texts_of

Changes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Breakage:
    """`model`: the vocabulary's name. `changes`: the file -> what is wrong in it."""

    model: str
    what: str
    changes: Callable[[GGUFFile], Changes]
    code: str


def _set(**values: Any) -> Callable[[GGUFFile], Changes]:
    changes = {KEY + key.replace("__", "."): value for key, value in values.items()}
    return lambda gguf: changes


def _types(gguf: GGUFFile) -> array[int]:
    return array("i", gguf.metadata.get(KEY + "token_type", [1] * len(texts_of(gguf))))  # type: ignore[arg-type]


def _retyped(text: str, kind: int) -> Callable[[GGUFFile], Changes]:
    def changes(gguf: GGUFFile) -> Changes:
        types = _types(gguf)
        types[texts_of(gguf).index(text)] = kind
        return {KEY + "token_type": memoryview(types)}

    return changes


def _lost(text: str) -> Callable[[GGUFFile], Changes]:
    def changes(gguf: GGUFFile) -> Changes:
        return {KEY + "tokens": ["[PAD1]" if t == text else t for t in texts_of(gguf)]}

    return changes


def _swapped(a: str, b: str) -> Callable[[GGUFFile], Changes]:
    def changes(gguf: GGUFFile) -> Changes:
        swap = {a: b, b: a}
        return {KEY + "tokens": [swap.get(text, text) for text in texts_of(gguf)]}

    return changes


def _shifted(gguf: GGUFFile) -> Changes:
    """A token too many at 500, the last one lost."""

    def moved(column: Any, new: Any) -> Any:
        return column[:500] + new + column[500:-1]

    changes: dict[str, Any] = {
        KEY + "tokens": moved(texts_of(gguf), ["[NEW]"]),
        KEY + "token_type": memoryview(moved(_types(gguf), array("i", [1]))),
    }
    if KEY + "scores" in gguf.metadata:
        scores: Any = gguf.metadata[KEY + "scores"]
        changes[KEY + "scores"] = memoryview(moved(array("f", scores), array("f", [-1e9])))
    return changes


def _merges(edit: Callable[[list[str]], list[str]]) -> Callable[[GGUFFile], Changes]:
    def changes(gguf: GGUFFile) -> Changes:
        merges: Any = gguf.metadata[KEY + "merges"]
        return {KEY + "merges": edit(list(merges))}

    return changes


def _reordered(merges: Sequence[str]) -> list[str]:
    return [*merges[:1000], *reversed(merges[1000:])]


def _no_scores(gguf: GGUFFile) -> Changes:
    return {KEY + "scores": memoryview(array("f", bytes(4 * len(texts_of(gguf)))))}


BREAKAGES = (
    Breakage("gpt-2", "pre llama-bpe", _set(pre="llama-bpe"), "pre-tokenizer"),
    Breakage("gpt-2", "EOS added", _set(add_eos_token=True), "eos"),
    Breakage("gpt-2", "half the merges", _merges(lambda merges: merges[:25000]), "merges"),
    Breakage("gpt-2", "merges in another order", _merges(_reordered), "merges"),
    Breakage("gpt-2", "two tokens swapped", _swapped("Ġthe", "Ġworld"), "ids"),
    Breakage("gpt-2", "ids shifted", _shifted, "ids"),
    Breakage("gpt-2", "a word special", _retyped("Ġworld", 3), "special-token"),
    Breakage("mistral-v1", "no space prefix", _set(add_space_prefix=False), "normalizer"),
    Breakage("mistral-v1", "no scores", _no_scores, "merges"),
    Breakage("mistral-v1", "ids shifted", _shifted, "ids"),
    Breakage("mistral-v1", "no BOS", _set(add_bos_token=False), "bos"),
    Breakage("bert-bge", "case kept", _set(normalizer__lowercase=False), "normalizer"),
    Breakage("bert-bge", "accents kept", _set(normalizer__strip_accents=False), "normalizer"),
    Breakage("bert-bge", "wrong SEP", _set(seperator_token_id=101), "eos"),
    Breakage("bert-bge", "two tokens swapped", _swapped("▁the", "▁world"), "ids"),
    Breakage("t5", "no EOS", _set(add_eos_token=False), "eos"),
    Breakage("t5", "spaces kept", _set(remove_extra_whitespaces=False), "normalizer"),
    Breakage("t5", "no charsmap", _set(precompiled_charsmap=None), "normalizer"),
    Breakage("llama-bpe", "pre gpt-2", _set(pre="gpt-2"), "pre-tokenizer"),
    Breakage("llama-bpe", "pre qwen2", _set(pre="qwen2"), "pre-tokenizer"),
    Breakage("llama-bpe", "pre default", _set(pre="default"), "pre-tokenizer"),
    Breakage("llama-bpe", "special ordinary", _retyped("<|start_header_id|>", 1), "special-token"),
    Breakage("llama-bpe", "special lost", _lost("<|start_header_id|>"), "special-token"),
    Breakage("llama-bpe", "no BOS", _set(add_bos_token=False), "bos"),
    Breakage("llama-bpe", "wrong BOS", _set(bos_token_id=128001), "bos"),
    Breakage("qwen2", "pre llama-bpe", _set(pre="llama-bpe"), "pre-tokenizer"),
    Breakage("qwen2", "BOS added", _set(add_bos_token=True), "bos"),
)
