"""The PLaMo encoder against its plain twin, and llama.cpp's oddities one by one."""

import time
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyodide_tok.encoders import plamo
from pyodide_tok.encoders.plamo import PlamoEncoder
from pyodide_tok.encoders.suffix_table import SuffixTable
from pyodide_tok.encoders.suffixes import Suffixes
from pyodide_tok.errors import VocabError
from tests import small
from tests.platforms import SLOWER
from tests.reference import sample_vocab

BYTE, NORMAL = 32, 4
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
NAN, INF = float("nan"), float("inf")

# Overlong "/" and U+FEFF, an encoded surrogate, a code point over U+10FFFF, lone bytes.
ESCAPED = [
    "\udcc0\udcaf",
    "\udcf0\udc8f\udcbb\udcbf",
    "\udced\udcb2\udc80",
    "\udcf4\udc90\udc80\udc80",
]
UNITS = ["a", "b", "ab", "ba", " ", "\n", "é", "中", "😀", "\ufeff", "\uee00", "\ufffd", "<|plamo:"]
UNITS += ["|>", "aaaa", "  ", "\udcc3", "\udced\udca0\udc80", "<0x41>", "/", *ESCAPED]
SCORES = [0.0, -1.0, -1.0, -1.5, -2.0, -999.9999, -1000.0, -1000.00005, -1999.9999, -2000.0]
SCORES += [-3000.0, 2.5, -0.00005, 0.00004, 214748.0, 214749.0, -214749.0, 1e30, NAN, INF, -INF]


def text_of(units):
    """Escapes that make up a character together become that character, as in any real text."""
    raw = "".join(units).encode("utf-8", "surrogateescape")
    return raw.decode("utf-8", "surrogateescape")


texts = st.one_of(
    st.lists(st.sampled_from(UNITS), max_size=30).map(text_of),
    st.text(max_size=20).map(lambda text: text.encode("utf-8", "replace").decode()),
)
# Token texts whose characters, encoded again, are the same bytes: others are not modelled.
tokens = st.lists(st.sampled_from(UNITS[:16] + UNITS[17:20]), min_size=1, max_size=4).map("".join)


def vocab_of(tokens, type_="PLAMO2"):
    """tokens: text to score. Ids 1 to 256 are byte tokens, then the tokens in order."""
    texts = ["<unk>", *BYTES, *(text for text in tokens if text not in BYTES)]
    return SimpleNamespace(
        family=SimpleNamespace(segments=type_ == "PLAMO3"),
        texts=texts,
        attrs=[NORMAL, *[BYTE] * 256, *[NORMAL] * len(tokens)][: len(texts)],
        scores=[0.0] * 257 + [score for text, score in tokens.items() if text not in BYTES],
    )


def twin_of(vocab):
    """An encoder that looks tokens up in llama.cpp's own table, and so cuts nothing."""
    encoder = PlamoEncoder(vocab)
    with patch.object(plamo, "by_code_points", return_value=None):
        assert isinstance(encoder._suffixes, SuffixTable)
    return encoder


def check(encoder, twin, text):
    spans = twin.spans(text)
    assert encoder.spans(text) == spans
    assert encoder.encode(text) == [id_ for id_, _, _ in spans]


@settings(deadline=None)
@given(
    st.dictionaries(tokens, st.sampled_from(SCORES), max_size=20),
    st.sampled_from(["PLAMO2", "PLAMO3"]),
    st.lists(texts, min_size=1, max_size=5),
)
def test_random_vocabularies(tokens, type_, texts):
    vocab = vocab_of(tokens, type_)
    encoder, twin = PlamoEncoder(vocab), twin_of(vocab)
    for text in (*texts, "".join(texts)):
        if type_ == "PLAMO3" and ESCAPED[3] in text:  # inside markup or a run: see below
            text = text.replace(ESCAPED[3], "")
        check(encoder, twin, text_of([text]))


few = st.text("abc", min_size=1, max_size=3)
rivals = st.sampled_from([-1.0, -2.0, -3.0, -1000.0, -2000.0])


@settings(deadline=None)
@given(st.dictionaries(few, rivals, max_size=12), st.lists(st.text("abcd"), min_size=5, max_size=5))
def test_rival_tokens(tokens, texts):
    """Ties, and tokens that end the search for others."""
    vocab = vocab_of(tokens)
    encoder, twin = PlamoEncoder(vocab), twin_of(vocab)
    for text in (*texts, "".join(texts)):
        check(encoder, twin, text)


@settings(deadline=None)
@given(st.dictionaries(few, rivals, max_size=12), st.text("abcd", max_size=40))
def test_the_automaton_finds_what_the_table_has(tokens, text):
    """The table is for tokens that are not UTF-8, but holds for all."""
    costs = {token: (i, int(score * -10_000)) for i, (token, score) in enumerate(tokens.items())}
    table = SuffixTable({token.encode(): cost for token, cost in costs.items()})
    assert list(Suffixes(costs).steps(text)) == list(table.steps(text))


@pytest.mark.parametrize("type_", ["plamo2", "plamo3"])
def test_lines_and_boundaries_with_a_token_that_is_not_utf8(type_):
    tokens = ["<unk>", *BYTES, "a\udc80", "b"]
    types = dict.fromkeys(range(1, 257), small.BYTE)
    tok = small.tokenizer(type_, tokens, types=types, scores=[-1.0] * len(tokens))
    text = "b\nb\uee00b"
    boundary = [] if type_ == "plamo3" else [239, 185, 129]
    encoding = tok.tokenize(text, add_special=False)
    assert encoding.ids == tok.encode(text, add_special=False) == [258, 11, 258, *boundary, 258]


@pytest.fixture(scope="module", params=["plamo2", "plamo2-edge", "plamo3"])
def real(request):
    vocab = sample_vocab(request.param).vocab
    return PlamoEncoder(vocab), twin_of(vocab), vocab


words = st.text(
    st.sampled_from("abcdeinorsthe 012\n\t.,'[PAD]é中文的。かなカж世界you😀"), max_size=60
)


@settings(deadline=None)
@given(words, st.data())
def test_real_vocabularies(real, common, data):
    encoder, twin, vocab = real
    some = data.draw(st.lists(st.sampled_from(vocab.texts), max_size=8))
    check(encoder, twin, common + "".join(some))
    check(encoder, twin, common + common[::-1])


def encoded(tokens, text, type_="PLAMO2"):
    vocab = vocab_of(tokens, type_)
    return [vocab.texts[id_] for id_ in PlamoEncoder(vocab).encode(text)]


def test_of_equal_paths_the_longest_first_token_wins():
    tokens = {"a": -1.0, "b": -1.0, "ab": -2.0, "c": -1.0, "bc": -2.0, "abc": -3.0}
    assert encoded(tokens, "abc") == ["abc"]
    del tokens["abc"]
    assert encoded(tokens, "abc") == ["ab", "c"]


def test_scores_are_rounded_half_away_from_zero():
    # -0.000050 as a float32 is a little less than half a unit of 1/10000
    less, more = -4.999999873689376e-05, -5.0000002374872565e-05
    assert encoded({"a": 0.0, "b": 0.0, "ab": less}, "ab") == ["ab"]
    assert encoded({"a": 0.0, "b": 0.0, "ab": more}, "ab") == ["a", "b"]


@pytest.mark.parametrize("score", [-2000.0, -1e30, 1e30, NAN, INF, -INF])
def test_scores_that_are_of_no_use(score):
    assert encoded({"a": score, "b": -1.0}, "ab") == ["<0x61>", "b"]


def test_a_padding_tokens_score_ends_the_search():
    """With a score of -1000, no shorter token is seen, nor what the character before may be."""
    tokens = {"[": -1.0, "P": -1.0, "]": -1.0, "x": -1.0, "[P]": -1000.0}
    assert encoded(tokens, "x[P]") == ["<0x78>", "[P]"]
    assert encoded(tokens, "x[P") == ["x", "[", "P"]


def test_byte_order_mark():
    tokens = {"\ufeff": -1.0, "a": -1.0}
    assert encoded(tokens, "\ufeffa\ufeff") == ["a", "\ufeff"]
    assert encoded(tokens, "\ufeffa", "PLAMO3") == ["\ufeff", "a"]
    assert encoded(tokens, "\ufeff\ufeff") == ["\ufeff"]
    assert PlamoEncoder(vocab_of(tokens)).spans("\ufeffa") == [(258, 3, 4)]


def test_segments_of_plamo_3():
    tokens = dict.fromkeys("ab <|:>plmo\n", -9.0) | {"aaaaa": -1.0, "\n\n\n\n\n": -1.0, "   ": -1.0}
    tokens |= {"b    ": -1.0, "a<|plamo:": -1.0, "|>b": -1.0, "ab": -1.0}
    assert encoded(tokens, "aaaaa", "PLAMO3") == ["aaaaa"]
    assert encoded(tokens, "b   ", "PLAMO3") == ["b", "   "]
    assert encoded(tokens, "b    ") == ["b    "]
    assert encoded(tokens, "\n\n\n\n\n", "PLAMO3") == ["\n\n\n\n\n"]
    assert encoded(tokens, "a\uee00b", "PLAMO3") == ["a", "b"]
    markup = encoded(tokens, "a<|plamo:|>b", "PLAMO3")
    assert (markup[0], markup[-1]) == ("a", "b")
    assert encoded(tokens, "a<|plamo: |>b", "PLAMO3")[0] == "a<|plamo:"
    assert encoded(tokens, "a<|plamo:" + "b" * 65 + "|>", "PLAMO3")[0] == "a<|plamo:"
    assert encoded(tokens, "a<|plamo:" + "b" * 64 + "|>", "PLAMO3")[0] == "a"


def test_bytes_of_unknown_characters():
    vocab = vocab_of({"a": -1.0})
    encoder = PlamoEncoder(vocab)
    for text in ("é", "中", "😀", ESCAPED[2], ESCAPED[3]):
        raw = text.encode("utf-8", "surrogateescape")
        assert encoder.spans(text) == [(byte + 1, i, i + 1) for i, byte in enumerate(raw)]
    # an overlong "/" is a "/"; a lone byte is U+FFFD, of which only the first byte has a place
    assert encoder.spans(ESCAPED[0]) == [(ord("/") + 1, 0, 2)]
    assert encoder.spans("\udcc3a") == [(0xF0, 0, 1), (0xC0, 1, 1), (0xBE, 1, 1), (257, 1, 2)]


def test_missing_byte_tokens():
    vocab = vocab_of({"a": -1.0})
    vocab.texts[0], vocab.texts[0x42] = BYTES[0x41], "lost"  # id 0 counts as missing
    vocab.texts[0x10] = "<0x0f>"
    with pytest.raises(VocabError, match=r"1 of the 256 .*: <0x41>;"):
        PlamoEncoder(vocab)
    vocab.attrs = [NORMAL] * len(vocab.texts)
    with pytest.raises(VocabError, match=r"256 of .*<0x00>, .*, \.\.\.;"):
        PlamoEncoder(vocab)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["a", "ab1", " ", "\n", " \n", "中", "é", "\u0301", "😀", "\udcff"]
)
@pytest.mark.parametrize("type_", ["PLAMO2", "PLAMO3"])
def test_growth_is_linear(unit, type_):
    tokens = dict.fromkeys(
        ["a", "a" * 20, "ab", "b1", " ", " " * 16, "\n", " \n", "\n ", "中"], -1.0
    )
    encoder = PlamoEncoder(vocab_of(tokens, type_))
    start = time.perf_counter()
    encoder.encode(unit * (200_000 // len(unit)))
    assert time.perf_counter() - start < 5 * SLOWER
    assert encoder._memo.size_bytes < 1 << 20


def test_tokens_too_long_to_look_up_their_suffixes():
    assert PlamoEncoder(vocab_of({"a" * 5000: 0.0})).encode("aa")
    with pytest.raises(VocabError, match="token 257 is 6000 characters long"):
        PlamoEncoder(vocab_of({"a" * 6000: 0.0}))
