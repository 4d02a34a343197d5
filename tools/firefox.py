"""Find Debian's Firefox for the end-to-end tests, and install it when there is none.

Playwright drives it by WebDriver BiDi, which it calls the channel "moz-firefox".
"""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, Playwright

from tools.debian import install


def launch(playwright: Playwright, scheme: str = "light") -> Browser:
    """A Firefox of one colour scheme, "light" or "dark": no page can be given another."""
    prefs: dict[str, str | float | bool] = {
        "layout.css.prefers-color-scheme.content-override": ["dark", "light"].index(scheme)
    }
    return playwright.firefox.launch(
        channel="moz-firefox", executable_path=find(), firefox_user_prefs=prefs
    )


def find() -> str | None:
    """The path of a Firefox on this machine, or None."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


def main() -> None:
    if not find():
        install("firefox-esr", "Install Firefox, and put it on the PATH.")
    print(f"Firefox: {find()}")


if __name__ == "__main__":
    main()
