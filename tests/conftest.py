"""What all tests share."""

from __future__ import annotations

import os
import sys

from hypothesis import settings

# Machines are shared: a slow example is no fault. Tests that mind time measure it themselves.
# CI tries the same examples every time, so that what it says is of the change; others try new ones.
settings.register_profile("patient", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.register_profile("pyodide", settings.get_profile("patient"), max_examples=25)
settings.register_profile("few", settings.get_profile("patient"), max_examples=15)  # for mutants
settings.register_profile("long", settings.get_profile("patient"))  # see test_live_reference
settings.load_profile(
    "pyodide" if sys.platform == "emscripten" else os.environ.get("HYPOTHESIS_PROFILE", "patient")
)
