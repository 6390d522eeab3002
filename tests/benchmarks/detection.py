"""Detection of quasi-identifiers: all column sets of Adult against pandas, and a large wide table."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from engine.findings.identifiers.detect import Detection, detect
from engine.monitor import SILENT, Monitor
from engine.records import Table
from engine.records.opening.files import read_csv
from tests.adult import TABLES
from tests.benchmarks.measuring import Figures, resident, seconds, wall_seconds
from tests.benchmarks.tables import REDRAWN, SEED

# The nine columns of the published results, the weight, which is nearly an identifier, and plausible
# knowledge about work. Without education-num, which repeats education and would cost nothing.
COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "marital-status", "occupation", "relationship", "race", "sex",
    "capital-gain", "capital-loss", "hours-per-week", "native-country",
)  # fmt: skip
MAX_SIZE = 4
SAMPLED = 150  # column sets that pandas groups by in a round, extrapolated to all


@cache
def adult_table() -> Table:
    """Return Adult with all of its columns and records."""
    return read_csv(TABLES / "adult.csv")


def detection_round(number: int) -> Figures:
    """Measure every set of up to four of 13 columns: the program, and pandas on integer codes."""
    table = adult_table()
    found: list[Detection] = []

    def ours() -> None:
        found.append(detect(table, COLUMNS, MAX_SIZE, all_subsets=True))

    return {"ours": seconds(ours), "wall": wall_seconds(ours), **_pandas(table, found[0], number)}


def _pandas(table: Table, found: Detection, number: int) -> Figures:
    """Return the extrapolated time of `groupby().size()` for all sets.

    Raises
    ------
    AssertionError
        The results of pandas and detection differ.
    """
    frame = pd.DataFrame({name: table.column(name).codes for name in COLUMNS})
    subsets = list(found.subsets())
    sampled = random.Random(number).sample(subsets, SAMPLED)
    sizes: list[pd.Series[int]] = []
    spent = {"pandas": 0.0, "pandas wall": 0.0}
    for subset in sampled:
        names = list(subset.columns)
        start = time.perf_counter()
        spent["pandas"] += seconds(lambda names=names: sizes.append(frame.groupby(names, sort=False).size()))  # type: ignore[misc]
        spent["pandas wall"] += time.perf_counter() - start
        known = ((sizes[-1] == 1).sum(), len(sizes[-1]))
        assert known == (subset.singletons, subset.distinct), f"{names}: {known} by pandas, {subset}"
    return {key: value / SAMPLED * len(subsets) for key, value in spent.items()}


def wide(n_records: int, n_columns: int = 30) -> Table:
    """Return the columns of Adult repeatedly, each with other records and some redrawn cells."""
    table = adult_table()
    rng = np.random.default_rng(SEED)
    columns = []
    rows = np.zeros(0, dtype=np.int64)
    for place in range(n_columns):
        column = table.columns[place % len(table.columns)]
        if place % len(table.columns) == 0:
            rows = rng.integers(table.n_records, size=n_records)
        codes = column.codes[rows]
        anew = np.flatnonzero(rng.random(n_records, dtype=np.float32) < REDRAWN)
        codes[anew] = column.codes[rng.integers(table.n_records, size=len(anew))]
        columns.append(replace(column, name=f"{column.name} {place}", codes=codes))
    return Table(tuple(columns))


class Clocked:
    """Monitor that records the longest time between two steps."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = time.perf_counter()

    def step(self, done: int, total: int, text: str = "") -> None:
        now = time.perf_counter()
        self.longest, self._last = max(self.longest, now - self._last), now


def wide_figures() -> Figures:
    """Measure a million records of 30 columns: sets of up to three, and the best of up to four."""
    table = wide(1_000_000)
    clock = Clocked()
    spent = seconds(lambda: _detected(table, clock, best_only=False))
    wall = wall_seconds(lambda: _detected(table, SILENT, best_only=False))
    figures = {"seconds": spent, "wall": wall, "longest": clock.longest, "peak": resident("VmHWM")}
    return {**figures, "best": seconds(lambda: _detected(table, SILENT, best_only=True))}


def _detected(table: Table, monitor: Monitor, *, best_only: bool) -> None:
    found = detect(table, max_size=4 if best_only else 3, best_only=best_only, monitor=monitor)
    assert found.best_quasi_identifiers
