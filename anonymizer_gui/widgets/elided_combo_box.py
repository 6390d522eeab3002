"""Combo and check boxes that elide long text with an ellipsis instead of clipping it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

_MARGIN, _BESIDE_ICON = 2, 2
_ANY_WIDTH = 1000


def offer(box: QComboBox, entries: Iterable[tuple[Any, ...]], chosen: Any) -> None:
    """Replace the entries of a box without a signal, and choose one of them by its data.

    Entries are data and text, and the tooltip if they have one; unknown data chooses none.
    """
    with QSignalBlocker(box):
        box.clear()
        for place, (data, text, *tooltip) in enumerate(entries):
            box.addItem(text, data)
            if tooltip:
                box.setItemData(place, tooltip[0], Qt.ItemDataRole.ToolTipRole)
        box.setCurrentIndex(box.findData(chosen))


class ElidedComboBox(QComboBox):
    """Asks for the room of its current text; the caller sets a tooltip with the full text."""

    data_chosen = Signal(object)  # of the entry chosen by the user

    def __init__(self, least_letters: int | None = None) -> None:
        """Create the box; with `least_letters` it is compact and shrinks to at least these."""
        super().__init__()
        self._sized_for = ""
        self.activated.connect(lambda place: self.data_chosen.emit(self.itemData(place)))
        if least_letters is not None:
            self.setProperty("compact", "true")
            self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.setMinimumContentsLength(least_letters)

    def sizeHint(self) -> QSize:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.rect = QRect(0, 0, _ANY_WIDTH, self.height())
        frame = _ANY_WIDTH - self._room(option)
        needed = self.fontMetrics().horizontalAdvance(self.currentText()) + 1
        hint = super().sizeHint()
        return QSize(max(hint.width(), frame + needed), hint.height())

    def shown_text(self) -> str:
        """Return the current text as drawn."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._elided(option)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.currentText() != self._sized_for:  # no signal tells, if the caller blocks them
            self._sized_for = self.currentText()
            self.updateGeometry()
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._elided(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _elided(self, option: QStyleOptionComboBox) -> str:
        return self.fontMetrics().elidedText(
            self.currentText(), Qt.TextElideMode.ElideRight, self._room(option)
        )

    def _room(self, option: QStyleOptionComboBox) -> int:
        """Return the width for the text."""
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        room = field.width() - 2 * _MARGIN
        if not option.currentIcon.isNull():
            room -= option.iconSize.width() + _BESIDE_ICON
        return room


class ElidedCheckBox(QCheckBox):
    """Check box for data values: an ampersand is a letter, and any length is possible."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._full_text = text
        self._hint = ""
        self.setAccessibleName(text)
        self._show()

    def set_text(self, text: str) -> None:
        """Set the text."""
        if text != self._full_text:
            self._full_text = text
            self.setAccessibleName(text)
            self._show()
            self.updateGeometry()

    def set_hint(self, hint: str) -> None:
        """Set a tooltip shown after the text."""
        self._hint = hint
        self._show()

    def shown_text(self) -> str:
        """Return the text as drawn."""
        return self.text().replace("&&", "&")

    def sizeHint(self) -> QSize:
        return QSize(self._frame() + self._advance(self._full_text) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(
            self._frame() + self._advance(self._full_text[:3] + "…"), super().minimumSizeHint().height()
        )

    def hitButton(self, pos: QPoint) -> bool:
        """Return whether a click hits the row, which is wider than the text."""
        return self.rect().contains(pos)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._show()

    def _frame(self) -> int:
        """Return the width of the box without its text."""
        return super().sizeHint().width() - self._advance(self.shown_text())

    def _advance(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text)

    def _show(self) -> None:
        room = self.width() - self._frame()
        shown = self.fontMetrics().elidedText(self._full_text, Qt.TextElideMode.ElideRight, room)
        text = shown.replace("&", "&&")
        if text != self.text():
            self.setText(text)
        self.setToolTip("\n".join(filter(None, [self._full_text, self._hint])))
