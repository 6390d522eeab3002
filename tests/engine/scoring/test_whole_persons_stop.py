"""Evaluating a lattice with whole persons reports progress, and stops when cancelled."""

from __future__ import annotations

import pytest

from engine.errors import CancelledError
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate
from tests.table_of_visits import project_of_visits


class Stopping:
    """Cancels at some step."""

    def __init__(self, at: int) -> None:
        self.at, self.steps = at, 0

    def step(self, done: int, total: int, text: str = "") -> None:
        if "whole persons" in text:
            self.steps += 1
            if self.steps == self.at:
                raise CancelledError


def test_whole_persons_report_progress_and_continue_after_cancelling() -> None:
    problem = compile_problem(project_of_visits())
    requirement = Requirement((KAnonymity(3),), 0.2, whole_persons=True)
    profile = score_lattice(problem)
    stopping = Stopping(at=5)
    with pytest.raises(CancelledError):
        _ = evaluate(profile, requirement).watched_by(stopping).suppressed  # type: ignore[arg-type]
    going_on = Stopping(at=-1)
    found = evaluate(profile, requirement).watched_by(going_on).suppressed  # type: ignore[arg-type]
    assert going_on.steps == problem.lattice.n_nodes - 4
    fresh = compile_problem(project_of_visits())
    assert found.tolist() == evaluate(score_lattice(fresh), requirement).suppressed.tolist()
