"""The columns of the list: every score, sorting, visibility, and a filter per column."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from engine.privacy import Requirement
from engine.privacy.average_risk import AverageRisk
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import edits
from engine.scoring.nodes.inspection import inspect_node
from tests.anonymizer_gui.hands import right_click
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.perspectives.explore.list_hands import ListHands, entry

SA = "hours-per-week"
USUAL = ["rank", "mark", "levels", "loss", "suppressed", "suppressed %", "k", f"l.{SA}", f"t.{SA}", "classes"]


@pytest.fixture
def hands(qtbot: QtBot, bench: Bench) -> ListHands:
    return ListHands(qtbot, bench)


def test_every_score_has_a_column_with_the_values_of_the_engine(hands: ListHands) -> None:
    from engine.utility import utility_metrics

    session = hands.bench.session
    assert session.results.problem is not None
    assert session.results.profile is not None
    assert session.shown.requirement is not None
    assert hands.columns[: len(USUAL)] == USUAL
    known = {column.key for column in hands.model.table.columns}
    assert {key for key, member in utility_metrics.items() if not member.costly} <= known
    assert {"sum", "minimal", "all k", f"all t.{SA}", "level.age"} <= known
    for row in (0, 7, 40):
        node = session.results.problem.lattice.node(hands.nodes[row])
        report = inspect_node(session.results.profile, node, session.shown.requirement)
        values = {value.key: value.value for value in report.values}
        assert hands.cell(row, "k") == str(report.kept_k)
        assert hands.cell(row, f"l.{SA}") == str(values["distinct_l_diversity"])
        assert hands.cell(row, f"t.{SA}") == f"{values['t_closeness']:.3f}"
        assert hands.cell(row, "sum") == str(sum(node))
        assert hands.cell(row, "level.age") == str(node[1])


def test_models_of_the_requirement_have_separate_columns(hands: ListHands) -> None:
    session = hands.bench.session
    assert session.project is not None
    asked = Requirement((KAnonymity(5), EntropyLDiversity(SA, 2.0), AverageRisk(0.1)), 0.1)
    session.edit("models", edits.set_requirement(session.project, asked))
    hands.settle()
    assert {f"l.{SA} 2", "average risk"} <= set(hands.columns)
    assert session.results.problem is not None
    assert session.results.profile is not None
    report = inspect_node(
        session.results.profile, session.results.problem.lattice.node(hands.nodes[0]), asked
    )
    shown = [float(hands.cell(0, key)) for key in (f"l.{SA} 2", "average risk")]
    assert shown == pytest.approx([report.models[1].worst_kept, report.models[2].worst_kept], abs=5e-4)


def test_columns_are_hidden_and_shown_by_a_menu_that_stays_open(qtbot: QtBot, hands: ListHands) -> None:
    chosen: list[dict[str, bool]] = []
    hands.panel.columns_chosen.connect(chosen.append)
    menu = hands.open_menu(lambda: hands.click("listMore"))
    columns = menu.findChild(QMenu, "columnsMenu")
    assert columns is not None
    columns.popup(QPoint(0, 0))
    hands.pick(columns, "Classes  (Kept")
    assert columns.isVisible(), "several are chosen at one go"
    hands.pick(columns, "age  (Level")
    assert "classes" not in hands.columns
    assert "level.age" in hands.columns
    assert chosen[-1] == {"classes": False, "level.age": True}
    hands.pick(columns, "Default columns")
    assert hands.columns[: len(USUAL)] == USUAL
    assert chosen[-1] == {}
    menu.close()


def test_the_menu_of_a_title_sorts_filters_and_hides_by_mouse_and_by_keys(
    qtbot: QtBot, hands: ListHands
) -> None:
    scores = hands.bench.explore.scores
    assert scores is not None
    view = hands.view
    view.setFocus()
    hands.click_row(2)
    place = view.visualRect(view.currentIndex()).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, view.mapToGlobal(place))
    menu = hands.open_menu(lambda: QApplication.sendEvent(view.viewport(), event) and None)
    assert entry(menu, "Sort by Levels").isEnabled(), "the menu is of the current column"
    menu.close()
    header, section = view.header, hands.section("suppressed")
    place = QPoint(header.sectionViewportPosition(section) + 10, 8)
    menu = hands.open_menu(lambda: right_click(header.viewport(), place))
    hands.pick(menu, "Sort by Suppressed, descending")
    assert np.all(np.diff(scores.suppressed[hands.nodes]) <= 0)
    menu = hands.open_menu(lambda: right_click(header.viewport(), place))
    hands.pick(menu, "Filter by Suppressed")
    assert hands.field("suppressed").hasFocus()
    menu = hands.open_menu(lambda: right_click(header.viewport(), place))
    hands.pick(menu, "Hide Suppressed")
    assert "suppressed" not in hands.columns


def test_conditions_over_columns_are_combined(qtbot: QtBot, hands: ListHands) -> None:
    scores, problem = hands.bench.explore.scores, hands.bench.session.results.problem
    assert scores is not None
    assert problem is not None
    levels = problem.lattice.levels
    hands.show_fields()
    hands.type_over("loss", "..0.6")
    hands.type_over("suppressed %", "> 1")
    expected = scores.satisfies & (scores.values <= 0.6) & (scores.suppressed > 0.01 * problem.n_records)
    assert sorted(hands.nodes) == np.flatnonzero(expected).tolist()
    assert len(hands.nodes) > 0
    hands.type_over("levels", "* 0-2")
    expected &= levels[:, 1] <= 2
    assert sorted(hands.nodes) == np.flatnonzero(expected).tolist()
    hands.type_over("levels", "")
    hands.type_over("suppressed %", "")
    hands.type_over("loss", "")
    assert len(hands.nodes) == scores.n_satisfying


def test_levels_are_found_by_words_too(qtbot: QtBot, hands: ListHands) -> None:
    words = hands.bench.explore.state.words
    assert words is not None
    hands.show_fields()
    hands.choose_status("all")
    hands.type_over("levels", "age: hidden")
    problem = hands.bench.session.results.problem
    assert problem is not None
    hidden = [level for level in range(5) if words.level(1, level) == "hidden"]
    assert set(problem.lattice.levels[hands.nodes, 1].tolist()) == set(hidden)


def test_an_invalid_condition_shows_an_error_at_its_field_and_keeps_the_last_one(
    qtbot: QtBot, hands: ListHands
) -> None:
    hands.show_fields()
    hands.type_over("loss", "<= 0.6")
    before = hands.nodes
    qtbot.keyClicks(hands.field("loss"), " an")
    field = hands.field("loss")
    assert field.property("invalid") == "true"
    assert "3..5" in field.toolTip()
    assert "cannot be read" in hands.hint
    assert hands.nodes == before
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert field.property("invalid") == "false"
    assert hands.hint.startswith("Rank by loss")


def test_tab_moves_through_the_fields_from_left_to_right_to_the_rows(qtbot: QtBot, hands: ListHands) -> None:
    hands.bench.explore.view.activateWindow()
    hands.show_fields()
    fields = hands.view.header.fields()
    fields[0].setFocus()
    for other in fields[1:]:
        qtbot.keyClick(QApplication.focusWidget() or fields[0], Qt.Key.Key_Tab)
        assert other.hasFocus()
        left, right = other.geometry().left(), other.geometry().right()
        assert 0 <= left < right <= hands.view.header.width() + 1, "what has the focus is in view"
    qtbot.keyClick(fields[-1], Qt.Key.Key_Tab)
    assert hands.view.hasFocus()


def test_the_order_stays_with_its_column_when_columns_change(qtbot: QtBot, hands: ListHands) -> None:
    hands.click_title("suppressed")
    hands.click_title("suppressed")
    before = hands.nodes
    hands.choose_status("short")
    header = hands.view.header
    assert hands.model.column_key(header.sortIndicatorSection()) == "suppressed"
    assert header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
    hands.choose_status("satisfies")
    assert hands.nodes == before
