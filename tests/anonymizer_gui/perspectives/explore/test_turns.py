"""While a knob turns, failing nodes show no wrong number; their exact values follow after a pause."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.node_columns import Kind
from anonymizer_gui.perspectives.explore import explore_state
from anonymizer_gui.perspectives.explore.node_scores import NodeScores
from anonymizer_gui.session import scoring_controller
from anonymizer_gui.widgets.knob import Knob
from engine.numbers import as_exact_count
from engine.scoring.acceleration import warm_up
from engine.scoring.evaluate import Evaluation, evaluate
from engine.scoring.lookups import look_up
from tests.anonymizer_gui.perspectives.explore.conftest import Bench

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(autouse=True)
def few_cells_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert warm_up()
    monkeypatch.setattr("engine.scoring.evaluate.FEW_CELLS", 0)


@pytest.fixture
def never_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the state before the pause as long as the knob is held."""
    monkeypatch.setattr(scoring_controller, "PAUSE_OF_KNOB", 3_600_000)


@pytest.fixture
def never_resting(never_paused: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what waits for a pause waiting as long as the knob is held; used before the views are made."""
    monkeypatch.setattr(explore_state, "PAUSE", 3_600_000)


def knob_of(bench: Bench, symbol: str) -> Knob:
    knobs = bench.explore.view.findChildren(Knob)
    return next(
        knob
        for knob in knobs
        if knob.isVisible() and knob.objectName().lower().startswith(f"knob.{symbol}".lower())
    )


def drag(qtbot: QtBot, bench: Bench, symbol: str, by: int) -> Knob:
    """Press the handle of a knob, move it without releasing, and wait until the turn is shown."""
    knob = knob_of(bench, symbol)
    at = knob.handle_center().toPoint()
    qtbot.mousePress(knob, LEFT, pos=at)
    qtbot.mouseMove(knob, at + QPoint(by, 0))
    assert bench.session.shown.is_preview
    qtbot.waitUntil(lambda: shows(bench), timeout=20_000)
    return knob


def shows(bench: Bench) -> bool:
    evaluation = bench.explore.state.evaluation
    return evaluation is not None and evaluation.requirement == bench.session.shown.requirement


def exact(bench: Bench) -> Evaluation:
    """Evaluate the requirement shown by a pass over all cells."""
    profile, requirement = bench.session.results.profile, bench.session.shown.requirement
    assert profile is not None
    assert requirement is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(look_up, "_sorted_tables", lambda *_unused: None)
        return evaluate(profile, requirement)


def scores_of(bench: Bench) -> NodeScores:
    scores = bench.explore.state.scores
    assert scores is not None
    return scores


@pytest.mark.usefixtures("never_paused")
def test_a_turn_shows_exact_statuses_and_only_bounds_for_failing_nodes(qtbot: QtBot, bench: Bench) -> None:
    drag(qtbot, bench, "k", 60)
    scores, expected = scores_of(bench), exact(bench)
    np.testing.assert_array_equal(scores.satisfies, expected.satisfies)
    np.testing.assert_array_equal(scores.minimal, expected.minimal)
    assert scores.optimum == expected.optimum("loss")
    known = scores.satisfies
    np.testing.assert_array_equal(scores.suppressed[known], expected.suppressed[known])
    np.testing.assert_array_equal(scores.values[known], expected.metric("loss")[known])
    unknown = np.flatnonzero(~scores.is_known)
    assert len(unknown)
    assert (scores.suppressed[unknown] <= expected.suppressed[unknown]).all()
    assert (expected.suppressed[unknown] > scores.allowed).all()


@pytest.mark.usefixtures("never_paused")
def test_a_failing_node_that_is_pointed_at_shows_its_exact_number(qtbot: QtBot, bench: Bench) -> None:
    drag(qtbot, bench, "k", 60)
    expected = exact(bench)
    number = int(np.flatnonzero(~scores_of(bench).is_known)[-1])
    text = bench.explore.state.describe_number(number)
    assert f"{as_exact_count(int(expected.suppressed[number]))} records suppressed" in text


def test_all_values_are_exact_after_a_pause_while_the_knob_is_held(qtbot: QtBot, bench: Bench) -> None:
    drag(qtbot, bench, "t", -25)
    qtbot.waitUntil(lambda: scores_of(bench).are_known, timeout=20_000)
    assert bench.session.shown.is_preview
    expected = exact(bench)
    np.testing.assert_array_equal(scores_of(bench).suppressed, expected.suppressed)
    np.testing.assert_array_equal(scores_of(bench).values, expected.metric("loss"))


def test_the_list_follows_when_the_knob_pauses(qtbot: QtBot, bench: Bench) -> None:
    model = bench.explore.view.list.model
    before = scores_of(bench).n_satisfying
    drag(qtbot, bench, "k", 60)
    assert scores_of(bench).n_satisfying != before
    qtbot.waitUntil(lambda: model.rowCount() == scores_of(bench).n_satisfying, timeout=20_000)
    column = next(column for column in model.table.columns if column.key == "suppressed")
    assert column.kind is Kind.COUNT


def test_a_released_knob_leaves_exact_values_everywhere(qtbot: QtBot, bench: Bench) -> None:
    knob = drag(qtbot, bench, "k", 60)
    qtbot.mouseRelease(knob, LEFT, pos=knob.handle_center().toPoint())
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)
    scores, expected = scores_of(bench), exact(bench)
    assert not bench.session.shown.is_preview
    assert scores.are_known
    np.testing.assert_array_equal(scores.suppressed, expected.suppressed)
    np.testing.assert_array_equal(scores.values, expected.metric("loss"))
    assert bench.explore.state.details is not None


def status_of(bench: Bench) -> str:
    """Return the status that the inspector shows of the selected node, which satisfies at first."""
    return bench.explore.view.inspector.head.chips[0].text()


@pytest.mark.usefixtures("never_resting")
def test_lattice_map_and_count_follow_every_turn_and_the_inspector_a_pause(
    qtbot: QtBot, bench: Bench
) -> None:
    view = bench.explore.view
    spoken = view.lattice.view.accessibleDescription()
    drag(qtbot, bench, "k", 60)
    qtbot.waitUntil(lambda: bench.explore.state.queue.is_idle)
    scores = scores_of(bench)
    colours, look = view.lattice.view.colours, view.map.view.look
    np.testing.assert_array_equal(colours.classes, scores.classes)
    np.testing.assert_array_equal(look.classes, scores.classes)
    assert view.knobs.findChild(QLabel, "satisfyingCount").text() == as_exact_count(scores.n_satisfying)
    assert status_of(bench) == "Satisfies"
    assert view.lattice.view.accessibleDescription() == spoken
    number = bench.explore.state.marks.selected
    assert number is not None
    assert not scores.satisfies[number]


def test_the_inspector_and_the_spoken_node_follow_when_the_knob_pauses(qtbot: QtBot, bench: Bench) -> None:
    view = bench.explore.view
    knob = drag(qtbot, bench, "k", 60)
    qtbot.waitUntil(lambda: status_of(bench) == "Fails", timeout=20_000)
    assert bench.session.shown.is_preview
    node = bench.explore.state.selected
    assert node is not None
    for canvas in (view.lattice.view, view.map.view):
        assert canvas.accessibleDescription() == bench.explore.state.describe(node)
    qtbot.keyClick(knob, Qt.Key.Key_Escape)


@pytest.mark.parametrize("seconds", [0.0, 3600.0])
def test_only_turns_that_were_short_are_evaluated_within_the_movement_of_the_mouse(
    qtbot: QtBot, bench: Bench, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(scoring_controller, "AT_ONCE", seconds)
    drag(qtbot, bench, "k", 30)
    knob = knob_of(bench, "k")
    before = bench.session.shown.requirement
    qtbot.mouseMove(knob, knob.handle_center().toPoint() + QPoint(60, 0))
    assert bench.session.shown.requirement != before
    evaluation = bench.session.results.evaluation
    assert (evaluation.requirement == bench.session.shown.requirement) is (seconds > 0)
    qtbot.waitUntil(lambda: shows(bench), timeout=20_000)
    np.testing.assert_array_equal(scores_of(bench).satisfies, exact(bench).satisfies)
