"""A Hugging Face tokenizer.json as facts: its tokens, merges, normalizers and templates.

Running the tokenizer is left to the package `tokenizers`, or in the page to
@huggingface/tokenizers; here the file is only read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyodide_tok.errors import TokError

_UNICODE_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


class OriginalError(TokError, ValueError):
    """A file is not a tokenizer.json that can be compared with."""

    code = "original-invalid"


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A token of `added_tokens`: cut out of a text before anything else."""

    token_id: int
    text: str
    special: bool
    strips: bool  # swallows white space beside it, or is matched as a complete word only


@dataclass(frozen=True)
class Original:
    """What a tokenizer.json says.

    vocab: text -> id, added tokens included.
    merges: "left right", in the order of their ranks.  normalizers: in the order they are applied.
    """

    vocab: Mapping[str, int]
    merges: tuple[str, ...]
    added: tuple[AddedToken, ...]
    normalizers: tuple[Mapping[str, Any], ...]

    @cached_property
    def unicode_form(self) -> str:
        """The Unicode normalization form that it applies to a text, or ""."""
        forms = [part["type"] for part in self.normalizers if part["type"] in _UNICODE_FORMS]
        return str(forms[-1]) if forms else ""

    def option(self, name: str) -> Any:
        """An option of a normalizer, such as BertNormalizer's "lowercase"; None if none has it."""
        values = (part[name] for part in self.normalizers if name in part)
        return next(values, None)

    @cached_property
    def _texts(self) -> dict[int, str]:
        return {token_id: text for text, token_id in self.vocab.items()}

    def text_of(self, token_id: int) -> str:
        """The text of a token; its number for an id that no token has."""
        return self._texts.get(token_id, str(token_id))


def read_original(data: bytes | str) -> Original:
    """The facts of a tokenizer.json.

    Raises `OriginalError` for what is not JSON, or not a tokenizer of Hugging Face's format.
    """
    try:
        content = json.loads(data)
        return _original(content)
    except ValueError as error:
        raise OriginalError(f"The tokenizer.json is not JSON: {error}.") from error
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise OriginalError(
            "The file is not a tokenizer.json of Hugging Face tokenizers: it lacks"
            f" {error}. Use the tokenizer.json of the model's original repository."
        ) from error


def _original(content: Mapping[str, Any]) -> Original:
    model = content["model"]
    added = tuple(map(_added, content.get("added_tokens") or ()))
    vocab = dict(_vocab(model["vocab"]))
    vocab |= {token.text: token.token_id for token in added}
    return Original(
        vocab=vocab,
        merges=tuple(map(_merge, model.get("merges") or ())),
        added=added,
        normalizers=tuple(_parts(content.get("normalizer"))),
    )


def _vocab(vocab: Mapping[str, int] | Iterable[tuple[str, float]]) -> Iterator[tuple[str, int]]:
    if isinstance(vocab, Mapping):
        return iter(vocab.items())
    return ((text, token_id) for token_id, (text, _) in enumerate(vocab))


def _merge(merge: str | list[str]) -> str:
    return merge if isinstance(merge, str) else " ".join(merge)


def _added(token: Mapping[str, Any]) -> AddedToken:
    strips = any(token.get(flag) for flag in ("lstrip", "rstrip", "single_word"))
    return AddedToken(token["id"], token["content"], bool(token.get("special")), strips)


def _parts(normalizer: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    """The normalizers of a sequence of sequences, in order."""
    if normalizer is None:
        return
    if normalizer["type"] != "Sequence":
        yield normalizer
    for part in normalizer.get("normalizers") or ():
        yield from _parts(part)
