"""Pin what the dependency groups of pyproject.toml want, with hashes: requirements/GROUP.txt.

python tools/lock.py      wants uv on the PATH; `make requirements` brings it

All groups get the same versions, for every Python and system that the package supports.
"""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "requirements"
# Pyodide's are wheels of another platform, one of them made here; the rest are parts of others.
NOT_LOCKED = {"browser", "docs", "pyodide"}


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = sorted(set(project["dependency-groups"]) - NOT_LOCKED)
    FOLDER.mkdir(exist_ok=True)
    everything = FOLDER / "all.txt"
    compile_groups(groups, everything)
    for group in groups:
        compile_groups([group], FOLDER / f"{group}.txt", "--constraint", str(everything))


def compile_groups(groups: list[str], output: Path, *more: str) -> None:
    wanted = [word for group in groups for word in ("--group", group)]
    command = ["uv", "pip", "compile", "pyproject.toml", "--quiet", "--universal", *more]
    options = ["--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate"]
    subprocess.run([*command, *options, *wanted, "--output-file", output], cwd=ROOT, check=True)
    print(output.relative_to(ROOT))


if __name__ == "__main__":
    main()
