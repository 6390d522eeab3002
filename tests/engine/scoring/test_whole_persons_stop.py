"""Evaluating a lattice with whole persons reports progress, and stops when cancelled."""

from __future__ import annotations

import pytest

from engine.errors import CancelledError
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate
from tests.stopping import Stopping
from tests.table_of_visits import project_of_visits


def test_whole_persons_report_progress_and_continue_after_cancelling() -> None:
    problem = compile_problem(project_of_visits())
    requirement = Requirement((KAnonymity(3),), 0.2, whole_persons=True)
    profile = score_lattice(problem)
    stopping = Stopping(5, words="whole persons")
    with pytest.raises(CancelledError):
        _ = evaluate(profile, requirement).watched_by(stopping).suppressed  # type: ignore[arg-type]
    going_on = Stopping(0, words="whole persons")
    found = evaluate(profile, requirement).watched_by(going_on).suppressed  # type: ignore[arg-type]
    assert going_on.n_fitting == problem.lattice.n_nodes - 4
    fresh = compile_problem(project_of_visits())
    assert found.tolist() == evaluate(score_lattice(fresh), requirement).suppressed.tolist()
