"""Find the Chromium that the end-to-end tests drive, and install Debian's when there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find(playwright: Playwright) -> str | None:
    """The path of a Chromium on this machine, Playwright's own first, or None."""
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else shutil.which("chromium")


def install() -> None:
    """Install Debian's Chromium; only as root on a machine that has apt-get."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit("No Chromium found. Run: .venv/bin/python -m playwright install chromium")
    subprocess.run(["apt-get", "update", "-qq"], check=True)
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
    subprocess.run(command, check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def main() -> None:
    with sync_playwright() as playwright:
        if not find(playwright):
            install()
        print(f"Chromium: {find(playwright)}")


if __name__ == "__main__":
    main()
