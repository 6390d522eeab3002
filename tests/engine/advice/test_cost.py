"""Pre-flight: sums of money under which unchanged records meet a model."""

from __future__ import annotations

import pytest

from engine.advice.preflight import preflight
from engine.privacy import Requirement
from engine.privacy.profitability import Profitability
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from tests.engine.scoring.edge_tables import random_case, tree

CASE = random_case([tree(6, 2, 2), tree(5, 5, 1)], 60, 0)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Profitability(benefit=1200, loss=300), "Even a record that is surely re-identified"),
        (Profitability(benefit=300, loss=1200, gain=4, cost=4), "No attack gains more than it costs"),
        (Profitability(benefit=300, loss=1200, gain=300, cost=0), None),
        (Profitability(benefit=300, loss=300), None),
    ],
)
def test_a_model_that_asks_for_nothing_is_pointed_out(model: Profitability, reason: str | None) -> None:
    project = CASE.under(Requirement((model,), 0.0))
    found = [finding for finding in preflight(project) if finding.key.startswith("pays_unchanged")]
    assert [finding.detail.startswith(reason or "") for finding in found] == [True] * (reason is not None)
    profile = LatticeProfile(CASE.problem, project.requirement)
    score_lattice(CASE.problem, profile=profile)
    assert reason is None or evaluate(profile, project.requirement).satisfies[0]
