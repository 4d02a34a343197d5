"""A tokenizer travels as its source and options; what it has learned stays behind."""

import copy
import pickle
from multiprocessing import get_context
from pathlib import Path

import pytest

from pyodide_tok import GGUFFile, Tokenizer
from pyodide_tok.errors import GGUFError
from tests import small
from tests.platforms import PROCESSES
from tests.reference import DATA, vocab_path

TEXT = "Hello wörld, 你好 <s> 🙂\n"


def again(tok: Tokenizer) -> Tokenizer:
    copied: Tokenizer = pickle.loads(pickle.dumps(tok))
    return copied


@pytest.mark.parametrize(
    "name", ["gpt-2", "mistral-v1", "bert-bge", "t5", "rwkv", "plamo2", "hybriddna", "test", "none"]
)
@pytest.mark.parametrize("kind", ["path", "bytes", "file"])
def test_the_copy_is_the_same_tokenizer(name: str, kind: str) -> None:
    path = vocab_path(name)
    tok = Tokenizer.from_gguf(
        {"path": path, "bytes": path.read_bytes(), "file": GGUFFile.open(path)}[kind]
    )
    for twin in (again(tok), again(again(tok))):
        assert (twin.type, twin.pre, twin.special_ids, twin.eog_ids) == (
            *(tok.type, tok.pre, tok.special_ids, tok.eog_ids),
        )
        assert twin.vocab.texts == tok.vocab.texts
        assert list(twin.vocab.scores) == list(tok.vocab.scores)
        assert twin.chat_template == tok.chat_template
        if tok.type != "NONE":
            assert twin.encode(TEXT) == tok.encode(TEXT)


def test_a_path_is_all_that_is_pickled() -> None:
    tok = Tokenizer.from_gguf(vocab_path("gpt-2"))
    for i in range(500):
        tok.encode(f"some text {i} to remember")
    assert len(pickle.dumps(tok)) < 500


def test_a_relative_path_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = vocab_path("test")
    monkeypatch.chdir(path.parent)
    pickled = pickle.dumps(Tokenizer.from_gguf(path.name))
    monkeypatch.chdir(tmp_path)
    assert pickle.loads(pickled).type == "TEST"


def test_options_travel_too() -> None:
    tok = Tokenizer.from_gguf(vocab_path("gpt-2"), pre="llama-bpe", pre_patterns=["l+"])
    twin = again(tok)
    assert (twin.pre, twin.encode("Hello")) == ("llama-bpe", tok.encode("Hello"))
    assert twin.encode("Hello") != Tokenizer.from_gguf(vocab_path("gpt-2")).encode("Hello")


def test_metadata_made_by_hand() -> None:
    tok = small.tokenizer("llama", ["<unk>", "a", "▁"], scores=[0, -1, float("-inf")], types={0: 2})
    assert again(tok).encode("a a") == tok.encode("a a")


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gone.gguf"
    path.write_bytes((DATA / "vocabs" / "test.gguf").read_bytes())
    pickled = pickle.dumps(Tokenizer.from_gguf(path))
    path.unlink()
    with pytest.raises(GGUFError, match=r"gone\.gguf"):
        pickle.loads(pickled)


def test_copy_and_deepcopy() -> None:
    tok = Tokenizer.from_gguf(vocab_path("mistral-v1"))
    assert copy.deepcopy(tok).encode(TEXT) == copy.copy(tok).encode(TEXT) == tok.encode(TEXT)


@PROCESSES
def test_workers_of_a_pool_get_it() -> None:
    tok = Tokenizer.from_gguf(vocab_path("plamo2"))
    with get_context("spawn").Pool(1) as pool:
        assert pool.map(tok.count, ["Hello", TEXT]) == [tok.count("Hello"), tok.count(TEXT)]
