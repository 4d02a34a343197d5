"""What a GGUF file contains, and the problems found in it."""

from pyodide_tok.inspection.facts import Inspection, describe, inspect
from pyodide_tok.inspection.problem import Problem
from pyodide_tok.inspection.problems import problems

__all__ = ["Inspection", "Problem", "describe", "inspect", "problems"]
