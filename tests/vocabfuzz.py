"""Compare random vocabularies with the live llama.cpp, by the program in ../shared/vocabfuzz.

    python -m tests.vocabfuzz [START [COUNT]]      500 by default; exit status 1 if any differs

Without ../shared or the wheel `xllamacpp` it prints that and compares nothing.
"""

import importlib
import sys

from tests import llama_ref
from tests.reference import SHARED

PROGRAM = SHARED / "vocabfuzz"
# llama.cpp gives the id -1 where a vocabulary has no token for a character; the package gives none.
KNOWN = ("ids-minus1", "bs-ids-minus1")


def main(start: int = 0, count: int = 500) -> int:
    missing = missing_part()
    if missing:
        print(f"vocabfuzz is skipped: {missing}.")
        return 0
    sys.path.insert(0, str(PROGRAM))
    run = importlib.import_module("fuzz").run

    outcomes, kinds, encodings = run(start, count)
    print(f"vocabularies {outcomes}, encodings {encodings}")
    print("differences", {" ".join(kind): n for kind, n in sorted(kinds.items())} or 0)
    return int(any(kind not in KNOWN for _, kind in kinds))


def missing_part() -> str | None:
    if not PROGRAM.is_dir():
        return f"{PROGRAM} does not exist"
    return None if llama_ref.available() else "xllamacpp is not installed"


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
