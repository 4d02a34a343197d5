"""Run the unit tests against the wheel on each Python of this machine, in fresh environments.

python -m tools.matrix            all unit tests
python -m tools.matrix --quick    fewer, with few examples, on the Pythons other than this one
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from time import monotonic

from tools.pythons import Version, pythons

ROOT = Path(__file__).parent.parent
WORK = ROOT / "build" / "matrix"
QUICK = ("-m", "not slow and not reference")
# pytest from the wheel's own environment, not from the repository's folder
PYTEST = ("-o", "pythonpath=", "-p", "no:cacheprovider", "-q", "--pyargs", "pyodide_tok")
CHECK = "import pyodide_tok, sys; sys.exit(not pyodide_tok.__file__.startswith(sys.prefix))"


def main() -> int:
    parser = argparse.ArgumentParser(description="The unit tests on each Python here.")
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    chosen = pythons()
    if quick:
        chosen.pop(sys.version_info[:2], None)
    wheel = build_wheel()
    said = [run(version, python, wheel, quick) for version, python in chosen.items()]
    print(*[line for line, _ in said] or ["There is no other Python here."], sep="\n")
    return int(not all(good for _, good in said))


def build_wheel() -> Path:
    command = ("-m", "build", "--wheel", "--no-isolation", "--outdir", WORK)
    execute(sys.executable, *command, cwd=ROOT, stdout=subprocess.DEVNULL)
    return max(WORK.glob("pyodide_tok-*.whl"), key=lambda path: path.stat().st_mtime)


def run(version: Version, program: Path, wheel: Path, quick: bool) -> tuple[str, bool]:
    """A line about the tests on one Python, and whether they passed."""
    began, name = monotonic(), ".".join(map(str, version))
    print(f"-- Python {name}: {program}", flush=True)
    python = environment(WORK / name, program, wheel)
    command = [python.parent / "pytest", "tests", *PYTEST, *(QUICK if quick else ())]
    profile = {"HYPOTHESIS_PROFILE": "few"} if quick else {}
    tests = subprocess.run(command, cwd=ROOT, env=os.environ | profile)
    outcome = "failed" if tests.returncode else "passed"
    return f"Python {name}: {outcome}, {monotonic() - began:.0f} s", not tests.returncode


def environment(folder: Path, program: Path, wheel: Path) -> Path:
    """The Python of a fresh environment with the wheel, what the tests need, and the tests."""
    execute(program, "-m", "venv", "--clear", folder)
    python = folder / "bin" / "python"
    pip = (python, "-m", "pip", "install", "--quiet")
    execute(*pip, "--require-hashes", "--requirement", ROOT / "requirements" / "dev.txt")
    execute(*pip, "--no-deps", wheel)
    next(folder.glob("lib/*/site-packages")).joinpath("repository.pth").write_text(f"{ROOT}\n")
    execute(python, "-c", CHECK, cwd=folder)
    return python


def execute(*command: str | Path, cwd: Path = ROOT, stdout: int | None = None) -> None:
    subprocess.run(command, check=True, cwd=cwd, stdout=stdout)


if __name__ == "__main__":
    sys.exit(main())
