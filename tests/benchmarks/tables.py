"""Tables for measurements: Adult resampled to any length, and numbers without repetitions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from engine.frequency import Attribute, Problem
from engine.hierarchies import Hierarchy
from engine.hierarchies.hierarchy import Level
from engine.project.compile import compile_problem
from engine.table import Column, DataType, Kind, Table
from tests.adult import ARX_COLUMNS, arx_project

REDRAWN = 0.1  # probability that a cell is redrawn from its column
SEED = 0


def adult(sensitive: str = "") -> Problem:
    """Return Adult with its nine quasi-identifying columns, or with one of them sensitive."""
    return compile_problem(arx_project(tuple(n for n in ARX_COLUMNS if n != sensitive), sensitive))


def resampled(n_records: int) -> Problem:
    """Return a number of records drawn from Adult, with some cells redrawn from their columns."""
    project = arx_project()
    return compile_problem(replace(project, table=resampled_table(project.table, ARX_COLUMNS, n_records)))


def resampled_table(table: Table, names: Iterable[str], n_records: int) -> Table:
    """Return a number of records drawn from columns, with some cells redrawn."""
    rng = np.random.default_rng(SEED)
    n_known = table.n_records
    rows = rng.integers(n_known, size=n_records, dtype=np.int32)
    columns = []
    for name in names:
        column = table.column(name)
        codes = column.codes[rows]
        anew = np.flatnonzero(rng.random(n_records, dtype=np.float32) < REDRAWN)
        codes[anew] = column.codes[rng.integers(n_known, size=len(anew))]
        columns.append(replace(column, codes=codes))
    return Table(tuple(columns))


def all_distinct(
    n_records: int = 100_000, n_qi: int = 6, intervals: tuple[int, ...] = (1000, 100, 10, 1)
) -> Problem:
    """Return continuous distinct values with levels of equal intervals."""
    rng = np.random.default_rng(SEED)
    return Problem(n_records, tuple(_continuous(f"q{q}", n_records, intervals, rng) for q in range(n_qi)), ())


def _continuous(name: str, n_records: int, intervals: tuple[int, ...], rng: np.random.Generator) -> Attribute:
    numbers = np.sort(rng.random(n_records))
    texts = tuple(map(repr, numbers.tolist()))
    assert len(set(texts)) == n_records, "two of the numbers are alike"
    leaves = np.arange(n_records, dtype=np.int32)
    levels = [Level(texts, leaves)]
    for n_intervals in intervals:
        codes = leaves // np.int32(n_records // n_intervals)
        levels.append(Level(tuple(map(str, range(n_intervals))), codes))
    codes = rng.permutation(leaves)
    column = Column(name, DataType(Kind.DECIMAL), texts, codes, False, numbers)
    return Attribute(column, Hierarchy(tuple(levels)), codes, 0, len(intervals))
