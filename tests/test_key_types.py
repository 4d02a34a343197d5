"""GGUF types of the tokenizer's keys: what llama.cpp refuses is refused, in words."""

from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import Tokenizer
from pyodide_tok.errors import VocabError
from tests import gguf_writer as w
from tests import llama_ref

KEY = "tokenizer.ggml."
VALUES: dict[str, tuple[int, Any]] = {
    "uint8": (w.UINT8, 1),
    "int8": (w.INT8, 1),
    "uint16": (w.UINT16, 1),
    "uint32": (w.UINT32, 1),
    "int32": (w.INT32, 1),
    "uint64": (w.UINT64, 1),
    "float32": (w.FLOAT32, 1.0),
    "bool": (w.BOOL, True),
    "string": (w.STRING, "default"),
    "array[uint32]": (w.ARRAY, (w.UINT32, [1] * 4)),
    "array[int32]": (w.ARRAY, (w.INT32, [1] * 4)),
    "array[int8]": (w.ARRAY, (w.INT8, [0] * 4)),
    "array[float32]": (w.ARRAY, (w.FLOAT32, [1.0] * 4)),
    "array[float64]": (w.ARRAY, (w.FLOAT64, [1.0] * 4)),
    "array[string]": (w.ARRAY, (w.STRING, ["a", "b", "c", "d"])),
}
ACCEPTED = {
    "bos_token_id": {"uint32"},
    "eot_token_id": {"uint32"},
    "prefix_token_id": {"uint32"},
    "token_type_count": {"uint32"},
    "add_bos_token": {"bool"},
    "add_space_prefix": {"bool"},
    "normalizer.lowercase": {"bool"},
    "pre": {"string"},
    "scores": {"array[float32]", "array[int32]"},
    "token_type": {"array[int32]"},
    "suppress_tokens": {"array[int32]"},
    "merges": {"array[string]"},
    "tokens": {"array[string]"},
}


def file(name: str, kind: str) -> bytes:
    entries = {
        "general.architecture": (w.STRING, "llama"),
        f"{KEY}model": (w.STRING, "gpt2"),
        f"{KEY}pre": (w.STRING, "default"),
        f"{KEY}tokens": VALUES["array[string]"],
        f"{KEY}merges": (w.ARRAY, (w.STRING, [])),
        KEY + name: VALUES[kind],
    }
    return w.write([w.Entry(key, *value) for key, value in entries.items()])


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("name", ACCEPTED)
def test_types(name: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(file(name, kind))
    is_good = kind in ACCEPTED[name]
    if is_good:
        assert Tokenizer.from_gguf(path).n_vocab == 4
    else:
        with pytest.raises(VocabError, match=f"{KEY}{name} is an? .* but must be an? "):
            Tokenizer.from_gguf(path)
    if llama_ref.available():
        assert is_loaded(path) == is_good


def is_loaded(path: Path) -> bool:
    try:
        llama_ref.Reference(path).close()
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("eos_token_id", "array[uint32]", "is an array of uint32, but must be a uint32:"),
        ("bos_token_id", "bool", "is a bool, but must be a uint32:"),
        ("tokens", "string", "is a string, but must be an array of strings:"),
        ("scores", "array[float64]", "must be an array of float32 or an array of int32:"),
        ("add_bos_token", "int32", "is an int32, but must be a bool:"),
    ],
)
def test_messages_name_both_types(name: str, kind: str, says: str) -> None:
    with pytest.raises(VocabError, match=says):
        Tokenizer.from_gguf(file(name, kind))


def test_keys_of_other_tokenizers_are_not_read() -> None:
    entries = [
        w.Entry("general.architecture", w.STRING, "llama"),
        w.Entry(f"{KEY}model", w.STRING, "none"),
        w.Entry(f"{KEY}bos_token_id", w.BOOL, True),
    ]
    assert Tokenizer.from_gguf(w.write(entries)).type == "NONE"


def test_the_size_of_no_vocabulary() -> None:
    entries = [
        w.Entry("general.architecture", w.STRING, "llama"),
        w.Entry(f"{KEY}model", w.STRING, "none"),
        w.Entry("llama.vocab_size", w.INT32, 5),
    ]
    with pytest.raises(VocabError, match=r"llama\.vocab_size is an int32"):
        Tokenizer.from_gguf(w.write(entries))
