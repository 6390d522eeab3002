"""For many nodes, the display is prepared in a task, and ends with the newest settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore import explore_state
from anonymizer_gui.perspectives.explore.node_scores import prepare_scores
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import edits
from tests.anonymizer_gui.perspectives.explore.conftest import Bench


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore_state, "_MOST_AT_ONCE", 10)


def settled(bench: Bench) -> bool:
    shown, evaluation = bench.explore.state.scores, bench.session.results.evaluation
    return bench.is_settled and shown is not None and evaluation is not None


def assert_shows_what_is_so(bench: Bench) -> None:
    scores, evaluation = bench.explore.state.scores, bench.evaluation
    expected = prepare_scores(evaluation, bench.session.shown.metric)
    for name in ("satisfies", "suppressed", "values", "ranks", "classes"):
        np.testing.assert_array_equal(getattr(scores, name), getattr(expected, name))
    assert scores.optimum == expected.optimum
    assert bench.explore.view.list.model.rowCount() == scores.n_satisfying


def test_the_last_of_many_thresholds_is_the_one_shown(qtbot: QtBot, bench: Bench) -> None:
    for k in range(2, 30):
        bench.session.shown.preview(Requirement((KAnonymity(k),), 0.05))
        QApplication.processEvents()  # some results arrive between the requests
    project = bench.session.project
    bench.session.edit("k", replace(project, requirement=Requirement((KAnonymity(29),), 0.05)))
    qtbot.waitUntil(lambda: settled(bench), timeout=20_000)
    assert bench.session.results.evaluation.requirement.k == 29
    assert_shows_what_is_so(bench)


def test_another_metric_is_shown_with_its_values(qtbot: QtBot, bench: Bench) -> None:
    project = bench.session.project
    for key in ("precision", "aecs", "discernibility"):
        project = edits.set_metric(project, key)
        bench.session.edit(key, project)
    qtbot.waitUntil(lambda: settled(bench), timeout=20_000)
    assert bench.session.shown.metric == "discernibility"
    assert_shows_what_is_so(bench)
