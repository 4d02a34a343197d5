"""What all tests share."""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import settings

from tests.reference import SHARED

# A slow example on a busy machine is not a failure. Tests that limit time measure it themselves.
# CI tries the same examples every time, so a failure is due to the change; others try new ones.
settings.register_profile("patient", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.register_profile("pyodide", settings.get_profile("patient"), max_examples=25)
# For mutants, and for coverage, which must not depend on chance.
settings.register_profile("few", settings.get_profile("patient"), max_examples=15, derandomize=True)
settings.register_profile("long", settings.get_profile("patient"))  # see test_live_reference
settings.load_profile(
    "pyodide" if sys.platform == "emscripten" else os.environ.get("HYPOTHESIS_PROFILE", "patient")
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if SHARED.is_dir():
        return
    for item in items:
        if item.get_closest_marker("reference"):
            item.add_marker(pytest.mark.skip(reason=f"{SHARED} does not exist"))
