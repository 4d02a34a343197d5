"""tools/audit.py: what counts as a fault, and what as no answer."""

import json
import sys
from typing import Any

import pytest

from tests.platforms import PROCESSES
from tools import audit

pytestmark = PROCESSES
FAULTY = {
    "dependencies": [
        {"name": "a", "version": "1", "vulns": [{"id": "X-1"}, {"id": "X-2"}]},
        {"name": "b", "version": "2", "vulns": []},
        {"name": "c", "skip_reason": "unknown"},
    ]
}
NPM = {"vulnerabilities": {"d": {"severity": "high"}}, "metadata": {"dependencies": {"total": 3}}}


def says(answer: Any) -> list[str]:
    return [sys.executable, "-c", f"import sys; print({json.dumps(answer)!r}); sys.exit(1)"]


def test_faults_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.ask(says(FAULTY), audit.of_python) == ["a 1: X-1", "a 1: X-2"]
    assert "3 packages, of 1 its service knows nothing" in capsys.readouterr().out
    assert audit.ask(says(NPM), audit.of_npm) == ["d: high"]


@pytest.mark.parametrize("command", [says({"message": "405"}), says("no"), ["/no/such/program"]])
def test_no_answer_is_no_fault(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.ask(command, audit.of_npm) == []
    assert "cannot be asked here" in capsys.readouterr().out
