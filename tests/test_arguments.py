"""Arguments of a wrong type: the documented errors, never Python's own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import GGUFFile, Tokenizer, TokError
from pyodide_tok.counting import TokenCounter, TokenSplitter
from pyodide_tok.errors import EncodeError, GGUFError
from tests.reference import vocab_path

GPT2 = vocab_path("gpt-2")
TOK = Tokenizer.from_gguf(GPT2)
NUMBERS = (None, 1.5, object(), 10**5000)
LISTS = ([None], [[1]], {"a": 1})
WRONG: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    "encode": (TOK.encode, (*NUMBERS, *LISTS, ["a"])),
    "count": (TOK.count, (*NUMBERS, *LISTS)),
    "tokenize": (TOK.tokenize, (*NUMBERS, *LISTS)),
    "explain": (TOK.explain, (*NUMBERS, *LISTS)),
    "encode_batch": (TOK.encode_batch, (*NUMBERS, [None], [1], "text", b"text")),
    "return_tensors": (lambda x: TOK.encode_batch(["a"], return_tensors=x), (1, "pt", [1])),
    "decode": (TOK.decode, (*NUMBERS, *LISTS, "1", b"1", ["1"], [1.0], [10**5000], [-1])),
    "decode_bytes": (TOK.decode_bytes, (*NUMBERS, *LISTS, "1", b"1")),
    "errors": (lambda x: TOK.decode([160], errors=x), (1, "none", [1])),
    "token_to_piece": (TOK.token_to_piece, (*NUMBERS, *LISTS, "1")),
    "id_to_token": (TOK.id_to_token, (*NUMBERS, *LISTS, "1")),
    "token_to_id": (TOK.token_to_id, (*NUMBERS, *LISTS)),
    "stream": (lambda x: TOK.stream_decoder().feed(x), (*NUMBERS, *LISTS, "1")),
    "from_gguf": (Tokenizer.from_gguf, (*NUMBERS, *LISTS, 3, True)),
    "Tokenizer": (Tokenizer, (*NUMBERS, *LISTS, str(GPT2))),
    "open": (GGUFFile.open, (*NUMBERS, *LISTS, 3, True, "a\0b", "\ud800")),
    "parse": (GGUFFile.parse, (*NUMBERS, *LISTS, "a")),
    "pre": (lambda x: Tokenizer.from_gguf(GPT2, pre=x), (1, 1.5, ["gpt-2"], b"gpt-2")),
    "patterns": (
        lambda x: Tokenizer.from_gguf(GPT2, pre_patterns=x),
        (1, 1.5, "a", [], [1], {"a": 1}),
    ),
    "counter": (lambda x: TokenCounter(TOK).feed(x), (*NUMBERS, *LISTS, "a")),
    "splitter": (lambda x: TokenSplitter(TOK, x), (None, 0, -1, 1.5, "1", [1])),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_types(name: str) -> None:
    call, arguments = WRONG[name]
    for argument in arguments:
        with pytest.raises(TokError) as caught:
            call(argument)
        assert isinstance(caught.value, ValueError)
        assert 0 < len(str(caught.value)) < 200


def test_what_is_no_id_ends_nothing() -> None:
    for value in (*NUMBERS, *LISTS, "1"):
        assert TOK.is_eog(value) is False  # type: ignore[arg-type]


def test_a_number_of_thousands_of_digits_is_not_written_out() -> None:
    with pytest.raises(EncodeError, match="a number of thousands of digits is not a token id"):
        TOK.decode([10**5000])
    with pytest.raises(EncodeError, match=r"'aaaa.*\.\.\. is not a token id"):
        TOK.id_to_token("a" * 99)  # type: ignore[arg-type]


def test_a_missing_file_is_pythons_own_error(tmp_path: Path) -> None:
    for read in (Tokenizer.from_gguf, GGUFFile.open):
        with pytest.raises(FileNotFoundError, match=r"gone\.gguf"):
            read(tmp_path / "gone.gguf")
    with pytest.raises(GGUFError, match="is a directory"):
        Tokenizer.from_gguf(tmp_path)
