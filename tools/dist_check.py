"""Build the wheel and the source distribution twice, and look at what came out.

python tools/dist_check.py      needs the packages of the `dist` group

Both must have the same bytes when they are built from a copy of the tree with other times, and the
wheel when it is built from the source distribution.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ("pyodide_tok", "tests", "README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml")
MAX_WHEEL = 400_000  # bytes
EPOCH = "1750000000"  # any: SOURCE_DATE_EPOCH of all builds


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        first = build(copy(work / "one"), "--sdist", "--wheel")
        again = build(copy(work / "two", age=10**6), "--sdist", "--wheel")
        unpacked = build(unpack(first, work / "three"), "--wheel")
        compare(first, again)
        compare(first, unpacked)
        inspect(sorted(first.iterdir()))


def copy(target: Path, age: float = 0) -> Path:
    """The tree that goes into a distribution, its files so many seconds older than ours."""
    target.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, target / name, ignore=ignored)
        else:
            shutil.copy2(ROOT / name, target / name)
    for path in target.rglob("*"):
        os.utime(path, times=(path.stat().st_mtime - age,) * 2)
    return target


def unpack(built: Path, target: Path) -> Path:
    shutil.unpack_archive(next(built.glob("*.tar.gz")), target)
    return next(target.iterdir())


def build(tree: Path, *kinds: str) -> Path:
    """A folder with what `python -m build` makes of a tree."""
    built = tree.parent / f"{tree.name}-built"
    command = [sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(built)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
    subprocess.run(command, cwd=tree, check=True, stdout=subprocess.DEVNULL, env=environment)
    return built


def compare(first: Path, again: Path) -> None:
    for path in again.iterdir():
        if path.read_bytes() != (first / path.name).read_bytes():
            sys.exit(f"{path.name}: the second build has other bytes than the first")


def inspect(built: list[Path]) -> None:
    """The wheel's size and content, and what an index would say of both."""
    for path in built:
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB, the same bytes twice")
        if path.suffix == ".whl" and path.stat().st_size >= MAX_WHEEL:
            sys.exit(f"{path.name}: a wheel of {MAX_WHEEL} bytes or more")
    tool("check_wheel_contents", *(path for path in built if path.suffix == ".whl"))
    tool("twine", "check", "--strict", *built)


def tool(module: str, *arguments: str | Path) -> None:
    subprocess.run([sys.executable, "-m", module, *map(str, arguments)], check=True)


if __name__ == "__main__":
    main()
