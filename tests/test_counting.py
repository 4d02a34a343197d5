"""Texts read part by part have the tokens of the whole; and can be split every N tokens."""

from __future__ import annotations

from functools import cache
from itertools import cycle, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok import Tokenizer
from pyodide_tok.counting import TokenCounter, TokenSplitter, TooLargeError
from pyodide_tok.errors import EncodeError
from pyodide_tok.pretokenize.table import PRE_TOKENIZERS
from tests import small
from tests.platforms import examples
from tests.reference import vocab_names, vocab_path, vocabs

BROKEN = ("cut", "nomerges", "shortscores", "shorttypes", "no_vocab", "none")
NAMES = [name for name in vocab_names() if not name.endswith(BROKEN) and "cut" not in name]
BY_STAGES = {pre.stages: name for name, pre in PRE_TOKENIZERS.items()}.values()

UNITS = (
    *("\n", "\n\n", "\r\n", " ", "  ", "   ", "\t", " \n", "\n ", "\u2581", "/", "!!\n", "\x85"),
    *("a", "The", " the", "'s", "1", "2345", "é", "e\u0301", "你好", "。", "🙂", "👩‍🚀", "\u3000"),
    *("<s>", "</s>", "<unk>", "<|endoftext|>", "<|end|>", "<|im_start|>", "<mask>", "[MASK]"),
    *("<|user|>", "<|user|>\n", "<|assistant|> ", "<|system|>"),
    *("<bos>", "<|eot_id|>", "<dna>ACGT</dna>", "\ufeff", "\x1c", "\0", "<pad>", "<0x0A>"),
)
TEXTS = st.lists(st.sampled_from(UNITS), max_size=24).map(lambda units: "".join(units).encode())
BROKEN_BYTES = st.sampled_from((b"\xe4", b"\xf0\x9f", b"\xff", b"\x80", b"\xc3", b"\n", b" ", b"a"))
BYTES = st.lists(TEXTS | BROKEN_BYTES, max_size=4).map(b"".join)


@cache
def tokenizer(name: str, pre: str | None = None) -> Tokenizer:
    return Tokenizer.from_gguf(vocab_path(name), pre=pre)


def fed(counter: TokenCounter, data: bytes, step: int) -> TokenCounter:
    for at in range(0, len(data), step):
        counter.feed(data[at : at + step])
    counter.finish()
    return counter


@pytest.mark.parametrize("name", vocabs(*NAMES))
@examples(60)
@given(data=TEXTS | BYTES, step=st.integers(1, 9), add=st.booleans(), parse=st.booleans())
def test_parts_have_the_tokens_of_the_whole(
    name: str, data: bytes, step: int, add: bool, parse: bool
) -> None:
    tok = tokenizer(name)
    counter = fed(TokenCounter(tok, add_special=add, parse_special=parse), data, step)
    assert counter.tokens == tok.count(data, add_special=add, parse_special=parse)
    text = data.decode("utf-8", "surrogateescape")
    assert (counter.bytes, counter.characters) == (len(data), len(text))
    assert counter.is_utf8 == (text.encode("utf-8", "replace") == data)


PHI = ["<s>", "</s>", "<|end|>", "<|user|>", "<mine>", "\n", "\u2581", "3", "\u25813", "12", "x"]
PHI_TYPES = {**dict.fromkeys(range(4), small.CONTROL), 4: small.USER_DEFINED}


def phi() -> Tokenizer:
    """All special tokens of it swallow the white space after them (`general.name`)."""
    return small.tokenizer(
        "llama", PHI, types=PHI_TYPES, general={"name": "phi-3"}, unk_token_id=10
    )


@pytest.mark.parametrize(
    ("text", "parse", "ids"),
    [
        ("<|end|>\n3", True, [2, 8]),
        ("<mine>\n3", False, [4, 8]),
        ("<|user|>\n3<|end|>\n<|user|>\n\n3 3", True, [3, 8, 2, 3, 8, 8]),
    ],
)
@pytest.mark.parametrize("step", [1, 8, 1000])
def test_white_space_that_a_token_swallowed(
    text: str, parse: bool, ids: list[int], step: int
) -> None:
    """The text after it begins with a space of its own, in whatever part it is."""
    tok = phi()
    assert tok.encode(text, add_special=False, parse_special=parse) == ids
    counter = TokenCounter(tok, add_special=False, parse_special=parse)
    assert fed(counter, text.encode(), step).tokens == len(ids)


@examples(300)
@given(
    text=st.lists(st.sampled_from((*PHI[:8], " ", "\n\n", "3", "\t")), max_size=12).map("".join),
    steps=st.lists(st.integers(1, 9), min_size=1, max_size=5),
    parse=st.booleans(),
)
def test_small_vocabulary_with_swallowing_tokens(text: str, steps: list[int], parse: bool) -> None:
    tok = phi()
    counter = TokenCounter(tok, parse_special=parse)
    data, sizes = text.encode(), cycle(steps)
    while data:
        size = next(sizes)
        counter.feed(data[:size])
        data = data[size:]
    counter.finish()
    assert counter.tokens == tok.count(text, parse_special=parse)


def test_no_border_after_a_newline_that_swallows() -> None:
    tok = small.tokenizer(
        "llama",
        [*PHI, "x\n"],
        types={**PHI_TYPES, 11: small.USER_DEFINED},
        general={"name": "phi-3"},
        unk_token_id=10,
    )
    data = b"3x\n\n3 3\n3x\n 3"
    for step in (1, 2, 1000):
        assert fed(TokenCounter(tok), data, step).tokens == tok.count(data)


def test_special_tokens_that_are_no_utf8_leave_no_borders() -> None:
    tok = small.tokenizer("llama", [*PHI, "\n\udcc3"], types={**PHI_TYPES, 11: small.USER_DEFINED})
    data = "x\nén".encode()
    assert fed(TokenCounter(tok), data, 1).tokens == tok.count(data)
    assert tok.border is None


@pytest.mark.parametrize("pre", BY_STAGES)
@examples(60)
@given(data=TEXTS, step=st.integers(1, 9))
def test_every_pre_tokenizer(pre: str, data: bytes, step: int) -> None:
    tok = tokenizer("gpt-2", pre)
    assert fed(TokenCounter(tok), data, step).tokens == tok.count(data)


class Watched(TokenCounter):
    """Notes the pieces that are read."""

    def _take(self, piece: str) -> None:
        self.__dict__.setdefault("pieces", []).append(piece)
        super()._take(piece)


@pytest.mark.parametrize("name", ["gpt-2", "mistral-v1", "bert-bge", "rwkv"])
@pytest.mark.parametrize("line", ["The quick brown fox.\n", "敏捷的棕色狐狸。\n"])
def test_what_is_kept_does_not_grow(name: str, line: str) -> None:
    data = (line * 400).encode()
    counter = fed(Watched(tokenizer(name)), data, 1000)
    assert "".join(counter.pieces).encode() == data  # type: ignore[attr-defined]
    assert max(map(len, counter.pieces)) < 1200  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["gpt-2", "mistral-v1", "bert-bge", "rwkv", "t5"])
@examples(60)
@given(data=TEXTS, step=st.integers(1, 40), size=st.integers(1, 7))
def test_splitting(name: str, data: bytes, step: int, size: int) -> None:
    tok = tokenizer(name)
    splitter = fed(TokenSplitter(tok, size), data, step)
    assert isinstance(splitter, TokenSplitter)
    parts = [data[a:b] for a, b in pairwise((0, *splitter.cuts, len(data)))]
    assert b"".join(parts) == data
    assert splitter.tokens == sum(splitter.sizes) == tok.count(data, add_special=False)
    assert len(parts) == len(splitter.sizes)
    for part, tokens in zip(parts, splitter.sizes, strict=True):
        assert part or not data
        assert tokens <= size or len(part.decode().split()) < 2  # nothing to cut between


@pytest.mark.parametrize("size", [1, 2, 3])
def test_tokens_without_text_are_no_part(size: int) -> None:
    """One byte that is not UTF-8 becomes U+FFFD in PLaMo: three tokens, two of them of no text."""
    texts = [*"abcdef", *small.BYTES]
    tok = small.tokenizer("plamo2", texts, types=dict.fromkeys(range(6, 262), small.BYTE))
    data = b"a\xffb\xff"
    splitter = fed(TokenSplitter(tok, size), data, 100)
    assert isinstance(splitter, TokenSplitter)
    assert all(a < b for a, b in pairwise((0, *splitter.cuts, len(data))))
    assert sum(splitter.sizes) == tok.count(data, add_special=False) == 8


def test_splitting_plain_text_is_even() -> None:
    data = b"one two three four five six seven\n" * 50
    splitter = fed(TokenSplitter(tokenizer("gpt-2"), 16), data, 333)
    assert set(splitter.sizes[:-1]) == {16}  # type: ignore[attr-defined]
    assert len(splitter.cuts) == 50 * 8 // 16 - 1  # type: ignore[attr-defined]


def test_a_character_of_many_tokens_stays_whole() -> None:
    splitter = fed(TokenSplitter(tokenizer("mistral-v1"), 2), "👩a".encode(), 100)
    assert list(splitter.cuts) == [4] and splitter.sizes[0] > 2  # type: ignore[attr-defined]


def test_a_part_has_at_least_one_token() -> None:
    with pytest.raises(EncodeError, match="1 token or more"):
        TokenSplitter(tokenizer("gpt-2"), 0)


@pytest.mark.parametrize("name", ["mistral-v1", "rwkv"])
def test_a_byte_that_is_not_utf8_does_not_let_memory_grow(name: str) -> None:
    lines = b"The quick brown fox.\n" * 10
    counter = TokenCounter(tokenizer(name), max_held=1000)
    for _ in range(20):
        counter.feed(lines)  # cut as it comes, so more than the limit in all
    counter.feed(b"\xff")
    with pytest.raises(TooLargeError, match="most"):
        for _ in range(20):
            counter.feed(lines)
    assert counter._held_size < 1000 + len(lines) + 1
