"""llama.cpp's answers: from ../shared where it is there, else the sample in tests/data."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from tools.serve import ROOT

SHARED = ROOT.parent / "shared"
SAMPLES = ROOT / "web" / "samples"
KEYS = (("ids", False, False), ("ids_special", True, False), ("ids_special_parsed", True, True))


def vocab(name: str) -> Path | None:
    """The GGUF file, or None where it is not at hand."""
    places = (SAMPLES / f"{name}.gguf", SHARED / "vocabs" / f"{name}.gguf")
    return next((path for path in places if path.exists()), None)


@cache
def rows(name: str) -> list[dict[str, Any]]:
    """The texts with their ids under each of KEYS; those that abort llama.cpp are left out."""
    places = (SHARED / "reference", ROOT / "tests" / "data" / "reference")
    path = next((p / f"{name}.jsonl" for p in places if (p / f"{name}.jsonl").exists()), None)
    if path is None:
        return []
    with path.open(encoding="utf8") as lines:
        found = [json.loads(line) for line in lines][1:]
    return [filled(row) for row in found if not row.get("aborts")]


def filled(row: dict[str, Any]) -> dict[str, Any]:
    """A row with all of KEYS: an absent one is the same as the one before."""
    ids = row["ids"]
    return {"text": row["text"], **{key: (ids := row.get(key, ids)) for key, _, _ in KEYS}}
