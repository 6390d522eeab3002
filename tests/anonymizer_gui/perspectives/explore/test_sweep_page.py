"""The sweep shows the values of the engine, and a chosen cell becomes the settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.node_name import own_name
from anonymizer_gui.perspectives.explore.sweep import view as sweep_view
from anonymizer_gui.perspectives.explore.sweep.panel import SweepPanel
from anonymizer_gui.perspectives.explore.sweep.view import Cell, Line, SweepTable, SweepView
from anonymizer_gui.widgets import picture_saving
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.numbers import as_exact_count
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import edits
from engine.scoring.evaluate import evaluate
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle

LEFT = Qt.MouseButton.LeftButton


NAN = float("nan")
FIGURES = SweepTable(
    threshold_name="k, smallest class",
    limit_name="suppression limit",
    value_name="loss",
    thresholds=(2.0, 5.0, 10.0, 100.0),
    threshold_texts=("2", "5", "10", "100"),
    limit_texts=("0 %", "5 %", "10 %"),
    values=np.array([[0.3, 0.2, 0.2], [0.5, 0.25, 0.25], [0.9, 0.4, 0.4], [NAN, 0.6, 0.6]]),
    value_text="{:.3f}".format,
    is_logarithmic=True,
)


def place(view: SweepView, cell: Cell) -> QPoint:
    return view.place(cell).center().toPoint()


# -- the pictures alone ----------------------------------------------------------------------------


@pytest.fixture
def panel(qtbot: QtBot, themed: QApplication) -> SweepPanel:
    panel = SweepPanel()
    qtbot.addWidget(panel)
    panel.resize(640, 250)
    panel.show()
    panel.show_sweep(FIGURES, lambda cell: f"{cell.threshold} {cell.limit}", lambda _cell: "card", "hint")
    panel.show_present(Cell(1, 1))
    return panel


def test_a_clicked_cell_is_requested_in_both_views(qtbot: QtBot, panel: SweepPanel) -> None:
    asked: list[tuple[int, int]] = []
    panel.cell_requested.connect(lambda *cell: asked.append(cell))
    qtbot.mouseClick(panel.heat, LEFT, pos=place(panel.heat, Cell(3, 2)))
    qtbot.mouseClick(panel.kinds.segment("curves"), LEFT)
    qtbot.mouseClick(panel.curves, LEFT, pos=place(panel.curves, Cell(2, 0)))
    # 5 % and 10 % give equal results and share a curve: the present limit is chosen if it is one of them.
    qtbot.mouseClick(panel.curves, LEFT, pos=place(panel.curves, Cell(0, 2)))
    assert asked == [(3, 2), (2, 0), (0, 1)]
    assert FIGURES.lines() == [Line(0, 0), Line(1, 2)]


def test_keys_walk_from_the_present_cell_stay_inside_and_ask_for_the_one_reached(
    qtbot: QtBot, panel: SweepPanel
) -> None:
    asked: list[tuple[int, int]] = []
    panel.cell_requested.connect(lambda *cell: asked.append(cell))
    panel.heat.setFocus()
    assert panel.words.text() == "1 1"
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(panel.heat, key)
    assert (panel.heat.cursor_cell, panel.words.text()) == (Cell(2, 2), "2 2")
    qtbot.keyClick(panel.heat, Qt.Key.Key_Return)
    qtbot.keyClick(panel.heat, Qt.Key.Key_Left)
    qtbot.keyClick(panel.heat, Qt.Key.Key_Space)
    assert asked == [(2, 2), (1, 2)]


def test_a_cell_without_a_node_is_hatched_and_cannot_be_chosen(qtbot: QtBot, panel: SweepPanel) -> None:
    asked: list[tuple[int, int]] = []
    panel.cell_requested.connect(lambda *cell: asked.append(cell))
    cell = Cell(3, 0)
    qtbot.mouseClick(panel.heat, LEFT, pos=place(panel.heat, cell))
    assert asked == []
    picture, rect = panel.heat.grab().toImage(), panel.heat.place(cell).toRect().adjusted(8, 8, -8, -8)
    rows = {
        tuple(picture.pixel(x, y) for x in range(rect.left(), rect.right()))
        for y in (rect.top(), rect.top() + 1)
    }
    assert len(rows) == 2
    assert all(len(set(row)) > 1 for row in rows)


def test_no_cell_is_outside_the_heat_map(panel: SweepPanel) -> None:
    assert panel.heat.cell_at(QPointF(2, 2)) is None
    corners = [Cell(0, 0), Cell(3, 2)]
    assert [panel.heat.cell_at(panel.heat.place(cell).center()) for cell in corners] == corners


def test_the_picture_is_saved_by_its_button(
    qtbot: QtBot, panel: SweepPanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sweep.svg"
    monkeypatch.setattr(picture_saving, "ask_save", lambda *_args: path)
    button = panel.findChild(QPushButton, "sweepPicture")
    assert button is not None
    qtbot.mouseClick(button, LEFT)
    assert "<svg" in path.read_text(encoding="utf-8")


# -- with the engine behind it ---------------------------------------------------------------------


@pytest.fixture
def sweep(qtbot: QtBot, bench: Bench) -> SweepPanel:
    """Return the page of the sweep, opened by its switch."""
    pages, panel = bench.explore.view.pages, bench.explore.view.sweep
    switch = pages.findChild(SegmentedControl, "listSwitch")
    assert switch is not None
    qtbot.mouseClick(switch.segment("sweep"), LEFT)
    qtbot.waitUntil(lambda: panel.shows_sweep and bench.is_settled, timeout=20_000)
    return panel


def table_of(panel: SweepPanel) -> SweepTable:
    assert panel.heat.table is not None
    return panel.heat.table


def cell_of(panel: SweepPanel, threshold: float, limit: str) -> Cell:
    table = table_of(panel)
    return Cell(table.thresholds.index(threshold), table.limit_texts.index(limit))


def requirement_of(bench: Bench) -> Requirement:
    return bench.session.project.requirement


def test_every_cell_is_the_optimum_of_its_settings(
    qtbot: QtBot, sweep: SweepPanel, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, profile, session = table_of(sweep), bench.session.results.profile, bench.session
    assert profile is not None
    for i in range(0, len(table.thresholds), 3):
        for j, limit in ((0, 0.0), (4, 0.05), (8, 0.2)):
            turned = requirement_of(bench).with_limit(0, int(table.thresholds[i]))
            evaluation = evaluate(profile, replace(turned, suppression_limit=limit))
            best = evaluation.optimum("loss")
            assert best is not None
            assert table.values[i, j] == pytest.approx(evaluation.metric("loss")[best])
            qtbot.mouseMove(sweep.heat, place(sweep.heat, Cell(i, j)))
            assert as_exact_count(int(evaluation.suppressed[best])) in sweep.words.text()
            assert own_name(evaluation.lattice.node(best), evaluation.problem) in sweep.words.text()
    shown: list[str] = []
    monkeypatch.setattr(sweep_view, "show_hover_card", lambda _view, _at, text: shown.append(text))
    at = place(sweep.heat, cell_of(sweep, 5, "5\u202f%"))
    QApplication.sendEvent(sweep.heat, QHelpEvent(QEvent.Type.ToolTip, at, sweep.heat.mapToGlobal(at)))
    (text,) = shown
    assert session.results.optimum is not None
    assert session.results.problem is not None
    assert own_name(session.results.optimum, session.results.problem) in text
    assert "146 of 160 nodes satisfy" in text
    assert "age: 10-year bands" in text


def test_a_click_adopts_threshold_and_limit_in_one_step_and_selects_the_optimum(
    qtbot: QtBot, sweep: SweepPanel, bench: Bench
) -> None:
    assert sweep.heat.present == cell_of(sweep, 5, "5\u202f%")
    before, cell = table_of(sweep), cell_of(sweep, 20, "1\u202f%")
    qtbot.mouseClick(sweep.heat, LEFT, pos=place(sweep.heat, cell))
    settle(qtbot, bench)
    assert (requirement_of(bench).k, requirement_of(bench).suppression_limit) == (20, 0.01)
    assert bench.session.history.own.count() == 1
    assert bench.session.selection.node is not None
    assert bench.session.selection.node == bench.session.results.optimum
    assert sweep.heat.present == cell
    assert np.array_equal(table_of(sweep).values, before.values)
    bench.session.history.undo()
    settle(qtbot, bench)
    assert (requirement_of(bench).k, requirement_of(bench).suppression_limit) == (5, 0.05)
    assert sweep.heat.present == cell_of(sweep, 5, "5\u202f%")


def test_another_threshold_takes_the_place_of_k_and_a_sweep_out_of_view_waits(
    qtbot: QtBot, sweep: SweepPanel, bench: Bench
) -> None:
    box, pages, session = sweep.thresholds, bench.explore.view.pages, bench.session
    assert [box.itemData(i) for i in range(box.count())] == ["k", "l", "t"]
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    qtbot.keyClick(box, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: table_of(sweep).threshold_name.startswith("t, "), timeout=20_000)
    settle(qtbot, bench)
    assert sweep.heat.present == cell_of(sweep, 0.2, "5\u202f%")
    before = table_of(sweep)
    pages.show_page("list")
    session.edit("metric", edits.set_metric(session.project, "precision"))
    settle(qtbot, bench)
    assert table_of(sweep) is before
    pages.show_page("sweep")
    settle(qtbot, bench)
    assert table_of(sweep).value_name == "precision"


def test_settings_that_no_node_meets_and_a_requirement_without_a_model_are_explained(
    qtbot: QtBot, sweep: SweepPanel, bench: Bench
) -> None:
    too_much = Requirement((KAnonymity(40_000),), 0.05)
    bench.session.edit("k", replace(bench.session.project, requirement=too_much))
    settle(qtbot, bench)
    cell = Cell(len(table_of(sweep).thresholds) - 1, 0)
    assert not table_of(sweep).has_node(cell)
    qtbot.mouseMove(sweep.heat, place(sweep.heat, cell))
    assert sweep.words.text().endswith("no node satisfies")
    bench.session.edit("none", replace(bench.session.project, requirement=Requirement((), 0.05)))
    settle(qtbot, bench)
    assert not sweep.shows_sweep
    assert "Add a privacy model" in sweep.empty.sentence()
    assert not sweep.thresholds.isEnabled()


def test_a_cancelled_sweep_can_be_restarted(qtbot: QtBot, bench: Bench) -> None:
    panel = bench.explore.view.sweep
    bench.explore.view.pages.show_page("sweep")
    assert panel.empty.button.text() == "Cancel"
    qtbot.mouseClick(panel.empty.button, LEFT)
    settle(qtbot, bench)
    assert "cancelled" in panel.empty.sentence()
    assert panel.empty.button.text() == "Sweep"
    qtbot.mouseClick(panel.empty.button, LEFT)
    qtbot.waitUntil(lambda: panel.shows_sweep, timeout=20_000)
    settle(qtbot, bench)


def test_a_sweep_of_earlier_settings_is_marked_and_repeated_by_one_button(
    qtbot: QtBot, sweep: SweepPanel, bench: Bench
) -> None:
    session = bench.session
    session.edit("metric", edits.set_metric(session.project, "precision"))
    qtbot.waitUntil(lambda: bench.session.runner.running("explore.sweep") is not None, timeout=20_000)
    assert not sweep.outdated.isVisible()
    bench.session.runner.cancel("explore.sweep")
    settle(qtbot, bench)
    assert sweep.outdated.problem() == "Made for another metric"
    assert table_of(sweep).value_name == "loss"
    (again,) = (b for b in sweep.outdated.findChildren(QPushButton) if b.text() == "Sweep again")
    qtbot.mouseClick(again, LEFT)
    qtbot.waitUntil(lambda: table_of(sweep).value_name == "precision", timeout=20_000)
    settle(qtbot, bench)
    assert not sweep.outdated.isVisible()
