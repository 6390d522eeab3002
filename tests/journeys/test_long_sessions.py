"""A window used for many tables, with garbage collected after every event."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from tests.hierarchy_hands import CONTROL, SHIFT, HierarchyHands
from tests.window_driver import Driver, driven_window

TABLES = {
    "ages": "age,city\n" + "".join(f"{20 + i},{['Bonn', 'Brno', 'Cork'][i % 3]}\n" for i in range(30)),
    "births": "age,city\n" + "".join(f"{1 + i % 28:02d}-03-19{20 + i},c{i % 4}\n" for i in range(30)),
    "chapters": "age,city\n" + "".join(f"{['Heart', 'Skin', 'Blood'][i % 3]},x{i % 5}\n" for i in range(30)),
}
_Key = Qt.Key


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Return an empty window; garbage collection covers objects created after it only."""
    with driven_window(qtbot, qapp, (1280, 720)) as made:
        gc.collect()
        gc.freeze()
        yield made


def gone(window: QWidget) -> list[str]:
    """Return objects that Python holds although Qt has deleted them."""
    found = []
    for widget in [window, *window.findChildren(QWidget)]:
        for name, held in vars(widget).items():
            parts = list(held.values()) if isinstance(held, dict) else held
            for part in parts if isinstance(parts, list | tuple) else [parts]:
                is_kept = isinstance(part, QAction | QActionGroup | QMenu | QWidget)
                if is_kept and not shiboken6.isValid(part):
                    found.append(f"{type(widget).__name__}.{name}")
    return found


def groups_without_keeper(window: QWidget) -> list[str]:
    """Return action groups and button menus without a Python reference, which may be deleted."""
    held: set[int] = set()
    parts: list[QObject] = [window, *window.findChildren(QObject)]
    for owner in parts:
        for value in vars(owner).values() if hasattr(owner, "__dict__") else ():
            values = list(value.values()) if isinstance(value, dict) else value
            held.update(map(id, values if isinstance(values, list | tuple) else [values]))
    return [
        f"{type(group).__name__} in {type(group.parent()).__name__}"
        for group in window.findChildren(QActionGroup)
        if id(group) not in held
    ]


def test_every_group_of_actions_is_kept_by_the_part_of_the_window_that_uses_it(driver: Driver) -> None:
    driver.open_example("clinic")
    driver.click("tab.explore")
    QApplication.processEvents()
    assert groups_without_keeper(driver.window) == []


def test_the_editor_opens_and_edits_however_many_tables_there_were_before(
    driver: Driver, tmp_path: Path
) -> None:
    hands = HierarchyHands(driver)
    for turn in range(6):
        name = list(TABLES)[turn % len(TABLES)]
        path = tmp_path / f"{name}{turn}.csv"
        path.write_text(TABLES[name], encoding="utf-8")
        driver.open_table(path)
        for column in ("age", "city"):
            hands.open(column)
            gc.collect()
            first, second = hands.lines[0][0], hands.lines[-1][0]
            hands.select([first, second])
            gc.collect()
            hands.key(_Key.Key_N, CONTROL | SHIFT)
            for button in ("moreTableButton", "moreHierarchyButton"):
                menu = driver.find(button).menu()  # type: ignore[attr-defined]
                driver.click(button)
                driver.wait(menu.isVisible)
                gc.collect()
                driver.qtbot.keyClick(menu, _Key.Key_Escape)
                del menu
                gc.collect()
            hands.key(_Key.Key_Z, CONTROL)
            gc.collect()
            hands.click(first)
            driver.click("backButton" if turn % 2 else "doneButton")
            driver.wait(lambda: not hands.is_open)
            gc.collect()
        assert gone(driver.window) == []
        driver.window.may_close = lambda: True
        driver.session.history.own.setClean()
        hands.key(_Key.Key_W, CONTROL)
        driver.wait(lambda: driver.session.project is None)
        gc.collect()
