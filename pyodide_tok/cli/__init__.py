"""The command line."""

from pyodide_tok.cli.main import main

__all__ = ["main"]
