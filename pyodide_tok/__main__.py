"""`python -m pyodide_tok`: the command line."""

import sys

from pyodide_tok.cli import main

if __name__ == "__main__":
    sys.exit(main())
