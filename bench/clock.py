"""The clock of the native measurements; v8.mjs has the same.

Wall time, or with BENCH_CLOCK=cpu processor time: for a rough look on a machine that is busy.
"""

from __future__ import annotations

import os
from time import perf_counter, process_time

CPU = os.environ.get("BENCH_CLOCK") == "cpu"
WORDS = "processor time" if CPU else "wall time"
now = process_time if CPU else perf_counter
