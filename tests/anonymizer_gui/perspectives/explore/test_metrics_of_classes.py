"""Metrics computed from complete classes, chosen in Explore."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.widgets.knob import Knob
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.requirement import Requirement
from engine.project import Project, edits
from engine.project.compile import compile_problem
from engine.records import Role
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.lookups import evaluated_sets
from engine.utility import utility_metrics
from tests.anonymizer_gui.hands import outcome_text
from tests.anonymizer_gui.perspectives.explore.conftest import Bench

COSTLY = [key for key, metric in utility_metrics.items() if metric.costly]
METRICS = ("classification", "ambiguity", "kl_divergence")


@pytest.mark.parametrize("key", METRICS)
def test_they_name_the_optimum_and_turn_with_a_knob(bench: Bench, qtbot: QtBot, key: str) -> None:
    session = bench.session
    session.edit("Set the metric", edits.set_metric(session.project, key))
    qtbot.waitUntil(lambda: session.shown.metric == key and bench.is_settled, timeout=60_000)
    for k in (5, 20):
        requirement = Requirement((KAnonymity(k),), 0.05)
        session.edit("Set k", replace(session.project, requirement=requirement))
        qtbot.waitUntil(lambda: bench.is_settled, timeout=60_000)
        problem = compile_problem(session.project)
        best = evaluate(score_lattice(problem), requirement).optimum(key)
        assert best is not None
        assert session.results.optimum == problem.lattice.node(best)


def test_without_a_target_classification_is_shown_as_not_existing(
    empty_bench: Bench, qtbot: QtBot, small_adult: Project
) -> None:
    bench, project = empty_bench, edits.set_roles(small_adult, small_adult.sensitive, Role.INSENSITIVE)
    project = replace(project, requirement=Requirement((KAnonymity(5),), 0.05))
    bench.session.open_project(edits.set_metric(project, "classification"))
    # Every satisfying node ties, so that the one that suppresses least is named.
    qtbot.waitUntil(lambda: bench.session.results.optimum is not None, timeout=60_000)
    qtbot.waitUntil(lambda: bench.is_settled, timeout=60_000)
    evaluation = bench.session.results.evaluation
    assert np.isnan(evaluation.metric("classification")).all()
    best = evaluation.lattice.number(bench.session.results.optimum)
    assert evaluation.suppressed[best] == evaluation.suppressed[evaluation.satisfies].min()


def test_the_gui_thread_never_computes_them(
    bench: Bench, qtbot: QtBot, themed: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure = ConfigurePresenter(bench.session)
    qtbot.addWidget(configure.view)
    threads = set()

    worked = evaluated_sets.evaluated_sets

    def watched(*given: Any, **named: Any) -> Any:
        threads.add(threading.current_thread())
        return worked(*given, **named)

    monkeypatch.setattr(evaluated_sets, "evaluated_sets", watched)
    session = bench.session
    for key in COSTLY:
        session.edit("Set the metric", edits.set_metric(session.project, key))
        assert session.results.optimum is None  # the optimum of the previous metric does not apply
        assert outcome_text(configure.view.requirement).endswith("computing the optimum")
        qtbot.waitUntil(lambda: session.results.optimum is not None and bench.is_settled, timeout=60_000)
    assert threads
    assert threading.main_thread() not in threads


def test_other_optima_are_not_looked_for_along_the_knobs(bench: Bench, qtbot: QtBot) -> None:
    knobs = [knob for knob in bench.explore.view.knobs.findChildren(Knob) if knob.marks]
    assert knobs
    bench.session.edit("Set the metric", edits.set_metric(bench.session.project, "kl_divergence"))
    qtbot.waitUntil(lambda: not any(knob.marks for knob in knobs), timeout=60_000)
    qtbot.waitUntil(lambda: bench.is_settled, timeout=60_000)
    assert not any(knob.marks for knob in knobs)
