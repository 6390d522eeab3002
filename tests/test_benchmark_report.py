"""Rows of the benchmarks, printed and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.report import JSON, MET, MISSED, UNITS, Report


@pytest.fixture
def report() -> Report:
    made = Report()
    made.section()
    made.at_least("pandas / ours", 39.4, 40)
    made.within("a turn / scoring", 0.05, 1 / 20)
    made.memory("memory", 500, 500)
    made.tell("a turn", 0.0081, "seconds", "  (median)")
    return made


def test_each_row_says_its_unit_its_limit_and_whether_it_is_met(report: Report, tmp_path: Path) -> None:
    report.write(tmp_path / "rows.json")
    assert json.loads((tmp_path / "rows.json").read_text()) == [
        {"name": "pandas / ours", "value": 39.4, "unit": "times", "wanted": 40, "met": False},
        {"name": "a turn / scoring", "value": 0.05, "unit": "share", "wanted": 0.05, "met": True},
        {"name": "memory", "value": 500, "unit": "megabytes", "wanted": 500, "met": False},
        {"name": "a turn", "value": 0.0081, "unit": "seconds", "wanted": None, "met": None},
    ]
    assert not report.is_met


def test_the_printed_row_has_the_same_values_as_text(report: Report) -> None:
    assert [row.cells() for row in report.rows] == [
        ("pandas / ours", "39 x", "at least 40 x", MISSED),
        ("a turn / scoring", "1/20", "at most 1/20", MET),
        ("memory", "500 MB", "below 500 MB", MISSED),
        ("a turn", "8.1 ms  (median)", "", ""),
    ]
    assert {row.unit for row in report.rows} <= set(UNITS)


def test_printed_tables_are_added_to_the_file_named_by_the_environment(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(JSON, str(tmp_path / "rows.json"))
    report.show("Twice")
    report.show("Twice")
    assert len(json.loads((tmp_path / "rows.json").read_text())) == 2 * len(report.rows)
