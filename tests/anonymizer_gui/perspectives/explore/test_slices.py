"""Slices: two attributes' levels around a node, and its neighbours, as the engine scores them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.slices.panel import SlicesPanel
from anonymizer_gui.widgets.marks import Mark
from engine.numbers import as_decimal, as_exact_count, as_percent
from engine.project import edits
from engine.scoring.nodes.inspection import inspect_node
from engine.table import Role
from tests.anonymizer_gui.perspectives.explore.conftest import Bench

LEFT = Qt.MouseButton.LeftButton
NODE = (0, 2, 1, 1, 0)  # of sex, age, race, education, salary-class
QUASI = ("sex", "age", "race", "education", "salary-class")


@pytest.fixture
def slices(qtbot: QtBot, bench: Bench) -> SlicesPanel:
    """Return the page opened by its switch, around one node."""
    bench.explore.view.activateWindow()
    switch = bench.explore.view.list.findChild(object, "listSwitch")
    qtbot.mouseClick(switch.segment("slices"), LEFT)
    bench.session.selection.select(NODE)
    qtbot.waitUntil(lambda: bench.explore.view.slices.isVisible())
    return bench.explore.view.slices


def cell_center(panel: SlicesPanel, row: int, column: int) -> QPoint:
    return panel.grid.visualRect(panel.grid.cells.index(row, column)).center()


def test_every_cell_is_the_node_with_those_two_levels_as_the_engine_scores_it(
    bench: Bench, slices: SlicesPanel
) -> None:
    shown, evaluation = slices.grid.cells.slice, bench.session.results.evaluation
    assert shown is not None
    assert evaluation is not None
    assert (shown.across, shown.down) == ("age", "education")
    assert (len(shown.rows), len(shown.columns)) == (4, 5)
    assert shown.rows[-1] == shown.columns[0] == "kept"
    loss = evaluation.metric(bench.explore.state.metric)
    for y, row in enumerate(shown.cells):
        for x, cell in enumerate(row):
            assert cell.node == (0, x, 1, 3 - y, 0)
            report = inspect_node(evaluation.profile, cell.node, evaluation.requirement)
            assert cell.status is (Mark.SATISFIES if report.satisfies else Mark.FAILS)
            assert cell.value == as_decimal(float(loss[evaluation.lattice.number(cell.node)]))
            assert cell.suppressed == as_percent(report.suppressed / evaluation.problem.n_records)


def test_steps_show_the_values_of_the_engine_and_the_difference(bench: Bench, slices: SlicesPanel) -> None:
    evaluation, model = bench.session.results.evaluation, slices.steps.steps
    assert evaluation is not None
    assert model.columnCount() == 7  # step, status, loss, suppressed, k, l, t
    here = inspect_node(evaluation.profile, NODE, evaluation.requirement)
    around = [*evaluation.problem.lattice.successors(NODE), *evaluation.problem.lattice.predecessors(NODE)]
    assert [model.row(i).node for i in range(model.rowCount())] == around
    for i, node in enumerate(around):
        report = inspect_node(evaluation.profile, node, evaluation.requirement)
        change = report.suppressed - here.suppressed
        signed = f"{'+' if change > 0 else '−'}{as_exact_count(abs(change))}" if change else "±0"
        assert model.index(i, 3).data() == f"{as_exact_count(report.suppressed)} ({signed})"
        assert model.index(i, 4).data().split(" ")[0] == as_exact_count(report.kept_k)
        assert model.index(i, 1).data() == ("Satisfies" if report.satisfies else "Fails")


def test_clicks_and_arrows_in_the_grid_select_everywhere(
    qtbot: QtBot, bench: Bench, slices: SlicesPanel
) -> None:
    qtbot.mouseClick(slices.grid.viewport(), LEFT, pos=cell_center(slices, 3, 4))
    assert bench.session.selection.node == (0, 4, 1, 0, 0)
    qtbot.keyClick(slices.grid, Qt.Key.Key_Up)
    assert bench.session.selection.node == (0, 4, 1, 1, 0)
    qtbot.keyClick(slices.grid, Qt.Key.Key_Left)
    assert bench.session.selection.node == (0, 3, 1, 1, 0)
    assert slices.caption() == "around: Differs from the optimum in 3 columns"
    assert "[0, 3, 1, 1, 0]" in bench.explore.view.lattice.view.accessibleDescription()


def test_a_selection_made_elsewhere_moves_the_slice(bench: Bench, slices: SlicesPanel) -> None:
    bench.session.selection.select((1, 2, 0, 1, 1))
    shown = slices.grid.cells.slice
    assert shown is not None
    assert shown.cells[0][0].node == (1, 0, 0, 3, 1)
    assert shown.place((1, 2, 0, 1, 1)) == (
        slices.grid.currentIndex().row(),
        slices.grid.currentIndex().column(),
    )


def test_a_click_or_enter_on_a_step_selects_its_node(qtbot: QtBot, bench: Bench, slices: SlicesPanel) -> None:
    qtbot.mouseClick(slices.switch.segment("steps"), LEFT)
    table = slices.steps
    wanted = table.steps.row(2).node
    qtbot.mouseClick(table.viewport(), LEFT, pos=table.visualRect(table.steps.index(2, 0)).center())
    assert bench.session.selection.node == wanted
    table.setCurrentIndex(table.steps.index(0, 0))
    wanted = table.steps.row(0).node
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert bench.session.selection.node == wanted


def test_steps_are_sorted_by_a_click_on_the_header(qtbot: QtBot, slices: SlicesPanel) -> None:
    qtbot.mouseClick(slices.switch.segment("steps"), LEFT)
    header = slices.steps.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(3) + 20, header.height() // 2)
    for is_rising in (True, False):
        qtbot.mouseClick(header.viewport(), LEFT, pos=place)
        rows = [slices.steps.steps.row(i) for i in range(slices.steps.steps.rowCount())]
        values = [row.measures[1].value for row in rows]
        assert values == sorted(values, reverse=not is_rising)


def test_other_attributes_are_chosen_by_keys_and_trade_places(
    qtbot: QtBot, bench: Bench, slices: SlicesPanel
) -> None:
    slices.across.setFocus()
    qtbot.keyClick(slices.across, Qt.Key.Key_Up)
    shown = slices.grid.cells.slice
    assert shown is not None
    assert (shown.across, shown.down) == ("sex", "education")
    slices.down.setFocus()
    qtbot.keyClick(slices.down, Qt.Key.Key_Home)  # the attribute chosen for the other side already
    shown = slices.grid.cells.slice
    assert shown is not None
    assert (shown.across, shown.down) == ("education", "sex")
    bench.session.selection.select((1, 0, 0, 0, 0))
    assert slices.grid.cells.slice is not None
    assert slices.grid.cells.slice.across == "education"


def test_the_slice_follows_a_knob_and_drops_removed_nodes(
    qtbot: QtBot, bench: Bench, slices: SlicesPanel
) -> None:
    requirement, project = bench.session.shown.requirement, bench.session.project
    assert project is not None
    bench.session.shown.preview(requirement.with_limit(0, 60))
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)
    shown, evaluation = slices.grid.cells.slice, bench.session.results.evaluation
    assert shown is not None
    assert evaluation is not None
    for row in shown.cells:
        for cell in row:
            satisfies = evaluation.satisfies[evaluation.lattice.number(cell.node)]
            assert (cell.status is Mark.SATISFIES) == satisfies
    bench.session.edit("age leaves", edits.set_roles(project, ("age",), Role.INSENSITIVE))
    qtbot.waitUntil(lambda: bench.session.results.optimum is not None and bench.is_settled, timeout=20_000)
    shown = slices.grid.cells.slice
    assert shown is not None
    assert all(len(cell.node) == 4 for row in shown.cells for cell in row)


def test_a_lattice_of_one_attribute_has_one_row(qtbot: QtBot, bench: Bench, slices: SlicesPanel) -> None:
    project = bench.session.project
    assert project is not None
    others = tuple(name for name in QUASI if name != "age")
    bench.session.edit("only age", edits.set_roles(project, others, Role.INSENSITIVE))
    qtbot.waitUntil(lambda: bench.session.results.optimum is not None and bench.is_settled, timeout=20_000)
    shown = slices.grid.cells.slice
    assert shown is not None
    assert [cell.node for cell in shown.cells[0]] == [(level,) for level in range(5)]
    assert len(shown.rows) == 1
    assert not slices.across.isVisible()


def test_models_of_both_views_keep_the_rules_of_models(slices: SlicesPanel) -> None:
    for model in (slices.grid.cells, slices.steps.steps):
        QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
