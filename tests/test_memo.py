"""The memo tables stay within their bound, whatever comes."""

import pytest

from pyodide_tok.encoders.boundaries import _MOST, Boundaries
from pyodide_tok.encoders.memo import Memo
from pyodide_tok.tokenizer import Tokenizer
from tests.reference import vocab_path


def test_a_chunk_is_computed_once() -> None:
    asked: list[str] = []
    memo = Memo(lambda chunk: asked.append(chunk) or (len(chunk),))
    assert [memo["ab"], memo["ab"], memo["c"]] == [(2,), (2,), (1,)]
    assert asked == ["ab", "c"]


def test_the_size_stays_under_the_limit() -> None:
    memo = Memo(lambda chunk: (1,) * 10, limit_bytes=100_000)
    sizes = []
    for i in range(5_000):
        memo[f"word {i}"]
        sizes.append(memo.size_bytes)
    assert max(sizes) <= 100_000
    assert len(memo) < 1_000
    assert memo["word 4999"] == (1,) * 10


def test_a_long_chunk_is_not_kept() -> None:
    memo = Memo(lambda chunk: (1,))
    assert memo["x" * 10_000] == (1,)
    assert not memo


def test_the_limit_changes_no_ids() -> None:
    tok = Tokenizer.from_gguf(vocab_path("gpt-2"))
    texts = [f"line {i}, naïve 你好 {i * 7}\n" for i in range(300)]
    expected = [tok.encode(text) for text in texts]
    small = Tokenizer.from_gguf(vocab_path("gpt-2"))
    for memo in (small._encoder._lines, small._encoder._memo):  # type: ignore[attr-defined]
        memo._limit = 2_000
    assert [small.encode(text) for text in texts] == expected


@pytest.mark.slow
def test_remembered_pairs_are_bounded() -> None:
    cuts = Boundaries({"中文"})
    for point in range(0x10000, 0x10000 + 2 * _MOST):
        assert cuts.parts(f"中文{chr(point)}") == ["中文", chr(point)]
    assert len(cuts) <= _MOST
