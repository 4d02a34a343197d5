"""Find the Chromium that the end-to-end tests drive, and install Debian's when there is none."""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import Browser, Playwright, sync_playwright

from tools.debian import install

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


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=find(playwright), args=list(FLAGS))


def main() -> None:
    with sync_playwright() as playwright:
        if not find(playwright):
            install("chromium", "Run: .venv/bin/python -m playwright install chromium")
        print(f"Chromium: {find(playwright)}")


if __name__ == "__main__":
    main()
