"""Packages of a Debian machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys


def install(package: str) -> None:
    """Install a package; only as root on a machine that has apt-get."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(f"There is no {package} here. Install it, as root: apt-get install {package}")
    subprocess.run(["apt-get", "update", "-qq"], check=True)
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
    subprocess.run(command, check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
