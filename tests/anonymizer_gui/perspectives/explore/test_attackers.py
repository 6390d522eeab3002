"""Attackers in Explore: a knob for each, a bound at once while it turns, and who fails in the inspector."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import scoring_controller
from anonymizer_gui.widgets.labels import ValueLabel
from engine.errors import CancelledError
from engine.kernels.arrays import BoolArray
from engine.monitor import Monitor
from engine.privacy import Requirement
from engine.privacy.any_columns import AnyColumns
from engine.privacy.known_columns import KnownColumns
from engine.scoring.acceleration import warm_up
from engine.scoring.evaluate import evaluate, may_satisfy, surely_satisfy
from engine.scoring.lookups.by_node import NodeLookup
from engine.scoring.walk.known_sets import Remaining, WalkedSets
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle

LEFT = Qt.MouseButton.LeftButton
MODELS = (KnownColumns(3, "employer", ("education", "race")), AnyColumns(3, 4))


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    assert warm_up()


@pytest.fixture
def attacked(qtbot: QtBot, bench: Bench) -> Bench:
    """Return the perspective with two attackers required."""
    assert bench.session.project is not None
    requirement = Requirement(MODELS, 0.05)
    bench.session.edit("attackers", replace(bench.session.project, requirement=requirement))
    settle(qtbot, bench)
    return bench


def count_of(bench: Bench) -> str:
    label = bench.explore.view.knobs.findChild(ValueLabel, "satisfyingCount")
    assert label is not None
    return label.text()


def test_a_turn_shows_a_bound_at_once_and_the_exact_count_when_it_is_found(
    qtbot: QtBot, attacked: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, profile = attacked.session, attacked.session.results.profile
    assert profile is not None
    assert isinstance(session.results.evaluation.lookup, NodeLookup)
    knob = attacked.explore.view.knobs.knobs["LK"]
    assert knob.accessibleName()
    with monkeypatch.context() as held:
        held.setattr(attacked.scoring, "_evaluate", lambda: None)  # an evaluation that takes its time
        middle = knob.height() // 2
        qtbot.mousePress(knob, LEFT, pos=QPoint(knob.width() // 3, middle))
        qtbot.mouseMove(knob, QPoint(knob.width() // 2, middle))
        qtbot.mouseMove(knob, QPoint(2 * knob.width() // 3, middle))
        requirement = session.shown.requirement
        assert requirement.models[1].limit > 4
        possible = may_satisfy(profile, requirement)
        assert possible is not None
        qtbot.waitUntil(lambda: count_of(attacked) == f"≤ {np.count_nonzero(possible)}")
        scores = attacked.explore.state.scores
        assert not scores.satisfies[~possible].any()
        assert (~possible).any()
        qtbot.mouseMove(knob, QPoint(1, middle))  # fewer than required before
        weaker = session.shown.requirement
        assert weaker.models[1].limit < 4
        sure = surely_satisfy(profile, weaker)
        assert sure is not None
        assert (sure & ~session.results.evaluation.satisfies).any()
        qtbot.waitUntil(lambda: attacked.explore.state.scores.satisfies[sure].all())
        assert not (sure & ~evaluate(profile, weaker).satisfies).any()
        qtbot.mouseMove(knob, QPoint(2 * knob.width() // 3, middle))
    qtbot.mouseRelease(knob, LEFT, pos=QPoint(2 * knob.width() // 3, middle))
    settle(qtbot, attacked)
    exact = evaluate(profile, session.project.requirement)
    assert count_of(attacked) == str(exact.n_satisfying)
    assert session.project.requirement.models[1].limit > 4
    assert not exact.satisfies[~possible].any() or session.project.requirement != requirement


def test_a_knob_is_typed_and_the_inspector_names_the_attacker(qtbot: QtBot, attacked: Bench) -> None:
    session, view = attacked.session, attacked.explore.view
    entry = view.knobs.knobs["ka"].entry
    entry.setFocus()
    entry.selectAll()
    qtbot.keyClicks(entry, "60")
    qtbot.keyClick(entry, Qt.Key.Key_Return)
    settle(qtbot, attacked)
    assert session.project.requirement.models[0] == KnownColumns(60, "employer", ("education", "race"))
    session.selection.select(session.results.problem.lattice.minimum)
    settle(qtbot, attacked)
    lines = {line.name: line for line in view.inspector.models.lines}
    assert lines["k for an attacker, employer"].is_required
    assert lines["k for any m columns, any 3 columns"].is_required
    sentence = view.inspector.findChild(QLabel, "whySentence")
    assert "ka below 60 (employer)" in sentence.text()
    assert "LK below 4 (any 3 columns, most by" in sentence.text()


def test_the_next_turn_cancels_an_evaluation_that_is_still_repeating(
    qtbot: QtBot, attacked: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, ...]] = []
    cancelled: list[tuple[int, ...]] = []

    def repeat(
        sets: WalkedSets, ks: tuple[int, ...], wanted: BoolArray, most: int, monitor: Monitor
    ) -> tuple[Remaining, BoolArray]:
        asked.append(ks)
        try:
            while len(asked) == 1:  # the first takes as long as nobody cancels it
                monitor.step(0, 1)
        except CancelledError:
            cancelled.append(ks)
            raise
        return repeated(sets, ks, wanted, most, monitor)

    repeated = WalkedSets.repeated
    monkeypatch.setattr(WalkedSets, "repeated", repeat)
    monkeypatch.setattr(scoring_controller, "AT_ONCE", 0.0)  # as for a table that takes longer
    knob = attacked.explore.view.knobs.knobs["LK"]
    knob.setFocus()
    qtbot.keyClick(knob, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: len(asked) == 1)
    qtbot.keyClick(knob, Qt.Key.Key_Up)
    settle(qtbot, attacked)
    assert cancelled == asked[:1]
    profile, requirement = attacked.session.results.profile, attacked.session.project.requirement
    assert profile is not None
    assert count_of(attacked) == str(evaluate(profile, requirement).n_satisfying)
