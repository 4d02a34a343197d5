"""UTF-8 with escaped bytes, and U+2581: facts that every tokenizer type shares."""

import pytest

from pyodide_tok.text.spaces import AT_SPACES, has_space_inside
from pyodide_tok.text.utf8 import is_utf8, sequences, utf8


def test_escaped_bytes_go_back_to_bytes() -> None:
    assert utf8("é\udcff") == b"\xc3\xa9\xff"
    assert is_utf8("é") and not is_utf8("é\udcff")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("aé中😀".encode(), ["a", "é", "中", "😀"]),
        (b"\xe4ab", ["\udce4ab"]),
        (b"\xf0a", ["\udcf0a"]),
        (b"\x80a", ["\udc80", "a"]),
    ],
)
def test_a_lead_byte_claims_what_follows(data: bytes, expected: list[str]) -> None:
    assert sequences(data.decode("utf-8", "surrogateescape")) == expected


def test_words_start_at_spaces() -> None:
    assert AT_SPACES.findall("a\u2581 b  ") == ["a", "\u2581 b", "  "]


@pytest.mark.parametrize(
    ("tokens", "expected"), [(["\u2581a", "\u2581\u2581"], False), (["a\u2581", "b"], True)]
)
def test_a_space_inside(tokens: list[str], expected: bool) -> None:
    assert has_space_inside(tokens) is expected
