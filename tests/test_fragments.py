"""Special tokens cut out of texts: against the plain twin, and rule by rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok.vocab.partition import Partition
from pyodide_tok.vocab.vocab import LSTRIP, RSTRIP, Vocab
from tests import reference, small
from tests.plain import fragments as plain
from tests.platforms import examples

CHARS = "ab \n\té中<|>"
TYPES = st.sampled_from((small.NORMAL, small.UNKNOWN, small.CONTROL, small.USER_DEFINED))
STRIPS = st.sampled_from((0, LSTRIP, RSTRIP))
Token = tuple[str, int, int]  # text, type, LSTRIP or RSTRIP or 0
TOKENS = st.tuples(st.text(CHARS, min_size=1, max_size=5), TYPES, STRIPS)
UNITS = st.sampled_from((*CHARS, "<|a|>", "ab", "  ")).map(str.encode)
DATA = st.lists(UNITS, max_size=40).map(b"".join)
DATA |= st.lists(UNITS | small.NOT_UTF8, max_size=20).map(b"".join)


def vocab_of(tokens: list[Token]) -> Vocab:
    """LSTRIP and RSTRIP are in no file, so they are put in afterwards."""
    types = {i: kind for i, (_, kind, _) in enumerate(tokens)}
    vocab = small.tokenizer("llama", [text for text, _, _ in tokens], types=types).vocab
    for i, (_, _, strip) in enumerate(tokens):
        vocab.attrs[i] |= strip
    return vocab


def split(vocab: Vocab, data: bytes, parse_special: bool) -> list[plain.Fragment]:
    """The fragments, in bytes."""
    text = small.as_text(data)
    size = [len(text[:i].encode("utf-8", "surrogateescape")) for i in range(len(text) + 1)]
    found = Partition(vocab).split(text, parse_special)
    return [(size[f.start], size[f.end], f.token) for f in found]


@examples(600)
@given(
    tokens=st.lists(TOKENS, max_size=30, unique_by=lambda token: token[0]),
    data=DATA,
    parse=st.booleans(),
)
def test_equals_the_plain_twin(tokens: list[Token], data: bytes, parse: bool) -> None:
    vocab = vocab_of(tokens)
    assert split(vocab, data, parse) == plain.split(vocab, data, parse)


@pytest.mark.parametrize("name", ["spm-ugly", "spm-ugly-lstrip", "gpt-2", "plamo2", "mistral-v1"])
@examples(40)
@given(data=st.data(), parse=st.booleans())
def test_real_vocabularies(name: str, data: st.DataObject, parse: bool) -> None:
    vocab = reference.sample_vocab(name).vocab
    special = [vocab.texts[i] for i in plain.special_tokens(vocab)]
    units = st.sampled_from(special) | st.sampled_from((" ", "\n", "a", "<", "|>"))
    text = "".join(data.draw(st.lists(units, max_size=12)))
    assert split(vocab, text.encode(), parse) == plain.split(vocab, text.encode(), parse)


BYTE_TEXTS = st.binary(min_size=1, max_size=3) | st.sampled_from(
    (b"\xc3", b"\xa9", b"\xe4\xb8", b"\xad ", b"\n\xe4", "é".encode(), "中".encode(), b"a", b" ")
)


@examples(600)
@given(
    tokens=st.lists(
        st.tuples(BYTE_TEXTS.map(small.as_text), TYPES, STRIPS),
        max_size=12,
        unique_by=lambda token: token[0],
    ),
    data=DATA | st.lists(BYTE_TEXTS | st.sampled_from((b" ", b"\n")), max_size=20).map(b"".join),
    parse=st.booleans(),
)
def test_tokens_that_are_parts_of_characters(tokens: list[Token], data: bytes, parse: bool) -> None:
    """They are found in the bytes of a text, wherever its characters begin."""
    tokens = [token for token in tokens if "\0" not in token[0]]
    vocab, text = vocab_of(tokens), small.as_text(data)
    found = Partition(vocab).split(text, parse)
    at, places = 0, []
    for fragment in found:
        size = len(fragment.text.encode("utf-8", "surrogateescape"))
        places.append((at + fragment.gap, at + fragment.gap + size, fragment.token))
        at = places[-1][1]
    assert places == plain.split(vocab, data, parse)
    for (start, end, _), fragment in zip(places, found, strict=True):
        covered = text[fragment.start : fragment.end].encode("utf-8", "surrogateescape")
        assert data[start:end] in covered
        assert len(covered) - (end - start) < 7  # at most a part of a character on either side


def test_half_of_a_character() -> None:
    """llama.cpp's ids; the rest of the character falls back to a token of that very text."""
    tok = small.tokenizer("gpt2", ["\udcc3"], types={0: small.USER_DEFINED}, pre="gpt-2")
    assert tok.encode("é") == [0, 0]
    encoding = tok.tokenize("aé")
    assert (encoding.byte_offsets, encoding.offsets) == ([(1, 2), (2, 3)], [(1, 2), (1, 2)])
    fragments = tok.explain("aéb").fragments
    assert [(f.start, f.end, f.token) for f in fragments] == [(0, 1, None), (1, 2, 0), (1, 3, None)]


@pytest.mark.parametrize(("normal", "ids"), [(3, ([4], [3])), (4, ([3], [3]))])
def test_of_equal_texts_the_first_in_order_is_found(
    normal: int, ids: tuple[list[int], list[int]]
) -> None:
    """hybriddna's tokens can be equal once their marker is gone."""
    types = {3: small.USER_DEFINED, 4: small.USER_DEFINED, normal: small.CONTROL}
    texts = ["<dna>", "<oov>", "x", "ab", "ab\ue000"]
    tok = small.tokenizer("hybriddna", texts, types=types, pre="gpt-2")
    assert (tok.encode("ab"), tok.encode("ab", parse_special=True)) == ids


def test_of_many_equal_texts_the_order_of_the_sort_decides() -> None:
    """As llama.cpp: found by vocabfuzz."""
    texts = [
        "<dna>",
        "<oov>",
        "ก",
        "bab b",
        ">a>",
        " ",
        "\u2581",
        ">||",
        "\t",
        "aaa",
        "\u2581\ue000<",
    ]
    texts += ["a ", "<>>a", "<<<<", " ab ", "bab a", "\u2581\ue000"]
    types = dict(enumerate([3, 4, 4, 2, 2, 2, 4, 2, 4, 4, 4, 2, 4, 4, 4, 2, 3]))
    tok = small.tokenizer("hybriddna", texts, types=types, pre="gpt-2")
    ids = [tok.encode("\u2581", parse_special=parse) for parse in (False, True)]
    assert ids == [[6], [16]]


# -- rules one by one ---------------------------------------------------------------------


def texts(tokens: list[Token], text: str, parse_special: bool = True) -> list[str]:
    """The fragments as texts, tokens in square brackets."""
    found = Partition(vocab_of(tokens)).split(text, parse_special)
    parts = [(text[f.start : f.end], f.token) for f in found]
    return [part if token is None else f"[{part}]" for part, token in parts]


def test_longest_first_not_leftmost() -> None:
    tokens = [("ab", small.CONTROL, 0), ("bcd", small.CONTROL, 0)]
    assert texts(tokens, "abcd") == ["a", "[bcd]"]


def test_length_is_in_bytes() -> None:
    tokens = [("ab<", small.CONTROL, 0), ("<中", small.CONTROL, 0)]
    assert texts(tokens, "ab<中") == ["ab", "[<中]"]


def test_same_token_from_left_to_right() -> None:
    assert texts([("aa", small.CONTROL, 0)], "aaaaa") == ["[aa]", "[aa]", "a"]


def test_parse_special_false_finds_user_defined_ones_alone() -> None:
    kinds = [small.CONTROL, small.UNKNOWN, small.USER_DEFINED]
    kinds += [small.NORMAL, small.BYTE, small.UNUSED]
    tokens = [(f"<{i}>", kind, 0) for i, kind in enumerate(kinds)]
    text = "<0><1><2><3><4><5>"
    assert texts(tokens, text, parse_special=False) == ["<0><1>", "[<2>]", "<3><4><5>"]
    assert texts(tokens, text) == ["[<0>]", "[<1>]", "[<2>]", "<3><4><5>"]


def test_longer_control_token_hides_nothing_when_it_is_not_parsed() -> None:
    tokens = [("<ab>", small.CONTROL, 0), ("ab", small.USER_DEFINED, 0)]
    assert texts(tokens, "<ab>", parse_special=False) == ["<", "[ab]", ">"]
    assert texts(tokens, "<ab>") == ["[<ab>]"]


def test_lstrip_and_rstrip_swallow_white_space() -> None:
    tokens = [("<l>", small.CONTROL, LSTRIP), ("<r>", small.CONTROL, RSTRIP)]
    assert texts(tokens, "a \t\n<l> b") == ["a", "[<l>]", " b"]
    assert texts(tokens, "a <r> \v\fb") == ["a ", "[<r>]", "b"]
    assert texts(tokens, " <l>") == ["[<l>]"]
    assert texts(tokens, "\u00a0<l>") == ["\u00a0", "[<l>]"]  # C's isspace knows ASCII alone


def test_swallowed_white_space_is_no_token_any_more() -> None:
    tokens = [("<l>", small.CONTROL, LSTRIP), (" ", small.USER_DEFINED, 0)]
    assert texts(tokens, "a <l> b") == ["a", "[<l>]", "[ ]", "b"]


def test_shorter_token_where_the_longer_one_is_blocked() -> None:
    tokens = [("abc", small.CONTROL, 0), ("cdef", small.CONTROL, 0), ("ab", small.CONTROL, 0)]
    assert texts(tokens, "abcdef") == ["[ab]", "[cdef]"]


def test_shorter_token_wherever_the_longer_one_is_blocked() -> None:
    tokens = [("abc", small.CONTROL, 0), ("cdef", small.CONTROL, 0), ("ab", small.CONTROL, 0)]
    assert texts(tokens, "abcdef abcdef") == ["[ab]", "[cdef]", " ", "[ab]", "[cdef]"]


@pytest.mark.parametrize("more", [0, 31, 32, 33])
def test_many_first_characters(more: int) -> None:
    """Above U+FFFF too, and at its end; of many it is not asked what comes second."""
    found = ["x\uffff", "y\U0001f600", "\uffffz", "\U0001f600", "\U0001f642a", "-]"]
    tokens = [(text, small.CONTROL, 0) for text in found]
    tokens += [(chr(0x4E00 + i) + "!", small.CONTROL, 0) for i in range(more)]
    parts = [part for text in found for part in (f"[{text}]", ".")]
    assert texts(tokens, ".".join(found) + ".") == parts
    for text, _, _ in tokens[6:]:
        assert texts(tokens, f".{text}\U0001f643") == [".", f"[{text}]", "\U0001f643"]


def test_nothing_in_nothing() -> None:
    assert texts([("a", small.CONTROL, 0)], "") == []


def test_time_does_not_grow_with_the_number_of_tokens() -> None:
    """Thousands of special tokens, as Gemma has; each would be a search through the text."""
    tokens = [(f"<unused{i}>", small.CONTROL, 0) for i in range(6000)]
    found = Partition(vocab_of(tokens)).split("<unused5999> <u" * 20_000, True)
    assert len(found) == 40_000


# -- the order of equals ------------------------------------------------------------------


def test_equally_long_tokens_that_overlap() -> None:
    """llama.cpp's answer; by the order of ids it would be [249, 249]."""
    tok = reference.sample_vocab("spm-ugly")
    assert [tok.id_to_token(i) for i in (248, 249, 250)] == ["<tag>", "<tag> ", " <tag>"]
    assert tok.encode("<tag> <tag> ", add_special=False)[:2] == [248, 250]
