"""What fuzzing found, again: every case of tests/data/crashes keeps within its limits now.

A file says what was `found`; tests/fuzz/recipes.py tells how to read its case.
"""

import json
import random
from pathlib import Path

import pytest

from tests.fuzz.choices import Choices
from tests.fuzz.guard import SLACK, OverLimit, guarded, measured
from tests.fuzz.runner import run_case
from tests.fuzz.targets import TARGETS
from tests.platforms import needs

pytestmark = needs("timer of the processor's time")

CRASHES = sorted((Path(__file__).parent / "data" / "crashes").glob("*.json"))


@pytest.mark.parametrize("path", CRASHES, ids=lambda path: path.stem)
def test_never_again(path: Path) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))
    run_case(TARGETS[found["target"]], found["case"], SLACK, memory=found.get("memory", False))


@pytest.mark.parametrize("name", TARGETS)
def test_targets_work_without_a_fuzzer(name: str) -> None:
    source = random.Random(name)
    for size in (0, 10, 40, 100, 200, 400):
        case = TARGETS[name].make(Choices(source.randbytes(size)))
        run_case(TARGETS[name], json.loads(json.dumps(case)), 4 * SLACK, memory=False)


def test_limits_are_held() -> None:
    with pytest.raises(OverLimit, match="for 0 bytes"):
        guarded(lambda: [0 for _ in iter(int, 1)].clear(), 0, seconds=0.1)
    with pytest.raises(OverLimit, match="MB for 10 bytes"):
        measured(lambda: bytes(60_000_000), 10)
    measured(lambda: bytes(60_000_000), 100_000)
