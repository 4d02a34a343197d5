"""TEST, BYTE and NONE vocabularies."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok.encoders.raw import ByteEncoder, NoVocabEncoder, TestEncoder
from pyodide_tok.errors import NoVocabError, TokError

texts = st.binary(max_size=60).map(lambda raw: raw.decode("utf-8", "surrogateescape"))


class Vocab(list):
    model = "none"


def plain_hash(data, size):
    """As an unsigned 64-bit number of llama.cpp."""
    value = 0
    for byte in data:
        value = (value * 31 + byte) % 2**64
    return value % size


@given(st.integers(1, 1000), texts)
def test_test(size, text):
    data = text.encode("utf-8", "surrogateescape")
    chunks = [data[at : at + 5] for at in range(0, len(data), 5)]
    encoder = TestEncoder(Vocab(range(size)))
    assert encoder.encode(text) == [plain_hash(chunk, size) for chunk in chunks]
    spans = encoder.spans(text)
    assert [id_ for id_, _, _ in spans] == encoder.encode(text)
    assert [data[start:end] for _, start, end in spans] == chunks
    assert all(a[2] == b[1] for a, b in pairwise(spans))


@given(texts)
def test_byte(text):
    data = text.encode("utf-8", "surrogateescape")
    encoder = ByteEncoder(Vocab())
    assert bytes(encoder.encode(text)) == data
    assert encoder.spans(text) == [(byte, at, at + 1) for at, byte in enumerate(data)]


@pytest.mark.parametrize("method", ["encode", "spans"])
def test_none(method):
    with pytest.raises(NoVocabError, match=r"no vocabulary.*'none'") as caught:
        getattr(NoVocabEncoder(Vocab()), method)("")
    assert isinstance(caught.value, TokError)
    assert isinstance(caught.value, ValueError)
