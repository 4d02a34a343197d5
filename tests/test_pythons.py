"""Which Pythons the build finds: those that run, not those that are only named so."""

import sys
from pathlib import Path

import pytest

from tests.platforms import PROCESSES
from tools import pythons
from tools.pythons import main, version_of

pytestmark = PROCESSES
OWN = sys.version_info[:2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one folder in which Pythons are looked for."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(pythons, "PLACES", ())
    return tmp_path


def program(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(("#!/bin/sh", *lines)) + "\n")
    path.chmod(0o755)
    return path


def works(path: Path) -> Path:
    return program(path, f'exec "{sys.executable}" "$@"')


def test_a_shim_that_fails_is_passed_over(folder: Path) -> None:
    program(folder / "python3", "echo 'pyenv: python3: command not found' >&2", "exit 127")
    good = works(folder / "python3.12")
    assert pythons.pythons() == {OWN: good}


@pytest.mark.parametrize("said", ["3 10", "2 7"])
def test_one_that_is_too_old_is_none_of_ours(folder: Path, said: str) -> None:
    assert version_of(program(folder / "python3", f"echo {said}")) == tuple(map(int, said.split()))
    assert pythons.pythons() == {}


def test_what_does_not_run_is_no_python(folder: Path) -> None:
    (folder / "python3").write_text("text, and no program")
    assert version_of(folder / "python3") is None
    assert version_of(folder / "missing") is None


def test_the_newest_that_is_new_enough(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for minor in (12, 13, 11):
        program(folder / f"python3.{minor}", f"echo 3 {minor}")
    assert main("3.12") == 0
    assert capsys.readouterr().out == f"{folder / 'python3.13'}\n"
    assert main("3.14") == 1
    assert "No Python 3.14 or later" in capsys.readouterr().err


def test_pyenv_s_are_found_without_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = folder / "home" / "versions" / "3.99.0" / "bin"
    own.mkdir(parents=True)
    works(own / "python3")
    monkeypatch.setattr(pythons, "PLACES", (f"{folder}/home/versions/*/bin",))
    assert pythons.pythons() == {OWN: own / "python3"}
