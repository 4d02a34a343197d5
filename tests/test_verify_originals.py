"""verify: the same for what a converter made, and the cause named for what it broke."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import GGUFFile, Tokenizer
from pyodide_tok.gguf.editing import changed
from pyodide_tok.verify import OriginalError, Report, verify
from pyodide_tok.verify.original import read_original
from tests.breakages import BREAKAGES, Breakage
from tests.originals import KEY, original, original_json
from tests.reference import NEEDS_SHARED, SAMPLES, SHARED

pytest.importorskip("tokenizers", reason="runs the original tokenizers")

IN_REPO = ("gpt-2", "mistral-v1", "bert-bge", "t5")
MORE = ("llama-bpe", "qwen2", "mistral-tekken")


def named(name: str) -> Any:
    return name if name in IN_REPO else pytest.param(name, marks=NEEDS_SHARED)


def case(breakage: Breakage) -> Any:
    marks = () if breakage.model in IN_REPO else (NEEDS_SHARED,)
    return pytest.param(breakage, marks=marks, id=f"{breakage.model}, {breakage.what}")


@cache
def file(name: str) -> GGUFFile:
    folder = SAMPLES if name in IN_REPO else SHARED / "vocabs"
    return GGUFFile.open(folder / f"{name}.gguf")


@cache
def original_of(name: str) -> bytes:
    return original_json(file(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", [named(name) for name in (*IN_REPO, *MORE)])
def test_a_converted_file_is_the_same(name: str) -> None:
    report = verify(Tokenizer(file(name)), original_of(name), ["Some text of mine."])
    assert report.same and report.different == 0 and not report.causes
    assert report.checked > 25_000


@pytest.mark.slow
@pytest.mark.parametrize("breakage", list(map(case, BREAKAGES)))
def test_the_cause_is_named(breakage: Breakage) -> None:
    broken = changed(file(breakage.model), breakage.changes(file(breakage.model)))
    report = verify(Tokenizer(broken), original_of(breakage.model))
    (cause,) = report.causes
    assert not report.same and report.different > 0
    assert cause.code == breakage.code
    assert cause.message.endswith(".") and cause.suggestion
    for example in cause.examples:
        assert example.ours != example.theirs
        assert len(example.ours) == len(example.our_pieces)
    mended = Tokenizer(changed(broken, cause.changes))
    for example in cause.examples:
        added = {"add_special": cause.code in ("bos", "eos"), "parse_special": True}
        assert tuple(mended.encode(example.text, **added)) == example.theirs


def test_a_lost_charsmap() -> None:
    broken = changed(file("t5"), {KEY + "precompiled_charsmap": None})
    (cause,) = verify(Tokenizer(broken), original_of("t5")).causes
    assert cause.code == "normalizer" and "precompiled_charsmap" in cause.message


def test_examples_are_made_small() -> None:
    broken = changed(file("mistral-v1"), {KEY + "add_space_prefix": False})
    data = original_of("mistral-v1")
    report = verify(Tokenizer(broken), data, ["A long text of mine. " * 20])
    assert all(len(example.text) <= 8 for cause in report.causes for example in cause.examples)


def test_differences_of_llama_cpp_itself_are_told_apart() -> None:
    report = verify(Tokenizer(file("bert-bge")), original_of("bert-bge"))
    assert report.same
    (known,) = report.known
    assert known.code == "normalizer" and known.different > 0


def test_a_normalization_that_llama_cpp_leaves_out() -> None:
    data = original_json(file("gpt-2"), form="NFC")
    report = verify(Tokenizer(file("gpt-2")), data)
    assert report.same
    assert "NFC" in report.known[0].message


def test_two_causes_are_both_named() -> None:
    changes = {KEY + "pre": "llama-bpe", KEY + "add_eos_token": True}
    report = verify(Tokenizer(changed(file("gpt-2"), changes)), original_of("gpt-2"))
    assert [cause.code for cause in report.causes] == ["pre-tokenizer", "eos"]


def test_another_model_altogether() -> None:
    report = verify(Tokenizer(file("t5")), original_of("gpt-2"))
    assert not report.same
    assert report.different > report.checked / 2


def test_as_plain_data() -> None:
    broken = changed(file("t5"), {KEY + "add_eos_token": False})
    report: Report = verify(Tokenizer(broken), original_of("t5"))
    data = json.loads(json.dumps(report.as_dict()))
    assert data["same"] is False and data["checked"] == report.checked and data["different"] == 1
    (cause,) = data["causes"]
    assert cause["code"] == "eos" and "fix MODEL OUT" in cause["suggestion"]
    assert cause["examples"][0]["text"] == "Hello"


def test_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(original_of("t5"))
    assert verify(Tokenizer(file("t5")), path).same
    with pytest.raises(FileNotFoundError):
        verify(Tokenizer(file("t5")), tmp_path / "missing.json")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GGUF\x03", "not JSON"),
        (b"{}", "lacks 'model'"),
        (b"[]", "not a tokenizer.json"),
        (b'{"model": {"vocab": 3}}', "not a tokenizer.json"),
        (b'{"model": {"type": "Nonsense", "vocab": {}}}', "cannot read"),
    ],
)
def test_what_is_not_a_tokenizer_json(data: bytes, message: str) -> None:
    with pytest.raises(OriginalError, match=message):
        verify(Tokenizer(file("t5")), data)


def test_reads_the_forms_of_a_tokenizer_json() -> None:
    content = original(file("bert-bge"))
    content["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "NFKC"}]}
    facts = read_original(json.dumps(content).encode())
    assert facts.unicode_form == "NFKC"
    content["model"] = {"vocab": [["a", -1.0]]}
    assert read_original(json.dumps(content)).vocab["a"] == 0
    content["model"] = {"vocab": {"a": 0}, "merges": [["a", "b"], "c d"]}
    content["added_tokens"] = []
    facts = read_original(json.dumps(content))
    assert facts.merges == ("a b", "c d")
    assert facts.text_of(0) == "a" and facts.text_of(7) == "7"
