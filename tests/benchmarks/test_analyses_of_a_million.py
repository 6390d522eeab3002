"""Time of the analyses of a release of a million records, relative to making the release.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_analyses_of_a_million.py
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from engine.findings.base import Analysis, risk_analyses, utility_analyses
from engine.findings.risk.wildcard_reading import WildcardReading
from engine.findings.subject import Subject
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.recoding import Recoding, make_local_release, make_release, rooted
from engine.records import DataType, Kind, retype
from engine.scoring.acceleration import warm_up
from tests.adult import ARX_COLUMNS, arx_project
from tests.benchmarks.measuring import seconds
from tests.benchmarks.report import Report, duration
from tests.benchmarks.tables import resampled_table

N_RECORDS = 1_000_000
SENSITIVE = "occupation"
WEIGHT = "age"  # taken for survey weights: any numbers above 0
NODE = (0, 2, 0, 1, 1, 1, 1, 0)
CHEAP, COSTLY = 6.0, 30.0  # times the time to make the release
PATIENCE = 2.5  # processor time between two monitor steps, times the time to make the release
# Trains in its own process on a sample; its own tests check that it can be cancelled.
APART = "classification"
TITLE = "Analyses of a release of 1,000,000 records x 9 columns, times making the release"


class Clock:
    """Longest processor time between two steps."""

    def __init__(self) -> None:
        self.last = time.process_time()
        self.longest = 0.0

    def step(self, done: int, total: int, text: str = "") -> None:
        now = time.process_time()
        self.longest, self.last = max(self.longest, now - self.last), now


@pytest.fixture(scope="module")
def released() -> tuple[Subject, float]:
    """Return a release and its processor seconds, with kernels loaded."""
    warm_up()
    project = arx_project(tuple(n for n in ARX_COLUMNS if n != SENSITIVE), SENSITIVE)
    project = replace(
        project,
        table=resampled_table(project.table, ARX_COLUMNS, N_RECORDS),
        requirement=Requirement((KAnonymity(5),), 1.0),
    )
    problem = compile_problem(project)
    spent = min(seconds(lambda: make_release(project, problem, NODE)) for _ in range(3))
    numbers = retype(project.table.column(WEIGHT), DataType(Kind.INTEGER))
    # after compiling: only analyses read them
    weighted = replace(project, weight=WEIGHT, table=project.table.replace_column(numbers))
    return Subject(weighted, make_release(project, problem, NODE)), spent


def starred(subject: Subject) -> Subject:
    """Return the release with cells starred in two columns, which some analyses are about."""
    project, problem = subject.project, rooted(compile_problem(subject.project))
    levels = np.tile(np.array(NODE, dtype=np.int16), (N_RECORDS, 1))
    for place, every in ((0, 3), (3, 5)):
        levels[::every, place] = problem.attributes[place].hierarchy.height
    return Subject(
        project, make_local_release(project, problem, Recoding(levels, np.zeros(N_RECORDS, dtype=np.bool_)))
    )


@pytest.mark.parametrize(
    "analysis",
    [
        pytest.param(registry.create(key), id=key)
        for registry in (utility_analyses, risk_analyses)
        for key in sorted(registry)
        if key != APART
    ],
)
def test_an_analysis_takes_no_longer_than_a_few_releases(
    released: tuple[Subject, float], report: Report, analysis: Analysis
) -> None:
    subject, spent = released
    fresh = Subject(subject.project, subject.release)
    if isinstance(analysis, WildcardReading):
        fresh = starred(fresh)
    clock = Clock()
    took = seconds(lambda: analysis.run(fresh, clock))
    clock.step(1, 1)
    most = COSTLY if analysis.is_costly else CHEAP
    report.at_most(analysis.title, took / spent, most, f"  ({duration(took)})")
    report.at_most(f"{analysis.title}: longest step", clock.longest / spent, PATIENCE)
    assert took < most * spent
    assert clock.longest < PATIENCE * spent
