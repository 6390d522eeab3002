"""The map of a scored lattice shows the values of the engine and passes input to the session."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.hover_card import HoverCard
from anonymizer_gui.perspectives.explore.map import presenter as map_presenter
from anonymizer_gui.perspectives.explore.map.panel import MapPanel
from anonymizer_gui.perspectives.explore.map.scores import map_scores, score_values
from engine.project import Project, edits
from engine.scoring.optimum import pareto_front
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(bench: Bench) -> MapPanel:
    return bench.explore.view.map


def choose(qtbot: QtBot, combo: QComboBox, key: str) -> None:
    """Choose a score by keys."""
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Space)
    view = combo.view()
    wanted = combo.findData(key)
    qtbot.keyClick(view, Qt.Key.Key_Home)
    for _ in range(wanted):
        qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Return)


def choose_in_menu(qtbot: QtBot, panel: MapPanel, name: str) -> None:
    """Click an entry of the menu, or of one of its menus."""
    action = panel.findChild(QAction, name)
    menu = action.parent()
    menu.popup(QPoint(0, 0))  # type: ignore[union-attr]
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())  # type: ignore[union-attr]


def drag(view: object, *path: QPoint) -> None:
    QTest.mousePress(view, LEFT, pos=path[0])  # type: ignore[call-overload]
    for at in path[1:]:
        QTest.mouseMove(view, at)  # type: ignore[call-overload]
    QTest.mouseRelease(view, LEFT, pos=path[-1])  # type: ignore[call-overload]


def test_every_node_is_at_the_position_of_its_scores(bench: Bench, panel: MapPanel) -> None:
    evaluation, points = bench.session.results.evaluation, panel.view.points
    shares = evaluation.suppressed / evaluation.problem.n_records
    shown = [points.x.axis.value_at(place) for place in points.across]
    assert shown == pytest.approx(shares.tolist(), abs=1e-12)
    shown = [points.y.axis.value_at(place) for place in points.up]
    assert shown == pytest.approx(evaluation.metric("loss").tolist(), abs=1e-12)
    assert points.x.name == "suppressed records (square-root scale)"
    assert points.y.name == "loss, 0 to 1"


def test_every_score_that_is_offered_has_values_and_an_axis(bench: Bench, panel: MapPanel) -> None:
    state, session = bench.explore.state, bench.session
    assert state.scores is not None
    assert session.shown.requirement is not None
    offered = map_scores(state.problem, session.shown.requirement, session.shown.metric)
    assert [score.key for score in offered] == [panel.across.itemData(i) for i in range(panel.across.count())]
    for score in offered:
        values = score_values(
            score.key, state.scores, state.details, session.shown.metric, state.problem.n_records
        )
        assert values is not None, score.key
        assert np.isfinite(values).any(), score.key
        assert score.text(float(np.nanmax(values)))


def test_the_front_is_of_the_scores_on_the_axes(qtbot: QtBot, bench: Bench, panel: MapPanel) -> None:
    evaluation, state = bench.session.results.evaluation, bench.explore.state
    front = pareto_front(evaluation.suppressed.astype(np.float64), evaluation.metric("loss"))
    assert sorted(panel.view.front.tolist()) == np.flatnonzero(front).tolist()
    assert panel.caption.text() == f"Pareto front: {front.sum()} nodes"
    choose(qtbot, panel.across, "k")
    front = pareto_front(-state.details["k"], evaluation.metric("loss"), evaluation.satisfies)
    assert sorted(panel.view.front.tolist()) == np.flatnonzero(front).tolist()
    assert panel.view.limit is None


def test_the_front_of_many_nodes_is_found_once_they_have_settled(
    qtbot: QtBot, bench: Bench, panel: MapPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(map_presenter, "_MOST_AT_ONCE", 10)
    evaluation = bench.session.results.evaluation
    choose(qtbot, panel.up, "precision")
    assert panel.caption.text() == "updating"
    assert not len(panel.view.front)
    qtbot.waitUntil(lambda: panel.caption.text().startswith("Pareto front: "))
    front = pareto_front(evaluation.suppressed.astype(np.float64), evaluation.metric("precision"))
    assert sorted(panel.view.front.tolist()) == np.flatnonzero(front).tolist()


def test_a_late_front_is_not_drawn_over_scores_still_being_measured(
    qtbot: QtBot, bench: Bench, panel: MapPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, may_end = map_presenter._front, threading.Event()

    def late(*given: Any) -> Any:
        may_end.wait(20)
        return found(*given)

    monkeypatch.setattr(map_presenter, "_MOST_AT_ONCE", 10)
    monkeypatch.setattr(map_presenter, "_front", late)
    choose(qtbot, panel.up, "classes")
    task = bench.session.runner.running("explore.front")
    requirement = bench.session.shown.requirement
    assert requirement is not None
    bench.session.shown.preview(replace(requirement, suppression_limit=0.2))
    qtbot.waitUntil(lambda: "updating" in str(panel.view.points and panel.view.points.y.name))
    may_end.set()
    qtbot.waitUntil(lambda: task.has_ended)
    assert task.is_cancelled
    assert not len(panel.view.front)
    bench.session.shown.cancel()
    settle(qtbot, bench)


def test_a_click_selects_and_a_double_click_applies(qtbot: QtBot, bench: Bench, panel: MapPanel) -> None:
    nodes = bench.explore.state.nodes
    geometry = panel.view.geometry_shown
    alone = [
        node
        for node in panel.view.front.tolist()
        if (np.hypot(geometry.x - geometry.x[node], geometry.y - geometry.y[node]) < 3).sum() == 1
    ]
    node = alone[0]
    qtbot.mouseClick(panel.view, LEFT, pos=panel.view.node_point(node))
    assert bench.session.selection.node == nodes.node(node)
    assert str(list(nodes.node(node))) in panel.view.accessibleDescription()
    with qtbot.waitSignal(bench.explore.apply_requested) as asked:
        qtbot.mouseDClick(panel.view, LEFT, pos=panel.view.node_point(node))
    assert asked.args == [nodes.node(node)]
    settle(qtbot, bench)


def test_the_hover_card_shows_the_scores_on_the_axes(qtbot: QtBot, bench: Bench, panel: MapPanel) -> None:
    choose(qtbot, panel.across, "aecs")
    node, state = bench.explore.state.marks.optimum, bench.explore.state
    assert node is not None
    at = panel.view.node_point(node)
    meant = panel.view.node_at(at)
    assert meant is not None
    QApplication.sendEvent(panel.view, QHelpEvent(QEvent.Type.ToolTip, at, panel.view.mapToGlobal(at)))
    card = panel.window().findChild(HoverCard)
    assert card.text.startswith(state.describe_number(meant))
    assert card.text.endswith(f"Average class size: {state.details['aecs'][meant]:.1f}")
    outside = QPoint(4, 4)
    QApplication.sendEvent(
        panel.view, QHelpEvent(QEvent.Type.ToolTip, outside, panel.view.mapToGlobal(outside))
    )
    assert "Horizontal: average class size, records" in card.text


def test_a_frame_filters_every_view_until_it_is_cleared(qtbot: QtBot, bench: Bench, panel: MapPanel) -> None:
    view, state = panel.view, bench.explore.state
    geometry, points = view.geometry_shown, view.points
    first, last = geometry.pixel(0.0, 0.0).toPoint(), geometry.pixel(0.1, 1.0).toPoint()
    last -= QPoint(0, 4)
    drag(view, first - QPoint(4, -4), last)
    across = geometry.places(last.toPointF())[0]
    expected = np.flatnonzero(points.across < across).tolist()
    assert np.flatnonzero(state.passing).tolist() == expected
    assert panel.caption.text().startswith(f"{len(expected)} nodes framed")
    assert panel.clear_button.isVisible()
    qtbot.mouseClick(panel.clear_button, LEFT)
    assert state.passing.all()
    assert not panel.clear_button.isVisible()
    assert view.shape_shown is None


def test_dragging_the_limit_turns_the_requirement_live_and_is_one_step(
    qtbot: QtBot, bench: Bench, panel: MapPanel, small_adult: Project
) -> None:
    view, session = panel.view, bench.session
    line, geometry = view.limit_shown(), view.geometry_shown
    start, steps = line.center().toPoint(), session.history.own.count()
    end = QPoint(round(geometry.pixel(0.4, 0.0).x()), start.y())
    QTest.mousePress(view, LEFT, pos=start)
    QTest.mouseMove(view, end)
    assert session.shown.is_preview
    assert session.shown.requirement.suppression_limit == pytest.approx(0.16, abs=0.002)
    assert view.limit.value == session.shown.requirement.suppression_limit
    QTest.mouseRelease(view, LEFT, pos=end)
    assert not session.shown.is_preview
    assert session.history.own.count() == steps + 1
    assert session.project.requirement == replace(small_adult.requirement, suppression_limit=view.limit.value)
    settle(qtbot, bench)


def test_an_axis_being_computed_says_so_and_keeps_its_positions(
    qtbot: QtBot, bench: Bench, panel: MapPanel
) -> None:
    choose(qtbot, panel.up, "classes")
    before = panel.view.points
    requirement = bench.session.shown.requirement
    assert requirement is not None
    bench.session.shown.preview(replace(requirement, suppression_limit=0.2))
    qtbot.waitUntil(lambda: "updating" in str(panel.view.points and panel.view.points.y.name))
    points = panel.view.points
    assert np.array_equal(points.up, before.up, equal_nan=True)
    assert panel.caption.text() == "updating"
    bench.session.shown.cancel()
    settle(qtbot, bench)
    qtbot.waitUntil(lambda: "updating" not in str(panel.view.points and panel.view.points.y.name))


def test_the_axis_of_the_chosen_metric_follows_it(qtbot: QtBot, bench: Bench, panel: MapPanel) -> None:
    project = bench.session.project
    bench.session.edit("Set metric", edits.set_metric(project, "precision"))
    settle(qtbot, bench)
    assert panel.up.currentData() == "precision"
    assert panel.view.points.y.name == "precision, 0 to 1"


def test_shade_and_size_show_third_scores(qtbot: QtBot, bench: Bench, panel: MapPanel) -> None:
    state = bench.explore.state
    choose_in_menu(qtbot, panel, "map.shade.classes")
    choose_in_menu(qtbot, panel, "map.size.k")
    look, details = panel.view.look, state.details
    satisfying = np.flatnonzero(state.scores.satisfies)
    best = satisfying[np.argmax(details["classes"][satisfying])]
    assert look.classes[best] == 0
    assert look.sizes[np.nanargmax(details["k"])] == 1
    assert look.legend.shade == "Classes"
    assert look.legend.size.startswith("Size: Smallest class (k), 5 to ")
    choose_in_menu(qtbot, panel, "map.shade.")
    assert np.array_equal(panel.view.look.classes, state.scores.classes)


def test_the_front_is_walked_by_keys_from_the_selected_node(
    qtbot: QtBot, bench: Bench, panel: MapPanel
) -> None:
    front, marks = panel.view.front.tolist(), bench.explore.state.marks
    assert marks.selected == marks.optimum
    at = front.index(marks.selected)
    panel.view.setFocus()
    qtbot.keyClick(panel.view, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert bench.explore.state.marks.selected == front[at - 1]


def test_without_a_table_or_scores_the_map_has_an_empty_state(empty_bench: Bench) -> None:
    panel = empty_bench.explore.view.map
    assert panel.stack.currentIndex() == 1
    assert "scored" in panel.empty.sentence()


def test_if_no_node_satisfies_the_map_still_shows_their_losses(
    qtbot: QtBot, bench: Bench, panel: MapPanel
) -> None:
    project = bench.session.project
    requirement = replace(project.requirement.with_limit(0, 1_000_000), suppression_limit=0.0)
    bench.session.edit("Ask too much", replace(project, requirement=requirement))
    settle(qtbot, bench)
    assert panel.stack.currentIndex() == 0
    assert bench.explore.state.scores.n_satisfying == 0
    choose(qtbot, panel.across, "k")
    assert panel.stack.currentIndex() == 1
    assert "Smallest class (k)" in panel.empty.sentence()
    # the empty map leads back to the scores that every node has
    button = panel.empty.button
    qtbot.waitUntil(button.isVisible)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(qtbot, bench)
    assert panel.stack.currentIndex() == 0
    assert panel.across.currentData() == "suppressed"
