"""python -m tests.fuzz [TARGET ...] [--seconds 60] [--jobs 1]: see tests/fuzz/targets.

What fails is kept in .fuzz/found, as JSON that goes to tests/data/crashes once it is mended.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import subprocess
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

NAMES = ("reader", "vocab", "text", "chat", "bridge")
MOST_MEMORY = 3 << 30  # bytes; more is a MemoryError, which is kept as a failure
FOLDER = Path(__file__).parents[2] / ".fuzz"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(NAMES))
    parser.add_argument("--seconds", type=float, default=60, help="for each target")
    parser.add_argument("--jobs", type=int, default=1, help="targets at the same time")
    given = parser.parse_args()
    if unknown := set(given.targets) - set(NAMES):
        parser.error(f"no target is called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    names = given.targets or list(NAMES)
    return fuzz(names[0], given.seconds) if len(names) == 1 else each(names, given)


def each(names: list[str], given: argparse.Namespace) -> int:
    """Every target in a process of its own, `jobs` of them at a time."""
    waiting, code = list(names), 0
    running: list[subprocess.Popen[bytes]] = []
    while waiting or running:
        while waiting and len(running) < given.jobs:
            command = [sys.executable, "-m", "tests.fuzz", waiting.pop(0)]
            running.append(subprocess.Popen([*command, "--seconds", str(given.seconds)]))
        time.sleep(0.2)
        for process in [process for process in running if process.poll() is not None]:
            running.remove(process)
            code |= process.returncode != 0
    return code


def fuzz(name: str, seconds: float) -> int:
    guided = find_spec("atheris") is not None
    with instrumented() if guided else nullcontext():
        from tests.fuzz import runner
        from tests.fuzz.targets import TARGETS
    warm_up(TARGETS[name])
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    session = runner.Session(name, TARGETS[name], seconds, FOLDER / "found")

    def finish() -> None:  # atheris never returns
        code = session.finish(seconds)
        sys.stdout.flush()
        os._exit(code)

    if guided:
        runner.with_atheris(session, FOLDER / "corpus" / name, finish)
    else:
        runner.with_random_bytes(session, finish)
    return 0


def instrumented() -> AbstractContextManager[None]:
    import atheris

    manager: AbstractContextManager[None] = atheris.instrument_imports(include=["pyodide_tok"])
    return manager


def warm_up(target: ModuleType) -> None:
    """What is made once (Unicode tables, vocabularies) is not held against the first case."""
    from tests.fuzz.choices import Choices
    from tests.fuzz.targets import TARGETS, text

    for vocab in text.VOCABS:
        TARGETS["text"].check({"vocab": vocab, "text": ["a é中 😀\n1!"]})
    target.check(target.make(Choices(b"")))
    gc.freeze()


if __name__ == "__main__":
    sys.exit(main())
