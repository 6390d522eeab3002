"""Shortcuts: all are listed, none is ambiguous, and every action is in a menu and the palette."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from anonymizer_gui.actions import shortcut_text
from anonymizer_gui.command_palette import commands_of
from anonymizer_gui.help.dialogs import ShortcutsDialog
from tests.window_driver import Driver, driven_window


@pytest.fixture
def opened(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    """Return the window with an example open, so that every page exists."""
    with driven_window(qtbot, themed) as driver:
        driver.open_example("hospital")
        yield driver


def menu_actions(menu: QMenu) -> Iterator[QAction]:
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from menu_actions(inner)
        elif not action.isSeparator():
            yield action


def test_every_offered_action_is_in_a_menu_and_the_palette(opened: Driver) -> None:
    actions = opened.wiring.actions
    menus = [menu for top in opened.window.menuBar().actions() if isinstance(menu := top.menu(), QMenu)]
    opened.click("scoringMenu")
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, QMenu)
    in_menus = {action.objectName() for menu in (*menus, popup) for action in menu_actions(menu)}
    popup.close()
    assert {f"action.{name}" for name in actions.offered()} <= in_menus
    assert len(commands_of(actions)) == len(actions.offered()) - 1, "all but the palette itself"


def test_every_shortcut_is_listed_with_its_action(opened: Driver) -> None:
    actions = opened.wiring.actions
    dialog = ShortcutsDialog(opened.window, actions)
    shown = {label.text() for label in dialog.findChildren(QLabel)}
    with_keys = [name for name in actions.offered() if shortcut_text(actions[name])]
    assert [n for n in with_keys if not {shortcut_text(actions[n]), actions.name_of(n)} <= shown] == []
    dialog.deleteLater()
