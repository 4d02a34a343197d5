"""Optional dependencies: imported when they are wanted, and named when they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pyodide_tok.errors import OptionalDependencyError


def find(module: str) -> Any:
    """The module, or None if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        return None


def need(module: str, extra: str, what: str) -> Any:
    """The module. Raises `OptionalDependencyError`, which says what to install."""
    found = find(module)
    if found is None:
        raise OptionalDependencyError(
            f"{what} needs {module}, which is not installed: pip install 'pyodide-tok[{extra}]'"
        )
    return found
