"""Actions are hidden from menus, keys and buttons until they have a handler."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.actions import ALL_MENUS, MENUS, Actions, entries_of
from anonymizer_gui.frame.perspective_bar import PerspectiveBar
from anonymizer_gui.help.dialogs import ShortcutsDialog
from anonymizer_gui.main_window import MainWindow

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def actions(themed: QApplication) -> Iterator[Actions]:
    made = Actions()
    yield made
    made.deleteLater()


def test_every_menu_entry_is_an_action_and_no_two_share_a_key(actions: Actions) -> None:
    names = [name for _, names in ALL_MENUS for name in entries_of(names)]
    assert all(actions[name].objectName() == f"action.{name}" for name in names)
    assert len(set(names)) == len(names)
    keys = [key.toString() for action in actions.all() for key in action.shortcuts() if not key.isEmpty()]
    assert len(set(keys)) == len(keys)


def test_no_two_entries_of_a_menu_have_the_same_mnemonic(qtbot: QtBot, actions: Actions) -> None:
    window = MainWindow(actions)
    qtbot.addWidget(window)
    for name in actions._actions:
        actions.offer(name, lambda: None)
    titles = window.menuBar().actions()
    letters = {"": [title.text() for title in titles]}
    letters |= {title.text(): [entry.text() for entry in title.menu().actions()] for title in titles}
    assert len(letters) == len(MENUS) + 1
    for menu, texts in letters.items():
        found = [QKeySequence.mnemonic(text).toString() for text in texts]
        found = [letter for letter in found if letter]
        assert len(found) == len(set(found)), f"{menu}: {sorted(found)}"
        assert len(found) >= len([text for text in texts if text]) - 1, menu


def test_an_action_is_visible_and_reacts_to_its_keys_once_offered(qtbot: QtBot, actions: Actions) -> None:
    window = MainWindow(actions)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    done: list[str] = []
    qtbot.keyClick(window, Qt.Key.Key_E, CONTROL)
    assert not actions["export"].isVisible()
    assert actions.offered() == ()
    actions.offer("export", lambda: done.append("export"))
    assert actions.offered() == ("export",)
    qtbot.keyClick(window, Qt.Key.Key_E, CONTROL)
    assert done == ["export"]


def test_the_history_has_a_button_once_offered(qtbot: QtBot, actions: Actions) -> None:
    bar = PerspectiveBar(actions)
    qtbot.addWidget(bar)
    with qtbot.waitExposed(bar):
        bar.show()
    assert not bar._history.isVisible()
    done: list[str] = []
    actions.offer("history", lambda: done.append("history"))
    assert bar._history.isVisible()
    qtbot.mouseClick(bar._history, Qt.MouseButton.LeftButton)
    assert done == ["history"]


def test_the_list_of_shortcuts_has_only_offered_actions(qtbot: QtBot, actions: Actions) -> None:
    actions.offer("export", lambda: None)
    parent = MainWindow(actions)
    qtbot.addWidget(parent)
    dialog = ShortcutsDialog(parent, actions)
    shown = {label.text() for label in dialog.findChildren(QLabel)}
    assert "Export" in shown
    assert "Save" not in shown


def test_conditions_for_closing_are_asked_in_order_until_one_refuses(qtbot: QtBot, actions: Actions) -> None:
    window = MainWindow(actions)
    qtbot.addWidget(window)
    window.show()
    asked: list[str] = []
    answers = {"jobs": False, "project": True}

    def ask(name: str) -> bool:
        asked.append(name)
        return answers[name]

    window.ask_before_closing(lambda: ask("jobs"))
    window.ask_before_closing(lambda: ask("project"))
    assert not window.close()
    assert asked == ["jobs"]
    answers["jobs"] = True
    assert window.close()
    assert asked == ["jobs", "jobs", "project"]
