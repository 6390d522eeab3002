"""Time of counting unchanged columns, relative to one sort of as many numbers per column.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_unchanged_columns.py
"""

from __future__ import annotations

import numpy as np
import pytest

from engine.recoding.unchanged import GeneralizedColumn, WrittenColumn
from tests.benchmarks.measuring import seconds
from tests.benchmarks.report import Report, duration
from tests.held_records import held_records

N_RECORDS, N_COLUMNS = 1_000_000, 15
MOST = 3.0  # times sorting a column of random numbers, for each column
N_VALUES = (5, 50, 900, 3_000, 100_000, N_RECORDS, 2, 800, 90, 2, 40, 1_000, 7, 12, 5_000)


@pytest.mark.parametrize("n_unchanged", [4, 8, 14])
def test_counting_a_million_records_takes_about_as_long_as_sorting_them(n_unchanged: int) -> None:
    rng = np.random.default_rng(0)
    columns = [
        WrittenColumn(f"c{i}", tuple(map(str, range(n))), rng.integers(n, size=N_RECORDS, dtype=np.int32))
        for i, n in enumerate(N_VALUES)
    ]
    unchanged = columns[:n_unchanged]
    qi = [
        GeneralizedColumn(WrittenColumn(c.name, c.labels, c.codes // np.int32(10)), c.labels, c.codes)
        for c in columns[n_unchanged:]
    ]
    numbers = rng.random(N_RECORDS)
    sorting = min(seconds(lambda: np.argsort(numbers)) for _ in range(3)) * N_COLUMNS
    took = min(seconds(held_records(unchanged, qi, N_RECORDS).count_unchanged) for _ in range(3))
    report = Report()
    report.section()
    report.at_most("counting, times sorting each column", took / sorting, MOST, f"  ({duration(took)})")
    report.show(f"1,000,000 records, {n_unchanged} of {N_COLUMNS} columns unchanged")
    assert took < MOST * sorting
