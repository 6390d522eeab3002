"""Mouse and keyboard input for the hierarchy editor, and its state."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QTableView, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.icicle.view import IcicleView
from anonymizer_gui.perspectives.configure.hierarchy.presenter import HierarchyPresenter
from engine.hierarchies import Hierarchy
from engine.records import Column
from tests.window_driver import LEFT, Driver

NONE = Qt.KeyboardModifier.NoModifier
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


class HierarchyHands:
    """Operates the editor of one column after another."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    def open(self, column: str) -> None:
        """Open the editor of a column by mouse."""
        self.driver.click("tab.configure")
        self.driver.wait(lambda: self.driver.find("dataTable").isVisible())
        self.driver.select_columns(column)
        self.driver.click("editHierarchyButton")
        self.driver.wait(lambda: self.hierarchy is not None)

    def done(self) -> None:
        """Apply the draft."""
        self.driver.click("doneButton")
        self.driver.wait(lambda: not self.is_open)

    @property
    def is_open(self) -> bool:
        """Return whether the editor is open."""
        return self._presenter.is_open

    @property
    def table(self) -> QTableView:
        """Table of values."""
        return self.driver.find("hierarchyTable", QTableView)

    @property
    def icicle(self) -> IcicleView:
        """View of the groups of every level."""
        return self.driver.find("icicle", IcicleView)

    @property
    def hierarchy(self) -> Hierarchy | None:
        """Draft of the hierarchy."""
        return self._presenter.drafts.draft.hierarchy

    @property
    def lines(self) -> list[tuple[str, ...]]:
        """Lines of the draft."""
        return self.hierarchy.rows()

    def label(self, value: str, level: int) -> str:
        """Return the label of a value on a level."""
        return self.hierarchy.label(value, level)

    @property
    def undo_text(self) -> str:
        """Name of the step that Undo would revert."""
        return self._presenter.drafts.undo_stack.undoText()

    def build(self, title: str) -> None:
        """Select a builder and wait for its hierarchy."""
        self.driver.choose("builderBox", title)
        self.settle()

    def write(self, parameter: str, text: str) -> None:
        """Type into a field of the builder and wait for its hierarchy."""
        self.driver.type_into(f"param.{parameter}", text)
        self.settle()

    def remove_joined(self, level: int) -> None:
        """Remove a level that the builder joins from the one below."""
        self.driver.click(f"param.merge.{level}.remove")
        self.settle()

    def settle(self) -> None:
        """Wait until the editor is idle."""
        runner = self.driver.wiring.runner
        for _ in range(2):
            QApplication.processEvents()
            self.driver.wait(lambda: runner.running("hierarchy.build") is None)

    # Table of values -----------------------------------------------------------------------------

    def row(self, text: str, level: int = 0) -> int:
        """Return the first row that shows a text on a level."""
        model = self.table.model()
        column = _column(level)
        return min(row for row in range(model.rowCount()) if model.index(row, column).data() == text)

    def last_row(self, text: str, level: int) -> int:
        """Return the last row that shows a text on a level."""
        model, column = self.table.model(), _column(level)
        return max(row for row in range(model.rowCount()) if model.index(row, column).data() == text)

    def click(self, text: str, level: int = 0, keys: Qt.KeyboardModifier = NONE) -> None:
        """Click the first cell that shows a text on a level."""
        self.driver.wake()
        place = self.place(self.row(text, level), level)
        QTest.mouseClick(self.table.viewport(), LEFT, keys, place)

    def select(self, texts: Sequence[str], level: int = 0) -> None:
        """Click cells, all but the first with Ctrl."""
        for i, text in enumerate(texts):
            self.click(text, level, CONTROL if i else NONE)

    def place(self, row: int, level: int) -> QPoint:
        """Return the middle of a cell after scrolling it into view."""
        index: QModelIndex = self.table.model().index(row, _column(level))
        self.table.scrollTo(index)
        return self.table.visualRect(index).center()

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Drag from one cell to another, each a row and a level; both must be visible together."""
        self._drag(self.place(*start), self.table.viewport(), self.place(*end))

    def drag_to_header(self, row: int, level: int, goal: int) -> None:
        """Drag a cell onto the header of a level, into a new group."""
        header = self.table.horizontalHeader()
        x = header.sectionViewportPosition(_column(goal)) + header.sectionSize(_column(goal)) // 2
        self._drag(self.place(row, level), header.viewport(), QPoint(x, header.height() // 2))

    def group_place(self, label: str, level: int) -> QPoint:
        """Return the middle of a group in the icicle."""
        return self.icicle.group_rect(level, label).center().toPoint()

    def drag_between(self, start: QWidget, at: QPoint, goal: QWidget, end: QPoint) -> None:
        """Drag from one widget to another."""
        self._drag(at, goal, end, start)

    def import_file(self, path: Path) -> None:
        """Select a file by the button above the table."""
        self.driver.answer_file_dialog(path)
        self.driver.click("importHierarchyButton")

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NONE) -> None:
        """Press a key in the focused widget."""
        self.driver.key(key, keys)

    def go(self, text: str, level: int = 0, keys: Qt.KeyboardModifier = NONE) -> None:
        """Move to a cell by arrow keys."""
        table = self.table
        wanted = table.model().index(self.row(text, level), _column(level))
        for _ in range(table.model().rowCount() + table.model().columnCount()):
            here = table.currentIndex()
            if here == wanted:
                return
            if here.row() != wanted.row():
                self.key(Qt.Key.Key_Down if here.row() < wanted.row() else Qt.Key.Key_Up, keys)
            else:
                self.key(Qt.Key.Key_Right if here.column() < wanted.column() else Qt.Key.Key_Left, keys)
        raise AssertionError(f"no way to {text!r} on level {level}")

    def tab_to(self, widget: QWidget) -> None:
        """Press Tab until a widget has the focus."""
        for _ in range(80):
            if widget.hasFocus():
                return
            self.key(Qt.Key.Key_Tab)
        raise AssertionError(f"Tab never reaches {widget.objectName()}")

    def rename(self, text: str) -> None:
        """Rename the selection by keys."""
        self.key(Qt.Key.Key_F2)
        self.driver.wait(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
        field = QApplication.focusWidget()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        QApplication.processEvents()

    # --------------------------------------------------------------------------------------------

    @property
    def _presenter(self) -> HierarchyPresenter:
        return self.driver.wiring.configure.hierarchies

    def _drag(self, start: QPoint, goal: QWidget, end: QPoint, source: QWidget | None = None) -> None:
        self.driver.wake()
        source = source or self.table.viewport()
        end = source.mapFromGlobal(goal.mapToGlobal(end))
        QTest.mousePress(source, LEFT, NONE, start)
        for step in range(1, 4):
            QTest.mouseMove(source, start + (end - start) * step / 3)
        QTest.mouseRelease(source, LEFT, NONE, end)
        QApplication.processEvents()


def partitions(hierarchy: Hierarchy, column: Column) -> list[set[frozenset[str]]]:
    """Return the groups of every level as sets of values with records, ignoring labels."""
    found = []
    for level in hierarchy.levels:
        groups: dict[int, set[str]] = {}
        for value in column.labels:
            groups.setdefault(int(level.codes[hierarchy.index[value]]), set()).add(value)
        found.append({frozenset(values) for values in groups.values()})
    return found


def _column(level: int) -> int:
    return 0 if level == 0 else level + 1  # records are in the second column
