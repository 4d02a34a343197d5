"""verify and fix on the command line, and what llama.cpp makes of a fixed file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import GGUFFile, Tokenizer
from pyodide_tok.cli import main
from pyodide_tok.gguf.editing import changed
from pyodide_tok.gguf.writer import header
from tests import llama_ref
from tests.originals import KEY, original_json
from tests.reference import SAMPLES
from tests.test_verify import BPE

T5 = SAMPLES / "t5.gguf"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("original") / "tokenizer.json"
    path.write_bytes(original_json(GGUFFile.open(T5)))
    return path


def run(*args: object) -> int:
    return main(list(map(str, args)))


def fixed(tmp_path: Path, *options: object, model: Path = T5) -> GGUFFile:
    out = tmp_path / "out.gguf"
    assert run("fix", model, out, *options) == 0
    return GGUFFile.open(out)


def test_verify_says_the_same(original: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tokenizers", reason="runs the original tokenizer")
    assert run("verify", T5, original) == 0
    out = capsys.readouterr().out
    assert "texts compared: same" in out and "known difference" in out


def test_break_it_and_fix_it(
    original: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tokenizers", reason="runs the original tokenizer")
    broken = tmp_path / "broken.gguf"
    options = ("--set", f"{KEY}remove_extra_whitespaces=false", "--type", "▁the=control")
    assert run("fix", T5, broken, *options, "--special", "eos=<unk>") == 0
    (tmp_path / "mine.txt").write_text("Some text  of mine.", encoding="utf-8")
    assert run("verify", broken, original, "-f", tmp_path / "mine.txt") == 1
    out = capsys.readouterr().out
    for said in ("differ", "special-token", "normalizer", "eos (1 texts)", "fix MODEL OUT"):
        assert said in out
    mended = tmp_path / "mended.gguf"
    assert run("fix", broken, mended, "--like", original) == 0
    assert mended.read_bytes() == T5.read_bytes()
    capsys.readouterr()
    assert run("verify", mended, original, "--json") == 0
    assert json.loads(capsys.readouterr().out)["same"] is True


def test_every_option(tmp_path: Path) -> None:
    model = tmp_path / "bpe.gguf"
    template = tmp_path / "chat.jinja"
    template.write_text("{{ messages }}", encoding="utf-8")
    model.write_bytes(header(typed(BPE)))
    file = fixed(
        tmp_path,
        *("--pre", "qwen2", "--special", "eos=<tool>", "--special", "pad=200"),
        *("--type", "ab=user-defined", "--chat-template", template),
        *("--set", "general.name=7", "--set", "x.a=true", "--set", "x.b=-3", "--set", "x.c=2.5"),
        *("--set", "x.d=a=b", "--remove", KEY + "add_bos_token"),
        model=model,
    )
    metadata = file.metadata
    assert metadata[KEY + "pre"] == "qwen2"
    assert metadata[KEY + "eos_token_id"] == 262 and metadata[KEY + "padding_token_id"] == 200
    assert metadata["tokenizer.chat_template"] == "{{ messages }}"
    assert [metadata[f"x.{name}"] for name in "abcd"] == [True, -3, 2.5, "a=b"]
    assert KEY + "add_bos_token" not in metadata
    assert Tokenizer(file).encode("xab", add_special=False)[-1] == 256


def typed(file: GGUFFile) -> GGUFFile:
    """A file made for a test, with the types that its values would have."""
    empty = GGUFFile({}, {}, (), 3, "little", 0)
    return changed(empty, {**file.metadata, "general.name": "x"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "No change is given"),
        (("--pre", "no-such"), "not a pre-tokenizer"),
        (("--special", "eos"), "not of the form NAME=VALUE"),
        (("--special", "eoss=1"), "not a special token; these are: bos"),
        (("--special", "eos=no such token"), "no token 'no such token'"),
        (("--special", "eos=99999"), "no token '99999'"),
        (("--type", "▁the=odd"), "not a token type; these are: normal"),
        (("--set", f"{KEY}tokens=1"), "is an array"),
        (("--set", "=1"), "not of the form"),
        (("--special", "eos=1", "--set", "tokenizer.ggml.model=odd"), "odd"),
        (("--chat-template", "/no/such/file"), "No such file"),
        (("--set", f"{KEY}eos_token_id=none"), "eos_token_id"),
    ],
)
def test_what_cannot_be_fixed(
    options: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.gguf"
    assert run("fix", T5, out, *options) == 1
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert not out.exists()


def test_never_in_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "t5.gguf"
    copy.write_bytes(T5.read_bytes())
    assert run("fix", copy, copy, "--special", "eos=2") == 1
    assert "exists" in capsys.readouterr().err
    assert copy.read_bytes() == T5.read_bytes()


@pytest.mark.skipif(not llama_ref.available(), reason="needs xllamacpp")
def test_llama_cpp_gives_the_ids_that_we_foretell(tmp_path: Path) -> None:
    options: tuple[Any, ...] = ("--pre", "llama-bpe", "--type", "Ġworld=control")
    options += ("--set", f"{KEY}add_bos_token=true", "--special", "bos= the".replace(" ", "Ġ"))
    file = fixed(tmp_path, *options, model=SAMPLES / "gpt-2.gguf")
    ours = Tokenizer(file)
    reference = llama_ref.Live(tmp_path / "out.gguf")
    try:
        for text in ("Hello world 12345", "it's\n\n  12", "ĠworldĠworld", "naïve 中文"):
            ids = reference.tokenize(text.encode(), True, True)
            assert ours.encode(text, parse_special=True) == ids
    finally:
        reference.close()
