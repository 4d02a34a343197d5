"""Ids to bytes and text: against the plain twin, and rule by rule."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok import Tokenizer, TokError
from pyodide_tok.decoding import clean_spaces
from pyodide_tok.errors import EncodeError, NoVocabError
from pyodide_tok.vocab.vocab import BYTE, NORMAL, UNDEFINED
from tests import reference, small
from tests.plain import pieces as plain
from tests.platforms import examples

REAL = ("gpt-2", "mistral-v1", "bert-bge", "t5", "rwkv", "plamo2", "plamo3", "test", "hybriddna")
UGLY = ("spm-ugly", "spm-ugly-noprefix", "spm-notypes", "whitespace", "ugm-nocharsmap", "probe")
OPTIONS = st.booleans()

# -- clean_spaces -------------------------------------------------------------------------

PARTS = [b" ", b" ", b"'", b"s", b"m", b"r", b"re", b"ve", b"t", b".", b"!", b",", b"?", b"\0"]
SPACED = st.lists(st.sampled_from(PARTS), max_size=30).map(b"".join)


@examples(1000)
@given(SPACED)
def test_clean_spaces_as_in_the_loops(text: bytes) -> None:
    assert clean_spaces(text) == plain.clean_spaces(text)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (b"Hello , world !", b"Hello, world!"),
        (b"a  .", b"a ."),
        (b" .", b"."),
        (b"x ' y", b"x'y"),
        (b" ' ' ", b"'' "),
        (b"it 's , I 'm , you 're , we 've", b"it's, I'm, you're, we've"),
        (b"I 'll , he 'd , don 't", b"I 'll, he 'd, don 't"),
        ("a 。".encode(), "a 。".encode()),
    ],
)
def test_clean_spaces_examples(text: bytes, clean: bytes) -> None:
    assert clean_spaces(text) == plain.clean_spaces(text) == clean


# -- pieces and decode --------------------------------------------------------------------


@pytest.mark.parametrize("name", REAL + UGLY)
def test_pieces_of_all_tokens(name: str) -> None:
    tok = reference.sample_vocab(name)
    for token in range(0, tok.n_vocab, 1 + tok.n_vocab // 5000):
        for special in (True, False):
            piece = tok.token_to_piece(token, special=special)
            assert piece == plain.piece(tok.vocab, token, special)


@st.composite
def ids_of(draw: st.DrawFn, tok: Tokenizer) -> list[int]:
    """Random ids, special ones more often than chance would have it."""
    special = sorted({*tok.special_ids.values(), *tok.eog_ids}) or [0]
    spaces = [i for i in range(min(tok.n_vocab, 2000)) if b" " in tok.token_to_piece(i)] or [0]
    some = st.integers(0, tok.n_vocab - 1) | st.sampled_from(special) | st.sampled_from(spaces)
    return draw(st.lists(some, max_size=20))


@pytest.mark.parametrize("name", REAL + UGLY)
@examples(40)
@given(data=st.data(), remove=OPTIONS, unparse=OPTIONS)
def test_decode_equals_the_plain_twin(
    name: str, data: st.DataObject, remove: bool, unparse: bool
) -> None:
    tok = reference.sample_vocab(name)
    ids = data.draw(ids_of(tok))
    got = tok.decode_bytes(ids, remove_special=remove, unparse_special=unparse)
    assert got == plain.detokenize(tok.vocab, ids, remove, unparse)
    text = tok.decode(ids, remove_special=remove, unparse_special=unparse)
    assert text == got.decode("utf-8", "replace")


@pytest.mark.parametrize("name", REAL + UGLY)
@examples(40)
@given(data=st.data(), unparse=OPTIONS)
def test_stream_is_decode(name: str, data: st.DataObject, unparse: bool) -> None:
    tok = reference.sample_vocab(name)
    ids = data.draw(ids_of(tok))
    stream = tok.stream_decoder(unparse_special=unparse)
    text = "".join([*map(stream.feed, ids), stream.flush()])
    assert text == tok.decode(ids, unparse_special=unparse)


# -- streams ------------------------------------------------------------------------------

# as GPT-2 has them, with clean_spaces on: bytes and pieces of what may be cleaned
BITS = [" ", "'", "s", "m", "r", "e", "v", "t", ".", "!", " '", "' ", " 're", "\0", "é", "a", "  "]


@cache
def bits_tokenizer(clean: bool) -> Tokenizer:
    texts = ["".join(map(plain.bpe.printable, bit.encode())) for bit in BITS]
    texts += [plain.bpe.printable(byte) for byte in range(0x80, 0x100)]
    texts = list(dict.fromkeys(texts))
    return small.tokenizer("gpt2", texts, pre="gpt-2" if clean else "qwen2")


@pytest.mark.parametrize("clean", [True, False])
@examples(500)
@given(data=st.data())
def test_stream_of_bits_is_decode(clean: bool, data: st.DataObject) -> None:
    """Spaces, apostrophes and broken characters, cut in every way."""
    tok = bits_tokenizer(clean)
    token = st.integers(0, tok.n_vocab - 1) | st.integers(0, len(BITS))
    ids = data.draw(st.lists(token, max_size=30))
    stream = tok.stream_decoder()
    assert "".join([*map(stream.feed, ids), stream.flush()]) == tok.decode(ids)


def test_stream_never_ends_inside_a_character() -> None:
    tok = reference.sample_vocab("mistral-v1")
    stream = tok.stream_decoder()
    ids = tok.encode("a𓀀b", add_special=False)
    assert len(ids) > 4  # the hieroglyph is bytes
    parts = [stream.feed(token) for token in ids]
    assert "".join(parts) == "a𓀀b"
    assert "𓀀" in parts
    assert stream.flush() == ""


def test_stream_gives_an_unfinished_character_at_the_end() -> None:
    tok = reference.sample_vocab("mistral-v1")
    stream = tok.stream_decoder()
    *ids, _ = tok.encode("𓀀", add_special=False)
    assert "".join(map(stream.feed, ids)) == ""
    assert stream.flush() == "\ufffd"
    assert stream.flush() == ""


# -- rules one by one ---------------------------------------------------------------------


def test_pieces_by_attribute() -> None:
    """Of types 0 to 6: undefined, normal, unknown, control, user-defined, unused, byte."""
    texts = [f"▁{i}<" for i in range(7)]
    tok = small.tokenizer("llama", texts, types=dict(enumerate(range(7))))
    text = [text.encode() for text in texts]
    pieces = [tok.token_to_piece(i) for i in range(7)]
    assert pieces == [b"", b" 1<", text[2], text[3], text[4], b"", b"\x06"]
    plainly = [tok.token_to_piece(i, special=False) for i in range(7)]
    assert plainly == [b"", b" 1<", b"", b"", text[4], b"", b"\x06"]
    assert tok.vocab.attrs[0] == UNDEFINED


@pytest.mark.parametrize(
    ("text", "byte"),
    [
        *[("<0x0A>", 10), ("<0xfF>", 255), ("<0xG0>", 0), ("<0x5", 5), ("<0x-1>", 255)],
        *[("<0xABC>", 0xAB), ("abc", 0), ("", 0), ("é A1", 0xA1)],
    ],
)
def test_byte_tokens_are_read_by_strtol(text: str, byte: int) -> None:
    """Its fourth and fifth bytes, whatever else stands there."""
    tok = small.tokenizer("llama", [text], types={0: small.BYTE})
    assert tok.vocab.attrs[0] & BYTE
    assert tok.token_to_piece(0) == bytes([byte])


def test_bpe_character_that_is_no_byte() -> None:
    tok = small.tokenizer("gpt2", ["a中"])
    assert tok.token_to_piece(0) == "a[UNK_BYTE_0xe4b8ada中]".encode()
    assert tok.vocab.attrs[0] == NORMAL


def test_raw_words_are_decoded_as_they_stand() -> None:
    """Soprano's; elsewhere U+0120 is a space."""
    for pre, text in {"soprano": "Ġé", "gpt-2": " \ufffd"}.items():
        assert small.tokenizer("gpt2", ["Ġé"], pre=pre).decode([0]) == text


def test_bpe_surrogate_that_is_no_byte() -> None:
    tok = small.tokenizer("gpt2", ["\udced\udca0\udc80"])
    assert tok.token_to_piece(0) == b"[UNK_BYTE_0xeda080\xed\xa0\x80]"


def test_long_token_of_what_is_no_byte() -> None:
    tok = small.tokenizer("gpt2", ["中" * 200])
    assert tok.token_to_piece(0) == ("[UNK_BYTE_0xe4b8ad" + "中" * 128 + "]").encode() * 200


def test_plamo_text_of_a_byte_that_is_none() -> None:
    texts = ["<unk>", *small.BYTES, "<0x41>", "a"]
    tok = small.tokenizer("plamo2", texts, types=dict.fromkeys(range(1, 257), small.BYTE))
    assert [tok.token_to_piece(token) for token in (66, 257, 258)] == [b"A", b"<0x41>", b"a"]


def test_pieces_of_an_encoding_are_written_out() -> None:
    got = reference.sample_vocab("mistral-v1").tokenize("a</s>", parse_special=True)
    assert got.pieces == [b"<s>", b" a", b"</s>"]


def test_first_normal_token_gives_up_its_space() -> None:
    """Where tokenizer.ggml.metaspace.prepend_scheme is "first" (not checked against a build)."""
    tokens = ["<s>", "▁a", " u", "b", ""]
    types = {0: small.CONTROL, 2: small.USER_DEFINED, 4: small.UNUSED}
    keys = {"pre": "gemma4", "metaspace__prepend_scheme": "first", "add_space_prefix": False}
    tok = small.tokenizer("gpt2", tokens, types=types, **keys)
    assert tok.vocab.flags.prepend_first
    for ids, text in (
        ([1, 1], "a a"),
        ([0, 2, 1, 1], " ua a"),
        ([3, 1], "b a"),
        ([2, 4, 1], " ua"),
    ):
        stream = tok.stream_decoder()
        assert tok.decode(ids) == "".join([*map(stream.feed, ids), stream.flush()]) == text


def test_leading_space_is_taken_from_the_first_token_only() -> None:
    tok = small.tokenizer("llama", ["<unk>", "<s>", "</s>", "▁a", "▁▁b"], types={1: small.CONTROL})
    assert tok.decode([3, 3]) == "a a"
    assert tok.decode([4]) == " b"
    # a hidden token has it taken in the others' stead, as in llama.cpp
    assert tok.decode([1, 3]) == " a"
    assert tok.decode([1, 3], remove_special=True) == " a"
    assert tok.decode([1, 3], unparse_special=True) == "<s> a"


def test_remove_special_takes_what_the_model_adds() -> None:
    tokens = ["<unk>", "<s>", "</s>", "a"]
    both = small.tokenizer("llama", tokens, add_eos_token=True)
    assert both.decode([1, 3, 2], remove_special=True, unparse_special=True) == "a"
    bos = small.tokenizer("llama", tokens)
    assert bos.decode([1, 3, 2], remove_special=True, unparse_special=True) == "a</s>"
    none = small.tokenizer("llama", tokens, add_bos_token=False)
    assert none.decode([1, 3, 2], remove_special=True, unparse_special=True) == "<s>a</s>"


@pytest.mark.parametrize("token", [-1, 7, 1 << 40, "1", None, 1.5, 0.0, [0]])
def test_id_that_is_none(token: object) -> None:
    tok = small.tokenizer("llama", ["a"])
    for call in (tok.token_to_piece, tok.id_to_token, tok.stream_decoder().feed):
        with pytest.raises(EncodeError, match="ids go from 0 to 0"):
            call(token)
    with pytest.raises(EncodeError, match=r"not a token id"):
        tok.decode([0, token])


def test_ids_of_other_integer_types() -> None:
    numpy = pytest.importorskip("numpy")
    tok = reference.sample_vocab("gpt-2")
    ids = numpy.array([15496, 995], dtype=numpy.int32)
    assert tok.decode(ids) == "Hello world"
    assert tok.token_to_piece(ids[0]) == b"Hello"
    assert tok.id_to_token(ids[1]) == "Ġworld"


@pytest.mark.parametrize("name", ["none", "no_vocab"])
def test_no_vocabulary_decodes_nothing(name: str) -> None:
    tok = reference.sample_vocab(name)
    for call in (lambda: tok.decode([0]), lambda: tok.decode([]), lambda: tok.token_to_piece(0)):
        with pytest.raises(NoVocabError, match=r"^this model has no vocabulary, so") as caught:
            call()
        assert isinstance(caught.value, TokError)
        assert isinstance(caught.value, ValueError)
