"""The columns of the list: every score, sorting, visibility, and a filter per column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetrics
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.node_columns import Kind
from anonymizer_gui.perspectives.explore.listing.node_header import BEFORE, PADDING
from anonymizer_gui.theming import Text, font
from engine.privacy import Requirement
from engine.privacy.average_risk import AverageRisk
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.scoring.nodes.inspection import inspect_node
from tests.anonymizer_gui.hands import right_click
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.perspectives.explore.list_driver import ListDriver, entry

SA = "hours-per-week"
LEVEL_COLUMNS = ["level.sex", "level.age", "level.race", "level.education", "level.salary-class"]
USUAL = [
    "rank",
    "mark",
    *LEVEL_COLUMNS,
    "loss",
    "suppressed",
    "suppressed %",
    "k",
    f"l.{SA}",
    f"t.{SA}",
    "classes",
]


@pytest.fixture
def driver(qtbot: QtBot, bench: Bench) -> ListDriver:
    return ListDriver(qtbot, bench)


def test_every_score_has_a_column_with_the_values_of_the_engine(driver: ListDriver) -> None:
    from engine.utility import utility_metrics

    session = driver.bench.session
    assert session.results.profile is not None
    assert session.shown.requirement is not None
    assert driver.columns[: len(USUAL)] == USUAL
    known = {column.key for column in driver.model.table.columns}
    assert {key for key, member in utility_metrics.items() if not member.costly} <= known
    table = driver.model.table
    (value,) = (column for column in table.columns if column.kind is Kind.VALUE)
    assert table.shares[driver.nodes[0]] == 0.5, "the bar is twice the optimum long"
    assert value.values is not None
    assert (np.diff(table.shares[driver.nodes]) >= 0).all()
    assert {"sum", "minimal", "all k", f"all t.{SA}", "level.age"} <= known
    for row in (0, 7, 40):
        node = session.results.problem.lattice.node(driver.nodes[row])
        report = inspect_node(session.results.profile, node, session.shown.requirement)
        values = {value.key: value.value for value in report.values}
        assert driver.cell(row, "k") == str(report.kept_k)
        assert driver.cell(row, f"l.{SA}") == str(values["distinct_l_diversity"])
        assert driver.cell(row, f"t.{SA}") == f"{values['t_closeness']:.3f}"
        assert driver.cell(row, "sum") == str(sum(node))
        assert driver.cell(row, "level.age") == str(node[1])


def test_values_of_models_are_in_view_in_a_narrow_list_of_whole_rows(
    qtbot: QtBot, driver: ListDriver
) -> None:
    view, panel = driver.view, driver.panel
    for width, height in ((900, 301), (470, 222)):
        panel.setFixedSize(width, height)
        qtbot.waitUntil(lambda: view.viewport().height() % view.rowHeight(0) == 0)
        model, metrics = driver.model, QFontMetrics(font(Text.CELL))
        for key in ("loss", "suppressed", "k", f"l.{SA}", f"t.{SA}"):
            section = driver.section(key)
            assert view.columnViewportPosition(section) + view.columnWidth(section) <= view.viewport().width()
            column = model.column(section)
            longest = max(metrics.horizontalAdvance(column.cell_text(node)) for node in driver.nodes)
            assert longest + PADDING + BEFORE <= view.columnWidth(section), key
        assert view.header.is_tight is (width == 470)


def test_models_of_the_requirement_have_separate_columns(driver: ListDriver) -> None:
    session = driver.bench.session
    asked = Requirement((KAnonymity(5), EntropyLDiversity(SA, 2.0), AverageRisk(0.1)), 0.1)
    session.edit("models", replace(session.project, requirement=asked))
    driver.settle()
    assert {f"l.{SA} 2", "average risk"} <= set(driver.columns)
    assert session.results.profile is not None
    report = inspect_node(
        session.results.profile, session.results.problem.lattice.node(driver.nodes[0]), asked
    )
    entropy, risk = report.models[1].worst_kept, report.models[2].worst_kept
    assert entropy is not None
    assert risk is not None
    assert float(driver.cell(0, f"l.{SA} 2")) == pytest.approx(entropy, abs=5e-4)
    assert driver.cell(0, "average risk") == f"{100 * risk:.2f}\u202f%"


def test_columns_are_hidden_and_shown_by_a_menu_that_stays_open(qtbot: QtBot, driver: ListDriver) -> None:
    chosen: list[dict[str, bool]] = []
    driver.panel.columns_chosen.connect(chosen.append)
    menu = driver.open_menu(lambda: driver.click("listMore"))
    columns = menu.findChild(QMenu, "columnsMenu")
    columns.popup(QPoint(0, 0))
    driver.pick(columns, "Classes  (Kept")
    assert columns.isVisible(), "several are chosen at one go"
    driver.pick(columns, "age  (Level")
    assert "classes" not in driver.columns
    assert "level.age" not in driver.columns
    assert chosen[-1] == {"classes": False, "level.age": False}
    driver.pick(columns, "Default columns")
    assert driver.columns[: len(USUAL)] == USUAL
    assert chosen[-1] == {}
    menu.close()


def test_the_menu_of_a_title_sorts_filters_and_hides_by_mouse_and_by_keys(
    qtbot: QtBot, driver: ListDriver
) -> None:
    scores = driver.bench.explore.state.scores
    view = driver.view
    view.setFocus()
    driver.click_row(2)
    place = view.visualRect(view.currentIndex()).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, view.mapToGlobal(place))
    menu = driver.open_menu(lambda: QApplication.sendEvent(view.viewport(), event) and None)
    assert entry(menu, "Sort by Rank").isEnabled(), "the menu is of the current column"
    menu.close()
    header, section = view.header, driver.section("suppressed")
    place = QPoint(header.sectionViewportPosition(section) + 10, 8)
    menu = driver.open_menu(lambda: right_click(header.viewport(), place))
    driver.pick(menu, "Sort by Suppressed, descending")
    assert np.all(np.diff(scores.suppressed[driver.nodes]) <= 0)
    menu = driver.open_menu(lambda: right_click(header.viewport(), place))
    driver.pick(menu, "Filter by Suppressed")
    assert driver.field("suppressed").hasFocus()
    menu = driver.open_menu(lambda: right_click(header.viewport(), place))
    driver.pick(menu, "Hide Suppressed")
    assert "suppressed" not in driver.columns


def test_conditions_over_columns_are_combined(qtbot: QtBot, driver: ListDriver) -> None:
    scores, problem = driver.bench.explore.state.scores, driver.bench.session.results.problem
    levels = problem.lattice.levels
    driver.show_fields()
    driver.type_over("loss", "..0.6")
    driver.type_over("suppressed %", "> 1")
    expected = scores.satisfies & (scores.values <= 0.6) & (scores.suppressed > 0.01 * problem.n_records)
    assert sorted(driver.nodes) == np.flatnonzero(expected).tolist()
    assert len(driver.nodes) > 0
    driver.type_over("level.age", "0..2")
    expected &= levels[:, 1] <= 2
    assert sorted(driver.nodes) == np.flatnonzero(expected).tolist()
    driver.type_over("level.age", "")
    driver.type_over("suppressed %", "")
    driver.type_over("loss", "")
    assert len(driver.nodes) == scores.n_satisfying


def test_levels_are_found_by_words_too(qtbot: QtBot, driver: ListDriver) -> None:
    words = driver.bench.explore.state.words
    driver.show_fields()
    driver.choose_status("all")
    driver.type_over("level.age", "hidden")
    problem = driver.bench.session.results.problem
    hidden = [level for level in range(5) if words.level(1, level) == "hidden"]
    assert set(problem.lattice.levels[driver.nodes, 1].tolist()) == set(hidden)


def test_an_invalid_condition_shows_an_error_at_its_field_and_keeps_the_last_one(
    qtbot: QtBot, driver: ListDriver
) -> None:
    driver.show_fields()
    driver.type_over("loss", "<= 0.6")
    before = driver.nodes
    qtbot.keyClicks(driver.field("loss"), " an")
    field = driver.field("loss")
    assert field.property("invalid") == "true"
    assert "3..5" in field.toolTip()
    assert "cannot be read" in driver.hint
    assert driver.nodes == before
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert field.property("invalid") == "false"
    assert driver.hint.startswith("Rank by loss")


def test_tab_moves_through_the_fields_from_left_to_right_to_the_rows(
    qtbot: QtBot, driver: ListDriver
) -> None:
    driver.bench.explore.view.activateWindow()
    driver.show_fields()
    fields = driver.view.header.fields()
    fields[0].setFocus()
    for other in fields[1:]:
        qtbot.keyClick(QApplication.focusWidget() or fields[0], Qt.Key.Key_Tab)
        assert other.hasFocus()
        left, right = other.geometry().left(), other.geometry().right()
        assert 0 <= left < right <= driver.view.header.width() + 1, "what has the focus is in view"
    qtbot.keyClick(fields[-1], Qt.Key.Key_Tab)
    assert driver.view.hasFocus()


def test_the_order_stays_with_its_column_when_columns_change(qtbot: QtBot, driver: ListDriver) -> None:
    driver.click_title("suppressed")
    driver.click_title("suppressed")
    before = driver.nodes
    driver.choose_status("short")
    header = driver.view.header
    assert driver.model.column_key(header.sortIndicatorSection()) == "suppressed"
    assert header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
    driver.choose_status("satisfies")
    assert driver.nodes == before
