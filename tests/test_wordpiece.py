"""The WordPiece encoder against its plain twin, and the facts about Unicode that it rests on."""

import sys
import time
from itertools import pairwise, product
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok import Tokenizer
from pyodide_tok.encoders import wordpiece
from pyodide_tok.encoders.wordpiece import WordPieceEncoder
from pyodide_tok.text import codepoints as cp
from tests import reference
from tests.plain import wordpiece as plain
from tests.platforms import SLOWER

REAL = ("bert-bge", "bert-cased", "bert-keep-accents")
# The other planes are undefined or private through and through.
INTERESTING = [*range(0x32000), *range(0xE0000, 0xE0200), 0xF0000, 0x10FFFD, 0x10FFFF]
BOTH = list(product((False, True), repeat=2))

# Characters that do something: cased, decomposing, dropped, lone, whitespace, astral, escaped.
ALPHABET = (
    "abcABC éÉßİΣς\u0301\u0345가각 \t\n\x1c\x1f\x85\xa0\u2000\u3000\0\x07\ufffd\xad\u200b\ue000"
    ".,-()$+^`\x7f\u037e\u1fef“”、。！中文\uf900\ufa0e\u3400𠀀\U0002b820\U0002b920\U0002f800"
    "かナ\U00010400\U0006577e\ufffe😀\udc80\udcc3\udce4\udcbd\udced\udca0\udcff▁"
)
texts = st.one_of(st.text(st.sampled_from(ALPHABET), max_size=30), st.text(max_size=20)).map(
    lambda text: text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
)


def vocab_of(tokens, lowercase=True, strip_accents=True, unknown=0):
    texts = list(dict.fromkeys(["[UNK]", *tokens]))
    return SimpleNamespace(
        texts=texts,
        token_to_id={text: i for i, text in enumerate(texts)},
        special={} if unknown is None else {"unk": unknown},
        flags=SimpleNamespace(lowercase=lowercase, strip_accents=strip_accents),
    )


tokens = st.builds(
    str.__add__,
    st.sampled_from(["", "▁"]),
    st.text(st.sampled_from("abcéßiσ中文か가.,(😀\u1100"), min_size=1, max_size=3),
)
# tokens that begin or end inside a character
broken = st.builds(
    lambda token, start, end: (
        token.encode()[start : end or None].decode("utf-8", "surrogateescape") or "a"
    ),
    tokens,
    st.integers(0, 2),
    st.integers(-2, 0),
)
vocabs = st.builds(
    vocab_of,
    st.lists(tokens, max_size=30) | st.lists(tokens | broken, max_size=30),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0, None]),
)


def check(encoder, vocab, text):
    ids = encoder.encode(text)
    assert ids == plain.encode(vocab, text)
    spans = encoder.spans(text)
    assert [id_ for id_, _, _ in spans if id_ >= 0] == ids
    assert all(start <= end for _, start, end in spans)
    assert all(before[2] <= after[1] for before, after in pairwise(spans))
    assert not spans or spans[-1][2] <= len(text.encode("utf-8", "surrogateescape"))


@given(vocabs, texts)
def test_random_vocabularies(vocab, text):
    check(WordPieceEncoder(vocab), vocab, text)


@pytest.fixture(
    scope="module", params=reference.vocabs("bert-bge", "bert-cased", "bert-keep-accents")
)
def real(request):
    vocab = Tokenizer.from_gguf(reference.vocab_path(request.param)).vocab
    return WordPieceEncoder(vocab), vocab


@given(texts, st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyz '.é"), max_size=60))
def test_real_vocabularies(real, odd, common):
    check(*real, odd + common)
    check(*real, common + odd)


@pytest.mark.parametrize(("lowercase", "strip_accents"), BOTH)
def test_what_chunks_rest_on(lowercase, strip_accents):
    """Normalising twice changes nothing; Python's whitespace is ours; lone characters are."""
    normal = wordpiece.Normal(lowercase, strip_accents)
    lone = WordPieceEncoder(vocab_of([]))._lone.match
    for point in INTERESTING:
        char, piece = chr(point), normal[point]
        word = piece.strip(" ")
        assert word in ("", char) or normal[ord(word)] == piece, hex(point)
        assert (piece == " ") == cp.is_whitespace(point)
        assert char.isspace() == (piece == " " or 0x1C <= point <= 0x1F)
        assert not lone(char) or piece == f" {word} " != "  "


def test_lone_characters_are_chunks():
    encoder = WordPieceEncoder(vocab_of([]))
    assert encoder._chunks("ab，c「d」中文e f.") == ["ab", *"，c「d」中文e", "f."]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Ab ab\u0301", [(1, 0, 2), (1, 3, 5)]),
        ("a\0b\x1c", [(1, 0, 3)]),
        ("é!", [(2, 0, 2), (3, 2, 3)]),
        ("zz e", [(0, 0, 2), (2, 3, 4)]),
        ("中e", [(0, 0, 3), (2, 3, 4)]),
        ("q", [(4, 0, 0), (5, 0, 1)]),
        ("\udce4ab", [(1, 1, 3)]),
    ],
)
def test_spans(text, wanted):
    encoder = WordPieceEncoder(vocab_of(["▁ab", "▁e", "▁!", "▁", "q"]))
    assert encoder.spans(text) == wanted


def test_no_unknown_token():
    assert WordPieceEncoder(vocab_of(["▁a"], unknown=None)).encode("x a x") == [1]


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a", "ab1", "中", "、", "!", "é", "\u0301", "𠀀", "\udcff", "(a"])
def test_growth_is_linear(unit):
    encoder = WordPieceEncoder(vocab_of(["▁a", "a" * 20, "ab", "b1", "1", "▁中"]))
    text = unit * (300_000 // len(unit))
    start = time.perf_counter()
    encoder.encode(text)
    assert time.perf_counter() - start < 5 * SLOWER
    assert sys.getsizeof(encoder._memo) < 1 << 20
