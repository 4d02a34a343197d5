"""Runs one target for a time, keeps what fails, and says how many cases there were.

atheris (Google's coverage-guided fuzzer) makes the bytes where it is installed; else they are
random, which finds less.
"""

from __future__ import annotations

import json
import random
import sys
import time
import traceback
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from tests.fuzz.choices import Choices
from tests.fuzz.guard import SECONDS, SLACK, guarded, measured
from tests.fuzz.recipes import Case

MEASURED = 16  # one case in so many has its memory measured, which is slow
MAX_BYTES = 2048  # of what a case is made from


def run_case(target: ModuleType, case: Case, slack: int = 1, memory: bool = True) -> None:
    """Checks one case within its limits; `slack`: how many times slower than usual it may be."""
    size = target.size(case)
    seconds = getattr(target, "SECONDS", SECONDS)
    guarded(lambda: target.check(case), size, seconds=seconds, slack=slack)
    if memory:
        limits = {"memory": target.MEMORY} if hasattr(target, "MEMORY") else {}
        measured(lambda: target.check(case), size, **limits)


class Session:
    """Cases of a target, until the time is over; failures go to `folder`, one of each kind."""

    def __init__(self, name: str, target: ModuleType, seconds: float, folder: Path) -> None:
        self._name, self._target, self._folder = name, target, folder
        self._end = time.monotonic() + seconds
        self._kinds: set[str] = set()
        self.cases = 0

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self._end

    def one(self, data: bytes) -> None:
        case = self._target.make(Choices(data))
        memory = zlib.crc32(data) % MEASURED == 0
        self.cases += 1
        try:
            run_case(self._target, case, SLACK, memory)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            self._keep(case, error)

    def _keep(self, case: Case, error: BaseException) -> None:
        kind = f"{type(error).__name__} in {_place(error)}"
        if kind in self._kinds:
            return
        self._kinds.add(kind)
        found = {"target": self._name, "found": f"{kind}: {error}"[:500], "case": case}
        text = json.dumps(found)
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._name}-{zlib.crc32(kind.encode()):08x}.json"
        if not path.exists() or len(text) < path.stat().st_size:
            path.write_text(text + "\n", encoding="utf-8")
        print(f"{self._name}: {kind}: {str(error)[:200]}", flush=True)

    def finish(self, seconds: float) -> int:
        """Says how it went; the exit code, 1 if something was found."""
        found = f"{len(self._kinds)} kinds of failure" + f" in {self._folder}" * bool(self._kinds)
        print(f"{self._name}: {self.cases} cases in {seconds:.0f} s, {found}", flush=True)
        return int(bool(self._kinds))


def _place(error: BaseException) -> str:
    """Where in the package it was raised (or else in the check)."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "/pyodide_tok/" in frame.filename]
    last = (inside or frames)[-1]
    return f"{Path(last.filename).name}:{last.lineno} {last.name}"


def with_atheris(session: Session, corpus: Path, finish: Callable[[], None]) -> None:
    import atheris

    corpus.mkdir(parents=True, exist_ok=True)

    def one_input(data: bytes) -> None:
        if session.is_over:
            finish()
        session.one(data)

    flags = ["-timeout=300", "-rss_limit_mb=0", f"-max_len={MAX_BYTES}", "-verbosity=0"]
    flags += ["-report_slow_units=300", f"-artifact_prefix={corpus.parent}/"]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], one_input)
    atheris.Fuzz()


def with_random_bytes(session: Session, finish: Callable[[], None]) -> None:
    source = random.Random(0)
    while not session.is_over:
        session.one(source.randbytes(source.choice((16, 100, 500, MAX_BYTES))))
    finish()
