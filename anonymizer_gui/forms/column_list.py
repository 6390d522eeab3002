"""Editor for columns that name the groups of each level: one line per column."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from anonymizer_gui.widgets.accessible import name_editable
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.layouts import hbox, vbox


class ColumnList(QWidget):
    """One column per line, chosen from the known ones or typed; empty lines are ignored."""

    changed = Signal()

    def __init__(self, name: str, columns: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._columns = name, columns
        self._lines: list[_ColumnLine] = []
        self.add_button = make_button(self.tr("Add a level"), kind="link", icon_name="plus", small=True)
        self.add_button.setObjectName(f"param.{name}.add")
        self.add_button.setToolTip(self.tr("Choose the column that groups these groups"))
        self.add_button.clicked.connect(self._on_add_clicked)
        self._column = vbox((self.add_button, 0, Qt.AlignmentFlag.AlignLeft), spacing=4, margins=0, of=self)

    def value(self) -> list[str]:
        """Return the columns, lowest level first."""
        return [text for line in self._lines if (text := line.box.currentText())]

    def set_value(self, names: Sequence[str]) -> None:
        """Replace the columns."""
        if list(names) == self.value():
            return
        for line in reversed(self._lines[len(names) :]):
            self._take(line)
        for line, name in zip(self._lines, names, strict=False):
            with QSignalBlocker(line.box):
                line.box.setEditText(name)
        for name in names[len(self._lines) :]:
            self._append(name)
        self.changed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._order_tabs()

    def _append(self, name: str) -> _ColumnLine:
        line = _ColumnLine(self._columns, name)
        line.box.editTextChanged.connect(lambda _text: self.changed.emit())
        line.remove_button.clicked.connect(lambda: self._on_remove_clicked(line))
        self._column.insertWidget(len(self._lines), line)
        line.show()  # a layout shows it later, and a hidden line cannot have the focus
        self._lines.append(line)
        self._name_lines()
        self._order_tabs()
        return line

    def _take(self, line: _ColumnLine) -> None:
        self._lines.remove(line)
        self._column.removeWidget(line)
        line.hide()
        line.setParent(None)
        line.deleteLater()
        self._name_lines()

    def _name_lines(self) -> None:
        for place, line in enumerate(self._lines):
            level = place + 2  # level 1 groups the values of level 0
            line.box.setObjectName(f"param.{self._name}.{level}")
            name_editable(line.box, self.tr("Groups of level {level} in column").format(level=level))
            line.remove_button.setAccessibleName(self.tr("Remove level {level}").format(level=level))

    def _order_tabs(self) -> None:
        stops: list[QWidget] = [stop for line in self._lines for stop in (line.box, line.remove_button)]
        for first, second in pairwise([*stops, self.add_button]):
            self.setTabOrder(first, second)

    def _on_add_clicked(self) -> None:
        self._append("").box.setFocus()

    def _on_remove_clicked(self, line: _ColumnLine) -> None:
        place = self._lines.index(line)
        had_text = bool(line.box.currentText())
        self._take(line)
        (self._lines[min(place, len(self._lines) - 1)].box if self._lines else self.add_button).setFocus()
        if had_text:
            self.changed.emit()


class _ColumnLine(QWidget):
    """Combo box for a column, and a button that removes the line."""

    def __init__(self, columns: Sequence[str], name: str) -> None:
        super().__init__()
        self.box = open_box(columns)
        self.box.setEditText(name)
        self.remove_button = make_icon_button("x", self.tr("Remove"))
        hbox((self.box, 1), self.remove_button, spacing=4, margins=0, of=self)


def open_box(columns: Sequence[str]) -> QComboBox:
    """Return an editable combo box of columns, initially empty."""
    box = QComboBox()
    box.setEditable(True)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    # Long names must not widen a narrow panel.
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(8)
    for name in columns:
        box.addItem(name, name)
    box.setCurrentIndex(-1)
    line = box.lineEdit()
    assert line is not None
    line.setPlaceholderText(box.tr("none"))
    return box
