"""Strips above the table: to filter records or go to one, and to replace values of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QIntValidator, QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QSizePolicy, QWidget

from anonymizer_gui.forms.filter_edit import FilterEdit
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.elided_combo_box import ElidedCheckBox, ElidedComboBox
from anonymizer_gui.widgets.folding_strip import WrappingRow
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_style_property, set_tone
from anonymizer_gui.widgets.layouts import fixed, hbox, named, vbox
from engine.words import _

_NUMBER_WIDTH = 84


class _Bar(QFrame):
    """Strip of fields, with words about their effect; Escape in a field closes it."""

    closed = Signal()

    def __init__(self, name: str, close_name: str, close_text: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.close_button = make_icon_button("x", close_text, close_name)
        self.close_button.clicked.connect(self.close_bar)
        self._words = ElidedLabel("", Text.CELL, "text_2")
        self.hide()

    def words(self) -> str:
        """Return the text about the fields."""
        return "" if self._words.isHidden() else self._words.text()

    def close_bar(self) -> None:
        """Hide the strip."""
        self.hide()
        self.closed.emit()

    def take_field(self, field: QWidget) -> None:
        """Make a field small, and let Escape in it close the strip."""
        field.setProperty("size", "small")
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_pressed = event.type() == QEvent.Type.KeyPress
        if is_pressed and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self.close_bar()
            return True
        return super().eventFilter(watched, event)

    def _say(self, words: str, tone: str = "text_2") -> None:
        set_tone(self._words, tone)
        self._words.setText(words)


class FilterBar(_Bar):
    """Fields for the filter and a record number."""

    filter_requested = Signal(str)
    record_requested = Signal(int)  # counted from 1

    def __init__(self) -> None:
        super().__init__("filterBar", "closeFilter", _("Show all records again"))
        self.filter_edit = named(FilterEdit(), "recordFilter")
        self.filter_edit.setPlaceholderText(self.tr("such as age >= 40 and sex = 'female'"))
        self.filter_edit.setAccessibleName(self.tr("Show only records that meet a condition"))
        self.filter_edit.filter_submitted.connect(self.filter_requested)
        self.number_edit = named(QLineEdit(), "recordNumber", self.tr("Number of a record"))
        self.number_edit.setToolTip(self.tr("Enter goes to this record"))
        self.number_edit.returnPressed.connect(self._on_number)
        self._words.setObjectName("filterResult")
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
            self.take_field(field)
        fixed(self.number_edit, width=_NUMBER_WIDTH)

    def set_most(self, n_records: int) -> None:
        """Set the number of records."""
        self.number_edit.setValidator(QIntValidator(1, max(n_records, 1), self.number_edit))

    def show_words(self, words: str) -> None:
        """Show the result of the filter; empty for none."""
        self.filter_edit.clear_error()
        self._say(words)
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
        self.filter_requested.emit("")
        super().close_bar()

    def _show_problem(self, problem: str) -> None:
        self._say(problem, "danger")
        self._words.show()

    def _on_number(self) -> None:
        set_style_property(self.number_edit, "invalid", "false")
        self.record_requested.emit(int(self.number_edit.text()))


_PAUSE = 150  # milliseconds after the last key before cells are counted
_COLUMN_WIDTH = 132


@dataclass(frozen=True)
class ReplaceRequest:
    """Requested replacement."""

    column: str
    needle: str
    new: str
    whole: bool
    case: bool


class ReplaceBar(_Bar):
    """Nothing changes before Replace all."""

    request_changed = Signal(object)  # ReplaceRequest
    replace_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__("replaceBar", "closeReplace", _("Close find and replace"))
        self.column_box = ElidedComboBox()
        self.find_edit, self.new_edit = QLineEdit(), QLineEdit()
        self.whole_check = ElidedCheckBox(self.tr("Whole value"))
        self.case_check = ElidedCheckBox(self.tr("Match case"))
        self.replace_button = make_button(self.tr("Replace all"), kind="primary", small=True)
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(lambda: self.request_changed.emit(self.request()))
        self._name()
        self._build()
        self._connect()
        fixed(self.column_box, width=_COLUMN_WIDTH)
        self.show_words("", can_replace=False)

    def request(self) -> ReplaceRequest:
        """Return the content of the fields."""
        return ReplaceRequest(
            self.column_box.currentText(),
            self.find_edit.text(),
            self.new_edit.text(),
            self.whole_check.isChecked(),
            self.case_check.isChecked(),
        )

    def show_columns(self, names: Sequence[str], chosen: str) -> None:
        """Fill the list of columns and choose one."""
        with QSignalBlocker(self.column_box):
            if [self.column_box.itemText(i) for i in range(self.column_box.count())] != list(names):
                self.column_box.clear()
                self.column_box.addItems(list(names))
            place = self.column_box.findText(
                chosen, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchCaseSensitive
            )
            self.column_box.setCurrentIndex(max(place, 0))
        self.column_box.setToolTip(self.column_box.currentText())
        if self.isVisible():
            self._ask()

    def show_words(self, words: str, *, can_replace: bool, details: str = "") -> None:
        """Show the effect of the replacement."""
        self._say(words)
        self._words.set_hint(details)
        self.replace_button.setEnabled(can_replace)
        reason = "" if can_replace else words or self.tr("Type the text to replace")
        self.replace_button.setToolTip(details if can_replace else reason)

    def show_error(self, problem: str) -> None:
        """Show why the replacement is impossible."""
        self._say(problem, "danger")
        self.replace_button.setEnabled(False)
        self.replace_button.setToolTip(problem)

    def open_bar(self) -> None:
        """Show the strip and focus the search text."""
        self.show()
        self.find_edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.find_edit.selectAll()
        self._ask()

    def close_bar(self) -> None:
        self._pause.stop()
        super().close_bar()

    def _name(self) -> None:
        for widget, object_name, accessible_name in (
            (self.column_box, "replaceColumn", self.tr("Column to search")),
            (self.find_edit, "replaceFind", self.tr("Text to find")),
            (self.new_edit, "replaceBy", self.tr("Replacement text")),
            (self.whole_check, "replaceWhole", self.tr("Whole value")),
            (self.case_check, "replaceCase", self.tr("Match case")),
            (self.replace_button, "replaceAll", self.tr("Replace all")),
        ):
            widget.setObjectName(object_name)
            widget.setAccessibleName(accessible_name)
        for field in (self.column_box, self.find_edit, self.new_edit):
            self.take_field(field)
        self.whole_check.setToolTip(self.tr("The text must be the complete value"))
        self.case_check.setToolTip(self.tr("Upper and lower case differ"))

    def _build(self) -> None:
        labels = [
            make_label(text, Text.CELL, "text_2")
            for text in (self.tr("In"), self.tr("find"), self.tr("replace with"))
        ]
        first = WrappingRow(
            [(labels[0], 0), (self.column_box, 0), (labels[1], 0), (self.find_edit, 1)],
            [(labels[2], 0), (self.new_edit, 1)],
            [(self.close_button, 0)],
        )
        second = hbox(self.whole_check, self.case_check, (self._words, 1), self.replace_button, spacing=8)
        vbox(first, second, spacing=4, margins=(12, 4, 8, 6), of=self)

    def _connect(self) -> None:
        for field in (self.find_edit, self.new_edit):
            field.textEdited.connect(lambda _text: self._wait())
            field.returnPressed.connect(self._ask)
        for check in (self.whole_check, self.case_check):
            check.toggled.connect(lambda _on: self._ask())
        self.replace_button.clicked.connect(lambda: self.replace_requested.emit(self.request()))

    def _wait(self) -> None:
        """Disable the button until the cells are counted for the current input."""
        self.replace_button.setEnabled(False)
        self._pause.start()

    def _ask(self) -> None:
        self._pause.stop()
        self.replace_button.setEnabled(False)
        self.request_changed.emit(self.request())
