"""The package as people have it in Pyodide: by micropip, from an index."""

from importlib.metadata import distribution
from pathlib import Path

import pytest

import pyodide_tok
from tests.platforms import EMSCRIPTEN
from tests.reference import vocab_path

pytestmark = pytest.mark.skipif(not EMSCRIPTEN, reason="runs in Pyodide: make test-pyodide")


def test_micropip_installed_it() -> None:
    installed = distribution("pyodide-tok")
    assert installed.read_text("INSTALLER") == "micropip"
    assert installed.version == pyodide_tok.__version__
    assert Path(pyodide_tok.__file__).is_relative_to("/lib")  # not the repository's


def test_it_encodes() -> None:
    tok = pyodide_tok.Tokenizer.from_gguf(vocab_path("gpt-2"))
    assert tok.encode("Hello world") == [15496, 995]
    assert tok.decode([15496, 995]) == "Hello world"
