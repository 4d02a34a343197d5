"""llama.cpp's answers: from ../shared if that exists, else the sample in tests/data."""

from __future__ import annotations

from functools import cache
from typing import Any

from tests import reference
from tests.reference import FULL, SAMPLE

KEYS = (("ids", False, False), ("ids_special", True, False), ("ids_special_parsed", True, True))


@cache
def rows(name: str) -> list[dict[str, Any]]:
    """The texts with their ids under each of KEYS, without those that abort llama.cpp."""
    found = reference.rows(FULL if FULL.is_dir() else SAMPLE, name)[1:]
    return [filled(row) for row in found if not row.get("aborts")]


def filled(row: dict[str, Any]) -> dict[str, Any]:
    """A row with all of KEYS: an absent one is the same as the one before."""
    ids = row["ids"]
    return {"text": row["text"], **{key: (ids := row.get(key, ids)) for key, _, _ in KEYS}}
