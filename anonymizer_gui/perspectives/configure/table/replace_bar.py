"""Strip above the table to replace values of a column, with a preview of the effect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QSizePolicy, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.layouts import fixed, hbox, vbox
from anonymizer_gui.widgets.wrapping_row import WrappingRow

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


class ReplaceBar(QFrame):
    """Nothing changes before Replace all; Escape closes the strip."""

    request_changed = Signal(object)  # ReplaceRequest
    replace_requested = Signal(object)
    column_chosen = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("replaceBar")
        self.column_box = ElidedComboBox()
        self.find_edit, self.new_edit = QLineEdit(), QLineEdit()
        self.whole_check = ElidedCheckBox(self.tr("Whole value"))
        self.case_check = ElidedCheckBox(self.tr("Match case"))
        self.replace_button = make_button(self.tr("Replace all"), kind="primary", small=True)
        self.close_button = make_icon_button("x", self.tr("Close find and replace"))
        self._words = ElidedLabel("", Text.CELL, "text_2")
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(lambda: self.request_changed.emit(self.request()))
        self._name()
        self._build()
        self._connect()
        fixed(self.column_box, width=_COLUMN_WIDTH)
        self.show_words("", can_replace=False)
        self.hide()

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
        set_tone(self._words, "text_2")
        self._words.setText(words)
        self._words.set_hint(details)
        self.replace_button.setEnabled(can_replace)
        reason = "" if can_replace else words or self.tr("Type the text to replace")
        self.replace_button.setToolTip(details if can_replace else reason)

    def show_error(self, problem: str) -> None:
        """Show why the replacement is impossible."""
        set_tone(self._words, "danger")
        self._words.setText(problem)
        self.replace_button.setEnabled(False)
        self.replace_button.setToolTip(problem)

    def words(self) -> str:
        return self._words.text()

    def open_bar(self) -> None:
        """Show the strip and focus the search text."""
        self.show()
        self.find_edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.find_edit.selectAll()
        self._ask()

    def close_bar(self) -> None:
        """Hide the strip."""
        self._pause.stop()
        self.hide()
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_pressed = event.type() == QEvent.Type.KeyPress
        if is_pressed and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self.close_bar()
            return True
        return super().eventFilter(watched, event)

    def _name(self) -> None:
        for widget, object_name, accessible_name in (
            (self.column_box, "replaceColumn", self.tr("Column to search")),
            (self.find_edit, "replaceFind", self.tr("Text to find")),
            (self.new_edit, "replaceBy", self.tr("Replacement text")),
            (self.whole_check, "replaceWhole", self.tr("Whole value")),
            (self.case_check, "replaceCase", self.tr("Match case")),
            (self.replace_button, "replaceAll", self.tr("Replace all")),
            (self.close_button, "closeReplace", self.tr("Close find and replace")),
        ):
            widget.setObjectName(object_name)
            widget.setAccessibleName(accessible_name)
        for field in (self.column_box, self.find_edit, self.new_edit):
            field.setProperty("size", "small")
            field.installEventFilter(self)
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
        self.column_box.textActivated.connect(self.column_chosen)
        self.replace_button.clicked.connect(lambda: self.replace_requested.emit(self.request()))
        self.close_button.clicked.connect(self.close_bar)

    def _wait(self) -> None:
        """Disable the button until the cells are counted for the current input."""
        self.replace_button.setEnabled(False)
        self._pause.start()

    def _ask(self) -> None:
        self._pause.stop()
        self.replace_button.setEnabled(False)
        self.request_changed.emit(self.request())
