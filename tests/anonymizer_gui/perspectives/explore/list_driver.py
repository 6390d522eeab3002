"""Helpers to use and read the list by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.listing.panel import ListPanel
from anonymizer_gui.widgets.chip import RemovableChip
from tests.anonymizer_gui.perspectives.explore.conftest import Bench

LEFT = Qt.MouseButton.LeftButton


class ListDriver:
    """Mouse and keys on the list of a bench."""

    def __init__(self, qtbot: QtBot, bench: Bench) -> None:
        self.qtbot, self.bench = qtbot, bench
        self.panel: ListPanel = bench.explore.view.list
        self.model, self.view = self.panel.model, self.panel.view

    def settle(self) -> None:
        self.qtbot.waitUntil(lambda: self.bench.is_settled, timeout=20_000)

    # -- reading -------------------------------------------------------------------------------

    @property
    def nodes(self) -> list[int]:
        """Return the node indices from the first row to the last."""
        return self.model.nodes().tolist()

    @property
    def columns(self) -> list[str]:
        """Return the keys of the visible columns, from left to right."""
        return [self.model.column_key(i) for i in self.view.shown_sections()]

    @property
    def chips(self) -> list[str]:
        """Return the texts of the chips; none while the strip is hidden."""
        return [chip.text() for chip in self.panel.strip.chips()] if self.panel.strip.isVisible() else []

    @property
    def hint(self) -> str:
        label = self.panel.findChild(QLabel, "listHint")
        return label.text()

    def section(self, key: str) -> int:
        return [column.key for column in self.model.table.columns].index(key)

    def cell(self, row: int, key: str) -> str:
        return str(self.model.index(row, self.section(key)).data())

    # -- driver ---------------------------------------------------------------------------------

    def choose_status(self, key: str) -> None:
        """Choose which nodes are listed, by the arrow keys."""
        box = self.panel.findChild(QComboBox, "nodeStatus")
        wanted = box.findData(key)
        box.setFocus()
        while box.currentIndex() != wanted:
            step = Qt.Key.Key_Down if box.currentIndex() < wanted else Qt.Key.Key_Up
            self.qtbot.keyClick(box, step)

    def show_fields(self) -> None:
        """Press the filter button."""
        self.click("filterColumns")

    def field(self, key: str) -> QLineEdit:
        field = self.view.header.field(key)
        assert field is not None, f"no field over {key}"
        return field

    def type_over(self, key: str, text: str) -> None:
        """Type a condition over a column, replacing the previous one."""
        field = self.field(key)
        self.qtbot.mouseClick(field, LEFT)
        self.qtbot.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        self.qtbot.keyClick(field, Qt.Key.Key_Delete)
        self.qtbot.keyClicks(field, text)

    def click(self, name: str) -> None:
        button = self.panel.findChild(QPushButton, name)
        assert button is not None, f"no button called {name}"
        self.qtbot.mouseClick(button, LEFT)

    def chip(self, text: str) -> RemovableChip:
        return next(chip for chip in self.panel.strip.chips() if chip.text() == text)

    def click_row(self, row: int, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        place = self.view.visualRect(self.model.index(row, self.section("rank"))).center()
        self.qtbot.mouseClick(self.view.viewport(), LEFT, modifiers, place)

    def click_title(self, key: str) -> None:
        header, section = self.view.header, self.section(key)
        self.view.scrollTo(self.model.index(0, section))
        place = QPoint(header.sectionViewportPosition(section) + 12, 8)
        self.qtbot.mouseClick(header.viewport(), LEFT, pos=place)

    def open_menu(self, opener: Callable[[], None]) -> QMenu:
        """Return the menu that something opens; it stays until it is answered."""
        opener()
        return next(m for m in self.panel.findChildren(QMenu, "listMenu") if m.isVisible())

    def pick(self, menu: QMenu, start: str) -> None:
        """Click the entry that starts with some words."""
        self.qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(entry(menu, start)).center())


def entry(menu: QMenu, start: str) -> QAction:
    """Return the entry of a menu that starts with some words."""
    found = [action for action in menu.actions() if action.text().replace("&&", "&").startswith(start)]
    assert found, [action.text() for action in menu.actions()]
    return found[0]
