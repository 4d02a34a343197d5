"""What no input may do: run long or take much memory for its size, or raise what is no `TokError`.

Time is the processor's, so that a busy machine fails nothing.
"""

from __future__ import annotations

import signal
import time
import tracemalloc
from collections.abc import Callable
from types import FrameType

SECONDS, SECONDS_A_BYTE = 1.0, 5e-6
MEMORY, MEMORY_A_BYTE = 50_000_000, 500  # bytes
SLACK = 5  # a fuzzer's instruments and tracemalloc slow everything down


class OverLimit(BaseException):
    """No `Exception`, for the package may turn those into errors of its own."""


def guarded(do: Callable[[], None], size: int, *, seconds: float = SECONDS, slack: int = 1) -> None:
    """Runs `do`, whose input is of `size` bytes; raises `OverLimit` when it takes too long."""
    limit = slack * (seconds + SECONDS_A_BYTE * size)

    def stop(signum: int, frame: FrameType | None) -> None:
        raise OverLimit(f"over {limit:.1f} s for {size} bytes")

    before = signal.signal(signal.SIGPROF, stop)
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        do()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    if (took := time.process_time() - start) > limit:  # within one call of C
        raise OverLimit(f"{took:.1f} s, over {limit:.1f}, for {size} bytes")


def measured(do: Callable[[], None], size: int, *, memory: int = MEMORY) -> None:
    """Runs `do`; raises `OverLimit` when Python's peak of memory is out of proportion."""
    limit = memory + MEMORY_A_BYTE * size
    tracemalloc.start()
    try:
        do()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if peak > limit:
        raise OverLimit(f"{peak >> 20} MB for {size} bytes")
