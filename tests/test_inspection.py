"""The problems that are found in a file: one test a check, and no false alarms."""

from typing import Any

import pytest

from pyodide_tok import GGUFFile, Tokenizer
from pyodide_tok.errors import NoTokenizerError
from pyodide_tok.inspection import Problem, inspect, problems
from tests import gguf_writer as w
from tests.reference import DATA, SAMPLES, SHARED, vocab_path, vocabs

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
            )
        )
    ).keys() == {"no-end"}


def test_pre_tokenizers_that_are_missing_or_default() -> None:
    vocab = {
        "tokenizer__ggml__model": "gpt2",
        "tokenizer__ggml__tokens": (w.STRING, ["a", "Ċ", "<|endoftext|>"]),
        "tokenizer__ggml__merges": (w.STRING, []),
    }
    assert "missing-pre" in found(w.write(entries(**vocab)))
    assert "default-pre" in found(w.write(entries(**vocab, tokenizer__ggml__pre="default")))
    unknown = found(w.write(entries(**vocab, tokenizer__ggml__pre="gpq-2")))
    assert unknown.keys() == {"pre-tokenizer-unknown"}


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
    "gpt2-nopre": {"missing-pre"},
    "gpt2-notokens": {"no-tokens"},
    "gpt2-v1": {"old-version"},
    "spm-dup": {"duplicate-tokens"},
    "spm-shortscores": {"vocab-invalid"},
    "spm-shorttypes": {"vocab-invalid"},
}
FOLDERS = (DATA / "vocabs", SAMPLES, SHARED / "vocabs")
NAMES = sorted({path.stem for folder in FOLDERS for path in folder.glob("*.gguf")})


@pytest.mark.parametrize("name", vocabs(*NAMES))
def test_vocabularies_that_a_converter_made_have_none(name: str) -> None:
    want = ODD.get(name, set())
    if want is not None:
        assert {row.code for row in inspect(GGUFFile.open(vocab_path(name))).problems} == want


def test_problems_of_a_tokenizer() -> None:
    (row,) = problems(Tokenizer.from_gguf(vocab_path("spm-dup")))
    assert (row.code, row.severity) == ("duplicate-tokens", "error")
