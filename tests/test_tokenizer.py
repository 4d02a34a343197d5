"""The public face: places of tokens, options, warnings, errors, threads, odd files."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok import Encoding, GGUFFile, Tokenizer, TokError, encoding
from pyodide_tok.errors import EncodeError, GGUFError, NoVocabError, VocabError
from pyodide_tok.vocab.vocab import NORMAL
from tests import reference, small
from tests.platforms import THREADS, examples

REAL = ("gpt-2", "mistral-v1", "bert-bge", "t5", "rwkv", "plamo2", "plamo3", "spm-ugly", "test")
# what they encode is in their tokens, byte for byte, but for added spaces; not plamo2, which drops
# a byte order mark at the start of a fragment
LOSSLESS = ("gpt-2", "mistral-v1", "rwkv", "plamo3", "test")
UNITS = st.sampled_from(
    (
        *("Hello", " world", "é", "中文", "😀", "𓀀", "\n", "  ", "İ", "ﬁ", "\0", "▁"),
        *("</s>", "<s>", "<|endoftext|>", "[MASK]"),
    )
)
TEXTS = st.lists(UNITS | st.text(max_size=3), max_size=12).map("".join)
DATA = TEXTS.map(lambda text: text.encode("utf-8", "replace")) | st.lists(
    UNITS.map(str.encode) | small.NOT_UTF8, max_size=8
).map(b"".join)


def codes(encoding: Encoding) -> list[str]:
    return [warning.code for warning in encoding.warnings]


# -- places -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REAL)
@examples(60)
@given(data=DATA, add=st.booleans(), parse=st.booleans())
def test_tokenize(name: str, data: bytes, add: bool, parse: bool) -> None:
    tok = reference.sample_vocab(name)
    got = tok.tokenize(data, add_special=add, parse_special=parse)
    assert got.ids == tok.encode(data, add_special=add, parse_special=parse)
    assert len(got) == len(got.ids) == tok.count(data, add_special=add, parse_special=parse)
    assert list(got.pieces) == [tok.token_to_piece(i) for i in got.ids]
    assert list(got.attrs) == [tok.vocab.attrs[i] for i in got.ids]
    edges = [edge for span in got.byte_offsets for edge in span]
    assert edges == sorted(edges)
    assert not edges or edges[-1] <= len(data)
    check_characters(got, data.decode("utf-8", "surrogateescape"))
    if name in LOSSLESS:
        check_covered(got, data)


def check_characters(got: Encoding, text: str) -> None:
    """Each token has the whole of the characters that its bytes are part of."""
    starts = [0]
    for char in text:
        starts.append(starts[-1] + len(char.encode("utf-8", "surrogateescape")))
    for (a, b), (start, end) in zip(got.offsets, got.byte_offsets, strict=True):
        assert starts[a] <= start
        assert end <= starts[b]
        if a < b:
            assert start < starts[a + 1] or start == end
            assert end > starts[b - 1] or start == end
        else:
            assert start == end


def check_covered(got: Encoding, data: bytes) -> None:
    assert b"".join(data[start:end] for start, end in got.byte_offsets) == data


@pytest.mark.parametrize("name", ["gpt-2", "rwkv", "test"])
@examples(60)
@given(text=TEXTS.filter(lambda text: "\ufffd" not in text))
def test_pieces_stand_at_their_places(name: str, text: str) -> None:
    """Where a piece is what was read, it is what stands there; TEST pieces are not."""
    text = text.encode("utf-8", "ignore").decode()
    tok = reference.sample_vocab(name)
    got = tok.tokenize(text, add_special=False)
    data = text.encode()
    if name != "test":
        assert [data[a:b] for a, b in got.byte_offsets] == list(got.pieces)
    assert [b - a > 0 for a, b in got.byte_offsets] == [True] * len(got)


def test_offsets_are_characters_and_bytes() -> None:
    got = reference.sample_vocab("gpt-2").tokenize("é 中")
    assert got.pieces == ["é".encode(), b" ", "中".encode()]
    assert got.offsets == [(0, 1), (1, 2), (2, 3)]
    assert got.byte_offsets == [(0, 2), (2, 3), (3, 6)]


def test_character_split_over_tokens_is_the_span_of_each() -> None:
    got = reference.sample_vocab("mistral-v1").tokenize("a𓀀b", add_special=False)
    split = [i for i, span in enumerate(got.offsets) if span == (1, 2)]
    assert [got.byte_offsets[i] for i in split] == [(1, 2), (2, 3), (3, 4), (4, 5)]
    assert got.offsets[0] == (0, 1)
    assert got.offsets[-1] == (2, 3)


def test_added_tokens_have_empty_places() -> None:
    got = reference.sample_vocab("bert-bge").tokenize("Hé")
    assert got.ids[0] == 101
    assert got.ids[-1] == 102
    assert (got.offsets[0], got.offsets[-1]) == ((0, 0), (2, 2))
    assert (got.byte_offsets[0], got.byte_offsets[-1]) == ((0, 0), (3, 3))


def test_parsed_special_tokens_have_their_text() -> None:
    tok = reference.sample_vocab("mistral-v1")
    got = tok.tokenize("é</s>", add_special=False, parse_special=True)
    assert got.ids[-1] == 2
    assert got.offsets[-1] == (1, 5)
    assert got.byte_offsets[-1] == (2, 6)


def test_added_space_takes_no_place() -> None:
    got = reference.sample_vocab("mistral-v1").tokenize("hi", add_special=False)
    assert got.pieces == [b" hi"]
    assert got.offsets == [(0, 2)]


# -- texts --------------------------------------------------------------------------------


def test_bytes_are_utf8() -> None:
    tok = reference.sample_vocab("gpt-2")
    for data in (b"Hello", bytearray(b"Hello"), memoryview(b"Hello")):
        assert tok.encode(data) == tok.encode("Hello") == [15496]
    assert tok.encode("é中".encode()) == tok.encode("é中")


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("lone", ["\ud800", "\udfff", "\udc80", "\udcff"])
def test_lone_surrogate_is_a_replacement_character(name: str, lone: str) -> None:
    tok = reference.sample_vocab(name)
    assert tok.encode(f"a{lone}b") == tok.encode("a\ufffdb")
    assert tok.tokenize(f"a{lone}b").byte_offsets == tok.tokenize("a\ufffdb").byte_offsets


@pytest.mark.parametrize("name", REAL)
def test_encoded_surrogates_do_no_harm(name: str) -> None:
    tok = reference.sample_vocab(name)
    for data in (b"\xed\xa0\x80", b"\xed\xb2\x80", b"\xf7\xbf\xbf\xbf", b"\xc0\x80"):
        got = tok.tokenize(b"a " + data + b" b")
        assert got.ids == tok.encode(b"a " + data + b" b")


@pytest.mark.parametrize("name", REAL)
def test_nothing(name: str) -> None:
    tok = reference.sample_vocab(name)
    assert tok.encode("", add_special=False) == tok.encode(b"", add_special=False) == []
    assert tok.count("", add_special=False) == 0
    assert len(tok.tokenize("", add_special=False)) == 0
    assert tok.tokenize("").ids == tok.encode("")
    assert tok.decode([]) == ""


def test_texts_whose_places_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if an array of uint32 held numbers up to 10 alone."""
    monkeypatch.setattr(encoding, "MAX_BYTES", 10)
    tok = reference.sample_vocab("gpt-2")
    assert tok.tokenize("abcdefghij").byte_offsets[-1][1] == 10
    assert tok.tokenize("ééééé").byte_offsets[-1][1] == 10
    for text in ("abcdefghijk", "ééééé!", "é" * 6):
        assert tok.encode(text)
        with pytest.raises(EncodeError, match="up to 10 bytes"):
            tok.tokenize(text)


@pytest.mark.parametrize("text", [None, 5, ["a"], 1.5])
def test_text_that_is_none(text: object) -> None:
    tok = reference.sample_vocab("gpt-2")
    for call in (tok.encode, tok.tokenize, tok.count):
        with pytest.raises(EncodeError, match="str or bytes"):
            call(text)


def test_batch() -> None:
    tok = reference.sample_vocab("mistral-v1")
    texts = ["a", b"b", "", "</s>"]
    for options in ({}, {"add_special": False}, {"parse_special": True}):
        assert tok.encode_batch(texts, **options) == [tok.encode(t, **options) for t in texts]
    assert tok.encode_batch([]) == []


# -- tokens -------------------------------------------------------------------------------


def test_token_to_id() -> None:
    tok = reference.sample_vocab("gpt-2")
    assert tok.token_to_id("Ġworld") == tok.token_to_id("Ġworld".encode()) == 995
    assert tok.token_to_id(" world") is None
    assert tok.id_to_token(995) == "Ġworld"


@pytest.mark.parametrize("name", REAL)
def test_token_to_id_is_the_inverse(name: str) -> None:
    tok = reference.sample_vocab(name)
    for token in range(0, tok.n_vocab, 97):
        assert tok.token_to_id(tok.id_to_token(token)) == token


def test_what_the_file_says() -> None:
    tok = reference.sample_vocab("gpt-2")
    assert (tok.type, tok.pre, tok.n_vocab, len(tok.vocab)) == ("BPE", "gpt-2", 50257, 50257)
    assert tok.special_ids == {"bos": 50256, "eos": 50256, "eot": 50256}
    assert tok.eog_ids == {50256}
    assert tok.is_eog(50256)
    assert not tok.is_eog(0)
    assert tok.suppress_tokens == ()
    assert tok.vocab.scores.format == "f"
    assert tok.vocab.attrs[0] == NORMAL


def test_chat_template() -> None:
    file = small.gguf("llama", ["a"])
    assert Tokenizer(file).chat_template is None
    templated = {**file.metadata, "tokenizer.chat_template": "{{ x }}"}
    assert Tokenizer(replace(file, metadata=templated)).chat_template == "{{ x }}"


# -- decode -------------------------------------------------------------------------------


def test_decode_options() -> None:
    tok = reference.sample_vocab("mistral-v1")
    ids = tok.encode("Hi there")
    assert tok.decode(ids) == " Hi there"  # BOS is hidden, and the space is not the first token's
    assert tok.decode(ids[1:]) == "Hi there"
    assert tok.decode(ids, unparse_special=True) == "<s> Hi there"
    assert tok.decode(ids, remove_special=True) == " Hi there"
    assert tok.decode_bytes(ids, remove_special=True, unparse_special=True) == b" Hi there"


def test_decode_errors() -> None:
    tok = reference.sample_vocab("mistral-v1")
    ids = [tok.token_to_id("<0xFF>"), tok.token_to_id("a")]
    assert tok.decode(ids) == "\ufffda"
    assert tok.decode(ids, errors="ignore") == "a"
    assert tok.decode(ids, errors="surrogateescape") == "\udcffa"
    for errors in ("strict", "no such handler"):
        with pytest.raises(EncodeError, match="cannot be decoded"):
            tok.decode(ids, errors=errors)


# -- warnings of one call -----------------------------------------------------------------


def test_double_bos() -> None:
    tok = reference.sample_vocab("mistral-v1")
    assert codes(tok.tokenize("<s>Hi", parse_special=True)) == ["double-bos"]
    assert codes(tok.tokenize("<s>Hi")) == []
    assert codes(tok.tokenize("<s>Hi", add_special=False, parse_special=True)) == []
    assert codes(tok.tokenize("Hi")) == []
    assert tok.tokenize("<s>Hi", parse_special=True).ids[:2] == [1, 1]
    assert "BOS" in tok.tokenize("<s>Hi", parse_special=True).warnings[0]


def test_double_eos_is_noted_for_bpe_alone() -> None:
    texts = ["<s>", "</s>", "a", "Ċ"]
    keys = {"bos_token_id": 0, "eos_token_id": 1, "add_bos_token": True, "add_eos_token": True}
    types = {0: small.CONTROL, 1: small.CONTROL}
    bpe = small.tokenizer("gpt2", texts, types=types, pre="gpt-2", **keys)
    got = bpe.tokenize("<s>a</s>", parse_special=True)
    assert got.ids == [0, 0, 2, 1, 1]
    assert codes(got) == ["double-bos", "double-eos"]
    spm = small.tokenizer("llama", texts, types=types, add_space_prefix=False, **keys)
    got = spm.tokenize("<s>a</s>", parse_special=True)
    assert got.ids == [0, 0, 2, 1, 1]
    assert codes(got) == ["double-bos"]


def test_bos_that_is_eos_is_not_double_in_an_empty_text() -> None:
    """SPM looks before it adds EOS, BPE after it."""
    keys = {"bos_token_id": 0, "eos_token_id": 0, "add_bos_token": True, "add_eos_token": True}
    spm = small.tokenizer("llama", ["<s>", "a"], **keys)
    assert (spm.encode(""), codes(spm.tokenize(""))) == ([0, 0], [])
    bpe = small.tokenizer("gpt2", ["<s>", "a"], pre="gpt-2", **keys)
    assert (bpe.encode(""), codes(bpe.tokenize(""))) == ([0, 0], ["double-bos", "double-eos"])


DNA = ["a", "b", "<dna>", "</dna>", "<oov>"]
WITHOUT_UNKNOWN = {
    "BPE": small.gguf("gpt2", ["a", "b"], pre="gpt-2"),
    "BPE of code points": small.gguf("gemma4", ["a", "b"]),
    "whitespace": small.gguf("whitespace", ["a", "b"], pre="whitespace"),
    "hybriddna": small.gguf("hybriddna", DNA, pre="gpt-2"),
    "WPM": small.gguf("bert", [small.SPACE + "a", "b"]),
    "UGM": small.gguf("t5", ["a", "b"], scores=[0, 0]),
    "RWKV": small.gguf("rwkv", ["a", "b"]),
}


@pytest.mark.parametrize("name", WITHOUT_UNKNOWN)
@pytest.mark.parametrize("text", ["x", "a x", "éé", "x<dna>aa</dna>"])
def test_what_has_no_token_is_left_out_with_a_warning(name: str, text: str) -> None:
    """llama.cpp's WPM, UGM and RWKV emit id -1 there; its BPE emits nothing."""
    tok = Tokenizer(WITHOUT_UNKNOWN[name])
    encoding = tok.tokenize(text, add_special=False)
    assert codes(encoding) == ["text-left-out"]
    assert encoding.ids == tok.encode(text, add_special=False)
    assert -1 not in encoding.ids
    assert codes(tok.tokenize("a", add_special=False)) == []
    assert [
        i for word in tok.explain(text, add_special=False).words for i in word.ids
    ] == encoding.ids


def test_tokens_that_are_not_there_are_not_added() -> None:
    """llama.cpp would end the process."""
    tok = small.tokenizer("gpt2", ["a", "Ċ"], pre="gpt-2", add_bos_token=True, add_eos_token=True)
    assert tok.encode("a") == [0]
    assert {"missing-bos", "missing-eos"} <= {warning.code for warning in tok.warnings}


# -- threads ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt-2", "mistral-v1", "bert-bge", "t5", "plamo2"])
@THREADS
def test_threads_share_one(name: str) -> None:
    pick = random.Random(name)
    words = [row["text"] for row in reference.rows(reference.SAMPLE, name)[1:]]
    texts = ["".join(pick.choices(words, k=3))[:500] for _ in range(40)]
    alone = [Tokenizer.from_gguf(reference.vocab_path(name)).encode(text) for text in texts[:10]]
    tok = Tokenizer.from_gguf(reference.vocab_path(name))
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda _: tok.encode_batch(texts), range(16)))
    assert all(run == runs[0] for run in runs)
    assert runs[0][:10] == alone


# -- where from ---------------------------------------------------------------------------


def test_sources() -> None:
    path = reference.vocab_path("spm-ugly")
    data = path.read_bytes()
    want = Tokenizer.from_gguf(path).encode("Hello world")
    for source in (str(path), data, bytearray(data), memoryview(data), GGUFFile.parse(data)):
        assert Tokenizer.from_gguf(source).encode("Hello world") == want


def test_sources_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Tokenizer.from_gguf(tmp_path / "none.gguf")
    for source in (tmp_path, b"", b"not a model"):
        with pytest.raises(GGUFError):
            Tokenizer.from_gguf(source)


@reference.NEEDS_SHARED
@pytest.mark.parametrize("name", ["gpt2-be", "gpt2-v1", "gpt2-badarch", "gpt2-v2"])
def test_other_forms_of_gpt2(name: str) -> None:
    tok = Tokenizer.from_gguf(reference.vocab_path(name))
    head, *rows = reference.rows(reference.SAMPLE, "gpt-2")
    assert tok.special_ids["eos"] == head["special"]["eos"]
    for row in rows:
        assert tok.encode(row["text"], add_special=False) == row["ids"]


@reference.NEEDS_SHARED
@pytest.mark.parametrize("name", ["gpt2-cut", "gpt2-cut-header"])
def test_cut_files_want_more(name: str) -> None:
    path = reference.vocab_path(name)
    with pytest.raises(GGUFError) as caught:
        Tokenizer.from_gguf(path)
    assert caught.value.code == "gguf-truncated"
    assert caught.value.need > path.stat().st_size


@reference.NEEDS_SHARED
def test_file_without_tokens_is_the_byte_tokenizer() -> None:
    tok = Tokenizer.from_gguf(reference.vocab_path("gpt2-notokens"))
    assert tok.type == "BYTE"
    assert tok.encode("é") == [0xC3, 0xA9]
    assert tok.decode([0xC3, 0xA9]) == "é"


@reference.NEEDS_SHARED
def test_file_without_merges_is_refused() -> None:
    with pytest.raises(VocabError, match="merges is missing"):
        Tokenizer.from_gguf(reference.vocab_path("gpt2-nomerges"))


@pytest.mark.parametrize("name", ["none", "no_vocab"])
def test_no_vocabulary(name: str) -> None:
    tok = Tokenizer.from_gguf(reference.vocab_path(name))
    assert tok.type == "NONE"
    assert tok.special_ids == {}
    for call in (tok.encode, tok.tokenize, tok.count):
        with pytest.raises(NoVocabError):
            call("a")
    with pytest.raises(TokError):
        tok.stream_decoder().feed(0)


def test_duplicate_texts() -> None:
    tok = Tokenizer.from_gguf(reference.vocab_path("spm-dup"))
    text = "Hello world"
    assert tok.decode(tok.encode(text, add_special=False)) == text
