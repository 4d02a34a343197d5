"""llama.cpp's own answers, file by file. `python -m tests.reference` prints how many there are."""

import os
from collections.abc import Callable

import pytest

from tests import reference
from tests.reference import FULL, NEEDS_SHARED, SAMPLE, Report

ALL = bool(os.environ.get("REFERENCE_ALL"))  # whole corpus: a minute more


def assert_right(report: Report, record_property: Callable[[str, object], None]) -> None:
    record_property("checked", report.checked)
    record_property("wrong", len(report.wrong))
    assert report.checked
    assert not report.wrong, str(report)


@pytest.mark.parametrize("name", reference.names(SAMPLE))
def test_sample(name: str, record_property: Callable[[str, object], None]) -> None:
    """What a clone alone has."""
    assert_right(reference.check(SAMPLE, name), record_property)


@NEEDS_SHARED
@pytest.mark.parametrize("name", sorted({*reference.names(FULL)} - {"corpus"}))
def test_full(name: str, record_property: Callable[[str, object], None]) -> None:
    assert_right(reference.check(FULL, name), record_property)


@NEEDS_SHARED
def test_corpus(record_property: Callable[[str, object], None]) -> None:
    """Documents of half a million characters; by default one of six for each vocabulary."""
    report = Report("corpus")
    rows = reference.rows(FULL, "corpus")
    vocabs = sorted({row["vocab"] for row in rows})
    docs = sorted({row["doc"] for row in rows})
    turn = {row["vocab"]: vocabs.index(row["vocab"]) for row in rows}
    chosen = [r for r in rows if ALL or (turn[r["vocab"]] + docs.index(r["doc"])) % 6 == 0]
    reference.check_corpus(report, chosen)
    assert_right(report, record_property)
