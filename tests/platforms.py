"""What Pyodide has not, as marks of the tests that need it."""

import sys

import pytest

EMSCRIPTEN = sys.platform == "emscripten"


def needs(what: str) -> pytest.MarkDecorator:
    """Skips a test in Pyodide; pytest's summary then says why."""
    return pytest.mark.skipif(EMSCRIPTEN, reason=f"no {what} in Pyodide")


PROCESSES = needs("processes")
SERVERS = needs("servers")
THREADS = needs("threads")
