"""The RWKV encoder against its plain twin, and how its token texts are read."""

import time
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyodide_tok.encoders.rwkv import RWKVEncoder
from pyodide_tok.text.escapes import hex_byte, rwkv_unescape
from tests.plain import rwkv as plain
from tests.platforms import SLOWER
from tests.reference import sample_vocab

# Whole characters, parts of characters, breaks, and bytes that are not UTF-8.
UNITS = [
    "a",
    "b",
    "ab",
    " ",
    "\n",
    "é",
    "è",
    "中",
    "丮",
    "😀",
    "\u0301",
    "\udcc3",
    "\udca9",
    "\udce4",
]
ESCAPED = [r"\xc3", r"\xa9", r"\xe4\xb8", r"\xad", r"\xad\xe4", r"\n", r"\t", r"\\", "\\", r"\x1"]


def text_of(units):
    """Escapes that make up a character together become that character, as in any real text."""
    raw = "".join(units).encode("utf-8", "surrogateescape")
    return raw.decode("utf-8", "surrogateescape")


texts = st.one_of(
    st.lists(st.sampled_from(UNITS), max_size=40).map(text_of),
    st.text(max_size=20).map(lambda text: text.encode("utf-8", "replace").decode()),
)
token_units = st.sampled_from([*UNITS[:11], *ESCAPED])
tokens = st.lists(token_units, min_size=1, max_size=4).map("".join)


def vocab_of(texts, unknown=None):
    return SimpleNamespace(texts=texts, special={} if unknown is None else {"unk": unknown})


def check(encoder, trie, unknown, text):
    spans = plain.spans(trie, unknown, text)
    assert encoder.spans(text) == spans
    assert encoder.encode(text) == [id_ for id_, _, _ in spans if id_ >= 0]


@settings(deadline=None)
@given(st.lists(tokens, max_size=30), st.sampled_from([None, 0, 7]), texts)
def test_random_vocabularies(tokens, unknown, text):
    encoder = RWKVEncoder(vocab_of(tokens, unknown))
    check(encoder, plain.trie_of(tokens), unknown, text)
    check(encoder, plain.trie_of(tokens), unknown, text[::-1])


@pytest.fixture(scope="module")
def real():
    vocab = sample_vocab("rwkv").vocab
    return RWKVEncoder(vocab), plain.trie_of(vocab.texts), vocab.texts


words = st.text(
    st.sampled_from("abcdeinorst 012\n\r\t.,'(é中文的。，かな한글ж😀\u200d👍"), max_size=60
)


@settings(deadline=None)
@given(texts, words, st.data())
def test_the_real_vocabulary(real, odd, common, data):
    encoder, trie, tokens = real
    check(encoder, trie, None, odd + common)
    some = data.draw(st.lists(st.sampled_from(tokens), max_size=8))
    raw = b"".join(map(rwkv_unescape, some))
    check(encoder, trie, None, common + raw.decode("utf-8", "surrogateescape"))


def test_chunks_of_the_real_vocabulary(real):
    chunks = real[0]._chunk.findall("Hello world.\n\nThe end，中文的世界。")
    assert chunks[:2] == ["Hello", " world."]
    assert len(chunks) >= 6


def test_of_equal_tokens_the_last_counts():
    assert RWKVEncoder(vocab_of(["a", "b", r"\x61"])).encode("ab") == [2, 1]


def test_bytes_that_begin_no_token():
    # Where "ab" begins a token that does not end there, llama.cpp goes on for ever.
    for unknown, wanted in ((None, [0]), (9, [9, 9, 0, 9])):
        encoder = RWKVEncoder(vocab_of(["abc"], unknown))
        assert encoder.encode("ababcx") == wanted
    assert encoder.spans("aabcé") == [(9, 0, 1), (0, 1, 4), (9, 4, 5), (9, 5, 6)]
    assert RWKVEncoder(vocab_of(["abc"])).spans("xabcé") == [
        (-1, 0, 1),
        (0, 1, 4),
        (-1, 4, 5),
        (-1, 5, 6),
    ]


def test_tokens_that_end_inside_characters():
    """The border after "a" must not be a cut: the second token takes a part of what follows."""
    encoder = RWKVEncoder(vocab_of(["a", r"a\xc3", r"\xa9", "é", r"\xc3"]))
    assert encoder._chunk is None
    assert encoder.encode("aéé") == [1, 2, 3]


@settings(deadline=None)
@given(st.text(st.sampled_from("\\xntr019aAfFgé\udce4\udcff "), max_size=20))
def test_unescape(text):
    assert rwkv_unescape(text) == plain.unescape(text)


def test_hex_byte():
    assert [hex_byte(f"<0x{byte:02X}>") for byte in range(256)] == list(range(256))
    assert hex_byte("<0xaf>") == 0xAF
    assert {hex_byte(text) for text in ("<0xA>", "<0xGG>", "<0x0A>a", "0x0A", "<0x 1>")} == {None}


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["a", "ab1", " ", "\n", " \n", "中", "，", "é", "\u0301", "😀", "\udcff"]
)
def test_growth_is_linear(unit):
    tokens = ["a", "a" * 20, "ab", "b1", " ", " " * 16, "\n", " \n", "\n ", "中", "，中"]
    encoder = RWKVEncoder(vocab_of(tokens))
    text = unit * (300_000 // len(unit))
    start = time.perf_counter()
    encoder.encode(text)
    assert time.perf_counter() - start < 5 * SLOWER
    assert encoder._memo.size_bytes < 1 << 20
