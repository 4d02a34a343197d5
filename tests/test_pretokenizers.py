"""Every built-in splitter against the plain staged one, which runs on the engine `regex`."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok import TokError
from pyodide_tok.errors import UnknownPreTokenizerError
from pyodide_tok.pretokenize.splitting import Splitter, expand
from pyodide_tok.pretokenize.table import PRE_TOKENIZERS, PreTokenizer, pre_tokenizer
from pyodide_tok.text.codepoints import WHITESPACE, category
from tests import reference
from tests.plain import splitter
from tests.platforms import examples

pytest.importorskip("regex")

# what pre-on-probe.jsonl has answers for: the names that llama.cpp b11549 knows
KNOWN = 93
BY_STAGES = {pre.stages: name for name, pre in PRE_TOKENIZERS.items() if name in splitter.STAGES}


def first_of_runs() -> dict[str, str]:
    """Class -> settled characters of it, each the first of a run."""
    found: dict[str, str] = {}
    before = category(0x7F)
    for point in range(0x80, 0x110000):
        name = category(point)
        if name != before and splitter.settled(chr(point)):
            found[name] = found.get(name, "") + chr(point)
        before = name
    return found


OF_CLASS = first_of_runs()
# edges of the ranges that patterns name, each with its neighbours; unassigned ones are among them
EDGES = "".join(
    chr(point + delta)
    for chars in (splitter.DEEPSEEK_LETTERS, splitter.HAN, splitter.ASIAN, splitter.CJK_WIDE)
    for point in map(ord, chars)
    for delta in (-1, 0, 1)
    if point > 0x7F and not 0xD800 <= point + delta <= 0xDFFF
)
EDGES = "".join(filter(splitter.settled, EDGES + "\U0002b73a\U0002ceaf\U0002ebe1\ufa6e\U0002ebf0"))
SPECIAL = (
    *("'s", "'S", "'ll", "'LL", "'Re", "'vE", "'ſ", "'t", "'d", "'M", "' s", "l'a", "'"),
    *("\r\n", "\n", "\n\n", "\r", " ", "  ", "   ", " " * 8, "\t", "\v"),
    *("\x1c", "\x85", "\u1680", "\u3000", "/", "/\n"),
    *("1", "12", "123", "1234", "12345", "²", "٣", "Ⅷ", "1.5", "<sentinel:12>", "IMGIMGABZ"),
    *("a", "B", "aB", "Ab", "ABC", "abc", "é", "É", "e\u0301", "ß", "K", "ǅ", "\u200d", "\u200c"),
    *("你好", "ば", "カ", "한글", "ㄱ", "ㄅ", "、", "。", "…", "“", "！", "～"),
    *("ไทย", "ខ", "မ", "ｶ", "\ufa6e"),
    *("!", "?", ".", ",", "$", "+", "|", "(", ")", "[", "]", "\\", "^", "`", "-", "_", "{", "\0"),
    *("😀", "👩\u200d👧", "𝒳", "𐐀", "𐒰", "𝟙", "𞤀", "𠀀", "\U0001e8d0"),
)
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(SPECIAL),
        st.sampled_from(EDGES),
        st.sampled_from(WHITESPACE),
        st.sampled_from("LNMPSZC").flatmap(lambda name: st.sampled_from(OF_CLASS[name])),
        st.characters(max_codepoint=0x7F),
        st.characters(exclude_categories=["Cs"]).filter(splitter.settled),
    ),
    max_size=24,
).map("".join)
ASCII_TEXTS = st.lists(
    st.sampled_from([s for s in SPECIAL if s.isascii()]) | st.characters(max_codepoint=0x7F),
    max_size=24,
).map("".join)


def split(pre: PreTokenizer, text: str) -> list[str]:
    return Splitter(pre.stages, pre.astral).words(text)


def check(name: str, text: str) -> None:
    words = split(PRE_TOKENIZERS[name], text)
    assert "".join(words) == text
    assert words == splitter.words(name, text)


@pytest.mark.parametrize("name", BY_STAGES.values())
@examples(120)
@given(text=TEXTS | ASCII_TEXTS)
def test_splits_as_the_plain_splitter(name: str, text: str) -> None:
    check(name, text)


@pytest.mark.parametrize("name", BY_STAGES.values())
@pytest.mark.parametrize(
    "where", [reference.SAMPLE, pytest.param(reference.FULL, marks=reference.NEEDS_SHARED)]
)
def test_splits_reference_texts_as_the_plain_splitter(name: str, where: Path) -> None:
    for text in reference.texts(where):
        check(name, "".join(char if splitter.settled(char) else "\u0378" for char in text))


def test_same_stages_for_names_of_one_group() -> None:
    """So that testing one name of each set of stages tests all."""
    for names, _ in splitter.TABLE:
        group = {PRE_TOKENIZERS[name].stages for name in names.split()}
        assert len(group) == 1, names


def test_all_names_are_there() -> None:
    known = set(PRE_TOKENIZERS) - {"soprano"}
    assert len(known) == KNOWN
    assert known == set(splitter.STAGES)
    probed = {row["pre"] for row in reference.rows(reference.SAMPLE, "pre-on-probe")}
    assert probed - {"(missing)", "no-such-name"} <= known


LINES = st.lists(
    st.sampled_from(
        ("\n", "\r\n", "\r", " ", "  ", "/", "/\n", "a", "B", "'s", "1", "1234", "!", "é")
    )
    | st.sampled_from(("\t", "\x85", "\u3000", "你", "😀", "\u0301", "$", "\x1c")),
    max_size=16,
).map("".join)


@pytest.mark.parametrize("name", BY_STAGES.values())
@examples(200)
@given(text=LINES | TEXTS)
def test_chunks_of_lines_split_on_their_own(name: str, text: str) -> None:
    pre = PRE_TOKENIZERS[name]
    if pre.lines.chunks:
        chunks = re.findall(expand(pre.lines.chunks, ascii_only=False), text)
        assert "".join(chunks) == text
        assert [word for chunk in chunks for word in split(pre, chunk)] == split(pre, text)


@pytest.mark.parametrize("pre", {p.stages: p for p in PRE_TOKENIZERS.values()}.values())
@examples(20)
@given(text=st.text(st.characters()) | TEXTS)
def test_words_joined_are_the_text(pre: PreTokenizer, text: str) -> None:
    """Whatever the text, lone surrogates included: a pattern that `covers` has no gaps."""
    assert "".join(split(pre, text)) == text


@pytest.mark.parametrize("name", BY_STAGES.values())
@pytest.mark.parametrize("unit", [*" aé1'\n!\u0301你😀", "a ", " é"])
def test_time_is_linear(name: str, unit: str) -> None:
    """A long run of anything, with something else after it, is split in less than a second."""
    began = time.perf_counter()
    split(PRE_TOKENIZERS[name], unit * 30_000 + "1x")
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize(
    ("name", "near"),
    [("llama-bpee", "llama-bpe"), ("Qwen2", "qwen2"), ("gpt2", "gpt-2"), ("dbrx2", "dbrx")],
)
def test_unknown_name_gives_near_ones(name: str, near: str) -> None:
    with pytest.raises(UnknownPreTokenizerError, match=re.escape(repr(name))) as caught:
        pre_tokenizer(name)
    assert near in caught.value.near
    assert near in str(caught.value)
    assert caught.value.pre == name
    assert isinstance(caught.value, TokError)
    assert "pre=" in str(caught.value)


def test_unknown_name_like_no_other() -> None:
    with pytest.raises(UnknownPreTokenizerError, match="default") as caught:
        pre_tokenizer("0123456789")
    assert caught.value.near == ()


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("gpt-2", "I'll  go", ["I", "'ll", " ", " go"]),
        ("llama-bpe", "I'LL 12345", ["I", "'LL", " ", "123", "45"]),
        ("qwen2", "12 a\r\n b", ["1", "2", " a", "\r\n", " b"]),
        # what stands before digits stays with their first group
        ("tiny_aya", "n=1234567", ["n", "=", "1", "234", "567"]),
        ("afmoe", "1234567", ["1", "234", "567"]),
        ("superbpe", "12 12345", ["12", " ", "12", "345"]),
        # U+0085 is white space, U+001C is not
        ("gpt-2", "a\x85\x1cb", ["a", "\x85", "\x1c", "b"]),
        # llama.cpp's \p{Lu} and \p{Ll} are both \p{L} here: no cut before a capital
        ("youtu", "aBc", ["aBc"]),
        ("gpt-4o", "aBc", ["a", "Bc"]),
        # a Han character that is unassigned is Han all the same, and no letter
        ("kimi-k2", "!\U0002b73aa", ["!\U0002b73a", "a"]),
    ],
)
def test_examples(name: str, text: str, words: list[str]) -> None:
    assert split(PRE_TOKENIZERS[name], text) == words
