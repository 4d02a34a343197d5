"""The browser that the tests run in, and what of it is not as in the other."""

from __future__ import annotations

import os

import pytest

from tools import chromium, firefox

BROWSER = os.environ.get("BROWSER", "chromium")
LAUNCH = {"chromium": chromium.launch, "firefox": firefox.launch}
NO_FAULTS = (  # Firefox calls them errors of the page; in Chromium they are lines on the console
    "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA=",  # Playwright's style, for a screenshot
    "The Same Origin Policy disallows reading",
    "hashes in the integrity attribute",
    "Failed to read data from the ReadableStream",
)


def chromium_only(reason: str) -> pytest.MarkDecorator:
    """Skip a test in Firefox, which cannot do what it needs or cannot be driven to."""
    return pytest.mark.skipif(BROWSER != "chromium", reason=reason)
