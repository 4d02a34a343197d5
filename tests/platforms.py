"""What Pyodide has not, as marks of the tests that need it."""

import sys

import pytest
from hypothesis import settings

EMSCRIPTEN = sys.platform == "emscripten"
SLOWER = 8 if EMSCRIPTEN else 1  # limits in seconds times this; its process_time is the wall's


def examples(count: int) -> settings:
    """So many examples of a property; a profile with fewer than 100 makes that percentage."""
    profile = settings()  # the one that tests/conftest.py loaded
    return settings(max_examples=max(1, count * profile.max_examples // 100))


def needs(what: str) -> pytest.MarkDecorator:
    """Skips a test in Pyodide; pytest's summary then says why."""
    return pytest.mark.skipif(EMSCRIPTEN, reason=f"no {what} in Pyodide")


PROCESSES = needs("processes")
SERVERS = needs("servers")
THREADS = needs("threads")
