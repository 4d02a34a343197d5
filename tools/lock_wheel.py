"""Name a wheel in the pyodide-lock.json beside it, with its hash: Pyodide then loads it by name.

python tools/lock_wheel.py WHEEL      with `pyodide lockfile add-wheels` of pyodide-build

pyodide-build needs Python 3.12. Without one, this module writes the same entry.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

TOOL = Path(__file__).parent.parent / ".venv" / "pyodide-build" / "bin" / "pyodide"


def main(wheel: Path) -> None:
    lock = wheel.parent / "pyodide-lock.json"
    if TOOL.exists():
        add_by_tool(wheel, lock)
    else:
        print("No pyodide-build here: lock_wheel.py writes its entry.", file=sys.stderr)
        add(wheel, lock)


def add_by_tool(wheel: Path, lock: Path) -> None:
    paths = {"--input": lock, "--output": lock, "--base-path": wheel.parent}
    options = [str(part) for pair in paths.items() for part in pair]
    subprocess.run([str(TOOL), "lockfile", "add-wheels", *options, str(wheel)], check=True)


def add(wheel: Path, lock: Path) -> None:
    spec = json.loads(lock.read_text(encoding="utf8"))
    added = entry(wheel)
    spec["packages"][added["name"]] = added
    lock.write_text(json.dumps(spec), encoding="utf8")


def entry(wheel: Path) -> dict[str, Any]:
    """What pyodide-lock 0.2 says of a pure wheel with one package and no dependencies."""
    package, version, *_ = wheel.name.split("-")
    return {
        "depends": [],
        "file_name": wheel.name,
        "imports": [package],
        "install_dir": "site",
        "name": package.replace("_", "-"),
        "package_type": "package",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "tool": {},
        "unvendored_tests": False,
        "version": version,
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
