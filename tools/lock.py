"""Pin what the dependency groups of pyproject.toml need, with hashes: requirements/GROUP.txt.

python tools/lock.py      needs uv on the PATH; `make requirements` installs it

Each file is for every Python and system that the package supports.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "requirements"
# Group -> the oldest Python that it has to work with. The groups after the first get its versions.
GROUPS = {"dev": "3.11", "bench": "3.11", "site": "3.11", "pyodide-build": "3.12"}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    first, *others = GROUPS
    compile_group(first)
    for group in others:
        compile_group(group, "--constraint", str(path_of(first)))


def path_of(group: str) -> Path:
    return FOLDER / f"{group}.txt"


def compile_group(group: str, *more: str) -> None:
    command = ["uv", "pip", "compile", "pyproject.toml", "--quiet", "--universal", *more]
    command += ["--generate-hashes", "--no-header", "--no-annotate"]
    command += ["--python-version", GROUPS[group], "--group", group]
    command += ["--output-file", str(path_of(group))]
    subprocess.run(command, cwd=ROOT, check=True)
    print(path_of(group).relative_to(ROOT))


if __name__ == "__main__":
    main()
