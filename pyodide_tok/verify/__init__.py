"""Does a GGUF file split text as the original model's tokenizer.json does?"""

from pyodide_tok.verify.huggingface import verify
from pyodide_tok.verify.original import OriginalError
from pyodide_tok.verify.report import Cause, Example, Report

__all__ = ["Cause", "Example", "OriginalError", "Report", "verify"]
