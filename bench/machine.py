"""What the numbers were measured on, and with which versions."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.options import Options
from bench.table import section, table

PACKAGES = ("xllamacpp", "tokenizers", "tiktoken", "sentencepiece", "gguf", "playwright")


def report(options: Options) -> str:
    rows = [
        ("date", date.today().isoformat()),
        ("processor", f"{processor()}, {os.cpu_count()} cores"),
        ("memory", f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"),
        ("system", platform.platform()),
        ("load when it began", f"{os.getloadavg()[0]:.2f}"),
        ("project", commit()),
        ("Python", sys.version.split()[0]),
        *((name, installed(name)) for name in PACKAGES),
    ]
    if options.node.available:
        rows += options.node.call("versions").items()
    return section("Machine", table(("what", "which"), rows))


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "not from git"


def installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
