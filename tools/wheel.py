"""Build the wheel and the source distribution into build/wheel; the wheel also with Pyodide's tool.

python -m tools.wheel           `pyodide build` only where pyodide-build is: it needs Python 3.12
python -m tools.wheel --both    an error where it is not

Both commands must make the same wheel, byte for byte.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.dist_check import EPOCH
from tools.lock_wheel import TOOL

ROOT = Path(__file__).parent.parent
WHEELS = ROOT / "build" / "wheel"
CROSS = ROOT / "build" / "wheel-pyodide"


def main(both: bool) -> None:
    build(WHEELS, sys.executable, "-m", "build", "--no-isolation")
    if not TOOL.exists():
        print(f"{TOOL.relative_to(ROOT)} is missing: `pyodide build` is skipped.")
        sys.exit(int(both))
    subprocess.run([str(TOOL), "xbuildenv", "install"], check=True)
    build(CROSS, str(TOOL), "build", "--no-isolation")
    (wheel,) = WHEELS.glob("*.whl")
    if wheel.read_bytes() != (CROSS / wheel.name).read_bytes():
        sys.exit(f"{wheel.name}: `pyodide build` made another wheel than `build`.")
    print(f"{wheel.name}: `build` and `pyodide build` made the same file.")


def build(folder: Path, *command: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    environment = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
    subprocess.run([*command, "--outdir", str(folder)], cwd=ROOT, check=True, env=environment)


if __name__ == "__main__":
    main("--both" in sys.argv[1:])
