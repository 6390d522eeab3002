"""Hierarchies made in the window by clicks, drags and keys alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QTableView
from pytestqt.qtbot import QtBot

from tests.hierarchy_hands import CONTROL, SHIFT, HierarchyHands, partitions
from tests.window_driver import Driver, driven_window

_Key = Qt.Key


@pytest.fixture
def adult(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Return the Adult example."""
    with driven_window(qtbot, qapp, (1440, 900)) as made:
        made.click("example.adult")
        made.wait(lambda: made.session.project is not None)
        yield made


CITIES = ("Bari", "Bonn", "Brno", "Caen", "Cork", "Graz", "Linz", "Metz")


@pytest.fixture
def cities(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[HierarchyHands]:
    """Return the editor of a column of eight cities, each in a separate group below the top."""
    table = tmp_path / "cities.csv"
    table.write_text("city,n\n" + "".join(f"{city},{i}\n" for i, city in enumerate(CITIES * 2)))
    with driven_window(qtbot, qapp, (1440, 900)) as driver:
        driver.open_table(table)
        hands = HierarchyHands(driver)
        hands.open("city")
        hands.build("Keep or hide")
        hands.click("Bari")
        hands.key(_Key.Key_Up, CONTROL)
        assert hands.lines[0] == ("Bari", "Bari", "*")
        yield hands


def test_the_hierarchies_of_arx_for_age_and_marital_status_are_rebuilt_by_clicks_and_drags(
    adult: Driver,
) -> None:
    hands = HierarchyHands(adult)
    session = adult.session
    given = {name: session.project.hierarchies[name].hierarchy for name in ("age", "marital-status")}
    age, marital = (session.project.table.column(name) for name in given)

    hands.open("age")
    hands.build("Intervals")
    hands.write("width", "5")
    hands.write("origin", "1")
    hands.remove_joined(3)
    hands.remove_joined(2)
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
    assert session.history.own.undoText() == "Change hierarchy of age"

    hands.open("marital-status")
    hands.build("Keep or hide")
    hands.click("Divorced")
    hands.key(_Key.Key_Up, CONTROL)  # room for groups between the values and the top
    hands.click("Married-AF-spouse")
    hands.drag((hands.row("Married-AF-spouse"), 0), (hands.row("Married-civ-spouse"), 1))
    hands.click("Married-AF-spouse, Married-civ-spouse", 1)
    hands.rename("spouse present")
    others = [value for value in marital.labels if hands.label(value, 1) == value]
    hands.select(others)
    hands.drag_to_header(hands.row(others[0]), 0, 1)
    hands.rename("spouse not present")
    assert sorted(hands.lines) == sorted(given["marital-status"].rows())
    hands.done()


def test_a_long_session_is_undone_to_its_start_and_redone_to_its_end(cities: HierarchyHands) -> None:
    hands, steps = cities, [cities.lines]

    def step(do: Callable[[], object]) -> None:
        do()
        assert hands.lines != steps[-1]
        steps.append(hands.lines)

    hands.click("Bari")
    hands.click("Brno", keys=SHIFT)
    step(lambda: hands.drag_to_header(hands.row("Bonn"), 0, 1))
    step(lambda: hands.rename("B"))
    hands.select(["Caen", "Metz"])
    step(lambda: hands.key(_Key.Key_N, CONTROL | SHIFT))
    step(lambda: hands.rename("France"))
    hands.select(["Graz"])
    step(lambda: hands.drag((hands.row("Graz"), 0), (hands.row("Linz"), 1)))
    hands.click(hands.label("Linz", 1), 1)
    step(lambda: hands.rename("Austria"))
    step(lambda: hands.key(_Key.Key_Up, CONTROL))
    hands.select(["France", "Austria", "B"], 2)
    step(lambda: hands.key(_Key.Key_M, CONTROL))
    step(lambda: hands.rename("Mainland"))
    hands.click("B", 1)
    hands.key(_Key.Key_Space, CONTROL)
    assert hands.table.model().rowCount() == 6  # B has one row
    step(lambda: hands.key(_Key.Key_D, CONTROL))
    hands.click("Mainland", 2)
    step(lambda: hands.key(_Key.Key_D, CONTROL))
    hands.click("Cork", 2)
    step(lambda: hands.key(_Key.Key_Down, CONTROL))
    hands.click("Bonn")
    step(lambda: hands.drag((hands.row("Bonn"), 0), (hands.row("France", 1), 1)))
    assert hands.undo_text == "Move Bonn into France"
    for before in reversed(steps[:-1]):
        hands.key(_Key.Key_Z, CONTROL)
        assert hands.lines == before
    for after in steps[1:]:
        hands.key(_Key.Key_Z, CONTROL | SHIFT)
        assert hands.lines == after
    session = hands.driver.session
    hands.done()
    assert session.project.hierarchies["city"].hierarchy.rows() == steps[-1]
    assert session.history.own.count() == 1


def test_every_manipulation_can_be_done_by_keys_alone(cities: HierarchyHands) -> None:
    hands = cities
    hands.tab_to(hands.table)
    hands.go("Bonn")
    hands.key(_Key.Key_Down, SHIFT)
    hands.key(_Key.Key_N, CONTROL | SHIFT)  # Bonn and Brno are a new group
    hands.rename("B")
    assert [line[1] for line in hands.lines[:4]] == ["Bari", "B", "B", "Caen"]
    hands.go("Bari")
    hands.key(_Key.Key_X, CONTROL)
    hands.go("B", 1)
    hands.key(_Key.Key_V, CONTROL)  # Bari is added
    assert hands.label("Bari", 1) == "B"
    hands.go("Graz", 1)
    hands.key(_Key.Key_Down, SHIFT)
    hands.key(_Key.Key_M, CONTROL)
    hands.rename("Austria")
    assert [hands.label(city, 1) for city in ("Graz", "Linz")] == ["Austria"] * 2
    hands.go("B", 1)
    hands.key(_Key.Key_Up, CONTROL)
    hands.go("B", 2)
    hands.rename("South")
    assert hands.lines[0] == ("Bari", "B", "South", "*")
    hands.go("B", 1)
    hands.key(_Key.Key_D, CONTROL)
    assert [hands.label(city, 1) for city in CITIES[:3]] == list(CITIES[:3])
    assert {hands.label(city, 2) for city in CITIES[:3]} == {"South"}
    hands.go("South", 2)
    hands.key(_Key.Key_Space, CONTROL)
    assert hands.table.model().rowCount() == 6
    hands.key(_Key.Key_Space, CONTROL)
    assert hands.table.model().rowCount() == 8
    hands.go("South", 2)
    hands.key(_Key.Key_Down, CONTROL)
    assert hands.lines[0] == ("Bari", "Bari", "*")


def test_a_bad_file_changes_nothing_and_missing_values_are_dragged_into_groups(
    cities: HierarchyHands, tmp_path: Path
) -> None:
    hands, driver = cities, cities.driver
    hands.select(["Graz", "Linz"])
    hands.key(_Key.Key_N, CONTROL | SHIFT)
    hands.rename("Austria")
    before, step = hands.hierarchy, hands.undo_text
    bad = tmp_path / "bad.csv"
    bad.write_text("Bari;South;*\nBonn;South\nBari;North;*\nBrno;South;all\nCaen;;*\n")
    hands.import_file(bad)
    dialog = driver.dialog("problemsDialog")
    model = dialog.findChild(QTableView).model()
    assert [[model.index(row, column).data() for column in range(3)] for row in range(4)] == [
        ["2", "–", "Bonn"],
        ["3", "1", "North"],
        ["4", "2", "all"],
        ["5", "1", "(empty)"],
    ]
    hands.key(_Key.Key_Escape)
    driver.wait(lambda: not dialog.isVisible())
    assert (hands.hierarchy, hands.undo_text) == (before, step)

    short = tmp_path / "short.csv"
    short.write_text("".join(f"{city};{city[0]};*\n" for city in CITIES[:-2]))
    hands.import_file(short)
    driver.wait(lambda: hands.undo_text == "Import short.csv")
    gaps = driver.find("gapsTable", QTableView)
    place = gaps.visualRect(gaps.model().index(0, 0)).center()
    driver.click(gaps.viewport(), place)
    hands.drag_between(gaps.viewport(), place, hands.icicle, hands.group_place("G", 1))
    assert hands.label("Linz", 1) == "G"
    place = gaps.visualRect(gaps.model().index(0, 0)).center()
    driver.click(gaps.viewport(), place)
    hands.drag_between(gaps.viewport(), place, hands.table.viewport(), hands.place(hands.row("Caen"), 1))
    assert hands.label("Metz", 1) == "C"
    driver.wait(lambda: not gaps.isVisible())

    hands.click("Bonn")  # and from one view to the other
    hands.drag_between(
        hands.table.viewport(), hands.place(hands.row("Bonn"), 0), hands.icicle, hands.group_place("G", 1)
    )
    assert hands.label("Bonn", 1) == "G"
    driver.click(hands.icicle, hands.group_place("G", 1))
    hands.drag_between(
        hands.icicle, hands.group_place("G", 1), hands.table.viewport(), hands.place(hands.row("Bari"), 1)
    )
    assert {hands.label(city, 1) for city in ("Bari", "Bonn", "Graz", "Linz")} == {"B"}
    hands.done()
    assert driver.session.project.hierarchies["city"].hierarchy.label("Metz", 1) == "C"
