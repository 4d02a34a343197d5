"""llama.cpp's tokenizers in pure Python: GGUF vocabularies, exact ids, in CPython and Pyodide."""

from pyodide_tok.encoding import Encoding
from pyodide_tok.errors import TokError
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.tokenizer import Tokenizer

__version__ = "0.1.0"
__all__ = ["Encoding", "GGUFFile", "TokError", "Tokenizer", "__version__"]
