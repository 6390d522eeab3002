"""Strip above the table to filter records or go to one."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QIntValidator, QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from anonymizer_gui.forms.filter_edit import FilterEdit
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_style_property, set_tone
from anonymizer_gui.widgets.layouts import fixed, named, vbox
from anonymizer_gui.widgets.wrapping_row import WrappingRow

_NUMBER_WIDTH = 84


class FilterBar(QFrame):
    """Fields for the filter and a record number; Escape closes the strip."""

    filter_requested = Signal(str)
    record_requested = Signal(int)  # counted from 1
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filterBar")
        self.filter_edit = named(FilterEdit(), "recordFilter")
        self.filter_edit.setProperty("size", "small")
        self.filter_edit.setPlaceholderText(self.tr("such as age >= 40 and sex = 'female'"))
        self.filter_edit.setAccessibleName(self.tr("Show only records that meet a condition"))
        self.filter_edit.filter_submitted.connect(self.filter_requested)
        self.number_edit = named(QLineEdit(), "recordNumber", self.tr("Number of a record"))
        self.number_edit.setProperty("size", "small")
        self.number_edit.setToolTip(self.tr("Enter goes to this record"))
        self.number_edit.returnPressed.connect(self._on_number)
        self.close_button = named(make_icon_button("x", self.tr("Show all records again")), "closeFilter")
        self.close_button.clicked.connect(self.close_bar)
        self._words = named(ElidedLabel("", Text.CELL, "text_2"), "filterResult")
        vbox(
            WrappingRow(
                [(make_label(self.tr("Show records with"), Text.CELL, "text_2"), 0), (self.filter_edit, 1)],
                [(make_label(self.tr("Go to record"), Text.CELL, "text_2"), 0), (self.number_edit, 0)],
                [(self.close_button, 0)],
            ),
            self._words,
            spacing=2,
            margins=(12, 4, 8, 4),
            of=self,
        )
        self._words.hide()
        for field in (self.filter_edit, self.number_edit):
            field.installEventFilter(self)
        fixed(self.number_edit, width=_NUMBER_WIDTH)
        self.hide()

    def set_most(self, n_records: int) -> None:
        """Set the number of records."""
        self.number_edit.setValidator(QIntValidator(1, max(n_records, 1), self.number_edit))

    def words(self) -> str:
        """Return the text below the filter."""
        return "" if self._words.isHidden() else self._words.text()

    def show_words(self, words: str) -> None:
        """Show the result of the filter; empty for none."""
        self.filter_edit.clear_error()
        set_tone(self._words, "text_2")
        self._words.setText(words)
        self._words.setVisible(bool(words))

    def show_error(self, position: int | None, problem: str) -> None:
        """Show why the filter is invalid, and mark the position."""
        self.filter_edit.show_error(position, problem)
        self._show_problem(problem)

    def show_no_record(self, problem: str) -> None:
        """Show why there is no such record."""
        set_style_property(self.number_edit, "invalid", "true")
        self._show_problem(problem)

    def take_focus(self, *, goes_to_record: bool = False) -> None:
        """Set the focus to one of the fields."""
        field = self.number_edit if goes_to_record else self.filter_edit
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        field.selectAll()

    def reset(self) -> None:
        """Clear the fields, for another table."""
        self.filter_edit.clear()
        self.number_edit.clear()
        set_style_property(self.number_edit, "invalid", "false")
        self.show_words("")

    def close_bar(self) -> None:
        """Hide the strip and request all records."""
        self.reset()
        self.hide()
        self.filter_requested.emit("")
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_pressed = event.type() == QEvent.Type.KeyPress
        if is_pressed and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self.close_bar()
            return True
        return super().eventFilter(watched, event)

    def _show_problem(self, problem: str) -> None:
        set_tone(self._words, "danger")
        self._words.setText(problem)
        self._words.show()

    def _on_number(self) -> None:
        set_style_property(self.number_edit, "invalid", "false")
        self.record_requested.emit(int(self.number_edit.text()))
