"""One problem of a file, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]
CONVERT = "Convert the model again with a current llama.cpp (convert_hf_to_gguf.py)."


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    code: stable, for programs. severity: "error" (the file cannot be used, or ids are wrong),
    "warning" (something is wrong in some uses) or "info" (worth knowing). message: what is wrong,
    and the consequence. fix: what to do.
    """

    code: str
    severity: Severity
    message: str
    fix: str


def shown(texts: Sequence[str]) -> str:
    """The first texts, and how many more there are."""
    first = ", ".join(map(repr, texts[:3]))
    return f"{first} and {len(texts) - 3:,} more" if len(texts) > 3 else first
