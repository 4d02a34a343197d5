"""Models by address, by their name on the Hub, or by their name in Ollama."""

from __future__ import annotations

from pyodide_tok.gguf.hub import hub_name, open_hub
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.gguf.remote import fetch
from pyodide_tok.gguf.stores import PREFIX, ollama_path


def open_name(source: str) -> GGUFFile:
    """The header of a model that is not named by its path.

    Raises `ModelNotFoundError`, `RemoteError`, `GGUFError`.
    """
    if source.lower().startswith(PREFIX):
        return GGUFFile.open(ollama_path(source[len(PREFIX) :]))
    name = hub_name(source)
    return open_hub(name) if name else fetch(source)
