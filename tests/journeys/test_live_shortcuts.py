"""No two shortcuts active at the same time have the same keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.hierarchy.commands import COMMANDS
from tests.hierarchy_hands import CONTROL, HierarchyHands
from tests.window_driver import Driver, driven_window

_Key = Qt.Key
_IN_THE_WINDOW = (Qt.ShortcutContext.WindowShortcut, Qt.ShortcutContext.ApplicationShortcut)


@dataclass(frozen=True)
class Live:
    """An active shortcut.

    Attributes
    ----------
    keys, name : str
    scopes : tuple of QWidget
        Where the focus must be for it; the window for those that work everywhere.
    """

    keys: str
    name: str
    scopes: tuple[QWidget, ...]


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Return an empty window."""
    with driven_window(qtbot, qapp, (1440, 900)) as made:
        yield made


def live(front: QWidget) -> list[Live]:
    """Return every active shortcut of actions, buttons and widgets of a window."""
    found = []
    menus = front.findChildren(
        QMenu
    )  # a reference, because PySide deletes the action of a menu with its menu
    for shortcut in front.findChildren(QShortcut):
        owner = shortcut.parent()
        if shortcut.isEnabled() and isinstance(owner, QWidget) and owner.isVisible() and is_of(owner, front):
            found += of_keys(shortcut.keys(), f"{owner.objectName()}", shortcut.context(), [owner], front)
    for action in actions_of(front):
        owners = [w for w in action.associatedObjects() if isinstance(w, QWidget) and is_heard(w, front)]
        if action.isEnabled() and action.isVisible() and owners:
            name = action.objectName() or action.text()
            found += of_keys(action.shortcuts(), name, action.shortcutContext(), owners, front)
    for button in front.findChildren(QAbstractButton):
        if button.isVisible() and button.isEnabled() and is_of(button, front):
            found += of_keys([button.shortcut()], button.objectName(), _IN_THE_WINDOW[0], [button], front)
    del menus
    return found


def actions_of(front: QWidget) -> list[QAction]:
    """Return the actions of a window, its parts and its menus, each once."""
    found = {id(a): a for widget in [front, *front.findChildren(QWidget)] for a in widget.actions()}
    return list(found.values())


def is_of(widget: QWidget, front: QWidget) -> bool:
    """Return whether a widget is in this window, not in a dialog above it."""
    return widget.window() is front


def is_heard(owner: QWidget, front: QWidget) -> bool:
    """Return whether the actions of a widget are active: it is visible, or the menu of a visible widget."""
    if isinstance(owner, QMenu):
        above = owner.menuAction().associatedObjects()
        return any(isinstance(w, QWidget) and w is not owner and is_heard(w, front) for w in above)
    return owner.isVisible() and is_of(owner, front)


def of_keys(
    keys: list[QKeySequence],
    name: str,
    context: Qt.ShortcutContext,
    owners: list[QWidget],
    front: QWidget,
) -> list[Live]:
    scopes = (front,) if context in _IN_THE_WINDOW else tuple(owners)
    return [Live(key.toString(), name, scopes) for key in keys if not key.isEmpty()]


def meets(one: QWidget, other: QWidget) -> bool:
    """Return whether the focus can be within both."""
    return one is other or one.isAncestorOf(other) or other.isAncestorOf(one)


def twice(front: QWidget) -> list[tuple[str, str, str]]:
    """Return pairs of active shortcuts with the same keys."""
    return [
        (one.keys, one.name, other.name)
        for one, other in combinations(live(front), 2)
        if one.keys == other.keys
        and one.name != other.name
        and any(meets(a, b) for a in one.scopes for b in other.scopes)
    ]


def test_no_two_live_shortcuts_are_equal_in_any_perspective(driver: Driver) -> None:
    window, session = driver.window, driver.session
    assert twice(window) == []
    assert any(shortcut.keys == "Ctrl+V" for shortcut in live(window))  # a table is pasted here
    driver.click("example.clinic")
    driver.wait(lambda: session.project is not None)
    driver.wait_settled()
    for tab in ("tab.configure", "tab.explore", "tab.utility", "tab.risk"):
        driver.click(tab)
        QApplication.processEvents()
        assert twice(window) == [], tab
        assert len(live(window)) > 20
    driver.click("tab.configure")
    driver.key(_Key.Key_H, CONTROL)  # find and replace
    assert twice(window) == []
    driver.key(_Key.Key_F6)
    assert twice(window) == []


def test_no_two_live_shortcuts_are_equal_in_the_hierarchy_editor(driver: Driver) -> None:
    driver.open_example("clinic")
    hands = HierarchyHands(driver)
    hands.open("age")
    values = [line[0] for line in hands.lines[:2]]
    hands.select(values)
    keys = {shortcut.keys for shortcut in live(driver.window)}
    assert {"Ctrl+Shift+G", "Ctrl+Shift+N", "Ctrl+F"} <= keys  # to walk, for a new group, to find a value
    assert twice(driver.window) == []
    hands.key(_Key.Key_X, CONTROL)
    hands.click(hands.lines[-1][1], 1)
    assert "Ctrl+V" in {shortcut.keys for shortcut in live(driver.window)}  # pastes the cut values
    assert twice(driver.window) == []


def test_no_two_live_shortcuts_are_equal_in_dialogs_and_in_an_assessment(
    driver: Driver, tables: Path
) -> None:
    driver.open_example("hospital")
    driver.key(_Key.Key_Return, CONTROL)  # apply a release, which export requires
    driver.wait(lambda: driver.session.applied.release is not None)
    driver.wait_settled()
    for keys, name in (
        ("Ctrl+,", "preferencesDialog"),
        ("Shift+F1", "shortcutsDialog"),
        ("Ctrl+E", "exportDialog"),
        ("Ctrl+Shift+E", "reportDialog"),
    ):
        key = QKeySequence(keys)[0]
        driver.key(key.key(), key.keyboardModifiers())
        dialog = driver.dialog(name)
        assert twice(dialog) == [], name
        dialog.reject()
        driver.wait_settled()
    driver.answer_file_dialog(tables / "hospital.csv")
    driver.key(_Key.Key_J, CONTROL)
    opening = driver.dialog("openDialog")
    driver.wait(lambda: opening.reading is not None)  # type: ignore[attr-defined]
    assert twice(opening) == []
    driver.click(driver.button(opening, "openDialogButton"))
    driver.wait(lambda: driver.window.page == "judge")
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    assert twice(driver.window) == []


def test_the_commands_of_the_editor_have_distinct_keys() -> None:
    keys = [spec.shortcut for spec in COMMANDS if spec.shortcut]
    assert len(set(keys)) == len(keys)
