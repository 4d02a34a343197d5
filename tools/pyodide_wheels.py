"""Fetch what tools/pyodide_tests.mjs installs: the group `pyodide`, for the Python of our Pyodide.

python tools/pyodide_wheels.py FOLDER      after `npm ci`
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "node_modules" / "pyodide" / "pyodide-lock.json"


def main(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    # Jinja needs it. It has no wheel for Pyodide, and is pure Python where nothing compiles.
    pip("wheel", folder, "--no-deps", "--no-binary", "markupsafe", "markupsafe", CC="false")
    pip("download", folder, *platform(), "--find-links", str(folder), "--group", "pyodide")
    print(f"{folder}: {len(list(folder.glob('*.whl')))} wheels for Pyodide")


def platform() -> list[str]:
    """pip's options for wheels that our Pyodide takes."""
    info = json.loads(LOCK.read_text(encoding="utf8"))["info"]
    major, minor, _ = info["python"].split(".")
    return [
        *("--only-binary", ":all:", "--implementation", "cp", "--abi", f"cp{major}{minor}"),
        *("--python-version", f"{major}.{minor}"),
        *("--platform", f"pyemscripten_{info['abi_version']}_{info['arch']}"),
    ]


def pip(command: str, folder: Path, *options: str, **environment: str) -> None:
    into = {"wheel": "--wheel-dir", "download": "--dest"}[command]
    arguments = [sys.executable, "-m", "pip", command, "--quiet", into, str(folder), *options]
    subprocess.run(arguments, cwd=ROOT, check=True, env=os.environ | environment)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
