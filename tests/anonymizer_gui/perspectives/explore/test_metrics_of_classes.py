"""Metrics that look at whole classes, chosen in Explore."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.requirement import Requirement
from engine.project import Project, edits
from engine.project.compile import compile_problem
from engine.scoring import score_lattice
from engine.table import Role
from tests.anonymizer_gui.perspectives.explore.conftest import Bench

METRICS = ("classification", "ambiguity", "kl_divergence")


@pytest.mark.parametrize("key", METRICS)
def test_they_name_the_optimum_and_turn_with_a_knob(bench: Bench, qtbot: QtBot, key: str) -> None:
    session = bench.session
    assert session.project is not None
    session.edit("Set the metric", edits.set_metric(session.project, key))
    qtbot.waitUntil(lambda: session.metric == key and bench.is_settled, timeout=20_000)
    for k in (5, 20):
        requirement = Requirement((KAnonymity(k),), 0.05)
        session.edit("Set k", edits.set_requirement(session.project, requirement))
        qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)
        problem = compile_problem(session.project)
        best = score_lattice(problem).evaluate(requirement).optimum(key)
        assert best is not None
        assert session.optimum == problem.lattice.node(best)


def test_without_a_target_classification_is_shown_as_not_existing(
    empty_bench: Bench, qtbot: QtBot, small_adult: Project
) -> None:
    bench, project = empty_bench, edits.set_roles(small_adult, small_adult.sensitive, Role.INSENSITIVE)
    project = edits.set_requirement(project, Requirement((KAnonymity(5),), 0.05))
    bench.session.open_project(edits.set_metric(project, "classification"))
    # Every satisfying node ties, so that the one that suppresses least is named.
    qtbot.waitUntil(lambda: bench.session.optimum is not None, timeout=20_000)
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)
    evaluation = bench.session.evaluation
    assert evaluation is not None
    assert np.isnan(evaluation.metric("classification")).all()
    best = evaluation.lattice.number(bench.session.optimum)
    assert evaluation.suppressed[best] == evaluation.suppressed[evaluation.satisfies].min()
