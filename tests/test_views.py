"""What the page's views ask: facts of a token, searches."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import Tokenizer
from pyodide_tok.page import views
from tests.small import tokenizer

SAMPLES = Path(__file__).parent.parent / "web" / "samples"


@pytest.fixture(scope="module")
def gpt2() -> Tokenizer:
    return Tokenizer.from_gguf(SAMPLES / "gpt-2.gguf")


@pytest.fixture(scope="module")
def mistral() -> Tokenizer:
    return Tokenizer.from_gguf(SAMPLES / "mistral-v1.gguf")


def test_facts_of_a_bpe_token(gpt2: Tokenizer) -> None:
    facts = views.token_facts(gpt2, 995)
    assert (facts["rank"], facts["score"], facts["eog"]) == (739, None, False)
    assert views.token_facts(gpt2, 0)["rank"] is None  # one byte, which nothing makes
    assert views.token_facts(gpt2, 50256)["eog"]


def test_facts_of_a_scored_token(mistral: Tokenizer) -> None:
    facts = views.token_facts(mistral, 28725)
    assert (facts["rank"], facts["score"]) == (None, -28466.0)
    assert views.token_facts(mistral, 1)["names"] == ["bos"]


@pytest.mark.parametrize(
    ("query", "kind", "first", "total"),
    [
        (" world", "", 995, 9),
        ("WORLD", "", None, None),
        ("50256", "", 50256, 1),
        ("", "control", 50256, 1),
        ("", "eog", 50256, 1),
        ("", "unused", None, 0),
        ("", "rstrip", None, 0),
        ("", "single-word", None, 0),
        ("no such token", "", None, 0),
        ("é", "", 2634, None),
        (".*", "", None, None),
        ("\ud800", "", None, None),
        ("999999999", "", None, None),
    ],
)
def test_search(
    gpt2: Tokenizer, query: str, kind: str, first: int | None, total: int | None
) -> None:
    found = views.search(gpt2, query, kind)
    assert total is None or found["total"] == total
    assert first is None or found["rows"][0]["id"] == first


def test_pages_join_without_a_hole(mistral: Tokenizer) -> None:
    def ids(**wanted: Any) -> list[int]:
        return [row["id"] for row in views.search(mistral, "the", **wanted)["rows"]]

    assert ids(limit=7) + ids(offset=7, limit=7) == ids(limit=14)
    assert ids(offset=10**6) == []


def test_spaces_are_found_as_the_file_writes_them(mistral: Tokenizer) -> None:
    assert views.search(mistral, " world")["rows"][0]["text"] == "▁world"


def test_a_token_of_megabytes_is_told_of_in_part() -> None:
    long = "é" * 1_000_000
    model = tokenizer("gpt2", ["a", "b", "ab", long], merges=["b a", "a b"])
    row = views.search(model, "éé")["rows"][0]
    assert row["text"] == "é" * 300 + "…" and row["bytes"].startswith("E9 E9")
    assert len(row["bytes"]) == 901
    assert views.token_facts(model, 3)["text"] == long
    ranks = [views.token_facts(model, id)["rank"] for id in range(4)]
    assert ranks == [None, None, 1, None]


@pytest.mark.parametrize(
    ("how", "query", "pattern"),
    [
        ("exact", "hello", "(?i)^hello$"),
        ("starts", "worl", "(?i)^worl"),
        ("ends", "liev", "(?i)liev$"),
        ("regex", "^[0-9]{3}$", "^[0-9]{3}$"),
        ("bytes", "F0 9F 91", "ðŁĳ"),
    ],
)
def test_ways_to_search(gpt2: Tokenizer, how: str, query: str, pattern: str) -> None:
    found = views.search(gpt2, query, how=how, limit=10_000)["rows"]
    wanted = [id for id, text in enumerate(gpt2.vocab.texts) if re.search(pattern, text)]
    assert [row["id"] for row in found] == wanted != []


@pytest.mark.parametrize(("how", "query"), [("regex", "(["), ("bytes", "E4 B")])
def test_a_search_that_cannot_be_made_is_said(gpt2: Tokenizer, how: str, query: str) -> None:
    with pytest.raises(views.QueryError, match=r"not valid|Write bytes in hex"):
        views.search(gpt2, query, how=how)
