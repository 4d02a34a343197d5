"""`encode_batch` as arrays, and columns of the vocabulary without copying."""

import sys

import pytest

from pyodide_tok.errors import EncodeError, OptionalDependencyError
from tests import small
from tests.reference import sample_vocab

np = pytest.importorskip("numpy")

TEXTS = ["Hello world", "", "你好", b"\xff"]


@pytest.mark.parametrize("side", ["right", "left"])
def test_rows_are_padded_and_masked(side: str) -> None:
    tok = sample_vocab("mistral-v1")
    lists = tok.encode_batch(TEXTS)
    batch = tok.encode_batch(TEXTS, return_tensors="np", padding=True, padding_side=side)
    assert (batch.input_ids.dtype, batch.attention_mask.dtype) == (np.int32, np.int8)
    assert batch.input_ids.shape == batch.attention_mask.shape == (4, max(map(len, lists)))
    assert len(batch) == 4
    for row, mask, ids in zip(batch.input_ids, batch.attention_mask, lists, strict=True):
        assert row[mask == 1].tolist() == ids
        assert set(row[mask == 0].tolist()) <= {tok.special_ids["eos"]}
        kept = mask if side == "right" else mask[::-1]
        assert kept.tolist() == sorted(kept.tolist(), reverse=True)


@pytest.mark.parametrize(("special", "filler"), [({"pad": 1}, 1), ({"eos": 2}, 2), ({}, 0)])
def test_what_fills_a_row(special: dict[str, int], filler: int) -> None:
    names = {"pad": "padding", "eos": "eos"}
    keys = {f"{names[name]}_token_id": token for name, token in special.items()}
    tokens = ["a", "<p>", "<e>", "b"]
    tok = small.tokenizer("gpt2", tokens, merges=(), pre="gpt-2", **keys)
    batch = tok.encode_batch(["ab", "a"], return_tensors="np", padding=True)
    assert batch.input_ids.tolist() == [[0, 3], [0, filler]]


def test_options_reach_encode() -> None:
    tok = sample_vocab("mistral-v1")
    options = {"add_special": False, "parse_special": True}
    batch = tok.encode_batch(["</s>", "<s>"], return_tensors="np", **options)
    assert batch.input_ids.tolist() == [[2], [1]]
    assert tok.encode_batch(["</s>"], **options) == [[2]]


@pytest.mark.parametrize("texts", [[], [""], ["", ""]])
def test_no_tokens_at_all(texts: list[str]) -> None:
    batch = sample_vocab("gpt-2").encode_batch(texts, return_tensors="np", padding=True)
    assert batch.input_ids.shape == (len(texts), 0)


@pytest.mark.parametrize(
    "options",
    [
        {"return_tensors": "np"},
        {"padding": True},
        {"return_tensors": "pt"},
        {"return_tensors": "np", "padding": True, "padding_side": "top"},
    ],
)
def test_what_cannot_be_done_is_said(options: dict[str, object]) -> None:
    with pytest.raises(EncodeError, match="padding"):
        sample_vocab("gpt-2").encode_batch(["a b", "a"], **options)


def test_numpy_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(OptionalDependencyError, match=r"pip install 'pyodide-tok\[numpy\]'"):
        sample_vocab("gpt-2").encode_batch(["a"], return_tensors="np")
    assert sample_vocab("gpt-2").encode_batch(["a"]) == [[64]]


def test_scores_are_not_copied() -> None:
    vocab = sample_vocab("mistral-v1").vocab
    first, again = np.asarray(vocab.scores), np.asarray(vocab.scores)
    assert (first.dtype, first.shape) == (np.float32, (len(vocab),))
    assert np.shares_memory(first, again)
    assert first[417] == vocab.scores[417]
    attrs = np.asarray(vocab.attrs)
    assert (attrs.dtype, attrs.shape) == (np.uint16, (len(vocab),))
    assert np.shares_memory(attrs, np.asarray(vocab.attrs))
