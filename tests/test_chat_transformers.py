"""Chats against transformers' own renderer, where it is installed: see tools/compare_chats.py."""

from pathlib import Path

import pytest

from pyodide_tok import Tokenizer
from tests.reference import vocab_path, vocabs

pytest.importorskip(
    "transformers", reason="transformers is not installed: pip install transformers"
)
compare_chats = pytest.importorskip("tools.compare_chats")

TEMPLATES = sorted((compare_chats.DATA / "templates").glob("*.jinja"))
WITH_TEMPLATE = ("command-r", "deepseek-r1-distill-qwen", "gemma-4", "phi-3", "qwen2", "qwen35")


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_the_recorded_templates(path: Path) -> None:
    counts = compare_chats.compared(path.read_text("utf-8"), path.stem)
    assert counts["same"]
    assert not counts["different"]


@pytest.mark.parametrize("name", vocabs(*WITH_TEMPLATE))
def test_models_own_templates(name: str) -> None:
    for template, text in Tokenizer.from_gguf(vocab_path(name)).chat_templates.items():
        counts = compare_chats.compared(text, f"{name} {template}")
        assert counts["same"]
        assert not counts["different"]
