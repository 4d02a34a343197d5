"""The loader's rules, one by one, over metadata made for each."""

from typing import Any

import pytest

from pyodide_tok import Tokenizer, TokError
from pyodide_tok.errors import UnknownPreTokenizerError, VocabError
from pyodide_tok.vocab.loader import MAX_DUMMIES
from pyodide_tok.vocab.vocab import (
    BYTE,
    CONTROL,
    NORMAL,
    UNDEFINED,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
)
from tests import reference, small
from tests.small import numbers, tokenizer

ABC = ["<unk>", "<s>", "</s>", "a", "b"]
# PLaMo cannot do without its byte tokens, none of them of id 0
PLAMO = [*ABC, *small.BYTES]
PLAMO_TYPES = dict.fromkeys(range(5, 261), small.BYTE)


def codes(tok: Tokenizer) -> list[str]:
    return [warning.code for warning in tok.warnings]


def many(count: int) -> list[str]:
    return [f"t{i}" for i in range(count)]


# -- which type ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "type_"),
    [
        ("llama", "SPM"),
        ("bert", "WPM"),
        ("gpt2", "BPE"),
        ("hybriddna", "BPE"),
        ("whitespace", "BPE"),
        ("gemma4", "BPE"),
        ("t5", "UGM"),
        ("rwkv", "RWKV"),
        ("test", "TEST"),
        ("none", "NONE"),
        ("no_vocab", "NONE"),
    ],
)
def test_declared_model_decides(model: str, type_: str) -> None:
    """Whatever else the file has."""
    assert tokenizer(model, ABC, merges=["a b"], scores=[0] * 5).type == type_


@pytest.mark.parametrize(("model", "type_"), [("plamo2", "PLAMO2"), ("plamo3", "PLAMO3")])
def test_plamo(model: str, type_: str) -> None:
    assert tokenizer(model, PLAMO, types=PLAMO_TYPES).type == type_


@pytest.mark.parametrize(
    ("merges", "scores", "type_"),
    [
        (["a b"], None, "BPE"),
        (["a b"], [0.0] * 5, "SPM"),
        ([], None, "SPM"),
        (None, None, "SPM"),
        (None, [0.0] * 5, "SPM"),
    ],
)
def test_type_without_a_model(merges: Any, scores: Any, type_: str) -> None:
    keys = {} if merges is None else {"merges": merges}
    for model in (None, ""):
        assert tokenizer(model, ABC, scores=scores, **keys).type == type_


@pytest.mark.parametrize("model", [None, "", "gpt2", "llama", "bert", "never heard of"])
def test_no_tokens_mean_the_byte_tokenizer(model: str | None) -> None:
    tok = tokenizer(model, [])
    assert (tok.type, tok.n_vocab) == ("BYTE", 256)
    assert tok.encode("aé") == [0x61, 0xC3, 0xA9]
    assert tok.decode([0x61, 0xC3, 0xA9]) == "aé"
    assert tok.special_ids == {}
    assert set(tok.vocab.attrs) == {BYTE}


def test_unknown_model_is_an_error_that_names_those_known() -> None:
    with pytest.raises(VocabError, match=r"'xyz'.*bert.*llama") as caught:
        tokenizer("xyz", ABC)
    assert isinstance(caught.value, TokError)
    assert isinstance(caught.value, ValueError)


def test_no_vocabulary_describes_itself() -> None:
    tok = Tokenizer.from_gguf(reference.vocab_path("none"))
    assert (tok.type, tok.special_ids, tok.eog_ids, tok.pre) == ("NONE", {}, frozenset(), "")
    assert tok.id_to_token(0).startswith("[DUMMY_0]") if tok.n_vocab else tok.n_vocab == 0
    sized = small.gguf("none", [], general={"architecture": "general", "vocab_size": 3})
    assert Tokenizer(sized).n_vocab == 3
    for size in (MAX_DUMMIES + 1, -1, "3"):
        claims = small.gguf("none", [], general={"architecture": "general", "vocab_size": size})
        assert Tokenizer(claims).n_vocab == 0


# -- pre-tokenizers -----------------------------------------------------------------------


def test_missing_pre_is_the_default_with_a_warning() -> None:
    tok = tokenizer("gpt2", ABC)
    assert tok.pre == "default"
    assert "missing-pre" in codes(tok)
    assert "missing-pre" not in codes(tokenizer("gpt2", ABC, pre="default"))


def test_pre_can_be_overridden() -> None:
    file = small.gguf("gpt2", many(20), pre="no such name")
    with pytest.raises(UnknownPreTokenizerError, match="no such name"):
        Tokenizer(file)
    tok = Tokenizer(file, pre="llama-bpe")
    assert tok.pre == "llama-bpe"
    assert tok.vocab.flags.ignore_merges
    assert tok.vocab.flags.add_bos


def test_gemma4_forces_its_own() -> None:
    tok = tokenizer("gemma4", ABC, pre="qwen2")
    assert tok.pre == "gemma4"
    assert tok.vocab.flags.escape_whitespaces


def test_only_bpe_has_one() -> None:
    assert tokenizer("llama", ABC, pre="no such name").pre == ""


def test_merges_end_at_a_nul() -> None:
    """As C strings do (checked against llama.cpp)."""
    merges = ["a b\0x", "b c\0", "ab c", "\0a b"]
    tok = tokenizer("gpt2", ["a", "b", "ab", "c", "bc", "abc"], merges=merges, pre="gpt-2")
    assert [tok.encode(text) for text in ("ab", "bc", "abc", "abcab")] == [[2], [4], [5], [5, 2]]


def test_missing_merges_are_an_error_but_for_kimi() -> None:
    file = small.changed(small.gguf("gpt2", ABC, pre="gpt-2"), merges=None)
    with pytest.raises(VocabError, match="merges is missing"):
        Tokenizer(file)
    assert Tokenizer(file, pre="kimi-k2").type == "BPE"


# -- columns ------------------------------------------------------------------------------


def test_attributes_of_all_types() -> None:
    """Types: undefined, normal, unknown, control, user-defined, unused, byte; others are none."""
    types = dict(enumerate([0, 1, 2, 3, 4, 5, 6, 7, -1, 99]))
    tok = tokenizer("llama", many(10), types=types)
    want = [UNDEFINED, NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE, 0, 0, 0]
    assert list(tok.vocab.attrs) == want


def test_without_types_all_are_normal() -> None:
    assert set(tokenizer("llama", many(3)).vocab.attrs) == {NORMAL}


def test_scores_may_be_integers_or_missing() -> None:
    values = [0, -1.5, 2, 3, 4]
    assert list(tokenizer("llama", ABC, scores=values).vocab.scores) == values
    file = small.changed(small.gguf("llama", ABC), scores=numbers("i", range(5)))
    scores = Tokenizer(file).vocab.scores
    assert (list(scores), scores.format) == ([0.0, 1.0, 2.0, 3.0, 4.0], "f")
    assert list(tokenizer("llama", ABC).vocab.scores) == [0.0] * 5


@pytest.mark.parametrize(("key", "code"), [("scores", "f"), ("token_type", "i")])
def test_short_arrays_are_an_error(key: str, code: str) -> None:
    with pytest.raises(VocabError, match=rf"{key} has 3 values for 5 tokens"):
        tokenizer("llama", ABC, **{key: numbers(code, [0] * 3)})
    longer = tokenizer("llama", ABC, **{key: numbers(code, [1] * 9)})
    assert len(longer.vocab.scores) == len(longer.vocab.attrs) == 5


@pytest.mark.parametrize("name", ["spm-shortscores", "spm-shorttypes"])
def test_files_with_short_arrays(name: str) -> None:
    with pytest.raises(VocabError, match="convert the model again"):
        Tokenizer.from_gguf(reference.vocab_path(name))


WRONG = [
    ("tokens", 5),
    ("tokens", "abc"),
    ("tokens", numbers("i", [1, 2])),
    ("tokens", (numbers("i", [1]),)),
    ("scores", numbers("d", [0.0] * 5)),
    ("scores", "abc"),
    ("token_type", numbers("f", [1.0] * 5)),
    ("token_type", 3),
    ("merges", 5),
    ("merges", numbers("i", [1])),
    ("bos_token_id", "1"),
    ("bos_token_id", 1.0),
    ("add_bos_token", "yes"),
    ("suppress_tokens", 3),
    ("suppress_tokens", numbers("f", [1.0])),
    ("metaspace.prepend_scheme", 1),
    ("token_type_count", "2"),
    ("model", 5),
    ("model", ["llama"]),
    ("pre", 5),
]


@pytest.mark.parametrize(("key", "value"), WRONG)
@pytest.mark.parametrize("model", ["gpt2", None])
def test_values_of_the_wrong_type_are_vocab_errors(key: str, value: Any, model: str | None) -> None:
    file = small.gguf(model, ABC, merges=["a b"])
    with pytest.raises(TokError):
        Tokenizer(small.changed(file, **{key: value}))


def test_empty_texts_get_a_name() -> None:
    tok = tokenizer("llama", ["<unk>", "", "a", ""])
    assert [tok.id_to_token(i) for i in range(4)] == ["<unk>", "[EMPTY_1]", "a", "[EMPTY_3]"]
    assert tok.token_to_id("[EMPTY_1]") == 1
    assert "empty-token" in codes(tok)


def test_duplicate_texts_are_noted_and_the_later_id_wins() -> None:
    tok = tokenizer("llama", ["<unk>", "a", "b", "a"], add_space_prefix=False)
    assert tok.token_to_id("a") == 3
    assert tok.encode("ab", add_special=False) == [3, 2]
    assert "duplicate-tokens" in codes(tok)
    assert "duplicate-tokens" in codes(Tokenizer.from_gguf(reference.vocab_path("spm-dup")))


def test_texts_that_are_not_utf8_keep_their_bytes() -> None:
    tok = tokenizer("llama", ["<unk>", "\udcff\udcfe"])
    assert tok.token_to_piece(1) == b"\xff\xfe"
    assert tok.token_to_id(b"\xff\xfe") == 1
    assert tok.token_to_id(tok.id_to_token(1)) == 1


def test_suppress_tokens_drops_what_is_out_of_range() -> None:
    tok = tokenizer("llama", ABC, suppress_tokens=numbers("i", [3, -1, 5, 4]))
    assert tok.suppress_tokens == (3, 4)
    assert tokenizer("llama", ABC).suppress_tokens == ()


def test_token_type_count() -> None:
    assert tokenizer("bert", ABC, token_type_count=2).vocab.token_type_count == 2
