"""Every analysis of risk tells how far it is, and ends wherever it is asked to stop."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import CancelledError
from engine.findings.base import risk_analyses
from engine.findings.risk.linkage import link
from engine.findings.subject import Subject
from engine.monitor import SILENT, Monitor
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.project.edits import set_metric
from engine.project.population import Population
from engine.recoding import Recoding, make_local_release, make_release, rooted
from engine.records import Table
from tests.contracts.populated import weighted
from tests.engine.findings.risk.subjects import letters
from tests.stopping import Stopping


def subject() -> Subject:
    made = letters(k=2, q="aaabbbccd", r="xyxyxyxyx", s="uvuvuvuvu")
    people = Table(made.subject.project.table.columns[:2])
    project = weighted(replace(made.subject.project, population=Population(table=people)), random.Random(0))
    project = set_metric(project, "payout")
    return Subject(project, make_release(project, compile_problem(project), (0, 1)))


def local() -> Subject:
    made = letters(k=1, q="aaabbbccd", r="xyxyxyxyx", s="uvuvuvuvu")
    project = made.subject.project
    problem = rooted(compile_problem(project))
    levels = np.array([[0, i % 2] for i in range(9)], dtype=np.int16)
    nobody = np.zeros(9, dtype=np.bool_)
    return Subject(project, make_local_release(project, problem, Recoding(levels, nobody)))


def many() -> Subject:
    """Return enough records for a control group."""
    columns = {"q": "aaabbbccd", "r": "xyxyxyxyx", "s": "uvuvuvuvu"}
    return letters(k=2, **{name: texts * 25 for name, texts in columns.items()}).subject


def diverse() -> Subject:
    """Return a release that suppresses some class because of its values."""
    made = letters(k=2, q="aaabbbccd", r="xxxyyyxxy", s="uvuvvvuvu")
    models = (KAnonymity(2), DistinctLDiversity("s", 2))
    project = made.subject.project
    project = replace(project, requirement=replace(project.requirement, models=models))
    return Subject(project, make_release(project, compile_problem(project), (0, 0)))


def run(name: str, monitor: Monitor) -> object:
    if name in risk_analyses:
        # Only levels by record star single cells.
        special = {"attack_test": many, "wildcards": local, "selection_leak": diverse}
        return risk_analyses[name]().run(special.get(name, subject)(), monitor)
    linked = local() if name == "link of a recoding" else subject()
    other = linked.project.table
    return link(linked, other, {column: column for column in other.names}, monitor)


@pytest.mark.parametrize("name", [*sorted(risk_analyses), "link", "link of a recoding"])
def test_it_tells_progress_and_stops_wherever_it_is_asked_to(name: str) -> None:
    if name == "selection_leak":
        run(name, SILENT)  # loads kernels, which has steps of its own the first time
    counting = Stopping(0)
    run(name, counting)
    assert len(counting.steps) > 1
    assert all(0 <= done <= total for done, total, _ in counting.steps)
    for at in {1, 2, len(counting.steps) // 2, len(counting.steps)}:
        stopping = Stopping(at)
        with pytest.raises(CancelledError):
            run(name, stopping)
        assert len(stopping.steps) == at
