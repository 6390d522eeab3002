"""Tables for measurements: Adult resampled to any length, and numbers without repetitions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from engine.frequency import Attribute, PopulationMembers, Problem
from engine.hierarchies import Hierarchy
from engine.hierarchies.hierarchy import Level
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.records import Column, DataType, Kind, Role, Table
from tests.adult import ARX_COLUMNS, arx_project

REDRAWN = 0.1  # probability that a cell is redrawn from its column
SEED = 0


def adult(sensitive: str = "") -> Problem:
    """Return Adult with its nine quasi-identifying columns, or with one of them sensitive."""
    return compile_problem(arx_project(tuple(n for n in ARX_COLUMNS if n != sensitive), sensitive))


def adult_with_people(n_more: int = 60_000) -> Problem:
    """Return Adult with a population: its people and more like them, with some values redrawn."""
    problem, rng = adult(), np.random.default_rng(SEED)
    rows = np.concatenate((np.arange(problem.n_records), rng.integers(problem.n_records, size=n_more)))
    leaves = []
    for attribute in problem.attributes:
        others = attribute.leaves[rng.integers(problem.n_records, size=len(rows))]
        leaves.append(np.where(rng.random(len(rows)) < REDRAWN, others, attribute.leaves[rows]))
    return replace(problem, people=PopulationMembers(float(len(rows)), tuple(leaves)))


def adult_in_parts() -> Problem:
    """Return Adult with two sensitive columns, each measured among records equal in the other."""
    project, sensitive = arx_project(), ("occupation", "salary-class")
    roles = frozen({**project.roles, **dict.fromkeys(sensitive, Role.SENSITIVE)})
    qi_order = tuple(name for name in ARX_COLUMNS if name not in sensitive)
    return compile_problem(replace(project, roles=roles, qi_order=qi_order, others_as_qi=True))


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
