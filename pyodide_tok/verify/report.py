"""What a verification found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Example:
    """A text that the two tokenizers split differently, with the ids and pieces of both."""

    text: str
    ours: tuple[int, ...]
    theirs: tuple[int, ...]
    our_pieces: tuple[str, ...]
    their_pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason for differences.

    code: pre-tokenizer, special-token, bos, eos, normalizer, merges, ids or other.  different: how
    many texts it explains.  suggestion: what to do.  changes: the metadata that removes the
    difference, key -> value; empty if none does.
    """

    code: str
    message: str
    suggestion: str
    different: int
    examples: tuple[Example, ...]
    changes: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, without `changes`."""
        return {
            "code": self.code,
            "message": self.message,
            "suggestion": self.suggestion,
            "different": self.different,
            "examples": [asdict(example) for example in self.examples],
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The result: `checked` texts, of which `different` have other ids, and why.

    known: differences that every GGUF file of such a model has, because llama.cpp itself departs
    from the original there; they do not make the file wrong and are not in `different`.
    """

    checked: int
    different: int
    causes: tuple[Cause, ...]
    known: tuple[Cause, ...] = ()

    @property
    def same(self) -> bool:
        """Whether all ids are the same, apart from what is `known`."""
        return not self.causes

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "same": self.same,
            "checked": self.checked,
            "different": self.different,
            "causes": [cause.as_dict() for cause in self.causes],
            "known": [cause.as_dict() for cause in self.known],
        }
