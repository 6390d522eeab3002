"""The menu of a node, by mouse and keys, in the lattice, the map and the list."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.nodes_model import NODE_ROLE
from engine.lattice import Node
from engine.numbers import as_vector
from tests.anonymizer_gui.perspectives.explore.conftest import Bench

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
MOUSE, KEYBOARD = QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard


def numbers(bench: Bench) -> tuple[int, int]:
    """Return the numbers of the selected optimum and of a node that is one step finer."""
    evaluation, optimum = bench.session.results.evaluation, bench.session.results.optimum
    assert optimum is not None
    bench.session.selection.select(optimum)
    finer = next(iter(evaluation.lattice.predecessors(optimum)))
    return evaluation.lattice.number(optimum), evaluation.lattice.number(finer)


def node_of(bench: Bench, number: int) -> Node:
    nodes = bench.explore.state.nodes
    return nodes.node(number)


def opened(qtbot: QtBot, view: QWidget, place: QPoint, reason: QContextMenuEvent.Reason = MOUSE) -> QMenu:
    if reason is MOUSE:
        qtbot.mouseClick(view, RIGHT, pos=place)
    QApplication.sendEvent(view, QContextMenuEvent(reason, place, view.mapToGlobal(place)))
    (menu,) = (
        widget
        for widget in QApplication.topLevelWidgets()
        if isinstance(widget, QMenu) and widget.isVisible()
    )
    return menu


def pick(qtbot: QtBot, menu: QMenu, text: str) -> None:
    (action,) = (action for action in menu.actions() if action.text() == text)
    assert action.isEnabled()
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())


def compared(bench: Bench) -> list[tuple[Node, Node]]:
    found: list[tuple[Node, Node]] = []
    bench.explore._pinned.compare_requested.connect(lambda a, b: found.append((a.node, b.node)))
    return found


def test_a_node_is_compared_with_the_selected_one_from_the_lattice(bench: Bench, qtbot: QtBot) -> None:
    optimum, finer = numbers(bench)
    pairs, view = compared(bench), bench.explore.view.lattice.view
    pick(qtbot, opened(qtbot, view, view.node_rect(finer).center()), "Compare with the selected node")
    assert pairs == [(node_of(bench, optimum), node_of(bench, finer))]
    assert bench.session.selection.node == node_of(bench, optimum), "the menu does not select"


def test_the_menu_key_opens_the_menu_of_the_selected_node(bench: Bench, qtbot: QtBot) -> None:
    _optimum, finer = numbers(bench)
    bench.session.selection.select(node_of(bench, finer))
    pairs, view = compared(bench), bench.explore.view.lattice.view
    menu = opened(qtbot, view, QPoint(0, 0), KEYBOARD)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert pairs == [(bench.session.results.optimum, node_of(bench, finer))]


def test_the_optimum_is_not_compared_with_itself(bench: Bench, qtbot: QtBot) -> None:
    optimum, _finer = numbers(bench)
    view = bench.explore.view.lattice.view
    menu = opened(qtbot, view, view.node_rect(optimum).center())
    assert not menu.actions()[0].isEnabled()
    menu.close()


@pytest.mark.parametrize("name", ["lattice", "map"])
def test_a_node_is_pinned_applied_and_copied(bench: Bench, qtbot: QtBot, name: str) -> None:
    optimum, _finer = numbers(bench)
    view = getattr(bench.explore.view, name).view
    place = view.node_rect(optimum).center() if name == "lattice" else view.node_point(optimum)
    number = view.node_at(place)
    assert number is not None
    pick(qtbot, opened(qtbot, view, place), "Copy levels")
    assert QGuiApplication.clipboard().text() == as_vector(node_of(bench, number))
    pick(qtbot, opened(qtbot, view, place), "Pin")
    assert [pin.node for pin in bench.session.remembered.pins] == [node_of(bench, number)]
    pick(
        qtbot, opened(qtbot, view, view.node_rect(optimum).center() if name == "lattice" else place), "Unpin"
    )
    assert bench.session.remembered.pins == ()
    pick(qtbot, opened(qtbot, view, place), "Apply")
    qtbot.waitUntil(lambda: bench.session.applied.release is not None)
    node = node_of(bench, number)
    assert bench.session.applied.node == node
    pick(qtbot, opened(qtbot, view, place), "Keep these levels")
    kept = [bench.session.project.hierarchies[name] for name in bench.session.project.quasi_identifying]
    assert [(entry.min_level, entry.max_level) for entry in kept] == [(level, level) for level in node]
    assert (bench.session.applied.node, bench.session.applied.stale_text) == (node, "")


def test_a_cell_of_the_list_has_the_entries_of_its_node_and_column(bench: Bench, qtbot: QtBot) -> None:
    numbers(bench)
    selected, pairs, view = bench.session.selection.node, compared(bench), bench.explore.view.list.view
    index = view.model().index(1, 1)
    node = node_of(bench, index.data(NODE_ROLE))
    place = view.visualRect(index).center()
    qtbot.mouseClick(view.viewport(), RIGHT, pos=place)
    assert bench.session.selection.node == selected
    event = QContextMenuEvent(MOUSE, place, view.viewport().mapToGlobal(place))
    QApplication.sendEvent(view.viewport(), event)
    (menu,) = (m for m in QApplication.topLevelWidgets() if isinstance(m, QMenu) and m.isVisible())
    texts = [action.text() for action in menu.actions()]
    compare = "Compare with the selected node"
    assert texts[:5] == [compare, "One step finer", "Apply", "Pin", "Keep these levels"]
    assert "Columns" in texts
    pick(qtbot, menu, "Compare with the selected node")
    assert pairs == [(selected, node)]
