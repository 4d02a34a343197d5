"""A file and a text made to take a terminal over: people see what is in them."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok.cli.main import main
from pyodide_tok.cli.terminal import harmless
from tests.gguf_writer import ARRAY, FLOAT32, INT32, STRING, Entry, write

EVIL = "\x1b]0;owned\x07\u202e\u200b\x9b2J\U000e0041"
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\U000e0041]")
OURS = re.compile(r"\x1b\[(0|2|30;48;5;\d+)m")


@pytest.fixture
def model(tmp_path: Path) -> str:
    tokens = ["<unk>", "<s>", EVIL, "a", "▁"]
    entries = [
        Entry("general.name", STRING, EVIL),
        Entry("tokenizer.ggml.model", STRING, "llama"),
        Entry("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
        Entry("tokenizer.ggml.scores", ARRAY, (FLOAT32, [0.0] * 5)),
        Entry("tokenizer.ggml.token_type", ARRAY, (INT32, [2, 3, 4, 1, 1])),
    ]
    path = tmp_path / "evil.gguf"
    path.write_bytes(write(entries))
    return str(path)


@pytest.mark.parametrize(
    "args",
    [
        ["inspect"],
        ["explain", f"a{EVIL}"],
        ["explain", "\x1b[2J"],
        ["encode", "--color", "always", EVIL],
    ],
    ids=["inspect", "explain", "explain a text", "encode in colours"],
)
def test_what_people_read_is_harmless(
    model: str, args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    name, *rest = args
    assert main([name, model, *rest]) == 0
    shown = OURS.sub("", capsys.readouterr().out)
    assert not HIDDEN.search(shown)
    assert "x1b" in shown


def test_an_error_is_harmless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["count", str(tmp_path / "\x1b[2J.gguf"), "a"]) == 1
    said = capsys.readouterr().err
    assert r"\x1b[2J" in said and "\x1b" not in said


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("command", [["decode"], ["encode", "--format", "llama"]])
def test_bytes_are_exact_in_a_pipe_and_harmless_on_a_terminal(
    model: str,
    command: list[str],
    terminal: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: Any,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    last = ["2"] if command == ["decode"] else [EVIL]
    assert main([command[0], model, *command[1:], *last]) == 0
    out = capsysbinary.readouterr().out
    assert (EVIL.encode() in out) is not terminal
    assert bool(HIDDEN.search(out.decode())) is not terminal


def test_a_byte_that_a_terminal_may_obey_is_written_out() -> None:
    assert harmless(b"a\x9b2J\xe9".decode("utf-8", "surrogateescape")) == "a\\x9b2J\udce9"


def test_harmless_text_is_left_as_it_is() -> None:
    text = "\x1b[2mnaïve\x1b[0m 你好 👩\N{VARIATION SELECTOR-16}\t\n" + os.linesep
    assert harmless(text) == text.replace("\r", r"\r")


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        (["encode", "--format", "json", "a"], '"ids"'),
        (["encode", "--quiet", "--", "-a"], "3"),
        (["decode", "--format", "json", "3", "4"], '"a '),
        (["decode", "-q", "3"], "a"),
    ],
)
def test_arguments_may_come_after_options(
    model: str, args: list[str], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *rest = args
    assert main([name, model, *rest]) == 0
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize("rest", [["-q", "a", "b"], ["a", "b"], ["--wrong", "a"], ["-q", "-a"]])
def test_other_arguments_are_wrong(model: str, rest: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["encode", model, *rest])
