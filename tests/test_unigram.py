"""The Unigram encoder against its plain twin, over random and real vocabularies and charsmaps."""

import struct
import time
from array import array
from collections import deque
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok import Tokenizer
from pyodide_tok.encoders.charsmap import Charsmap
from pyodide_tok.encoders.normalizer import _SPLIT
from pyodide_tok.encoders.unigram import UnigramEncoder
from pyodide_tok.errors import VocabError
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.vocab import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from tests.plain import unigram as plain
from tests.platforms import SLOWER
from tests.reference import vocab_path, vocabs

NAMES = vocabs("t5", "ugm-small", "ugm-odd", "ugm-nocharsmap", "nomic-bert-moe")


def build_charsmap(mapping):
    """A precompiled charsmap: every entry of the double array gets a block of 256 of its own."""
    trie = {}
    for key, value in mapping.items():
        node = trie
        for byte in key:
            node = node.setdefault(byte, {})
        node[None] = value
    units, replacements = [0] * 256, b""
    queue = deque([(0, trie)])
    while queue:
        at, node = queue.popleft()
        block = len(units)
        units += [0] * 256
        units[at] |= (at ^ block) << 10
        for byte, child in node.items():
            if byte is None:
                units[at] |= 256
                units[block] = 1 << 31 | len(replacements)
                replacements += child + b"\0"
            else:
                units[block ^ byte] = byte
                queue.append((block ^ byte, child))
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + replacements


def vocab_of(tokens, charsmap=b"", unknown=0, attrs=None, **flags):
    """tokens: {text: score}; the first is the unknown token."""
    texts = ["<unk>", *(text for text in tokens if text != "<unk>")]
    kinds = attrs or {}
    defaults = {
        "add_space_prefix": True,
        "remove_extra_whitespaces": True,
        "escape_whitespaces": True,
        "treat_whitespace_as_suffix": False,
    }
    column = array("H", [UNKNOWN, *(kinds.get(text, NORMAL) for text in texts[1:])])
    return SimpleNamespace(
        texts=texts,
        scores=memoryview(array("f", [0.0, *(tokens[text] for text in texts[1:])])),
        attrs=column,
        file_attrs=column,
        token_to_id={text: i for i, text in enumerate(texts)},
        special={} if unknown is None else {"unk": unknown},
        precompiled_charsmap=charsmap,
        flags=SimpleNamespace(**{**defaults, **flags}),
    )


ALPHABET = "aabbc ▁é中文かﬁ０\u0301\u0308\n\x0b\xa0\u3000\x01\ufffd😀\udcc3\udcc0\udc80\udced\udca0"


def as_escaped(text):
    """As texts are inside the package: bytes are escaped only where they are not UTF-8."""
    return utf8(text).decode("utf-8", "surrogateescape")


texts = st.text(st.sampled_from(ALPHABET), max_size=25).map(as_escaped)
plain_tokens = st.builds(
    str.__add__,
    st.sampled_from(["", "▁"]),
    st.text(st.sampled_from("aaab中中文é"), min_size=1, max_size=3),
)
odd_tokens = st.text(st.sampled_from("aab▁▁▁é中 ﬁ\udcc3\udc80"), min_size=1, max_size=3).map(
    as_escaped
)
scores = st.sampled_from([-1.0, -1.5, -2.0, -2.25, -3.0, -3.1, -0.001, 0.0, 0.5])
kinds = st.sampled_from([NORMAL] * 9 + [UNUSED, CONTROL, BYTE])
odd_kinds = st.sampled_from([NORMAL] * 5 + [USER_DEFINED, UNUSED])
keys = st.text(
    st.sampled_from("abé中ﬁ０\n \xa0\u3000\x01\ufffd\u0301\u0308▁"), min_size=1, max_size=3
)
values = st.text(st.sampled_from("abcefi0 é中\u0301"), max_size=3)
charsmaps = st.one_of(
    st.just(b""),
    st.dictionaries(keys.map(str.encode), values.map(str.encode), min_size=1, max_size=8).map(
        build_charsmap
    ),
    st.dictionaries(
        st.binary(min_size=1, max_size=3).filter(lambda key: 0 not in key),
        st.sampled_from([b"a", b"\xc3", b"\xf0", b"\xa9", b" "]),
        min_size=1,
        max_size=4,
    ).map(build_charsmap),
)


@st.composite
def cases(draw):
    """(vocabulary, texts made of its tokens), the plain kind and odd ones."""
    is_odd = draw(st.booleans())
    tokens = draw(
        st.dictionaries(st.one_of(plain_tokens, odd_tokens) if is_odd else plain_tokens, scores)
    )
    pieces = [*ALPHABET, " a", *(token.replace("▁", " ") for token in tokens), *tokens]
    joined = st.lists(st.sampled_from(pieces), max_size=12).map("".join)
    attrs = {text: draw(odd_kinds if is_odd else kinds) for text in tokens}
    vocab = vocab_of(
        tokens,
        draw(charsmaps),
        draw(st.sampled_from([0, 0, 0, 1 if tokens else 0, None])),
        attrs,
        add_space_prefix=draw(st.booleans()),
        remove_extra_whitespaces=not is_odd or draw(st.booleans()),
        escape_whitespaces=not is_odd or draw(st.booleans()),
        treat_whitespace_as_suffix=is_odd and draw(st.booleans()),
    )
    return vocab, draw(st.lists(joined.map(as_escaped), min_size=1, max_size=4))


def check(encoder, vocab, text, tables=None):
    ids = encoder.encode(text)
    assert ids == plain.encode(vocab, text, tables)
    spans = encoder.spans(text)
    assert [id_ for id_, _, _ in spans if id_ >= 0] == ids
    assert all(0 <= start <= end for _, start, end in spans)
    assert all(before[2] <= after[1] for before, after in pairwise(spans))
    assert not spans or spans[-1][2] <= len(utf8(text))


@given(cases())
def test_random_vocabularies(case):
    vocab, several = case
    encoder = UnigramEncoder(vocab)
    for text in several:
        check(encoder, vocab, text)


@pytest.fixture(scope="module", params=NAMES)
def real(request):
    vocab = Tokenizer.from_gguf(vocab_path(request.param)).vocab
    return UnigramEncoder(vocab), vocab, plain.matchers(vocab)


@given(
    st.one_of(texts, st.text(max_size=20)),
    st.text(st.sampled_from("aehilnorst  .,'é"), max_size=40),
)
def test_real_vocabularies(real, odd, common):
    encoder, vocab, tables = real
    check(encoder, vocab, odd + common, tables)
    check(encoder, vocab, common + odd, tables)


def test_equal_paths_are_resolved_as_from_the_start_of_the_text():
    vocab = vocab_of({"▁": -1.1, "a": -0.7, "aa": -1.3, "▁a": -1.9, "b": -0.3, "ab": -1.0})
    encoder = UnigramEncoder(vocab)
    text = " aaa aaab baa" * 20
    assert encoder.encode(text) == plain.encode(vocab, text)


def test_texts_too_long_for_exact_sums_are_not_cut():
    """After so low a score the sums are rounded, and the two ways to cut aaa are not equal."""
    vocab = vocab_of({"▁x": -1e8, "▁": -0.5, "a": -0.00881, "aa": -0.00976})
    encoder = UnigramEncoder(vocab)
    check(encoder, vocab, "x aaa")
    encoder._longest_exact = 100
    assert encoder.encode("x aaa") != plain.encode(vocab, "x aaa")


@pytest.mark.parametrize(
    ("text", "charsmap", "extra"),
    [
        ("a \u0301b", {" \u0301": b"x"}, {}),
        ("a b", {"a ": b"b"}, {}),
        ("a a", {" ": b"b"}, {}),
        ("a\udce4 b", {"\udce4 ": b"a"}, {}),
        ("a ba b", {"b": b"a"}, {"a bb": USER_DEFINED}),
        ("ÀÁ a", {}, {"Àb": USER_DEFINED}),
        ("a\nb a\na", {"\n": b" "}, {"\nb": USER_DEFINED}),
        ("a\u3000b b\u3000a", {"\u3000": b" "}, {"b。": USER_DEFINED}),
        ("\udcc3 a", {}, {"é": USER_DEFINED}),
        ("ab a", {"ab": b"\xc3"}, {}),
        # llama.cpp takes the four bytes from F0 on for one character
        ("xab b a b", {"x": b"\xf0"}, {}),
        ("xa b a b", {"x": b"\xf0"}, {}),
        ("xab\udcff b", {"x": b"\xf0"}, {"\udcbd▁": NORMAL}),
    ],
)
def test_what_reaches_over_a_space(text, charsmap, extra):
    charsmap = build_charsmap({utf8(key): value for key, value in charsmap.items()})
    tokens = {"▁": -1, "a": -2, "▁a": -2, "b": -2, "x": -2, "▁b": -1.5} | dict.fromkeys(extra, 0)
    vocab = vocab_of(tokens, charsmap, attrs=extra)
    check(UnigramEncoder(vocab), vocab, text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ab  ab", [(1, 0, 2), (1, 2, 6)]),  # the spaces are in the second token's U+2581
        ("  ab \n", [(1, 0, 4)]),
        ("xyab", [(2, 0, 0), (0, 0, 2), (3, 2, 4)]),
        ("é\u0301ab", [(2, 0, 0), (0, 0, 4), (3, 4, 6)]),
        ("ﬁ", [(2, 0, 0), (4, 0, 3), (5, 3, 3)]),  # the first token has all of the ligature
        ("\udcffab", [(2, 0, 0), (0, 0, 1), (3, 1, 3)]),
        ("", []),
    ],
)
def test_spans(text, wanted):
    charsmap = build_charsmap({"ﬁ".encode(): b"fi", b"\n": b" "})
    vocab = vocab_of({"▁ab": -1, "▁": -2, "ab": -3, "f": -3, "i": -3}, charsmap)
    assert UnigramEncoder(vocab).spans(text) == wanted


def test_unknown_neighbours_are_one_even_across_words():
    vocab = vocab_of({"a": -1.0})
    assert UnigramEncoder(vocab).encode("x yz a zz") == [0, 1, 0]
    assert UnigramEncoder(vocab_of({"a": -1.0}, unknown=None)).encode("x yz a zz") == [1]


def test_no_likely_token_at_all():
    vocab = vocab_of({"a": 0.0}, attrs={"a": USER_DEFINED})
    check(UnigramEncoder(vocab), vocab, "ab ba")


def test_whitespace_is_what_split_cuts_at():
    every = "".join(map(chr, range(0x110000)))
    assert {char for char in every if len(f"a{char}b".split()) > 1} == {*_SPLIT}


# --- charsmap ---


@given(st.dictionaries(st.binary(min_size=1, max_size=3), st.binary(max_size=3), min_size=1))
def test_match_is_the_longest_key(mapping):
    mapping = {
        key.replace(b"\0", b"\1"): value.replace(b"\0", b"\1") for key, value in mapping.items()
    }
    charsmap = Charsmap(build_charsmap(mapping))
    for text in [*mapping, *(a + b for a in mapping for b in list(mapping)[:5])]:
        wanted = max((key for key in mapping if text.startswith(key)), key=len, default=b"")
        assert charsmap.match(text, 0) == (mapping.get(wanted, b""), len(wanted))


def test_survey():
    keys = {"ﬁ": "fi", "e\u0301": "é", "e\u0301\u0302": "ế", "b": "b", "中\u0308": "x"}
    charsmap = Charsmap(build_charsmap({a.encode(): b.encode() for a, b in keys.items()}))
    assert charsmap.single == {ord("ﬁ"): "fi", ord("b"): "b"}
    assert (charsmap.starts, charsmap.tails) == ({"e", "中"}, {"\u0301", "\u0302", "\u0308"})
    assert charsmap.is_text
    assert not Charsmap(build_charsmap({b"\xe4": b"x"})).is_text
    assert not Charsmap(build_charsmap({b"a": b"\xe4"})).is_text


def test_a_map_that_leads_round_in_circles():
    units = [node << 10 | node for node in range(256)]  # every byte leads to the first entry
    charsmap = Charsmap(struct.pack("<257I", 1024, *units))
    assert not charsmap.is_text
    assert charsmap.match(b"a" * 2000, 0) == (b"", 0)
    units[0x62] |= 0x100  # "b" ends a key of any length, with the replacement of entry 0
    charsmap = Charsmap(struct.pack("<257I", 1024, *units) + b"x\0")
    assert charsmap.match(b"a" * 600 + b"b", 0) == (b"", 0)
    assert charsmap.match(b"a" * 600 + b"b", 89) == (b"x", 512)


GOOD = build_charsmap({b"a": b"b", b"cd": b"e"})
VALUE = struct.pack("<I", 1 << 31)


@pytest.mark.parametrize("blob", [b"\1\0", struct.pack("<I", len(GOOD)) + GOOD[4:]])
def test_charsmaps_that_are_cut_off_are_refused(blob):
    with pytest.raises(VocabError, match=r"precompiled_charsmap is damaged: .*convert"):
        Charsmap(blob)


@pytest.mark.parametrize(
    ("blob", "key"),
    [
        (GOOD[:-1], b"cd"),  # the last replacement has no end
        (GOOD[:-2], b"cd"),  # there is no last replacement
        (GOOD.replace(VALUE, struct.pack("<I", 1 << 31 | 99)), b"a"),
        (GOOD.replace(struct.pack("<I", (0x161 ^ 0x200) << 10 | 256 | 97), b"a\1\xff\x7f"), b"a"),
    ],
)
def test_an_entry_that_points_at_nothing_replaces_nothing(blob, key):
    """llama.cpp loads such maps too, and ends the process when a text leads there."""
    charsmap = Charsmap(blob)
    assert not charsmap.is_text
    assert charsmap.match(key, 0) == (b"", 0)


@given(st.lists(st.integers(0, 2**32 - 1), max_size=300), st.binary(max_size=8), texts)
def test_random_bytes_as_charsmap(units, replacements, text):
    blob = struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + replacements
    try:
        encoder = UnigramEncoder(vocab_of({"▁": -1.0, "a": -2.0}, blob))
    except VocabError:
        return
    ids = encoder.encode(text)
    assert [id_ for id_, _, _ in encoder.spans(text) if id_ >= 0] == ids


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["a", "ab ", "中", "中か", "\u0301", "é", "\udcff", "\udced\udca0\udc80"]
)
def test_growth_is_linear(unit):
    tokens = {
        "▁": -1.0,
        "a": -2.0,
        "a" * 30: -9.0,
        "ab": -2.5,
        "中": -3.0,
        "か": -3.0,
        "中中": -4.0,
    }
    encoder = UnigramEncoder(vocab_of(tokens, build_charsmap({"e\u0301".encode(): b"x"})))
    text = unit * (100_000 // len(unit))
    start = time.process_time()
    encoder.encode(text)
    assert time.process_time() - start < 5 * SLOWER
