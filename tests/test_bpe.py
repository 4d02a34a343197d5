"""The BPE encoder against its plain twin, on small random vocabularies and on real ones."""

from functools import cache
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok import Tokenizer
from pyodide_tok.encoders.bpe import BpeEncoder
from pyodide_tok.pretokenize.table import pre_tokenizer
from pyodide_tok.vocab.vocab import Vocab
from tests import reference, small
from tests.plain import bpe as plain
from tests.platforms import examples

# characters whose bytes come again in others, so that merges cross where they should not
CHARS = "ab é\u00e8Ã\u00a0中一丽\u4e38😀😁\U0001f640'1\n▁\0ſ"
UNITS = st.sampled_from((*CHARS, "中一", " 中", "éé", "  ", "\n\n", "😀😁"))
TEXTS = small.runs(UNITS)
DATA = TEXTS.map(str.encode) | st.lists(
    st.sampled_from(CHARS).map(str.encode) | small.NOT_UTF8, max_size=30
).map(b"".join)
BYTE_LEVEL = ("gpt-2", "llama-bpe", "default", "deepseek-llm", "poro-chat")
RAW = ("gemma4", "mmbert", "sarvam-moe")


def symbols_of(text: str, byte_level: bool) -> list[str]:
    if byte_level:
        return [plain.printable(byte) for byte in text.encode()]
    return list(text.replace(" ", "▁"))


def learn(random: Random, texts: list[str], count: int, byte_level: bool) -> list[tuple[str, str]]:
    """Merges as training finds them: each joins two symbols that stand side by side by then."""
    words = [symbols_of(text, byte_level) for text in texts]
    merges: list[tuple[str, str]] = []
    while len(merges) < count:
        pairs = {pair for word in words for pair in pairwise(word)}
        if not pairs:
            break
        pair = random.choice(sorted(pairs))
        merges.append(pair)
        words = [plain.merge(word, {pair: 0}) for word in words]
    return merges


@st.composite
def vocabs(draw: st.DrawFn, pres: tuple[str, ...]) -> Vocab:
    pre = draw(st.sampled_from(pres))
    byte_level = pre in BYTE_LEVEL
    random = draw(st.randoms(use_true_random=False))
    texts = draw(st.lists(st.text(CHARS, max_size=12), min_size=1, max_size=6))
    merges = learn(random, texts, draw(st.integers(0, 40)), byte_level)
    if draw(st.booleans()):
        random.shuffle(merges)
    else:  # as trained, but for a few
        for _ in range(draw(st.integers(0, 3)) if merges else 0):
            merges.insert(random.randrange(len(merges)), random.choice(merges))
    return small.tokenizer(
        "gpt2",
        tokens_of(draw, random, merges, byte_level),
        merges=[f"{a} {b}" for a, b in merges] + draw(st.lists(ODD_MERGES, max_size=3)),
        pre=pre,
        types={},
    ).vocab


ODD_MERGES = st.sampled_from(("", " ", "a", " a", "a ", "a  b", "a b b", " a b", "\0 a"))


def tokens_of(
    draw: st.DrawFn, random: Random, merges: list[tuple[str, str]], byte_level: bool
) -> list[str]:
    """Most results of merges, most bytes, and now and then whole words and bytes as they are."""
    made = {a + b for a, b in merges} | {part for merge in merges for part in merge}
    names = {plain.printable(byte) for byte in range(256)} if byte_level else {*small.BYTES, *CHARS}
    missing = draw(st.sampled_from((0.0, 0.1, 0.5)))
    tokens = [text for text in sorted(made | names) if random.random() >= missing]
    words = draw(st.lists(st.text(CHARS, min_size=1, max_size=4), max_size=4))
    tokens += ["".join(symbols_of(word, byte_level)) for word in words]
    tokens += draw(st.lists(st.sampled_from(("\udcc4", "\udca0", "\n\n", "\n")), max_size=3))
    return list(dict.fromkeys(["<unk>", *tokens]))


def encoder_of(vocab: Vocab) -> BpeEncoder:
    return BpeEncoder(vocab, pre_tokenizer(vocab.pre))


@examples(250)
@given(vocab=vocabs(BYTE_LEVEL), texts=st.lists(DATA, max_size=4))
def test_byte_level_equals_the_plain_twin(vocab: Vocab, texts: list[bytes]) -> None:
    encoder = encoder_of(vocab)
    for data in texts:
        assert encoder.encode(small.as_text(data)) == plain.encode(vocab, data)


@examples(150)
@given(vocab=vocabs(RAW), texts=st.lists(DATA, max_size=4))
def test_raw_utf8_equals_the_plain_twin(vocab: Vocab, texts: list[bytes]) -> None:
    encoder = encoder_of(vocab)
    for data in texts:
        assert encoder.encode(small.as_text(data)) == plain.encode(vocab, data)


@examples(100)
@given(vocab=vocabs(BYTE_LEVEL + RAW), data=DATA)
def test_spans(vocab: Vocab, data: bytes) -> None:
    encoder = encoder_of(vocab)
    text = small.as_text(data)
    spans = encoder.spans(text)
    small.check_spans(spans, encoder.encode(text), len(data))
    if vocab.pre in BYTE_LEVEL:
        for token, start, end in filter(lambda span: span[0] >= 0, spans):
            check_byte_level_span(vocab.texts[token], data, start, end)


def check_byte_level_span(token: str, data: bytes, start: int, end: int) -> None:
    shown = "".join(map(plain.printable, data[start:end]))
    # a byte that is not UTF-8 is read as U+FFFD, three bytes, and a raw byte stands for a part
    replaced = not plain.decode(data).isascii() and "\ufffd" in plain.decode(data)
    assert shown == token or replaced or token in ("\udcc4", "\udca0")


@cache
def real(name: str) -> tuple[BpeEncoder, Vocab, plain.Tables]:
    vocab = reference.sample_vocab(name).vocab
    return encoder_of(vocab), vocab, plain.tables_of(vocab)


@pytest.mark.parametrize("name", ["gpt-2", "probe"])
@examples(100)
@given(data=DATA | st.text(st.characters(max_codepoint=0x24F)).map(str.encode))
def test_real_vocabularies(name: str, data: bytes) -> None:
    encoder, vocab, tables = real(name)
    assert encoder.encode(small.as_text(data)) == plain.encode(vocab, data, tables)


BASES = st.sampled_from(("ACGTAC", "acgtacg", "CCCCCC", "N", " x", "é", "\n"))
DNA = st.lists(BASES | st.sampled_from(("<dna>", "</dna>", "<oov>")), max_size=12).map("".join)


@examples(100)
@given(data=DNA.map(str.encode) | DATA)
def test_dna(data: bytes) -> None:
    tok = reference.sample_vocab("hybriddna")
    ids = tok.encode(data, add_special=False)
    assert ids == plain.encode_dna(tok.vocab, data)
    small.check_spans(span_triples(tok, data), ids, len(data))


@examples(100)
@given(data=DATA | st.text("aB ÉİΣ\u3000\x1c\x85中。").map(str.encode))
def test_whitespace(data: bytes) -> None:
    tok = reference.sample_vocab("whitespace")
    ids = tok.encode(data, add_special=False)
    assert ids == plain.encode_whitespace(tok.vocab, data)
    small.check_spans(span_triples(tok, data), ids, len(data))


def span_triples(tok: Tokenizer, data: bytes) -> list[tuple[int, int, int]]:
    encoding = tok.tokenize(data, add_special=False)
    return [(i, a, b) for i, (a, b) in zip(encoding.ids, encoding.byte_offsets, strict=True)]


# -- rules one by one ---------------------------------------------------------------------


def ids(tokens: list[str], merges: list[str], text: str, pre: str = "gpt-2") -> list[str]:
    """The tokens of a text, as their texts."""
    vocab = small.tokenizer("gpt2", tokens, merges=merges, pre=pre).vocab
    return [vocab.texts[token] for token in encoder_of(vocab).encode(text)]


def test_earliest_merge_first_and_leftmost_of_equals() -> None:
    tokens = ["a", "b", "ab", "ba", "aa", "aaa"]
    assert ids(tokens, ["a b", "b a"], "bab") == ["b", "ab"]
    assert ids(tokens, ["b a", "a b"], "bab") == ["ba", "b"]
    assert ids(tokens, ["a a", "aa a"], "aaa") == ["aaa"]


def test_first_of_equal_merges_counts() -> None:
    assert ids(["a", "b", "ab", "ba"], ["a b", "b a", "a b"], "bab") == ["b", "ab"]


def test_merge_that_makes_no_token_falls_back_to_its_ascii_bytes() -> None:
    assert ids(["a", "b"], ["a b"], "ab") == ["a", "b"]
    # llama.cpp looks up each byte of the printable text: C4 and A0 for U+0120, a space
    assert ids(["a", "Ġ"], ["Ġ a"], " a") == ["a"]
    assert ids(["a", "Ġ", "\udcc4"], ["Ġ a"], " a") == ["\udcc4", "a"]


def test_no_break_space_does_not_split_a_merge() -> None:
    """U+00A0 is white space to `str.split`, but it is the printable character of no byte here."""
    vocab = small.tokenizer("gpt2", ["a", "\u00a0a"], merges=["\u00a0 a"], pre="gemma4").vocab
    assert encoder_of(vocab).encode("\u00a0a") == [1]


def test_ignore_merges_takes_whole_words() -> None:
    tokens = ["a", "b", "c", "abc", "ab"]
    assert ids(tokens, ["a b"], "abc", pre="gpt-2") == ["ab", "c"]
    assert ids(tokens, ["a b"], "abc", pre="llama-bpe") == ["abc"]


def test_runs_of_newlines_are_whole_for_gemma() -> None:
    tokens = ["\n", "\n\n", "a"]
    assert ids(tokens, [], "\n\na", pre="gemma4") == ["\n\n", "a"]
    assert ids(tokens, [], "\n\na", pre="sarvam-moe") == ["\n", "\n", "a"]


def test_raw_utf8_falls_back_to_byte_tokens() -> None:
    assert ids(["<0xC3>", "<0xA9>"], [], "é", pre="gemma4") == ["<0xC3>", "<0xA9>"]
    assert ids(["<0xC3>"], [], "éa", pre="gemma4") == ["<0xC3>"]  # what has no token is dropped


def test_soprano() -> None:
    """As told: runs of white space are a space, characters lowercase, what is unknown UNK."""
    tokens = ["<unk>", *"abcdefghié ", "\u0307", " a", "ab"]
    merges = ["  a", "a b"]
    tok = small.tokenizer("gpt2", tokens, merges=merges, pre="soprano", unknown_token_id=0)
    texts = [tok.id_to_token(i) for i in tok.encode("AB \n\u3000Aİ中É", add_special=False)]
    assert texts == ["ab", " a", "i", "\u0307", "<unk>", "é"]
    assert tok.decode([tok.token_to_id(" a")]) == " a"
    long = "é" * 14 + " a"  # long enough to be cut where no merge is
    assert tok.encode(long, add_special=False)[-1] == tok.token_to_id(" a")


@pytest.mark.slow
@pytest.mark.parametrize("pre", ["gpt-2", "gemma4"])
@pytest.mark.parametrize("unit", [" ", "a", "中", "a ", "😀", "\n"])
def test_long_texts_take_linear_time(unit: str, pre: str) -> None:
    merges = [f"{'a' * n} {'a' * n}" for n in (1, 2, 4, 8)]
    tokens = [*"\nĊĠab", *map(plain.printable, range(0x80, 256)), *["a" * n for n in (2, 4, 8, 16)]]
    tokens = list(dict.fromkeys([*tokens, "▁", *small.BYTES]))
    vocab = small.tokenizer("gpt2", tokens, merges=merges, pre=pre).vocab
    assert len(encoder_of(vocab).encode(unit * 50_000 + "b")) > 3_000
