"""A tokenizer travels as its source and options; what it has learned stays behind."""

import copy
import os
import pickle
import threading
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import GGUFFile, Tokenizer
from pyodide_tok.gguf.strings import StringArray
from tests import gguf_writer as w
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
    sources: dict[str, Any] = {"bytes": path.read_bytes(), "file": GGUFFile.open(path)}
    tok = Tokenizer.from_gguf(sources.get(kind, path))
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
    with pytest.raises(FileNotFoundError, match=r"gone\.gguf"):
        pickle.loads(pickled)


def test_copy_and_deepcopy() -> None:
    tok = Tokenizer.from_gguf(vocab_path("mistral-v1"))
    assert copy.deepcopy(tok).encode(TEXT) == copy.copy(tok).encode(TEXT) == tok.encode(TEXT)


NESTED = (w.ARRAY, [(w.INT32, [1, -2]), (w.STRING, ["a\udcff", ""]), (w.ARRAY, [(w.BOOL, [1])])])


def nested() -> bytes:
    entries = [
        w.Entry("general.architecture", w.STRING, "llama"),
        w.Entry("nested", w.ARRAY, NESTED),
        w.Entry("half", w.FLOAT32, 0.5),
    ]
    return w.write(entries, [w.Tensor("token_embd.weight", (2, 3))])


def plain(value: Any) -> Any:
    is_sequence = isinstance(value, tuple | memoryview | StringArray)
    return [plain(item) for item in value] if is_sequence else value


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_what_came_from_bytes_with_nested_arrays(copied: Callable[[Any], Any]) -> None:
    for file in (copied(GGUFFile.parse(nested())), copied(Tokenizer.from_gguf(nested())).gguf):
        want = GGUFFile.parse(nested())
        assert plain(file.metadata["nested"]) == [[1, -2], ["a\udcff", ""], [[True]]]
        kinds = [type(value) for value in file.metadata.values()]
        assert kinds == [type(value) for value in want.metadata.values()]
        assert dict(file.types) == dict(want.types)
        got = (file.tensors, file.version, file.header_size)
        assert got == (want.tensors, want.version, want.header_size)


def test_a_fifo_is_no_path_to_read_again(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no FIFOs here")
    os.mkfifo(tmp_path / "fifo")
    data = vocab_path("test").read_bytes()
    writer = threading.Thread(target=(tmp_path / "fifo").write_bytes, args=(data,))
    writer.start()
    tok = Tokenizer.from_gguf(tmp_path / "fifo")
    writer.join()
    assert again(tok).type == "TEST"


@pytest.mark.parametrize("name", ["gpt-2", "bert-bge"])
def test_encodings(name: str) -> None:
    tok = Tokenizer.from_gguf(vocab_path(name).read_bytes())
    encoding = tok.tokenize(TEXT)
    for twin in (pickled(encoding), copy.deepcopy(encoding)):
        assert twin == encoding
        assert (twin.pieces, twin.offsets) == (encoding.pieces, encoding.offsets)
    assert len(pickle.dumps(encoding)) < 2000


@PROCESSES
def test_workers_of_a_pool_get_it() -> None:
    tok = Tokenizer.from_gguf(vocab_path("plamo2"))
    with get_context("spawn").Pool(1) as pool:
        assert pool.map(tok.count, ["Hello", TEXT]) == [tok.count("Hello"), tok.count(TEXT)]
