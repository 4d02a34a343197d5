"""Chats against transformers' own renderer, where it is installed: see tools/compare_chats.py."""

from pathlib import Path

import pytest

from pyodide_tok import Tokenizer
from tests.reference import vocab_path, vocabs
from tools.compare_chats import DATA, compared

pytest.importorskip("jinja2")
pytest.importorskip(
    "transformers", reason="transformers is not installed: pip install transformers"
)

TEMPLATES = sorted((DATA / "templates").glob("*.jinja"))
WITH_TEMPLATE = ("command-r", "deepseek-r1-distill-qwen", "gemma-4", "phi-3", "qwen2", "qwen35")


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_the_recorded_templates(path: Path) -> None:
    assert compared(path.read_text("utf-8"), path.stem).keys() <= {"same", "parsed"}


@pytest.mark.parametrize("name", vocabs(*WITH_TEMPLATE))
def test_models_own_templates(name: str) -> None:
    for template, text in Tokenizer.from_gguf(vocab_path(name)).chat_templates.items():
        assert compared(text, f"{name} {template}").keys() <= {"same", "parsed"}
