"""Checks of special tokens, token columns and chat templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pyodide_tok.inspection.problem import CONVERT, Problem, shown
from pyodide_tok.tokenizer import Tokenizer
from pyodide_tok.vocab.families import KEY
from pyodide_tok.vocab.vocab import SPECIAL

_LOOKS_SPECIAL = re.compile(r"<\S+>|\[\S+\]")
# texts that no vocabulary has as ordinary tokens
_CONTROL = r"<\|[^<>|\s\0{}'\"]+\|>|<｜[^<>｜\s\0{}'\"]+｜>|<(?:start|end)_of_turn>"
_WHOLE_CONTROL = re.compile(rf"(?<![^\0])(?:{_CONTROL})(?![^\0])")
_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_TURN_END = re.compile(
    r"\W*(im_end|eot(_id)?|end_?of_?turn(_token)?|turn_?end|end_?of_?(sentence|utterance|message))\W*",
    re.IGNORECASE,
)


# -- special tokens -----------------------------------------------------------------------


def _added(tokenizer: Tokenizer) -> Iterator[Problem]:
    """The tokens that encoding adds to every text."""
    flags, family = tokenizer.vocab.flags, tokenizer.vocab.family
    wanted = ((family.before, flags.add_bos), (family.after, flags.add_eos))
    for name, adds in wanted:
        token = tokenizer.special_ids.get(name)
        if (
            (adds or family.added_always)
            and token is not None
            and not _is_special(tokenizer, token)
        ):
            message = (
                f"Every text gets token {token} {tokenizer.id_to_token(token)!r} as its"
                f" {name.upper()}, which is an ordinary token."
            )
            yield Problem(f"{name}-not-control", "error", message, _set_id(name))


def _eos(tokenizer: Tokenizer) -> Iterator[Problem]:
    token = tokenizer.special_ids.get("eos")
    if not tokenizer.vocab.family.generates or token is None:
        return
    text = tokenizer.id_to_token(token)
    if not tokenizer.is_eog(token):
        message = f"The EOS, token {token} {text!r}, does not end a generation."
        yield Problem("eos-not-end", "warning", message, _set_id("eos"))
    elif not tokenizer.vocab.flags.add_eos and not _is_special(tokenizer, token):
        message = f"The EOS is token {token} {text!r}, an ordinary token: it ends every generation."
        yield Problem("eos-not-control", "warning", message, _set_id("eos"))


def _set_id(name: str) -> str:
    key = {"sep": "seperator"}.get(name, name)
    return f"Set {KEY}{key}_token_id to the model's {name.upper()} with gguf_set_metadata.py."


def _is_special(tokenizer: Tokenizer, token: int) -> bool:
    looks = _LOOKS_SPECIAL.fullmatch(tokenizer.id_to_token(token))
    return bool(looks or tokenizer.vocab.attrs[token] & SPECIAL)


def _end(tokenizer: Tokenizer) -> Iterator[Problem]:
    if tokenizer.vocab.family.generates and not tokenizer.eog_ids:
        message = "No token ends a generation: the model writes until the context window is full."
        yield Problem("no-end", "warning", message, _set_id("eos"))


# -- columns ------------------------------------------------------------------------------


def _normal_control(tokenizer: Tokenizer) -> Iterator[Problem]:
    vocab = tokenizer.vocab
    texts = _WHOLE_CONTROL.findall("\0".join(vocab.texts))
    ids = ((text, vocab.token_to_id.get(text)) for text in texts)
    normal = [text for text, i in ids if i is not None and not vocab.attrs[i] & SPECIAL]
    if normal and KEY + "token_type" in tokenizer.gguf.metadata:
        message = (
            f"Tokens that look like control tokens have the type normal: {shown(normal)}. A chat is"
            " split into other tokens than the model was trained with."
        )
        yield Problem("control-as-normal", "error", message, CONVERT)


def _columns(tokenizer: Tokenizer) -> Iterator[Problem]:
    metadata, family = tokenizer.gguf.metadata, tokenizer.vocab.family
    if family.has_scores and KEY + "scores" not in metadata:
        message = f"{KEY}scores is missing: which tokens a word becomes is left to chance."
        yield Problem("no-scores", "error", message, CONVERT)
    if family.tokens == "file" and KEY + "token_type" not in metadata:
        message = (
            f"{KEY}token_type is missing: control tokens are ordinary ones, and chats are split"
            " into other tokens than the model was trained with."
        )
        yield Problem("no-token-types", "error", message, CONVERT)


def _embedding(tokenizer: Tokenizer) -> Iterator[Problem]:
    for tensor in tokenizer.gguf.tensors:
        rows = tensor.shape[-1] if tensor.shape else 0
        if tensor.name == "token_embd.weight" and rows < tokenizer.n_vocab:
            message = (
                f"The vocabulary has {tokenizer.n_vocab:,} tokens, but only {rows:,} have an"
                " embedding: the model cannot read the others."
            )
            yield Problem("embedding-rows", "error", message, CONVERT)


def _vocab_size(tokenizer: Tokenizer) -> Iterator[Problem]:
    metadata = tokenizer.gguf.metadata
    key = f"{metadata.get('general.architecture')}.vocab_size"
    claimed = metadata.get(key)
    if isinstance(claimed, int) and claimed != tokenizer.n_vocab:
        message = (
            f"{key} is {claimed:,}, but the vocabulary has {tokenizer.n_vocab:,} tokens: programs"
            " that rely on the key read or sample wrong ids."
        )
        yield Problem("vocab-size", "warning", message, CONVERT)


# -- chat templates -----------------------------------------------------------------------


def _template(tokenizer: Tokenizer) -> Iterator[Problem]:
    """Control texts in a template, which is searched and never run."""
    vocab = tokenizer.vocab
    for name, template in tokenizer.chat_templates.items():
        found = dict.fromkeys(re.findall(_CONTROL, _COMMENT.sub("", template)))
        missing = [text for text in found if text not in vocab.token_to_id]
        if len(missing) < len(found):  # official templates have parts for tools without tokens
            missing = [text for text in missing if "tool" not in text]
        if missing:
            message = (
                f"The chat template {name!r} uses {shown(missing)}, which the vocabulary lacks:"
                " the model reads them as ordinary text."
            )
            fix = (
                "Use the template that belongs to this model, or convert it with its added tokens."
            )
            yield Problem("template-tokens", "warning", message, fix)
        ends = [text for text in found if _TURN_END.fullmatch(text) and text not in missing]
        if ends and not any(tokenizer.is_eog(vocab.token_to_id[text]) for text in ends):
            message = (
                f"The chat template {name!r} ends turns with {shown(ends)}, which does not end a"
                " generation: the model goes on after its answer."
            )
            yield Problem("turn-end-not-eog", "warning", message, _set_id("eot"))


CHECKS: tuple[Callable[[Tokenizer], Iterator[Problem]], ...] = (
    _added,
    _eos,
    _end,
    _normal_control,
    _columns,
    _embedding,
    _vocab_size,
    _template,
)
