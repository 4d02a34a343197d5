"""The command line: every command, every format, errors and exit codes."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import __version__
from pyodide_tok.cli.main import main
from tests.field_files import KEY, file_of, vocabulary
from tests.platforms import PROCESSES, THREADS
from tests.reference import DATA, ROOT, vocab_path

GPT2, MISTRAL = str(vocab_path("gpt-2")), str(vocab_path("mistral-v1"))
PLAMO = str(vocab_path("plamo2"))
ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Run:
    """One run: its exit code, and what it wrote."""

    def __init__(self, capture: pytest.CaptureFixture[bytes], *args: str) -> None:
        try:
            self.code = main(args)
        except SystemExit as end:
            self.code = int(str(end.code or 0))
        out, err = capture.readouterr()
        self.raw, self.out, self.err = out, out.decode("utf-8", "replace"), err.decode()

    def json(self) -> Any:
        return json.loads(self.out)

    def csv(self) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.out)))


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delenv("NO_COLOR", raising=False)
    return partial(Run, capsysbinary)


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


# -- encode, decode -----------------------------------------------------------------------


def test_encode(run: Any) -> None:
    assert run("encode", GPT2, "Hello world").out == "15496 995\n"
    assert run("encode", MISTRAL, "Hi</s>").out == "1 15359 700 28713 28767\n"
    assert run("encode", MISTRAL, "Hi</s>", "--no-special", "--parse-special").out == "15359 2\n"
    assert run("encode", GPT2, "--", "-f").out == "12 69\n"


def test_encode_as_llama_tokenize_writes(run: Any) -> None:
    lines = b" 15496 -> 'Hello'\n 19526 -> '\xe4\xbd'\n   254 -> '\xa0'\n"
    assert run("encode", GPT2, "Hello你", "--format", "llama").raw == lines
    counted = run("encode", GPT2, "Hello你", "--show-count").raw
    assert counted == lines + b"Total number of tokens: 3\n"
    ids = run("encode", GPT2, "Hello world", "--ids", "--show-count")
    assert ids.out == "[15496, 995]\nTotal number of tokens: 2\n"


def test_encode_json_and_csv(run: Any) -> None:
    (row,) = run("encode", GPT2, "a你", "--format", "json").json()
    assert row == {
        "file": None,
        "count": 3,
        "ids": [64, 19526, 254],
        "pieces": ["a", [0xE4, 0xBD], [0xA0]],
        "offsets": [[0, 1], [1, 2], [1, 2]],
        "warnings": [],
    }
    rows = run("encode", GPT2, 'a\n"', "--format", "csv").csv()
    assert [r["piece"] for r in rows] == ["a", "\n", '"']
    assert [(r["id"], r["bytes"], r["start"], r["end"]) for r in rows][:2] == [
        ("64", "61", "0", "1"),
        ("198", "0a", "1", "2"),
    ]


def test_text_from_files_and_stdin(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(b"Hello\n")
    (tmp_path / "b").write_bytes(b"\xff")
    assert (
        run("encode", GPT2, "-f", str(tmp_path / "a"), str(tmp_path / "b")).out
        == "15496 198\n4210\n"
    )
    stdin(monkeypatch, b"Hello")
    assert run("encode", GPT2).out == "15496\n"
    stdin(monkeypatch, b"Hello")
    assert run("encode", GPT2, "-f", "-").out == "15496\n"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (r"\n\t\\", "198 197 59"),
        (r"\x41\u4f60", "32 19526 254"),
        (r"\xff", "4210"),
        (r"\q", "80"),
    ],
)
def test_escapes(run: Any, text: str, ids: str) -> None:
    assert run("encode", GPT2, text, "--escape").out == ids + "\n"


def test_options_of_splitting(run: Any) -> None:
    assert run("encode", GPT2, "ab cd", "--pattern", "a|b").out != run("encode", GPT2, "ab cd").out
    assert run("encode", GPT2, "1234", "--pre", "llama-bpe").code == 0
    assert run("encode", GPT2, "x", "--pre", "lama-bpe").code == 1


def test_colours(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("encode", MISTRAL, "Hello\nthere").out
    coloured = run("encode", MISTRAL, "Hello\nthere", "--color", "always").out
    assert ANSI.search(coloured)
    assert not ANSI.search(plain)
    assert ANSI.sub("", coloured) == "<s> Hello↵\nthere\n" + plain
    backgrounds = re.findall(r"48;5;(\d+)m", run("encode", GPT2, "a b c", "--color", "always").out)
    assert all(a != b for a, b in pairwise(backgrounds))
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True)
    assert ANSI.search(run("encode", GPT2, "Hi").out)
    assert not ANSI.search(run("encode", GPT2, "Hi", "--color", "never").out)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not ANSI.search(run("encode", GPT2, "Hi").out)


@pytest.mark.parametrize(
    "ids", [["15496", "995"], ["[15496, 995]"], ["15496,995"], ["15496,", "995"]]
)
def test_decode(run: Any, ids: list[str]) -> None:
    assert run("decode", GPT2, *ids).out == "Hello world"


def test_decode_more(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stdin(monkeypatch, b"[19526]\n")
    assert run("decode", GPT2).raw == b"\xe4\xbd"
    (tmp_path / "ids").write_text("1 15359\n2")
    both = ["decode", MISTRAL, "-f", str(tmp_path / "ids")]
    assert run(*both).out == " Hi"
    assert run(*both, "--unparse-special").out == "<s> Hi</s>"
    assert run(*both, "--remove-special").out == " Hi"
    assert run("decode", GPT2, "19526", "--format", "json").json() == {
        "text": "\ufffd",
        "hex": "e4bd",
    }
    assert run("decode", GPT2, "[]").out == ""


def test_count(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("count", GPT2, "Hello world").out == "2\n"
    stdin(monkeypatch, "你好".encode())
    assert run("count", GPT2).out == "4\n"


def test_count_many(run: Any, tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("a.txt", "gone.txt", "b.txt")]
    Path(files[0]).write_text("Hello world")
    Path(files[2]).write_text("你", encoding="utf-8")
    done = run("count", GPT2, "-f", *files)
    assert done.code == 1
    assert done.err == f"pyodide-tok: {files[1]}: No such file or directory\n"
    lines = [line.split() for line in done.out.splitlines()]
    assert lines == [
        ["file", "tokens", "characters", "bytes"],
        [files[0], "2", "11", "11"],
        [files[2], "2", "1", "3"],
        ["total", "4", "12", "14"],
    ]
    found = run("count", GPT2, "-f", files[0], files[2], "--format", "json").json()
    assert found["total"] == {"tokens": 4, "characters": 12, "bytes": 14}
    assert found["files"][1] == {"file": files[2], "tokens": 2, "characters": 1, "bytes": 3}
    rows = run("count", GPT2, "-f", files[0], files[2], "--format", "csv").csv()
    assert [row["tokens"] for row in rows] == ["2", "2", "4"]
    assert run("count", GPT2, "-f", files[1]).out == ""


@THREADS
def test_progress_only_on_a_terminal(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("rich")
    files = [str(tmp_path / name) for name in "abc"]
    for name in files:
        Path(name).write_text("Hello")
    assert run("count", GPT2, "-f", *files).err == ""
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True)
    monkeypatch.setenv("TERM", "xterm")
    done = run("count", GPT2, "-f", *files, "--format", "json")
    assert "Counting" in done.err
    assert done.json()["total"]["tokens"] == 3
    assert run("count", GPT2, "-f", *files, "--quiet").err == ""


# -- inspect, explain, compare ------------------------------------------------------------


def test_inspect(run: Any) -> None:
    out = run("inspect", MISTRAL).out
    for text in ("SPM", "32,000", "bos 1 <s>", "array[float32]", "No problems found"):
        assert text in out
    found = run("inspect", GPT2, "--format", "json").json()
    assert found["tokenizer"]["type"] == "BPE"
    assert found["problems"] == []
    assert found["metadata"]["tokenizer.ggml.tokens"] == {"type": "array[string]", "value": 50257}
    rows = run("inspect", GPT2, "--format", "csv").csv()
    assert {"key": "tokenizer.ggml.model", "type": "string", "value": "gpt2"} in rows


def test_inspect_ends_in_a_verdict(run: Any) -> None:
    done = run("inspect", str(vocab_path("spm-dup")))
    (title, problem, fix) = done.out.splitlines()[-3:]
    assert (done.code, title) == (0, "problems: 1")
    assert problem.startswith("  error duplicate-tokens: ")
    assert fix.startswith("    Fix: ")
    (row,) = run("inspect", str(vocab_path("spm-dup")), "--format", "json").json()["problems"]
    assert row.keys() == {"code", "severity", "message", "fix"}


def test_a_vocabulary_that_was_converted_badly_is_loud(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "nopre.gguf"
    path.write_bytes(file_of(vocabulary({"vocab": "gpt-2", "keys": {KEY + "pre": None}})))
    done = run("count", str(path), "Hello")
    assert (done.code, done.out) == (0, "1\n")
    assert "warning" in done.err
    assert "tokenizer.ggml.pre is missing" in done.err
    assert done.err.count("\n") == 1
    assert run("count", str(path), "Hello", "-q").err == ""


def test_explain(run: Any) -> None:
    out = run("explain", GPT2, " world").out
    assert "Ġ w o r l d" in out
    assert "Ġwor + ld -> Ġworld   rank 739" in out
    out = run("explain", MISTRAL, "Hi 𓀀</s>", "--parse-special").out
    for text in ("added: 1 <s>", "special token: 2 </s>", "score", "its bytes are: F0="):
        assert text in out
    out = run("explain", str(vocab_path("bert-bge")), "tokenization ☂").out
    assert "the longest of" in out
    assert "(unknown)" in out
    out = run("explain", str(vocab_path("t5")), "tokenization").out
    assert "best '▁token'" in out
    assert "next '▁to'" in out
    assert "only the first" in run("explain", GPT2, "a b " * 400).out
    (trace,) = run("explain", GPT2, "Hi", "--format", "json").json()
    assert trace["ids"] == [17250]


def test_compare(run: Any) -> None:
    text = "Hello 2024 you"
    out = run("compare", GPT2, MISTRAL, text).out
    lines = out.splitlines()
    assert lines[0].split() == ["model", "tokens", "characters/token"]
    assert lines[1].split()[1:] == ["3", "4.67"]
    assert lines[3] == "at byte 5:"
    assert lines[4].endswith(GPT2)
    assert lines[5].startswith("   |2|0|2|4")
    found = run("compare", GPT2, MISTRAL, text, "--format", "json").json()
    assert [model["count"] for model in found["models"]] == [3, 8]
    assert found["shared_borders"] == [0, 5, 10, 14]
    rows = run("compare", GPT2, MISTRAL, text, "--format", "csv").csv()
    assert [r["shared_border"] for r in rows if r["model"] == GPT2] == ["True"] * 3
    assert run("compare", GPT2, GPT2, text).out.count("at byte") == 0


@pytest.mark.parametrize("command", ["encode", "count", "explain"])
def test_every_command_takes_an_empty_text(run: Any, command: str) -> None:
    for form in ("plain", "json"):
        assert run(command, GPT2, "", "--format", form).code == 0
    assert run("compare", GPT2, MISTRAL, "").code == 0


# -- errors -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("encode", "gone.gguf", "x"), 1, "gone.gguf: No such file"),
        (("encode", str(ROOT / "README.md"), "x"), 1, "not a GGUF file"),
        (("encode", GPT2, "-f", "gone.txt"), 1, "gone.txt: No such file"),
        (("decode", GPT2, "99999999"), 1, "not a token id"),
        (("decode", GPT2, "one"), 1, "ids are numbers"),
        (("decode", GPT2, "--", "-5"), 1, "ids are numbers"),
        (("count", str(DATA / "vocabs" / "none.gguf"), "x"), 1, "no vocabulary"),
        (("nonsense",), 2, "invalid choice"),
        ((), 2, "required"),
        (("encode",), 2, "MODEL"),
        (("encode", GPT2, "x", "--format", "xml"), 2, "invalid choice"),
    ],
)
def test_errors_are_one_line(run: Any, args: tuple[str, ...], code: int, message: str) -> None:
    done = run(*args)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert done.err.startswith("pyodide-tok")


def test_help_and_version(run: Any) -> None:
    assert run("--version").out == f"pyodide-tok {__version__}\n"
    text = run("--help").out
    assert "exit codes:" in text
    assert all(
        name in text for name in ("encode", "decode", "count", "inspect", "explain", "compare")
    )


def test_interruption(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pyodide_tok.cli.commands.load", interrupt)
    assert run("count", GPT2, "x").code == 130


@PROCESSES
def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    """As a process: the pipe's reader stops after one line."""
    (tmp_path / "long").write_text("word " * 200_000)
    command = [sys.executable, "-m", "pyodide_tok", "encode", GPT2, "--format", "llama"]
    process = subprocess.Popen(
        [*command, "-f", str(tmp_path / "long")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"  4775 -> 'word'\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 141
    process.stderr.close()


@PROCESSES
def test_the_module_runs() -> None:
    command = [sys.executable, "-m", "pyodide_tok", "count", PLAMO, "Hello"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, env=os.environ, check=True)
    assert done.stdout.strip().isdigit()
