"""Hierarchies made in the window by clicks, drags and keys alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.hierarchy_hands import CONTROL, HierarchyHands, partitions
from tests.window_driver import Driver, driven_window

_Key = Qt.Key


@pytest.fixture
def adult(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """The Adult example."""
    with driven_window(qtbot, qapp, (1440, 900)) as made:
        made.click("example.adult")
        made.wait(lambda: made.session.project is not None)
        yield made


def test_the_hierarchies_of_arx_for_age_and_marital_status_are_rebuilt_by_clicks_and_drags(
    adult: Driver,
) -> None:
    hands = HierarchyHands(adult)
    session = adult.session
    assert session.project is not None
    given = {name: session.project.hierarchies[name].hierarchy for name in ("age", "marital-status")}
    age, marital = (session.project.table.column(name) for name in given)

    hands.open("age")
    hands.build("Intervals")
    hands.write("width", "5")
    hands.write("origin", "1")
    hands.write("merge", "")
    hands.click(hands.label("17", 1), 1)
    hands.key(_Key.Key_Up, CONTROL)  # a second level with the same groups
    assert len(hands.lines[0]) == 4
    for lower in range(21, 90, 10):  # 21 to 25 and 26 to 30 are joined, and so on
        hands.select([hands.label(str(lower), 2), hands.label(str(lower + 5), 2)], 2)
        hands.key(_Key.Key_M, CONTROL)
    hands.click(hands.label("17", 2), 2)
    hands.key(_Key.Key_Up, CONTROL)
    for lower in range(21, 80, 20):  # pairs of pairs, by drags
        first, second = hands.label(str(lower), 3), hands.label(str(lower + 10), 3)
        hands.click(second, 3)
        hands.drag((hands.row(second, 3), 3), (hands.last_row(first, 3), 3))
    assert hands.hierarchy is not None
    assert partitions(hands.hierarchy, age) == partitions(given["age"], age)
    hands.done()
    assert partitions(session.project.hierarchies["age"].hierarchy, age) == partitions(given["age"], age)
    assert session.undo_stack.undoText() == "Change hierarchy of age"

    hands.open("marital-status")
    hands.build("Keep or hide")
    hands.click("Divorced")
    hands.key(_Key.Key_Up, CONTROL)  # room for groups between the values and the top
    hands.click("Married-AF-spouse")
    hands.drag((hands.row("Married-AF-spouse"), 0), (hands.row("Married-civ-spouse"), 1))
    hands.click("Married-civ-spouse", 1)
    hands.rename("spouse present")
    others = [value for value in marital.labels if hands.label(value, 1) == value]
    hands.select(others)
    hands.drag_to_header(hands.row(others[0]), 0, 1)
    hands.rename("spouse not present")
    assert sorted(hands.lines) == sorted(given["marital-status"].rows())
    hands.done()
