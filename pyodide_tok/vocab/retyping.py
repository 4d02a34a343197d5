"""What the loader changes because of token texts: attributes, special ids, end of generation.

llama-vocab.cpp, `impl::load`, from the detection of special tokens on. Each step takes a record
and returns the next one.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from pyodide_tok.errors import Notice
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.cpp_order import first_in_hash_order
from pyodide_tok.vocab.families import KEY, Family
from pyodide_tok.vocab.metadata import Metadata
from pyodide_tok.vocab.specials import EOG_TEXTS, TEXTS_OF, USER_DEFINED_TEXTS
from pyodide_tok.vocab.vocab import (
    CONTROL,
    LSTRIP,
    NORMAL,
    RSTRIP,
    SPECIAL,
    UNUSED,
    USER_DEFINED,
    tokens_with,
)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens between two steps; the fields are those of `Vocab`."""

    texts: tuple[str, ...]
    token_to_id: dict[str, int]
    attrs: array[int]
    special: dict[str, int]
    eot_candidates: tuple[str, ...] = ()
    eog: frozenset[int] = frozenset()
    notices: tuple[Notice, ...] = ()

    def ids_of(self, texts: Iterable[str]) -> list[int]:
        """The ids of those texts that are tokens."""
        return [self.token_to_id[text] for text in texts if text in self.token_to_id]

    def retyped(self, attrs: Mapping[int, int], notices: Iterable[Notice] = ()) -> Tokens:
        """With other attributes for some tokens."""
        changed = self.attrs[:]
        for token, attr in attrs.items():
            changed[token] = attr
        return replace(self, attrs=changed, notices=(*self.notices, *notices))

    def as_control(self, tokens: Iterable[int]) -> Tokens:
        """With some tokens as control tokens, whatever the file says."""
        normal = [token for token in tokens if not self.attrs[token] & CONTROL]
        return self.retyped(
            {token: self.attrs[token] | CONTROL for token in normal},
            [
                Notice("retyped-control", _CONTROL.format(token, self.texts[token]))
                for token in normal
            ],
        )


Step = Callable[[Tokens], Tokens]

_CONTROL = "token {} {!r} looks like a control token; taken as one"


def steps(metadata: Metadata, family: Family, pre: str) -> tuple[Step, ...]:
    """The steps for a file, in llama.cpp's order; `pre` is the pre-tokenizer's name."""
    if family.tokens != "file":
        return ()
    return (
        find_special_texts,
        mark_unused,
        mark_ends,
        mark_rendered,
        add_special_ends,
        unmark_end,
        unmark_s,
        strip_rule(metadata, family, pre),
    )


def find_special_texts(tokens: Tokens) -> Tokens:
    """Special ids that no key sets are found by the texts of their tokens."""
    found = {
        name: texts
        for name, known in TEXTS_OF.items()
        if name not in tokens.special
        and (texts := tuple(text for text in known if text in tokens.token_to_id))
    }
    # All EOT candidates end generation and are retyped below, so which one is "the" EOT can wait
    # until somebody asks: the answer requires a walk over the vocabulary.
    candidates = found.pop("eot") if len(found.get("eot", ())) > 1 else ()
    special = {
        name: tokens.token_to_id[_first(tokens.texts, texts)] for name, texts in found.items()
    }
    tokens = replace(tokens, special=tokens.special | special, eot_candidates=candidates)
    return tokens.as_control(special.values())


def _first(texts: tuple[str, ...], found: tuple[str, ...]) -> str:
    return found[0] if len(found) == 1 else first_in_hash_order(texts, found)


def mark_unused(tokens: Tokens) -> Tokens:
    """Control tokens with "unused" in their text."""
    texts, attrs = tokens.texts, tokens.attrs
    unused = [token for token in tokens_with(attrs, CONTROL) if "unused" in texts[token]]
    return tokens.retyped({token: attrs[token] | UNUSED for token in unused})


def mark_ends(tokens: Tokens) -> Tokens:
    """The texts that end a generation in every vocabulary are control tokens."""
    special, ends = tokens.special, tokens.ids_of(EOG_TEXTS)
    fill_in_middle = [special[n] for n in ("fim_pad", "fim_rep", "fim_sep") if n in special]
    return replace(tokens, eog=frozenset(chain(fill_in_middle, ends))).as_control(ends)


def mark_rendered(tokens: Tokens) -> Tokens:
    """gpt-oss: the tokens that structure a message are always rendered."""
    rendered = tokens.ids_of(USER_DEFINED_TEXTS)
    return tokens.retyped(
        dict.fromkeys(rendered, USER_DEFINED),
        [
            Notice("retyped-user-defined", f"token {token} {tokens.texts[token]!r} is rendered")
            for token in rendered
        ],
    )


def add_special_ends(tokens: Tokens) -> Tokens:
    """EOS, EOT and EOM end a generation, whatever their texts are."""
    for name in ("eos", "eot", "eom"):
        token = tokens.special.get(name)
        if token is not None and token not in tokens.eog:
            notice = Notice("eog-added", f"the {name} token is not known to end a generation")
            tokens = replace(tokens, eog=tokens.eog | {token}, notices=(*tokens.notices, notice))
    return tokens


def unmark_end(tokens: Tokens) -> Tokens:
    """o200k_harmony and solar-open: "<|end|>" ends a message there, not the generation."""
    texts = {tokens.texts[token] for token in tokens.eog}
    calls = texts & {"<|call|>", "<|calls|>"}
    if "<|end|>" in texts and calls and texts & {"<|return|>", "<|flush|>"}:
        return _without_end(tokens, "<|end|>", USER_DEFINED)
    return tokens


def unmark_s(tokens: Tokens) -> Tokens:
    """Gemma 4 and PLaMo: "</s>" is a normal token there."""
    texts = {tokens.texts[token] for token in tokens.eog}
    if "</s>" in texts and texts & {"<|tool_response>", "<|plamo:eos|>"}:
        return _without_end(tokens, "</s>", NORMAL)
    return tokens


def _without_end(tokens: Tokens, text: str, attr: int) -> Tokens:
    token = tokens.token_to_id[text]
    notice = Notice("eog-removed", f"token {token} {text!r} does not end a generation here")
    return replace(tokens, eog=tokens.eog - {token}).retyped({token: attr}, [notice])


# -- LSTRIP and RSTRIP, which no file has ---------------------------------------------------


def strip_rule(metadata: Metadata, family: Family, pre: str) -> Step:
    """The step that marks tokens which swallow white space: the model's name decides."""
    arch = str(metadata.get("general.architecture", ""))
    name = _ascii_lower(str(metadata.get("general.name", "")))
    if not family.has_merges or family.forced_pre:  # then the file's own name counts
        pre = str(metadata.get(KEY + "pre", ""))
    pres = ("jina-v2-de", "jina-v2-es", "jina-v2-code", "mmbert")
    if any(p in pre for p in pres) or "nomic-bert-moe" in arch or "jina-bert-v3" in arch:
        return lambda tokens: _lstrip(tokens, "<mask>")
    if "phi-3" in name or "phi3" in name:
        return _rstrip_phi3
    if "modern-bert" in name:
        return lambda tokens: _lstrip(tokens, "[MASK]")
    return lambda tokens: tokens


def _lstrip(tokens: Tokens, text: str) -> Tokens:
    token = tokens.token_to_id.get(text)
    if token is None:
        message = f"the vocabulary has no {text} token; convert it again"
        return tokens.retyped({}, [Notice("missing-mask", message)])
    return tokens.retyped({token: tokens.attrs[token] | LSTRIP})


def _rstrip_phi3(tokens: Tokens) -> Tokens:
    attrs = tokens.attrs
    swallowing = {*tokens_with(attrs, SPECIAL), *tokens.ids_of(["</s>"])}
    swallowing -= {*tokens.ids_of(["<unk>", "<s>", "<|endoftext|>"])}
    return tokens.retyped({token: attrs[token] | RSTRIP for token in swallowing})


def _ascii_lower(text: str) -> str:
    return utf8(text).lower().decode("utf-8", "surrogateescape")
