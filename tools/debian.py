"""Packages of a Debian machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys


def install(package: str, otherwise: str) -> None:
    """Install a package, as root on a machine that has apt-get; else exit and say what to do."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(f"There is no {package} here. {otherwise}")
    subprocess.run(["apt-get", "update", "-qq"], check=True)
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
    subprocess.run(command, check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
