"""Checks of a BPE vocabulary's merges, and whether its pre-tokenizer fits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from pyodide_tok.inspection.problem import CONVERT, Problem, shown
from pyodide_tok.pretokenize.splitting import Splitter
from pyodide_tok.pretokenize.table import PRE_TOKENIZERS
from pyodide_tok.tokenizer import Tokenizer
from pyodide_tok.vocab.families import KEY
from pyodide_tok.vocab.vocab import NORMAL, Vocab


@dataclass(frozen=True, slots=True)
class _Known:
    """A published vocabulary: the pre-tokenizers that fit, and ids of its added tokens."""

    name: str
    pres: tuple[str, ...]
    added: dict[str, int] = field(default_factory=dict)


_QWEN = {"<|im_start|>": 151644, "<|im_end|>": 151645}
_LLAMA = {"<|begin_of_text|>": 128000, "<|end_of_text|>": 128001, "<|eot_id|>": 128009}
_KNOWN = {  # by `_fingerprint` of the merges
    "f0d4e1addd993c28": _Known("GPT-2", ("gpt-2",)),
    "315a3c554e28e73f": _Known("Llama 3", ("llama-bpe",), _LLAMA),
    "2a44d68432bd54bd": _Known("Qwen 2", ("qwen2", "qwen35"), _QWEN),
    "cb7742640c114e9c": _Known("Mistral (Tekken)", ("tekken",), {"<s>": 1, "</s>": 2}),
    "3a23d0265955b1e0": _Known(
        "DeepSeek LLM", ("deepseek-llm",), {"<｜begin▁of▁sentence｜>": 100000}
    ),
    "14c1d89c1b932e25": _Known(
        "DeepSeek Coder", ("deepseek-coder",), {"<｜begin▁of▁sentence｜>": 32013}
    ),
    "04364f1e307cd790": _Known("GPT-NeoX", ("gpt-2",), {"<|endoftext|>": 0}),
    "0077f4f3ea63abbc": _Known("Falcon", ("falcon",), {"<|endoftext|>": 11}),
    "daacad94a395bce6": _Known("StarCoder", ("starcoder",), {"<|endoftext|>": 0}),
    "badd1d8c40f2bee3": _Known("Refact", ("refact",), {"<|endoftext|>": 0}),
    "6343e52ff5b8aa35": _Known("Command R", ("command-r",), {"<BOS_TOKEN>": 5}),
    "9f3465449efeec6e": _Known("Aquila", ("gpt-2",)),
}
_COMMON = (
    *("gpt-2", "llama-bpe", "qwen2", "gpt-4o", "tekken", "starcoder", "deepseek-llm"),
    *("deepseek-coder", "falcon", "viking"),
)
_SAMPLE = 20_000  # merges whose halves are looked up
_TRIED = 4_000  # words that are split to find a better pre-tokenizer


def _fingerprint(merges: Sequence[str]) -> str:
    last = len(merges) - 1
    sample = [str(len(merges)), *(merges[i * last // 31] for i in range(32) if merges)]
    data = "\n".join(sample).encode("utf-8", "surrogateescape")
    return blake2b(data, digest_size=8).hexdigest()


# -- the pre-tokenizer --------------------------------------------------------------------


def check_pre(tokenizer: Tokenizer) -> Iterator[Problem]:
    """A missing or unsuitable `tokenizer.ggml.pre`.

    By the vocabulary's fingerprint if it is known, else by its tokens that no split leaves in one
    piece: the right pre-tokenizer has next to none.
    """
    if tokenizer.vocab.model != "gpt2" or not PRE_TOKENIZERS[tokenizer.pre].byte_encode:
        return
    misfit = _misfit(tokenizer)
    is_missing = any(notice.code == "missing-pre" for notice in tokenizer.warnings)
    if not misfit and not is_missing:
        return
    why, better = misfit or ("It may not be the model's own.", "")
    code, what = "pre-mismatch", f"The pre-tokenizer {tokenizer.pre!r} does not fit."
    if is_missing:
        code, what = "missing-pre", f"{KEY}pre is missing, and 'default' is used."
    name = f"{better!r}" if better else "the model's own"
    fix = f"Set {KEY}pre to {name}, or load with pre= or --pre. {CONVERT}"
    yield Problem(code, "error" if misfit else "warning", f"{what} {why}", fix)


def _misfit(tokenizer: Tokenizer) -> tuple[str, str] | None:
    """Why the pre-tokenizer does not fit, and the name of a better one."""
    stages = PRE_TOKENIZERS[tokenizer.pre].stages
    known = _KNOWN.get(_fingerprint(tokenizer.vocab.merges))
    if known:
        if stages in [PRE_TOKENIZERS[pre].stages for pre in known.pres]:
            return None
        return f"The merges are those of {known.name}: ids differ from the model's.", known.pres[0]
    words = _words(tokenizer.vocab)
    unreachable = _split(tokenizer.pre, words)
    if unreachable <= max(20, tokenizer.n_vocab // 1000):
        return None
    sample = words[:: len(words) // _TRIED + 1]
    better = min(_COMMON, key=lambda pre: _split(pre, sample))
    return f"It splits {unreachable:,} tokens, which no text can become: ids are wrong.", better


_WORD = re.compile("(?<=\0)(?! ?[A-Z]?[a-z]+\0) ?[!-~]{2,100}(?=\0)")


def _words(vocab: Vocab) -> list[str]:
    """The texts of normal ASCII tokens, except plain words, which no pre-tokenizer splits."""
    special = {vocab.texts[i] for i, attr in enumerate(vocab.attrs) if not attr & NORMAL}
    texts = "\0".join(vocab.texts).replace("Ġ", " ")
    return [word for word in _WORD.findall(f"\0{texts}\0") if word not in special]


def _split(pre: str, words: Sequence[str]) -> int:
    """How many words are split."""
    split = Splitter(PRE_TOKENIZERS[pre].stages, ()).words
    return sum(len(parts) > 1 for parts in map(split, words))


# -- merges -------------------------------------------------------------------------------


def check_merges(tokenizer: Tokenizer) -> Iterator[Problem]:
    """No merges, or merges of what are not tokens."""
    vocab = tokenizer.vocab
    if not vocab.family.has_merges or (not vocab.merges and tokenizer.pre == "kimi-k2"):
        return
    if not vocab.merges:
        message = f"{KEY}merges is empty: every character or byte of a text is a token."
        yield Problem("no-merges", "error", message, CONVERT)
    elif not _all_usable(vocab):
        unusable = [merge for merge in vocab.merges if not _is_usable(merge, vocab)]
        if unusable:
            message = (
                f"{len(unusable):,} of {len(vocab.merges):,} merges make or need what is not a"
                f" token: {shown(unusable)}. Tokens or merges are of another model, or were"
                " overwritten: ids are wrong."
            )
            yield Problem("unusable-merges", "error", message, CONVERT)


def _all_usable(vocab: Vocab) -> bool:
    """Whether all merges make tokens, and a sample of them is made of tokens; at the speed of C."""
    tokens = vocab.token_to_id.keys()
    merges = "\0".join(vocab.merges)
    if merges.count(" ") != len(vocab.merges):
        return False
    if set(merges.replace(" ", "").split("\0")) - tokens:
        return False
    sample = vocab.merges[:: len(vocab.merges) // _SAMPLE + 1]
    return not set("\0".join(sample).replace(" ", "\0").split("\0")) - tokens


def _is_usable(merge: str, vocab: Vocab) -> bool:
    cut = merge.find(" ", 1)  # as llama.cpp splits it: a space can be the left half
    left, right = merge[:cut], merge[cut + 1 :]
    return cut > 0 and {left, right, left + right} <= vocab.token_to_id.keys()


# -- added tokens -------------------------------------------------------------------------


def check_added(tokenizer: Tokenizer) -> Iterator[Problem]:
    """Added tokens of a known vocabulary that have other ids than there."""
    known = _KNOWN.get(_fingerprint(tokenizer.vocab.merges))
    added = known.added if known else {}
    ids = {text: tokenizer.token_to_id(text) for text in added}
    moved = [text for text, token in ids.items() if token not in (None, added[text])]
    if known and moved:
        text = moved[0]
        message = (
            f"Token {text!r} of {known.name} has the id {ids[text]} instead of {added[text]}: the"
            " model was trained with the other id."
        )
        yield Problem("moved-token", "error", message, CONVERT)
