"""The comparison itself, on small vocabularies; a tokenizer of ours answers for the original."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pyodide_tok import GGUFFile, Tokenizer
from pyodide_tok.errors import GGUFError
from pyodide_tok.gguf.editing import changed
from pyodide_tok.text.codepoints import BYTE_TO_CHAR
from pyodide_tok.verify import probes
from pyodide_tok.verify import verification as verification_module
from pyodide_tok.verify.original import read_original
from pyodide_tok.verify.repairs import Repair
from pyodide_tok.verify.report import Report
from pyodide_tok.verify.verification import verification
from tests import small
from tests.originals import KEY, original, texts_of

TOKENS = [*BYTE_TO_CHAR, "ab", "12", "123", "Ġa", "abc", "<|x|>", "<tool>", "Hello", "bc"]
MERGES = ["a b", "1 2", "12 3", "Ġ a", "b c", "ab c"]
X, TOOL, HELLO = 261, 262, 263
BPE = small.gguf(
    "gpt2",
    TOKENS,
    merges=MERGES,
    pre="llama-bpe",
    types={X: small.CONTROL, TOOL: small.USER_DEFINED},
    bos_token_id=X,
    eos_token_id=X,
    add_bos_token=True,
)
SPM = small.gguf(
    "llama",
    ["<unk>", "<s>", "</s>", *small.BYTES, "▁", "a", "b", "ab", "▁ab", "ba"],
    scores=[0.0] * 259 + [-1.0, -5.0, -5.0, -2.0, -3.0, -1.0],
    types={0: small.UNKNOWN, 1: small.CONTROL, 2: small.CONTROL}
    | dict.fromkeys(range(3, 259), small.BYTE),
    bos_token_id=1,
    eos_token_id=2,
    unknown_token_id=0,
)


def compared(gguf: GGUFFile, right: GGUFFile, *texts: str, **edits: Any) -> Report:
    """The report on `gguf` with `right` as the original; `edits` are of its tokenizer.json."""
    facts = read_original(json.dumps({**original(right), **edits}))
    model = Tokenizer(right)
    asking = verification(Tokenizer(gguf), facts, texts)
    ask = next(asking)
    while True:
        options = {"add_special": ask.add_special, "parse_special": True}
        try:
            ask = asking.send(model.encode_batch(ask.texts, **options))
        except StopIteration as done:
            report: Report = done.value
            return report


def codes(report: Report) -> list[str]:
    return [cause.code for cause in report.causes]


@pytest.mark.parametrize("gguf", [BPE, SPM], ids=["BPE", "SPM"])
def test_nothing_to_find(gguf: GGUFFile) -> None:
    report = compared(gguf, gguf, "ab 123 <|x|>")
    assert report.same and report.different == 0 and report.known == ()
    assert report.as_dict()["causes"] == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"pre": "qwen2"}, "pre-tokenizer"),
        ({"merges": MERGES[:3]}, "merges"),
        ({"merges": [*MERGES[1:], MERGES[0]]}, "merges"),
        ({"tokens": [*TOKENS[:256], "12", "ab", *TOKENS[258:]]}, "ids"),
        ({"tokens": [*TOKENS[:X], "[PAD]", *TOKENS[X + 1 :]]}, "special-token"),
        ({"add_bos_token": False}, "bos"),
        ({"bos_token_id": TOOL}, "bos"),
        ({"add_eos_token": True}, "eos"),
    ],
)
def test_each_cause(changes: dict[str, Any], code: str) -> None:
    broken = small.changed(BPE, **changes)
    report = compared(broken, BPE, "xabc", "123<|x|>")
    assert codes(report) == [code]
    (cause,) = report.causes
    assert compared(changed(broken, cause.changes), BPE).same


@pytest.mark.parametrize(
    ("wrong", "kind", "said"),
    [
        ({X: 1, TOOL: 4}, "control", "special in the original"),
        ({X: 3, TOOL: 1}, "user-defined", "added tokens of the original"),
        ({X: 3, TOOL: 4, HELLO: 3, 256: 3, 257: 3, 258: 3}, "normal", "special in the file"),
    ],
)
def test_types_of_tokens(wrong: dict[int, int], kind: str, said: str) -> None:
    types = small.numbers("i", [wrong.get(i, 1) for i in range(len(TOKENS))])
    report = compared(small.changed(BPE, token_type=types), BPE)
    assert codes(report) == ["special-token"]
    assert said in report.causes[0].message
    assert f"={kind}" in report.causes[0].suggestion
    if kind == "normal":
        assert "1 more" in report.causes[0].suggestion


def test_a_missing_column_of_types() -> None:
    report = compared(small.changed(BPE, token_type=None), BPE)
    assert set(codes(report)) == {"special-token"}
    assert report.different > 0


def test_scores() -> None:
    report = compared(small.changed(SPM, scores=small.numbers("f", [0.0] * 265)), SPM, "aba")
    assert codes(report) == ["merges"]
    shifted = [*small.BYTES, "<unk>", "<s>", "</s>", "▁", "a", "b", "ab", "▁ab", "ba"]
    assert "ids" in codes(compared(small.changed(SPM, tokens=shifted), SPM))


def test_a_flag() -> None:
    report = compared(small.changed(SPM, add_space_prefix=False), SPM)
    assert codes(report) == ["normalizer"]
    assert "add_space_prefix=true" in report.causes[0].suggestion


def test_long_texts_are_shortened() -> None:
    text = "some words " * 20 + "<tool>" + " and more of them" * 20
    report = compared(small.changed(BPE, pre="qwen2", merges=MERGES[3:]), BPE, "x 123 " * 50)
    assert {"merges"} <= set(codes(report))
    types = small.numbers("i", [{X: 3}.get(i, 1) for i in range(len(TOKENS))])
    (cause,) = compared(small.changed(BPE, token_type=types), BPE, text).causes
    assert all(len(example.text) <= 8 for example in cause.examples)


def test_shortening_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification_module, "ROUNDS", 1)
    monkeypatch.setattr(probes, "_SENTENCES", ("some <tool> words " * 9,))
    monkeypatch.setattr(probes, "around", lambda token: ())
    types = small.numbers("i", [{X: 3}.get(i, 1) for i in range(len(TOKENS))])
    (cause,) = compared(small.changed(BPE, token_type=types), BPE).causes
    assert max(len(example.text) for example in cause.examples) > 8


def test_what_no_change_explains() -> None:
    other = small.changed(SPM, tokens=[*texts_of(SPM)[:-1], "▁zz"])
    report = compared(other, BPE)
    assert "other" in codes(report)
    assert not report.same


def test_a_normalization_of_the_original() -> None:
    right = small.changed(BPE, normalizer__nfc=True)
    report = compared(BPE, right, normalizer={"type": "NFC"})
    assert report.same
    assert ["NFC" in cause.message for cause in report.known] == [True]
    assert report.as_dict()["known"][0]["code"] == "normalizer"


def test_flags_of_added_tokens_that_llama_cpp_does_not_read() -> None:
    added = [{"id": TOOL, "content": "<tool>", "special": False, "rstrip": True}]
    added += [{"id": X, "content": "<|x|>", "special": True}]
    report = compared(BPE, BPE, added_tokens=added)
    assert report.same and report.known == ()


def test_pre_tokenizers_that_know_case_in_ascii_only() -> None:
    tekken = small.changed(BPE, pre="tekken")
    assert compared(tekken, tekken).same


def test_texts_that_are_not_unicode_are_left_out() -> None:
    assert compared(BPE, BPE, "\ud800").checked == compared(BPE, BPE).checked


def test_a_change_that_does_not_load_is_no_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def topic(*_: object) -> list[Repair]:
        return [Repair("other", "", "", {KEY + "tokens": 1})]

    monkeypatch.setattr(verification_module, "TOPICS", (topic,))
    report = compared(small.changed(SPM, add_space_prefix=False), SPM)
    assert codes(report) == ["other"]


def test_nothing_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification_module, "_texts", lambda *_: ("ab",))
    tokens = [chr(0xE000 + i) for i in range(len(TOKENS))]
    report = compared(small.gguf("gpt2", tokens, pre="gpt-2"), BPE)
    assert not report.same and report.different == 1


def test_what_cannot_be_written() -> None:
    with pytest.raises(GGUFError, match="A bytes cannot"):
        changed(BPE, {"x": b""})
    with pytest.raises(GGUFError, match="format 'd'"):
        changed(BPE, {"x": small.numbers("d", [1.0])})


def test_a_changed_file() -> None:
    file = changed(BPE, {KEY + "pre": None, "a": True, "b": 2, "c": 0.5, "d": "x", "e": ["y"]})
    assert KEY + "pre" not in file.metadata
    kinds = [file.types[name] for name in "abcde"]
    assert kinds == ["bool", "uint32", "float32", "string", "array[string]"]
    again = changed(GGUFFile({"n": 1}, {"n": "int64"}, (), 3, "little", 0), {"n": 5})
    assert again.types["n"] == "int64"
