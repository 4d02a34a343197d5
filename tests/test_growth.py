"""What once took the square of its length: hostile vocabularies, and a stream that holds back."""

import time
from collections.abc import Callable

from tests import small
from tests.platforms import SLOWER

PLAMO = ["<unk>", *small.BYTES]
PLAMO_TYPES = dict.fromkeys(range(1, 257), small.BYTE)


def seconds(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def test_plamo_with_one_long_token_of_equal_letters() -> None:
    tokens = [*PLAMO, "a" * 4000]
    tok = small.tokenizer("plamo2", tokens, types=PLAMO_TYPES, scores=[-1.0] * len(tokens))
    text = "a" * 12_001 + "b"
    assert seconds(lambda: tok.encode(text)) < SLOWER
    assert tok.encode(text, add_special=False) == [257, 257, 257, 98, 99]


def test_stream_of_text_that_could_still_be_cleaned_up() -> None:
    tok = small.tokenizer("gpt2", ["'", "Ġ'", "s"], pre="gpt-2")
    ids = [0, 1] * 20_000 + [2]
    stream = tok.stream_decoder()
    pieces: list[str] = []
    assert seconds(lambda: pieces.extend(map(stream.feed, ids))) < 2 * SLOWER
    assert "".join(pieces) + stream.flush() == tok.decode(ids)


def test_special_token_that_is_longer_than_the_text() -> None:
    tokens = ["b", "a", "a" * 100_000]
    tok = small.tokenizer("gpt2", tokens, types={2: small.USER_DEFINED}, pre="gpt-2")
    text = "a" * 99_999 + "b"
    assert seconds(lambda: tok.encode(text)) < 2 * SLOWER
    assert tok.encode("a" + "a" * 100_000 + "b", add_special=False) == [2, 1, 0]
