"""The loader's rules, one by one: special ids, flags, the end of a generation, stripping."""

import pytest

from pyodide_tok.vocab.specials import EOG_TEXTS, SPECIAL_ID_KEYS, TEXTS_OF
from pyodide_tok.vocab.vocab import (
    CONTROL,
    LSTRIP,
    NORMAL,
    RSTRIP,
    UNUSED,
    USER_DEFINED,
)
from tests import reference, small
from tests.small import tokenizer
from tests.test_vocab import ABC, PLAMO, PLAMO_TYPES, codes, many

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
