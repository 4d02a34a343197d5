"""Ask for known faults of what the project is built and tested with.

python tools/audit.py      after `npm ci`; exit code 1 when a fault is known

A service that cannot be reached, or knows nothing of a package, is told of and is no fault.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FILES = sorted(path.relative_to(ROOT) for path in ROOT.glob("requirements/*.txt"))
PIP = [sys.executable, "-m", "pip_audit", *(f"--requirement={path}" for path in FILES)]
PIP += ["--require-hashes", "--disable-pip", "--format", "json", "--progress-spinner", "off"]
SECONDS = 300


def main() -> int:
    faults = [*ask(PIP, of_python), *ask(["npm", "audit", "--json"], of_npm)]
    faults += ask(["npm", "audit", "--json", "--prefix", "bench"], of_npm)
    print("\n".join(faults) if faults else "No fault is known to the services that answered.")
    return 1 if faults else 0


def ask(command: list[str], read: Callable[[Any], list[str]]) -> list[str]:
    """The faults that a command's answer tells of; none, and a word, when there is no answer."""
    name = " ".join(Path(word).name for word in command[:3])
    try:
        found = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=SECONDS, check=False)
        return read(json.loads(found.stdout))
    except (OSError, ValueError, TypeError, KeyError, subprocess.TimeoutExpired) as error:
        print(f"{name}: its service cannot be asked here ({type(error).__name__}: {error})")
        return []


def of_python(answer: Any) -> list[str]:
    packages = answer["dependencies"]
    unknown = sum("skip_reason" in package for package in packages)
    print(f"pip-audit: {len(packages)} packages, of {unknown} its service knows nothing")
    return [
        f"{package['name']} {package['version']}: {fault['id']}"
        for package in packages
        for fault in package.get("vulns", ())
    ]


def of_npm(answer: Any) -> list[str]:
    faults = answer["vulnerabilities"]
    print(f"npm audit: {answer['metadata']['dependencies']['total']} packages")
    return [f"{name}: {fault['severity']}" for name, fault in faults.items()]


if __name__ == "__main__":
    sys.exit(main())
