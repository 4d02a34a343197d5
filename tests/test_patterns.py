"""A user's own splitting patterns: `pre_patterns`."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok import Tokenizer
from pyodide_tok.errors import OptionalDependencyError, UnknownPreTokenizerError
from pyodide_tok.pretokenize.patterns import PatternError, with_patterns
from pyodide_tok.pretokenize.splitting import Splitter
from pyodide_tok.pretokenize.table import PRE_TOKENIZERS
from tests import small
from tests.platforms import examples
from tests.reference import vocab_path

GPT2 = (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",)
LLAMA3 = (
    r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
)
TEXTS = st.lists(
    st.sampled_from(
        ("Hello", " world", "'s", "2024", "中文", "é", "𝒳", "🙂", "\n", "  ", "\t!", "½")
    ),
    max_size=10,
).map("".join)


@pytest.fixture(params=["regex", "re"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "re":
        monkeypatch.setitem(sys.modules, "regex", None)
    else:
        pytest.importorskip("regex")
    return str(request.param)


def words(patterns: tuple[str, ...], text: str) -> list[str]:
    pre = with_patterns(PRE_TOKENIZERS["gpt-2"], patterns)
    return Splitter(pre.stages, pre.astral).words(text)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(("name", "patterns"), [("gpt-2", GPT2), ("llama-bpe", LLAMA3)])
def test_a_model_s_own_pattern_splits_as_its_name_does(
    name: str, patterns: tuple[str, ...]
) -> None:
    pre = PRE_TOKENIZERS[name]

    @given(TEXTS)
    @examples(60)
    def check(text: str) -> None:
        assert words(patterns, text) == Splitter(pre.stages, pre.astral).words(text)

    check()


@pytest.mark.usefixtures("engine")
def test_stages_cut_what_is_left_at_both_ends_of_each_match() -> None:
    assert words((r"\p{N}",), "ab12c") == ["ab", "1", "2", "c"]
    assert words((r"[0-9]+", r"b(?=c)|(a)"), "abc123cba") == ["a", "b", "c", "123", "cb", "a"]
    assert words((r"(?=b)",), "abab") == ["a", "ba", "b"]
    assert words(("x",), "") == []


def test_characters_above_the_bmp() -> None:
    pytest.importorskip("regex")
    assert words(("[🙂🚀]",), "a🙂🚀b😀") == ["a", "🙂", "🚀", "b😀"]
    assert words((r"\p{L}+",), "a𝒳!𝒴") == ["a𝒳", "!", "𝒴"]


def test_ids_with_patterns(engine: str) -> None:
    tok = Tokenizer.from_gguf(vocab_path("gpt-2"), pre_patterns=[r"\S+|\s+"])
    plain = Tokenizer.from_gguf(vocab_path("gpt-2"))
    assert tok.encode("Hello world") == [
        *plain.encode("Hello"),
        *plain.encode(" "),
        *plain.encode("world"),
    ]
    assert tok.explain("Hello world").ids == tok.encode("Hello world")
    assert [word.text for word in tok.explain("Hello world").words] == ["Hello", " ", "world"]
    assert tok.pre == "gpt-2"
    spans = tok.tokenize("Hello\n\nworld, 你好").byte_offsets
    assert spans[0][0] == 0
    assert [a for a, _ in spans[1:]] == [b for _, b in spans[:-1]]


@pytest.mark.parametrize("pre", ["gemma4", "mmbert", "sarvam-moe"])
def test_patterns_win_over_every_way_of_cutting(pre: str) -> None:
    """These have words of their own beside the patterns."""
    tokens, merges = ("a", "▁", "aa", "▁a", "a▁"), ("a a", "▁ a", "a ▁")
    file = small.gguf("gpt2", tokens, merges=merges, pre=pre)
    tok = Tokenizer(file, pre_patterns=["a"])
    assert tok.encode("a aa", add_special=False) == [0, 1, 0, 0]
    assert tok.explain("a aa", add_special=False).ids == [0, 1, 0, 0]


def test_patterns_may_bring_spaces_into_words_of_characters() -> None:
    """The right half of "a  b" starts with a space."""
    file = small.gguf(
        "gpt2", ("a", "b", " ", " b", "a b"), merges=("  b", "a  b"), pre="whitespace"
    )
    tok = Tokenizer(file, pre_patterns=["(?s:.+)"])
    assert tok.encode("a b", add_special=False) == [4]


def test_a_file_s_unknown_name_does_not_matter() -> None:
    file = small.gguf("gpt2", ("a", "b", "ab"), merges=("a b",), pre="brand-new")
    with pytest.raises(UnknownPreTokenizerError):
        Tokenizer(file)
    tok = Tokenizer(file, pre_patterns=["b"])
    assert (tok.encode("ab"), tok.pre) == ([0, 1], "brand-new")
    with pytest.raises(UnknownPreTokenizerError):
        Tokenizer(file, pre="brand-new", pre_patterns=["b"])
    nameless = Tokenizer(small.gguf("gpt2", ("a", "b"), merges=()), pre_patterns=["b"])
    assert nameless.pre == "custom"
    assert "missing-pre" not in [warning.code for warning in nameless.warnings]


@pytest.mark.parametrize("patterns", [[], "abc", [1], [None]])
def test_patterns_are_a_list_of_str(patterns: object) -> None:
    with pytest.raises(PatternError, match="list of one or more patterns"):
        Tokenizer.from_gguf(vocab_path("gpt-2"), pre_patterns=patterns)  # type: ignore[arg-type]


def test_only_bpe_has_words() -> None:
    with pytest.raises(PatternError, match="SPM"):
        Tokenizer.from_gguf(vocab_path("mistral-v1"), pre_patterns=["a"])


def test_a_wrong_pattern_is_named() -> None:
    pytest.importorskip("regex")
    with pytest.raises(PatternError, match=r"pattern '\(a': missing \)") as caught:
        Tokenizer.from_gguf(vocab_path("gpt-2"), pre_patterns=["(a"])
    assert caught.value.pattern == "(a"


@pytest.mark.parametrize("pattern", [r"\p{Lu}+", r"\P{L}", "[🙂]", r"\U0001f642", "(a", r"\X"])
def test_what_re_cannot_do_asks_for_regex(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(OptionalDependencyError, match=r"pip install 'pyodide-tok\[regex\]'"):
        Tokenizer.from_gguf(vocab_path("gpt-2"), pre_patterns=[pattern])
