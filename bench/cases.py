"""What is measured against whom, and the ratios to reach: their time / ours, so more is better.

`warm` and `cold` are the targets of issue 4; None: it is shown, and nothing is asked of it.
"""

from __future__ import annotations

from dataclasses import dataclass

TEXTS = ("en", "zh", "ru", "code", "mixed-emoji")
MODES = ("cold", "warm", "unseen")


@dataclass(frozen=True, slots=True)
class Case:
    """A peer and we, on one vocabulary."""

    place: str  # "native", or "V8": Node, and Pyodide in the same process
    peer: str
    vocab: str
    warm: float | None = None
    cold: float | None = None

    def target(self, mode: str) -> float | None:
        return {"cold": self.cold, "warm": self.warm}.get(mode)

    def matches(self, words: list[str]) -> bool:
        """Whether each of `words` is its place, peer or vocabulary."""
        return all(word in (self.place, self.peer, self.vocab) for word in words)


@dataclass(frozen=True, slots=True)
class Load:
    """From a GGUF file to the ids of a short text: a native peer, and we at `place`."""

    place: str  # "native" or "Pyodide"
    peer: str
    vocab: str
    target: float | None = None

    def matches(self, words: list[str]) -> bool:
        return all(word in (self.place, self.peer, self.vocab) for word in words)


def _llama_cpp(*vocabs: str, warm: float, cold: float | None = None) -> list[Case]:
    return [Case("native", "llama.cpp", vocab, warm, cold) for vocab in vocabs]


CASES = (
    *_llama_cpp("gpt-2", "llama-bpe", "qwen2", "deepseek-llm", "gemma-4", warm=5, cold=2),
    *_llama_cpp("llama-spm", warm=5, cold=2),
    *_llama_cpp("bert-bge", "nomic-bert-moe", "t5", warm=1),
    *_llama_cpp("rwkv", "plamo2", warm=0.3),
    Case("native", "tokenizers", "llama-bpe", warm=4, cold=1),
    Case("native", "tokenizers", "gpt-2", warm=4, cold=1),
    Case("native", "tiktoken", "llama-bpe", warm=1, cold=0.4),
    Case("native", "tiktoken", "gpt-2", warm=1, cold=0.4),
    Case("native", "sentencepiece", "llama-spm"),
    Case("native", "sentencepiece", "mistral-v1"),
    Case("V8", "gpt-tokenizer", "gpt-2", warm=1, cold=1),
    Case("V8", "@huggingface/tokenizers", "gpt-2", warm=8, cold=4),
    Case("V8", "@huggingface/tokenizers", "llama-bpe", warm=8, cold=4),
    Case("V8", "llama-tokenizer-js", "llama-spm", warm=20, cold=20),
    Case("V8", "ai-tokenizer", "gpt-2"),
)

LOADS = (
    *(Load("native", "llama.cpp", vocab, 2) for vocab in ("llama-bpe", "qwen2", "gemma-4")),
    *(Load("Pyodide", "llama.cpp", vocab, 1) for vocab in ("llama-bpe", "qwen2", "gemma-4")),
    Load("native", "gguf", "gpt-2"),
    Load("native", "gguf", "llama-bpe"),
)
