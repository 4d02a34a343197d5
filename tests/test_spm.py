"""The SPM encoder against its plain twin, the explainer, on random vocabularies and real ones."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok.encoders.spm import SpmEncoder
from pyodide_tok.explain.merges import SpmExplainer
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.vocab import Vocab
from tests import reference, small
from tests.platforms import examples

# few scores, so that there are ties; float32 has them all
SCORES = st.sampled_from((0.0, -0.0, 1.0, -1.0, -2.5, 1e30, -1e30, -math.inf))
TOKENS = st.text(st.sampled_from(small.CHARS[:-1]), min_size=1, max_size=6).map(
    lambda text: text.replace(" ", small.SPACE)
)


SCORED = st.dictionaries(TOKENS, SCORES, max_size=40)
# tokens of bytes, as two kinds of name, of which some are there
NAMES = ("<0x61>", "<0xC3>", "<0xE4>", "\udca9", "\udce4", "a", "\n")
SOME_BYTES = st.lists(st.sampled_from(NAMES))


def vocab_of(scored: dict[str, float], bytes_there: list[str] | None = None) -> Vocab:
    """A vocabulary of these tokens and scores, with all byte tokens or those named."""
    names = small.BYTES if bytes_there is None else bytes_there
    scored = {"<unk>": 0.0} | dict.fromkeys(names, 0.0) | scored
    types = {i: small.BYTE for i, text in enumerate(scored) if text in small.BYTES}
    return small.tokenizer("llama", scored, scores=scored.values(), types=types).vocab


def expected(vocab: Vocab, data: bytes) -> list[int]:
    """The plain twin's ids: the explainer cuts little, remembers nothing, tries every pair."""
    return [i for word in SpmExplainer(vocab).words(small.as_text(data)) for i in word.ids]


@examples(400)
@given(scored=SCORED, texts=st.lists(small.EITHER, max_size=4))
def test_equals_the_plain_twin(scored: dict[str, float], texts: list[bytes]) -> None:
    """Texts in a row, so that memo tables are filled and used."""
    vocab = vocab_of(scored)
    encoder = SpmEncoder(vocab)
    for data in texts:
        assert encoder.encode(small.as_text(data)) == expected(vocab, data)


@examples(150)
@given(scored=SCORED, there=SOME_BYTES, data=small.EITHER)
def test_equals_the_plain_twin_without_all_bytes(
    scored: dict[str, float], there: list[str], data: bytes
) -> None:
    vocab = vocab_of(scored, there)
    assert SpmEncoder(vocab).encode(small.as_text(data)) == expected(vocab, data)


@examples(200)
@given(scored=SCORED, there=st.none() | SOME_BYTES, data=small.EITHER)
def test_spans(scored: dict[str, float], there: list[str] | None, data: bytes) -> None:
    vocab = vocab_of(scored, there)
    encoder = SpmEncoder(vocab)
    text = small.as_text(data)
    spans = encoder.spans(text)
    small.check_spans(spans, encoder.encode(text), len(data))
    assert b"".join(data[start:end] for _, start, end in spans) == data
    for token, start, end in spans:
        piece = data[start:end].replace(b" ", small.SPACE.encode())
        # a byte of a character; of a space, which is read as three bytes, the first has it
        assert piece == utf8(vocab.texts[token]) or end - start <= 1


@pytest.mark.parametrize("name", ["mistral-v1", "spm-ugly", "spm-nolf", "spm-notypes"])
@examples(60)
@given(data=small.EITHER | st.text().map(lambda text: text.encode("utf-8", "replace")))
def test_real_vocabularies(name: str, data: bytes) -> None:
    vocab = reference.sample_vocab(name).vocab
    encoder = SpmEncoder(vocab)
    assert encoder.encode(small.as_text(data)) == expected(vocab, data)


def test_leftmost_of_equal_scores_first() -> None:
    vocab = small.tokenizer("llama", ["<unk>", "a", "aa", "aaa"], scores=[0, 0, -1, -1]).vocab
    assert SpmEncoder(vocab).encode("aaa") == [3]  # aa|a, not a|aa: then aa + a


def test_scores_that_are_no_numbers_leave_the_others_in_order() -> None:
    letters = [chr(point) for point in range(0x61, 0x61 + 24)]
    pairs = [a + b for a, b in pairwise(letters)]  # each better than the one before
    scores = [math.nan, *[math.nan] * len(letters), *map(float, range(len(pairs)))]
    vocab = small.tokenizer("llama", ["<unk>", *letters, *pairs], scores=scores).vocab
    encoder = SpmEncoder(vocab)
    for a, b, c in zip(letters, letters[1:], letters[2:], strict=False):
        assert encoder.encode(a + b + c) == [vocab.token_to_id[a], vocab.token_to_id[b + c]]


@pytest.mark.parametrize(
    ("text", "ids"),  # as llama.cpp gives them
    [
        ("cbacaaaad", [270, 257, 269, 261, 264]),
        ("bdabddbcb", [268, 262, 276, 267, 258]),
        ("bdcadabca", [268, 269, 260, 262, 269]),
        ("bdcdadacd", [268, 272, 264, 263, 260]),
    ],
)
def test_scores_that_are_no_numbers_keep_the_order_of_a_heap(text: str, ids: list[int]) -> None:
    pairs = [a + b for a in "abcd" for b in "abcd"]
    nan, low = math.nan, -3.0
    scores = [-1.0, nan, -2.0, nan, low, low, low, low, -1.0, nan, low, nan, low, low, nan, low]
    tok = small.tokenizer(
        "llama",
        ["<unk>", *small.BYTES, *"abcd", *pairs],
        scores=[0.0] * 257 + [nan] * 4 + scores,
        types={0: small.UNKNOWN, **dict.fromkeys(range(1, 257), small.BYTE)},
        add_space_prefix=False,
        add_bos_token=False,
    )
    assert tok.encode(text) == ids


def test_token_that_no_merge_leads_to_is_not_found() -> None:
    vocab = small.tokenizer("llama", ["<unk>", "a", "b", "c", "abc"]).vocab
    assert SpmEncoder(vocab).encode("abc") == [1, 2, 3]


@pytest.mark.parametrize("char", ["a", "中"])
def test_space_inside_a_token(char: str) -> None:
    texts = ["<unk>", char, "▁", char + "▁", char + "▁" + char]
    vocab = small.tokenizer("llama", texts, scores=[0, 0, 0, 1, 2]).vocab
    assert SpmEncoder(vocab).encode(f"{char} {char} {char}") == [4, 2, 1]


def test_space_is_read_as_its_stand_in() -> None:
    vocab = small.tokenizer("llama", ["<unk>", "a", small.SPACE + "a", small.SPACE]).vocab
    encoder = SpmEncoder(vocab)
    assert encoder.encode(" a") == encoder.encode(small.SPACE + "a") == [2]
    assert encoder.spans(" a") == [(2, 0, 2)]
    assert encoder.spans(small.SPACE + "a") == [(2, 0, 4)]


def test_unknown_character_becomes_its_bytes() -> None:
    vocab = small.tokenizer("llama", ["<unk>", *small.BYTES]).vocab
    assert SpmEncoder(vocab).encode("é") == [1 + 0xC3, 1 + 0xA9]
    assert SpmEncoder(vocab).spans("é") == [(1 + 0xC3, 0, 1), (1 + 0xA9, 1, 2)]


@pytest.mark.slow
@pytest.mark.parametrize("unit", [" ", "a", "中", "a ", "😀", "\n"])
def test_long_texts_take_linear_time(unit: str) -> None:
    """A hundred thousand of the same: the queue, or pieces, not a list for each merge."""
    text = unit * 100_000
    tok = reference.sample_vocab("mistral-v1")
    assert tok.decode(tok.encode(text, add_special=False)) == text
