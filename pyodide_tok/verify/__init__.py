"""Does a GGUF file split text as the original model's tokenizer.json does?

>>> from pyodide_tok import Tokenizer
>>> tok = Tokenizer.from_gguf("web/samples/gpt-2.gguf")
>>> verify(tok, "tokenizer.json").same  # doctest: +SKIP (no such file here)
True
"""

from pyodide_tok.verify.huggingface import verify
from pyodide_tok.verify.original import OriginalError
from pyodide_tok.verify.report import Cause, Example, Report

__all__ = ["Cause", "Example", "OriginalError", "Report", "verify"]
