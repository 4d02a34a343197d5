"""The Pythons of this machine, found by running them: a name on PATH may be a shim that fails.

python tools/pythons.py 3.12     the newest that is 3.12 or later; exit code 1 if there is none
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

Version = tuple[int, int]
OLDEST, NEWEST = 11, 19
PLACES = ("/usr/local/bin", "~/.pyenv/versions/*/bin", "~/.local/share/uv/python/*/bin")
# whole releases that can make a virtual environment
PROBE = """\
import sys, ensurepip, venv
sys.version_info.releaselevel == "final" or sys.exit(1)
print(*sys.version_info[:2])
"""


def pythons() -> dict[Version, Path]:
    """Version -> its program, oldest first; of several the first that is found."""
    found: dict[Version, Path] = {}
    for path in candidates():
        version = version_of(path)
        if version is not None and version >= (3, OLDEST):
            found.setdefault(version, path)
    return dict(sorted(found.items()))


def candidates() -> Iterator[Path]:
    names = ["python3", *(f"python3.{minor}" for minor in range(OLDEST, NEWEST + 1))]
    folders = [Path(folder) for folder in os.get_exec_path()]
    for place in PLACES:
        root, _, pattern = os.path.expanduser(place).partition("*")
        folders += sorted(Path(root).glob("*" + pattern)) if pattern else [Path(root)]
    for folder in folders:
        yield from (folder / name for name in names if (folder / name).is_file())


def version_of(path: Path) -> Version | None:
    """What the program says it is; None if it does not run."""
    try:
        done = subprocess.run([path, "-c", PROBE], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    major, minor = done.stdout.split()
    return int(major), int(minor)


def main(oldest: str) -> int:
    major, minor = map(int, oldest.split("."))
    fit = [path for version, path in pythons().items() if version >= (major, minor)]
    if not fit:
        print(f"No Python {oldest} or later is on this machine.", file=sys.stderr)
        return 1
    print(fit[-1])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
