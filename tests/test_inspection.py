"""The problems that are found in a file: one test a check, and no false alarms."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from pyodide_tok import GGUFFile, Tokenizer
from pyodide_tok.errors import NoTokenizerError
from pyodide_tok.inspection import Problem, describe, fit, inspect, problems
from tests import gguf_writer as w
from tests.reference import NEEDS_SHARED, ROOT, vocab_names, vocab_path, vocabs

KINDS = {str: w.STRING, int: w.UINT32, bool: w.BOOL}


def entries(**keys: Any) -> list[w.Entry]:
    return [
        w.Entry(key.replace("__", "."), KINDS.get(type(value), w.ARRAY), value)
        for key, value in keys.items()
    ]


def found(data: bytes) -> dict[str, Problem]:
    """The problems of a file by code: no code twice, worst first."""
    rows = inspect(GGUFFile.parse(data)).problems
    severities = [("error", "warning", "info").index(row.severity) for row in rows]
    assert severities == sorted(severities)
    assert all(row.message and row.fix for row in rows)
    return {row.code: row for row in rows}


VOCAB: dict[str, Any] = {
    "general__architecture": "llama",
    "tokenizer__ggml__model": "llama",
    "tokenizer__ggml__tokens": (w.STRING, ["<unk>", "<s>", "</s>", "a", "<0x0A>"]),
    "tokenizer__ggml__scores": (w.FLOAT32, [0.0] * 5),
    "tokenizer__ggml__token_type": (w.INT32, [2, 3, 3, 1, 6]),
}


def changed(**keys: Any) -> dict[str, Problem]:
    values = VOCAB | keys
    return found(w.write(entries(**{k: v for k, v in values.items() if v is not None})))


def test_a_good_file_has_none() -> None:
    assert changed() == {}


def test_of_tensors() -> None:
    tensors = [w.Tensor("token_embd.weight", (8, 3), 1, 0), w.Tensor("output.weight", (8, 2), 1, 1)]
    data = w.write(entries(**VOCAB), tensors)
    assert found(data).keys() == {"embedding-rows", "tensor-alignment"}
    assert inspect(GGUFFile.parse(data)).facts["tensors"] == {
        "count": 2,
        "parameters": 40,
        "types": {"F16": 2},
    }
    same = [w.Tensor("a", (1,)), w.Tensor("token_embd.weight", ())]
    assert found(w.write(entries(**VOCAB), same)).keys() == {"embedding-rows", "tensor-overlap"}


def test_of_the_format() -> None:
    assert found(w.write(entries(**VOCAB), version=1)).keys() == {"old-version"}
    assert found(w.write(entries(**VOCAB), version=2)) == {}
    assert found(w.write(entries(**VOCAB), order=">")).keys() == {"big-endian"}


def test_a_part_of_a_model() -> None:
    part = {"split__no": 0, "split__count": 3}
    assert changed(**part)["one-of-several"].severity == "info"
    later = found(w.write(entries(split__no=1, split__count=3)))
    assert "part 2 of 3" in later["vocab-invalid"].message


def test_columns_that_are_too_short() -> None:
    assert changed(tokenizer__ggml__scores=(w.FLOAT32, [0.0])).keys() == {"vocab-invalid"}


def test_tokens_in_another_number_than_claimed() -> None:
    assert changed(llama__vocab_size=9).keys() == {"vocab-size"}
    assert changed(llama__vocab_size=5) == {}


def test_no_end() -> None:
    rows = changed(
        tokenizer__ggml__tokens=(w.STRING, ["a", "b", "c", "d", "<0x0A>"]),
        tokenizer__ggml__eos_token_id=99,
    )
    assert {"special-id-out-of-range"} <= rows.keys()
    assert found(
        w.write(
            entries(
                tokenizer__ggml__model="rwkv",
                tokenizer__ggml__tokens=(w.STRING, ["a", "\\n"]),
                tokenizer__ggml__token_type=(w.INT32, [1, 1]),
            )
        )
    ).keys() == {"no-end"}


# -- special tokens -----------------------------------------------------------------------


def test_a_bos_that_is_an_ordinary_token() -> None:
    rows = changed(tokenizer__ggml__bos_token_id=3)
    assert rows.keys() == {"bos-not-control"}
    assert "token 3 'a' as its BOS" in rows["bos-not-control"].message
    assert changed(tokenizer__ggml__bos_token_id=3, tokenizer__ggml__add_bos_token=False) == {}


def test_a_bos_that_is_missing() -> None:
    short = changed(
        general__name="one",
        tokenizer__ggml__tokens=(w.STRING, ["<0x0A>"]),
        tokenizer__ggml__scores=(w.FLOAT32, [0.0]),
        tokenizer__ggml__token_type=(w.INT32, [6]),
    )
    assert {"missing-bos", "no-end"} <= short.keys()


def test_an_eos_that_is_an_ordinary_token() -> None:
    assert changed(tokenizer__ggml__eos_token_id=3).keys() == {"eos-not-control"}
    added = changed(tokenizer__ggml__eos_token_id=3, tokenizer__ggml__add_eos_token=True)
    assert added["eos-not-control"].severity == "error"


def test_an_eos_that_does_not_end_a_generation() -> None:
    """llama.cpp takes "</s>" for a normal token beside "<|tool_response>"."""
    tokens = ["<unk>", "<s>", "</s>", "<|tool_response>", "<0x0A>"]
    rows = changed(
        tokenizer__ggml__tokens=(w.STRING, tokens),
        tokenizer__ggml__token_type=(w.INT32, [2, 3, 3, 3, 6]),
    )
    assert rows.keys() == {"eos-not-end"}


# -- columns ------------------------------------------------------------------------------


def test_control_tokens_of_type_normal() -> None:
    tokens = ["<unk>", "<s>", "</s>", "<|user|>", "<0x0A>"]
    rows = changed(tokenizer__ggml__tokens=(w.STRING, tokens))
    assert rows.keys() == {"control-as-normal"}
    assert "'<|user|>'" in rows["control-as-normal"].message
    many = ["<unk>", *(f"<|{i}|>" for i in range(5))]
    rows = changed(
        tokenizer__ggml__tokens=(w.STRING, many),
        tokenizer__ggml__token_type=(w.INT32, [1] * 6),
        tokenizer__ggml__scores=(w.FLOAT32, [0.0] * 6),
    )
    assert "and 2 more" in rows["control-as-normal"].message


def test_columns_that_are_missing() -> None:
    assert changed(tokenizer__ggml__scores=None).keys() == {"no-scores"}
    assert changed(tokenizer__ggml__token_type=None).keys() == {"no-token-types"}


# -- chat templates -----------------------------------------------------------------------


def test_tokens_of_a_template_that_the_vocabulary_lacks() -> None:
    template = "{# <|comment|> #}<|im_start|>{{ messages[0].content }}<|im_end|>"
    rows = changed(tokenizer__chat_template=template)
    assert rows.keys() == {"template-tokens"}
    assert "'<|im_start|>', '<|im_end|>', which" in rows["template-tokens"].message
    assert changed(tokenizer__chat_template="<s>{{ '<think>' }}") == {}


CHATML = {
    "tokenizer__ggml__tokens": (w.STRING, ["<unk>", "<s>", "</s>", "<|im_end|>", "<0x0A>"]),
    "tokenizer__ggml__token_type": (w.INT32, [2, 3, 3, 3, 6]),
}


def test_tokens_of_tools_may_be_missing() -> None:
    template = "<|im_end|>{{ '<|tool_start|>' }}"
    assert changed(**CHATML, tokenizer__chat_template=template) == {}
    both = changed(**CHATML, tokenizer__chat_template=f"<|im_start|>{template}")
    assert "'<|im_start|>', which" in both["template-tokens"].message


def test_turns_that_end_in_a_token_that_does_not_end_a_generation() -> None:
    tokens = ["<unk>", "<s>", "</s>", "<|endofturn|>", "<0x0A>"]
    chat = {**CHATML, "tokenizer__ggml__tokens": (w.STRING, tokens)}
    template = "{{ messages }}<|endofturn|>"
    assert changed(**chat, tokenizer__chat_template=template).keys() == {"turn-end-not-eog"}
    chat["tokenizer__ggml__eot_token_id"] = 3
    assert changed(**chat, tokenizer__chat_template=template) == {}


# -- pre-tokenizers and merges ------------------------------------------------------------

BPE: dict[str, Any] = {
    "general__architecture": "gpt2",
    "tokenizer__ggml__model": "gpt2",
    "tokenizer__ggml__pre": "gpt-2",
    "tokenizer__ggml__tokens": (w.STRING, ["a", "b", "ab", "Ċ", "<|endoftext|>", "<|x|>"]),
    "tokenizer__ggml__token_type": (w.INT32, [1, 1, 1, 1, 3, 3]),
    "tokenizer__ggml__merges": (w.STRING, ["a b"]),
    "tokenizer__ggml__eos_token_id": 4,
    "tokenizer__ggml__bos_token_id": 4,
}


def bpe(**keys: Any) -> dict[str, Problem]:
    values = BPE | keys
    return found(w.write(entries(**{k: v for k, v in values.items() if v is not None})))


def test_a_pre_tokenizer_that_is_missing() -> None:
    assert bpe() == {}
    assert bpe(tokenizer__ggml__pre=None)["missing-pre"].severity == "warning"
    assert bpe(tokenizer__ggml__pre="gpq-2").keys() == {"pre-tokenizer-unknown"}


def test_a_pre_tokenizer_of_another_model_is_found_by_fingerprint() -> None:
    (row,) = problems(Tokenizer.from_gguf(vocab_path("gpt-2"), pre="llama-bpe"))
    assert (row.code, row.severity) == ("pre-mismatch", "error")
    assert "those of GPT-2" in row.message
    assert "'gpt-2'" in row.fix
    same = Tokenizer.from_gguf(vocab_path("gpt-2"), pre="mpt")  # splits the same
    assert problems(same) == ()


def test_a_pre_tokenizer_of_another_model_is_found_by_unreachable_tokens() -> None:
    """As a vocabulary that is not known: one merge is missing."""
    file = GGUFFile.open(vocab_path("gpt-2"))
    merges = tuple(file.metadata["tokenizer.ggml.merges"])[:-1]  # type: ignore[arg-type]
    metadata = {**file.metadata, "tokenizer.ggml.merges": merges}
    unknown = replace(file, metadata=metadata)
    assert problems(Tokenizer(unknown)) == ()
    (row,) = problems(Tokenizer(unknown, pre="llama-bpe"))
    assert row.code == "pre-mismatch"
    assert "It splits 794 tokens" in row.message
    assert "'gpt-2'" in row.fix
    metadata.pop("tokenizer.ggml.pre")
    (row,) = problems(Tokenizer(replace(file, metadata=metadata)))
    assert (row.code, row.severity) == ("missing-pre", "error")


@NEEDS_SHARED
@pytest.mark.parametrize(
    ("name", "pre"),
    [("llama-bpe", "gpt-2"), ("llama-bpe", "qwen2"), ("qwen2", "default"), ("command-r", "gpt-4o")],
)
def test_pre_tokenizers_of_other_models(name: str, pre: str) -> None:
    codes = {row.code for row in problems(Tokenizer.from_gguf(vocab_path(name), pre=pre))}
    assert codes == {"pre-mismatch"}


def test_merges_that_are_missing_or_cannot_be_used() -> None:
    assert bpe(tokenizer__ggml__merges=(w.STRING, [])).keys() == {"no-merges"}
    kimi = bpe(tokenizer__ggml__merges=(w.STRING, []), tokenizer__ggml__pre="kimi-k2")
    assert kimi == {}
    for merge in ("b a", "ab", "a c", "c ab"):
        rows = bpe(tokenizer__ggml__merges=(w.STRING, ["a b", merge]))
        assert rows.keys() == {"unusable-merges"}
        assert f"1 of 2 merges make or need what is not a token: {merge!r}" in (
            rows["unusable-merges"].message
        )


def test_merges_of_spaces_can_be_used() -> None:
    tokens = (w.STRING, ["a", " ", " a", "Ċ", "<|endoftext|>", "<|x|>"])
    rows = bpe(tokenizer__ggml__tokens=tokens, tokenizer__ggml__merges=(w.STRING, ["  a"]))
    assert "unusable-merges" not in rows


def test_added_tokens_with_the_ids_of_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    known = fit._Known("Ours", ("gpt-2",), {"<|x|>": 5, "<|endoftext|>": 7, "<|y|>": 9})
    monkeypatch.setitem(fit._KNOWN, fit._fingerprint(["a b"]), known)
    row = bpe()["moved-token"]
    assert "'<|endoftext|>' of Ours has the id 4 instead of 7" in row.message


# -- files that are not language models ---------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        (
            {"general__type": "adapter", "general__architecture": "llama"},
            "LoRA adapter.*base model",
        ),
        ({"general__type": "mmproj", "general__architecture": "clip"}, "projector"),
        ({"general__architecture": "clip"}, "projector"),
        ({"general__type": "imatrix"}, "importance matrix"),
        ({"general__architecture": "controlvector"}, "control vector"),
        ({"general__architecture": "flux"}, "image or video model"),
        ({"general__architecture": "Wan"}, "image or video model"),
        ({"general__architecture": "whisper"}, "speech or audio"),
    ],
)
def test_files_that_are_no_language_models(keys: dict[str, str], says: str) -> None:
    data = w.write(entries(**keys))
    with pytest.raises(NoTokenizerError, match=says):
        Tokenizer.from_gguf(data)
    assert found(data).keys() == {"no-tokenizer"}


def test_tensors_tell_what_a_file_without_names_is() -> None:
    with pytest.raises(NoTokenizerError, match="none of its tensors"):
        Tokenizer.from_gguf(w.write([], [w.Tensor("double_blocks.0.weight", (8,))]))
    model = Tokenizer.from_gguf(w.write([], [w.Tensor("token_embd.weight", (8, 256))]))
    assert model.type == "BYTE"


@pytest.mark.parametrize("keys", [{}, {"general__architecture": "llama"}])
def test_a_language_model_without_tokens_is_read_as_bytes_with_a_warning(keys: Any) -> None:
    data = w.write(entries(**keys))
    tok = Tokenizer.from_gguf(data)
    assert tok.encode("Hi") == [72, 105]
    assert [notice.code for notice in tok.warnings] == ["no-tokens"]
    assert found(data)["no-tokens"].severity == "error"


def test_a_vocabulary_without_a_model_name_is_a_warning() -> None:
    assert changed(tokenizer__ggml__model=None)["missing-model"].severity == "warning"


# -- no false alarms ----------------------------------------------------------------------

# made by hand, or by a converter that left something out
ODD: dict[str, set[str] | None] = {
    "aquila": {"missing-pre"},
    "gpt-neox": {"missing-pre"},
    "gpt2-be": {"big-endian"},
    "gpt2-cut": None,
    "gpt2-cut-header": None,
    "gpt2-nomerges": {"vocab-invalid"},
    "gpt2-emptymerges": {"no-merges"},
    "gpt2-notypes": {"no-token-types"},
    "gpt2-oddmerges": {"unusable-merges"},
    "probe": {"pre-mismatch"},
    "spm-nolf": {"missing-newline"},
    "spm-noscores": {"no-scores"},
    "spm-notypes": {"no-token-types"},
    "whitespace": {"missing-newline"},
    "gpt2-nopre": {"missing-pre"},
    "gpt2-notokens": {"no-tokens"},
    "gpt2-v1": {"old-version"},
    "spm-dup": {"duplicate-tokens"},
    "spm-shortscores": {"vocab-invalid"},
    "spm-shorttypes": {"vocab-invalid"},
}


@pytest.mark.parametrize("name", vocabs(*vocab_names()))
def test_vocabularies_that_a_converter_made_have_none(name: str) -> None:
    want = ODD.get(name, set())
    if want is not None:
        assert {row.code for row in inspect(GGUFFile.open(vocab_path(name))).problems} == want


def test_problems_of_a_tokenizer() -> None:
    (row,) = problems(Tokenizer.from_gguf(vocab_path("spm-dup")))
    assert (row.code, row.severity) == ("duplicate-tokens", "error")


def test_every_code_is_in_the_docs() -> None:
    folder = ROOT / "pyodide_tok" / "inspection"
    source = "".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    severity = r'(?:, |: \()"(?:error|warning|info)'
    codes = set(re.findall(rf'"([a-z]+(?:-[a-z]+)+)"{severity}', source))
    docs = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    assert len(codes) > 20
    assert [code for code in sorted(codes) if f"`{code}`" not in docs] == []


def test_facts_are_plain_data() -> None:
    """Whatever types a hostile file gives them."""
    odd: dict[str, Any] = {"general__name": (w.STRING, ["a"]), "general__type": 1}
    odd |= {"llama__context_length": (w.UINT32, [1])}
    found = inspect(GGUFFile.parse(w.write(entries(**VOCAB | odd)))).as_dict()
    assert json.loads(json.dumps(found)) == found
    assert found["file"]["context_length"] is None
    assert "name" not in found["file"]
    tok = Tokenizer.from_gguf(w.write(entries(**VOCAB | {"general__type": 1})))
    assert json.loads(json.dumps(describe(tok))) == describe(tok)
