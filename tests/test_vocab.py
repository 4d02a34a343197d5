"""The loader's rules, one by one, over metadata made for each."""

from typing import Any

import pytest

from pyodide_tok import Tokenizer, TokError
from pyodide_tok.errors import UnknownPreTokenizerError, VocabError
from pyodide_tok.specials import EOG_TEXTS, SPECIAL_ID_KEYS, TEXTS_OF
from pyodide_tok.vocab import (
    BYTE,
    CONTROL,
    LSTRIP,
    NORMAL,
    RSTRIP,
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


# -- special ids --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "special"),
    [
        ("llama", {"bos": 1, "eos": 2, "unk": 0}),
        ("bert", {"bos": 101, "unk": 100, "sep": 102, "pad": 0, "mask": 103}),
        ("gpt2", {"bos": 11, "eos": 11}),
        ("gemma4", {}),
        ("t5", {"eos": 1, "unk": 2, "pad": 0}),
        ("rwkv", {}),
        ("test", {}),
        ("plamo2", {"bos": 1, "eos": 2, "unk": 0, "pad": 3}),
        ("plamo3", {"bos": 1, "eos": 2, "unk": 0, "pad": 3}),
    ],
)
def test_defaults_by_type(model: str, special: dict[str, int]) -> None:
    assert tokenizer(model, PLAMO, types=PLAMO_TYPES).special_ids == special


def test_every_key_overrides() -> None:
    """Of the names that share an id, the deprecated one, which is read last."""
    keys = {key.removeprefix("tokenizer.ggml."): i for i, (_, key) in enumerate(SPECIAL_ID_KEYS)}
    want = {name: i for i, (name, _) in enumerate(SPECIAL_ID_KEYS)}
    assert tokenizer("llama", many(30), **keys).special_ids == want
    assert want["fim_pre"] == keys["prefix_token_id"] != keys["fim_pre_token_id"]


@pytest.mark.parametrize("value", [5, 4_294_967_295, -1])
def test_id_out_of_range_is_ignored_with_a_warning(value: int) -> None:
    tok = tokenizer("llama", ABC, bos_token_id=value, padding_token_id=value)
    assert tok.special_ids == {"bos": 1, "eos": 2, "unk": 0}
    assert codes(tok).count("special-id-out-of-range") == 2


def test_default_out_of_range_is_switched_off_with_a_warning() -> None:
    tok = tokenizer("gpt2", ABC, pre="gpt-2")
    assert tok.special_ids == {}
    assert codes(tok).count("special-id-disabled") == 2
    tok = tokenizer("gpt2", ABC, pre="gpt-2", bos_token_id=3)
    assert tok.special_ids == {"bos": 3}


def test_glm_has_no_default_bos() -> None:
    assert tokenizer("gpt2", many(20), pre="glm4").special_ids == {"eos": 11}
    assert tokenizer("gpt2", many(20), pre="glm4", bos_token_id=5).special_ids["bos"] == 5


@pytest.mark.parametrize("name", TEXTS_OF)
def test_found_by_text_and_retyped(name: str) -> None:
    for text in TEXTS_OF[name]:
        tok = tokenizer("llama", [*ABC, text])
        assert tok.special_ids[name] == 5
        assert tok.vocab.attrs[5] & CONTROL
        assert "retyped-control" in codes(tok)


def test_a_key_is_stronger_than_a_text() -> None:
    tok = tokenizer("llama", [*ABC, "<|fim_prefix|>", "<|file_sep|>"], fim_pre_token_id=3)
    assert tok.special_ids["fim_pre"] == 3
    assert tok.vocab.attrs[5] == NORMAL  # not looked for, so not retyped
    assert tok.special_ids["fim_sep"] == 6


def test_only_the_chosen_one_of_several_texts_is_retyped() -> None:
    tok = tokenizer("llama", [*ABC, "<PRE>", "<fim_prefix>"])
    chosen = tok.special_ids["fim_pre"]
    assert {5, 6} - {chosen} == {i for i in (5, 6) if tok.vocab.attrs[i] == NORMAL}


def test_eot_of_several_texts_is_one_of_them() -> None:
    tok = tokenizer("llama", [*ABC, "<|im_end|>", "<|eot_id|>", "<EOT>"])
    assert tok.special_ids["eot"] in (5, 6, 7)
    assert tok.eog_ids == {2, 5, 6, 7}


def test_eot_of_dna_is_looked_up_with_the_markers() -> None:
    """The order of llama.cpp's table is that of the file's texts, before they lose their marker."""
    texts = ["<dna>", "</dna>", "CCCCCC", "<|im_end|>", "<EOT>", "<oov>", "CCCCCC\ue000"]
    tok = tokenizer("hybriddna", texts, pre="gpt-2")
    plain = tokenizer("gpt2", texts, pre="gpt-2")
    assert tok.special_ids["eot"] == plain.special_ids["eot"]
    assert (tok.id_to_token(6), plain.id_to_token(6)) == ("CCCCCC", "CCCCCC\ue000")
    assert tok.vocab.token_to_id["CCCCCC"] == 2


# -- flags --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "bos", "eos", "sep", "prefix", "clean"),
    [
        ("llama", True, False, False, True, False),
        ("bert", True, False, True, False, True),
        ("gpt2", False, False, False, False, True),
        ("t5", False, True, False, False, False),
        ("rwkv", False, False, False, False, False),
        ("plamo2", False, False, False, False, False),
    ],
)
def test_flags_by_type(
    model: str, bos: bool, eos: bool, sep: bool, prefix: bool, clean: bool
) -> None:
    flags = tokenizer(model, PLAMO, types=PLAMO_TYPES, pre="gpt-2").vocab.flags
    got = (flags.add_bos, flags.add_eos, flags.add_sep, flags.add_space_prefix, flags.clean_spaces)
    assert got == (bos, eos, sep, prefix, clean)


def test_keys_override_flags() -> None:
    flags = tokenizer(
        "llama",
        ABC,
        add_bos_token=False,
        add_eos_token=True,
        add_sep_token=True,
        add_space_prefix=False,
        remove_extra_whitespaces=True,
    ).vocab.flags
    assert not flags.add_bos
    assert flags.add_eos
    assert flags.add_sep
    assert not flags.add_space_prefix
    assert flags.remove_extra_whitespaces


def test_pre_tokenizer_sets_flags() -> None:
    llama = tokenizer("gpt2", many(20), pre="llama-bpe").vocab.flags
    assert (llama.add_bos, llama.ignore_merges, llama.clean_spaces) == (True, True, True)
    off = tokenizer("gpt2", many(20), pre="llama-bpe", add_bos_token=False).vocab.flags
    assert not off.add_bos
    assert not tokenizer("gpt2", many(20), pre="qwen2").vocab.flags.clean_spaces
    assert tokenizer("gpt2", many(20), pre="roberta-bpe").vocab.flags.add_sep


def test_gemma4_wants_bos_whatever_the_file_says() -> None:
    tok = tokenizer("gemma4", ABC, add_bos_token=False, bos_token_id=1)
    assert tok.vocab.flags.add_bos
    assert "add-bos-forced" in codes(tok)
    assert tok.encode("a") == [1, 3]
    granite = tokenizer("gpt2", ABC, pre="granite-embed-multi-311m", add_bos_token=False)
    assert granite.vocab.flags.add_bos


@pytest.mark.parametrize(
    ("lowercase", "accents", "want"),
    [
        (None, None, (True, True)),
        (False, None, (False, False)),
        (False, True, (False, True)),
        (True, False, (True, False)),
    ],
)
def test_accents_follow_lowercase(
    lowercase: bool | None, accents: bool | None, want: tuple[bool, bool]
) -> None:
    keys = {"normalizer__lowercase": lowercase, "normalizer__strip_accents": accents}
    set_ = {key: value for key, value in keys.items() if value is not None}
    flags = tokenizer("bert", ABC, **set_).vocab.flags
    assert (flags.lowercase, flags.strip_accents) == want


def test_whitespace_pre_tokenizer_keeps_capitals_unless_told() -> None:
    assert not tokenizer("whitespace", ABC, pre="whitespace").vocab.flags.lowercase
    told = tokenizer("whitespace", ABC, pre="whitespace", normalizer__lowercase=True)
    assert told.vocab.flags.lowercase


def test_metaspace_scheme_is_for_bpe_with_escaped_spaces() -> None:
    scheme = {"metaspace__prepend_scheme": "first"}
    assert tokenizer("gemma4", ABC, **scheme).vocab.flags.prepend_first
    assert not tokenizer("gemma4", ABC, metaspace__prepend_scheme="never").vocab.flags.prepend_first
    assert not tokenizer("gpt2", ABC, pre="gpt-2", **scheme).vocab.flags.prepend_first
    assert not tokenizer("llama", ABC, **scheme).vocab.flags.prepend_first


# -- the end of a generation --------------------------------------------------------------


@pytest.mark.parametrize("text", EOG_TEXTS)
def test_texts_that_end_a_generation(text: str) -> None:
    tok = tokenizer("t5", ["<pad>", "x", "<unk>", text])
    assert tok.is_eog(3)
    assert tok.vocab.attrs[3] & CONTROL
    assert "retyped-control" in codes(tok)
    assert tok.eog_ids == {1, 3}  # and the type's default EOS, with a warning
    assert "eog-added" in codes(tok)


def test_fim_pad_rep_and_sep_end_one_but_pre_does_not() -> None:
    tok = tokenizer("rwkv", ["a", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>", "<|fim_prefix|>"])
    assert tok.eog_ids == {1, 2, 3}


def test_eos_eot_and_eom_ids_end_one() -> None:
    tok = tokenizer("rwkv", many(9), eos_token_id=3, eot_token_id=4, eom_token_id=5, bos_token_id=6)
    assert tok.eog_ids == {3, 4, 5}
    assert codes(tok).count("eog-added") == 3


@pytest.mark.parametrize(
    ("others", "ends"),
    [
        (["<|return|>", "<|call|>"], False),
        (["<|return|>", "<|calls|>"], False),
        (["<|flush|>", "<|calls|>"], False),
        (["<|flush|>", "<|call|>"], False),
        (["<|return|>"], True),
        (["<|call|>", "<|calls|>"], True),
        (["<|return|>", "<|flush|>"], True),
        ([], True),
    ],
)
def test_end_of_message_in_harmony(others: list[str], ends: bool) -> None:
    tok = tokenizer("rwkv", ["a", "<|end|>", *others])
    assert tok.is_eog(1) == ends
    assert tok.vocab.attrs[1] == (NORMAL | CONTROL if ends else USER_DEFINED)
    assert ("eog-removed" in codes(tok)) != ends
    assert all(tok.is_eog(i) for i in range(2, 2 + len(others)))


@pytest.mark.parametrize(
    ("other", "keys", "ends"),
    [
        ("<|tool_response>", {}, False),
        ("<|plamo:eos|>", {"eos_token_id": 2}, False),
        ("<|plamo:eos|>", {"eos_token_id": 0}, True),  # is no end itself
        ("<eos>", {}, True),
    ],
)
def test_normal_s_of_gemma4_and_plamo(other: str, keys: dict[str, int], ends: bool) -> None:
    tok = tokenizer("rwkv", ["a", "</s>", other], **keys)
    assert tok.is_eog(1) == ends
    assert tok.vocab.attrs[1] == (NORMAL | CONTROL if ends else NORMAL)


@pytest.mark.parametrize("text", ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"])
def test_gpt_oss_tokens_are_always_rendered(text: str) -> None:
    tok = tokenizer("llama", [*ABC, text], types={5: small.CONTROL})
    assert tok.vocab.attrs[5] == USER_DEFINED
    assert "retyped-user-defined" in codes(tok)
    assert tok.decode([5]) == text


def test_unused_control_tokens() -> None:
    texts = ["<unused1>", "unused", "<unused2>", "[\0unused]"]
    types = {0: small.CONTROL, 1: small.NORMAL, 2: small.USER_DEFINED, 3: small.CONTROL}
    attrs = tokenizer("rwkv", texts, types=types).vocab.attrs
    # a C string ends at its first NUL
    assert list(attrs) == [CONTROL | UNUSED, NORMAL, USER_DEFINED, CONTROL]


# -- LSTRIP and RSTRIP --------------------------------------------------------------------

MASKS = ["<unk>", "<mask>", "[MASK]", "a"]


@pytest.mark.parametrize("pre", ["jina-v2-de", "jina-v2-es", "jina-v2-code", "mmbert"])
def test_mask_by_pre_tokenizer(pre: str) -> None:
    tok = tokenizer("gpt2", MASKS, pre=pre)
    assert [bool(attr & LSTRIP) for attr in tok.vocab.attrs] == [False, True, False, False]
    assert "missing-mask" in codes(tokenizer("gpt2", ABC, pre=pre))


@pytest.mark.parametrize("model", ["llama", "bert", "t5", "gemma4"])
def test_mask_by_the_files_pre_whatever_the_type(model: str) -> None:
    assert tokenizer(model, MASKS, pre="x-jina-v2-de-y").vocab.attrs[1] & LSTRIP


@pytest.mark.parametrize("arch", ["nomic-bert-moe", "jina-bert-v3"])
def test_mask_by_architecture(arch: str) -> None:
    tok = tokenizer("t5", MASKS, general={"architecture": arch})
    assert tok.vocab.attrs[1] & LSTRIP
    assert not tok.vocab.attrs[2] & LSTRIP


def test_mask_by_name() -> None:
    tok = tokenizer("gpt2", MASKS, pre="gpt-2", general={"name": "Some Modern-BERT base"})
    assert [bool(attr & LSTRIP) for attr in tok.vocab.attrs] == [False, False, True, False]


@pytest.mark.parametrize("name", ["Phi-3 mini", "microsoft_phi3"])
def test_phi3_swallows_space_after_special_tokens(name: str) -> None:
    texts = ["<unk>", "<s>", "</s>", "<|user|>", "<|endoftext|>", "a", "<x>"]
    types = {0: small.UNKNOWN, 1: small.CONTROL, 3: small.CONTROL, 6: small.USER_DEFINED}
    tok = tokenizer("llama", texts, types=types, general={"name": name})
    assert [i for i, attr in enumerate(tok.vocab.attrs) if attr & RSTRIP] == [2, 3, 6]
    assert not any(attr & RSTRIP for attr in tokenizer("llama", texts, types=types).vocab.attrs)


# -- other warnings -----------------------------------------------------------------------


def test_newline_token_that_is_missing() -> None:
    assert "missing-newline" in codes(tokenizer("llama", ABC))
    assert "missing-newline" not in codes(tokenizer("llama", [*ABC, "<0x0A>"]))
    assert "missing-newline" not in codes(tokenizer("llama", [*ABC, "\n"]))
    assert "missing-newline" in codes(tokenizer("gpt2", ABC, pre="gpt-2"))
    assert "missing-newline" not in codes(tokenizer("gpt2", [*ABC, "Ċ"], pre="gpt-2"))


def test_good_file_has_no_warnings() -> None:
    assert codes(reference.sample_vocab("gpt-2")) == []
    texts = ["<unk>", "<s>", "</s>", "<0x0A>", "a"]
    types = {0: small.UNKNOWN, 1: small.CONTROL, 2: small.CONTROL, 3: small.BYTE}
    assert codes(tokenizer("llama", texts, types=types)) == []


def test_warnings_are_strings_with_a_code() -> None:
    warning = tokenizer("llama", ABC).warnings[0]
    assert isinstance(warning, str)
    assert warning.code
