"""Texts and models of the command line: standard input, FIFOs, encodings, full disks, names."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import Tokenizer
from pyodide_tok.cli.main import main
from tests import gguf_writer as w
from tests.platforms import PROCESSES
from tests.reference import ROOT
from tests.test_cli import GPT2, MISTRAL, run, stdin

__all__ = ["run"]

FOX = "The quick brown fox jumps over the lazy dog"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256))


def closed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(sys, name, None)


# -- standard input -----------------------------------------------------------------------


@pytest.mark.parametrize("args", [["-"], ["-f", "-"], [], ["--pre", "gpt-2", "-"], ["-e", "-"]])
def test_a_hyphen_is_standard_input(
    run: Any, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    stdin(monkeypatch, FOX.encode())
    assert run("count", GPT2, *args).out == "9\n"


def test_a_hyphen_beside_files(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("Hello")
    stdin(monkeypatch, b"Hello world")
    rows = run("count", GPT2, "-", "-f", str(tmp_path / "a"), "--format", "json").json()["files"]
    assert [(Path(row["file"]).name, row["tokens"]) for row in rows] == [("-", 2), ("a", 1)]


def test_ids_and_models_from_standard_input(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b"[15496, 995]")
    assert run("decode", GPT2, "-").out == "Hello world"
    for command in (["count", "-", "Hello world"], ["compare", "-", MISTRAL, "Hello world"]):
        stdin(monkeypatch, Path(GPT2).read_bytes())
        assert "2" in run(*command).out
    stdin(monkeypatch, Path(GPT2).read_bytes())
    assert run("inspect", "-").out.endswith("No problems found\n")


@pytest.mark.parametrize(
    "args",
    [
        ("count", "-", "-"),
        ("count", "-"),
        ("decode", "-"),
        ("decode", "-", "-f", "-"),
        ("compare", "-", "-", "x"),
        ("count", GPT2, "-", "-f", "-"),
        ("count", GPT2, "-f", "-", "-"),
    ],
)
def test_standard_input_is_read_once(run: Any, args: tuple[str, ...]) -> None:
    done = run(*args)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "once" in done.err


def test_closed_streams(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        closed(patch, "stdin")
        for args in (["count", GPT2], ["count", "-", "x"]):
            done = run(*args)
            assert (done.code, done.err) == (
                1,
                "pyodide-tok: Standard input is closed. Give a text or a file.\n",
            )
    with monkeypatch.context() as patch:
        closed(patch, "stdout")
        assert main(["count", GPT2, "x"]) == 1
        closed(patch, "stderr")
        assert main(["count", GPT2, "x"]) == 1


class Full(io.TextIOWrapper):
    """A stream of which nothing more can be written."""

    def flush(self) -> None:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("args", [["count", GPT2, "x"], ["--help"]])
def test_a_full_disk(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, args: list[str]
) -> None:
    with (tmp_path / "out").open("wb") as file, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Full(file))
        done = run(*args)
    assert (done.code, done.err) == (1, "pyodide-tok: Cannot write: No space left on device\n")


@PROCESSES
@pytest.mark.parametrize(
    ("line", "code", "out", "says"),
    [
        ("count $M - < $T", 0, "9", ""),
        ("count <(cat $M) - < $T", 0, "9", ""),
        ("count /dev/stdin 'Hello world' < $M", 0, "2", ""),
        ("cat $M | PY count /dev/stdin 'Hello world'", 0, "2", ""),
        ("count $M -f <(cat $T)", 0, None, ""),
        ("count $M <&-", 1, "", "Standard input is closed"),
        ("count $M x >&-", 1, "", "Standard output is closed"),
        ("count $M x >/dev/full", 1, "", "No space left"),
        ("--help >/dev/full", 1, "", "No space left"),
        ("encode $M -f $M --format csv >/dev/full", 1, "", "binary file"),
        ("encode $M -e '\\ud800'", 1, "", "surrogate"),
        ("decode $M $(printf '9%.0s' {1..5000})", 1, "", "not a token id"),
        ("count $M -f /tmp", 1, "", "Is a directory"),
        ("count /dev/null x", 1, "", "empty"),
        ("count $M x 2>&-", 0, "1", ""),
        ("count gone.gguf x 2>/dev/full", 1, "", ""),
    ],
)
def test_in_a_shell(line: str, code: int, out: str | None, says: str, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("not Linux")
    (tmp_path / "text").write_text(FOX)
    python = f"{sys.executable} -m pyodide_tok"
    command = line.replace("PY", python) if "PY" in line else f"{python} {line}"
    environment = {**os.environ, "M": GPT2, "T": str(tmp_path / "text")}
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, env=environment, text=True
    )
    assert done.returncode == code
    assert out is None or done.stdout.strip() == out
    assert says in done.stderr
    assert done.stderr.count("\n") == bool(says)


# -- escapes and ids ----------------------------------------------------------------------


def test_escapes_of_surrogates(run: Any) -> None:
    assert run("encode", GPT2, "-e", r"\ud83d\ude42").out == run("encode", GPT2, "🙂").out
    for text in (r"\ud800", r"\udc80", r"\ude42\ud83d", r"\ud83d\u0041"):
        done = run("encode", GPT2, "-e", text)
        assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
        assert "half of a surrogate pair" in done.err
    assert run("encode", GPT2, "\ud800").code == 1


def test_ids_that_are_too_long(run: Any) -> None:
    done = run("decode", GPT2, "9" * 5000)
    assert (done.code, done.err.count("\n"), len(done.err) < 100) == (1, 1, True)


# -- encodings ----------------------------------------------------------------------------

TEXT = "Naïve café\n"
COUNT = Tokenizer.from_gguf(GPT2).count(TEXT)


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le-bom", "utf-16-be-bom", "utf-32-be-bom"],
)
def test_text_files_by_their_mark(run: Any, tmp_path: Path, encoding: str) -> None:
    name = encoding.removesuffix("-bom")
    text = TEXT if name == encoding else "\ufeff" + TEXT
    (tmp_path / "a.txt").write_bytes(text.encode(name))
    done = run("count", GPT2, "-f", str(tmp_path / "a.txt"), "--format", "json")
    assert done.json()["total"] == {"tokens": COUNT, "characters": 11, "bytes": 13}
    assert done.err == ""


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "shift_jis", "utf-8"])
def test_text_files_in_a_named_encoding(run: Any, tmp_path: Path, encoding: str) -> None:
    text = "日本" if encoding == "shift_jis" else TEXT
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    args = ["encode", GPT2, "-f", str(tmp_path / "a.txt"), "--encoding", encoding]
    assert run(*args).out == run("encode", GPT2, text).out


def test_standard_input_in_an_encoding(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, TEXT.encode("utf-16"))
    assert run("count", GPT2).out == f"{COUNT}\n"
    stdin(monkeypatch, TEXT.encode("latin-1"))
    assert run("count", GPT2, "-", "--encoding", "latin-1").out == f"{COUNT}\n"


def test_files_that_cannot_be_read(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, says in {"a\0b": "is not a path", str(tmp_path): "Is a directory"}.items():
        done = run("count", GPT2, "-f", name)
        assert (done.code, done.err.count("\n")) == (1, 1)
        assert says in done.err
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(Broken()))
        done = run("count", GPT2)
    assert (done.code, done.err) == (1, "pyodide-tok: standard input: it broke\n")


class Broken(io.BytesIO):
    """A stream that cannot be read."""

    def read(self, size: int | None = -1) -> bytes:
        raise OSError("it broke")


def test_what_is_not_utf_8_is_said(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT.encode("latin-1"))
    done = run("count", GPT2, "-f", str(path))
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert f"{path}: This is not UTF-8" in done.err
    assert "--encoding" in done.err
    path.write_bytes(b"\xff\xfea")
    assert "This is not utf-16" in run("count", GPT2, "-f", str(path)).err
    path.write_bytes(b"\x81")
    wrong = run("count", GPT2, "-f", str(path), "--encoding", "cp1252")
    assert (wrong.code, wrong.out) == (1, "")
    assert "This is not cp1252" in wrong.err


@pytest.mark.parametrize(
    "data",
    [PNG, b"%PDF-1.7\n1 0 obj\n", TEXT.encode("utf-16-le"), b"a/name" + bytes(506), b"\x80\x01"],
)
def test_binary_files_are_named_and_not_counted(run: Any, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.bin").write_bytes(data)
    (tmp_path / "b.txt").write_text("Hello world")
    names = [str(tmp_path / "a.bin"), str(tmp_path / "b.txt")]
    done = run("count", GPT2, "-f", *names, "--format", "json")
    assert done.code == 1
    assert done.json()["total"]["tokens"] == 2
    assert done.err.startswith(f"pyodide-tok: {names[0]}: This is a binary file")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("data", [b"a\0b", b"", b"\x1b$B", "\U0001f642".encode()])
def test_texts_are_not_taken_for_binary_files(run: Any, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    done = run("count", GPT2, "-f", str(tmp_path / "a.txt"))
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("name", ["nonsense", "base64", "rot13", "a\0b"])
def test_encodings_that_are_not_known(run: Any, name: str) -> None:
    done = run("count", GPT2, "x", "--encoding", name)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "is not a text encoding" in done.err
    assert run("count", GPT2, "x", "--encoding", "utf-16").out == "1\n"


# -- names --------------------------------------------------------------------------------


def test_names_begin_no_lines(run: Any, tmp_path: Path) -> None:
    name = tmp_path / "a\nNo problems found\x1b[2J"
    forged = [
        w.Entry("general.name", w.STRING, "x\nNo problems found"),
        w.Entry("general.architecture", w.STRING, "x\nNo problems found"),
        w.Entry("x\nNo problems found.vocab_size", w.UINT32, 9),
        w.Entry("k\nNo problems found", w.UINT32, 1),
    ]
    name.write_bytes(w.write(forged))
    done = run("inspect", str(name))
    assert "No problems found" not in done.out.splitlines()
    done = run("count", GPT2, "-f", str(name), GPT2)
    assert (done.code, done.err.count("\n")) == (1, 2)
    name.write_text("Hello")
    for args in (
        ["count", GPT2, "-f", str(name), str(name)],
        ["compare", GPT2, GPT2, "-f", str(name)],
    ):
        lines = run(*args).out.splitlines()
        assert not [line for line in lines if line.startswith("No problems")]
    copied = tmp_path / "b\nforged"
    copied.write_bytes(Path(MISTRAL).read_bytes())
    out = run("compare", GPT2, str(copied), "a\nb 2024").out
    assert not [line for line in out.splitlines() if line.startswith("forged")]


def test_token_texts_begin_no_lines(run: Any) -> None:
    out = run("explain", GPT2, "a\nb").out
    assert "'\\n'" in out
    assert len([line for line in out.splitlines() if "->" in line]) == 3
