"""Combo box that elides long text with an ellipsis instead of clipping it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

_MARGIN, _BESIDE_ICON = 2, 2
_ANY_WIDTH = 1000


class ElidedComboBox(QComboBox):
    """Asks for the room of its current text; the caller sets a tooltip with the full text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sized_for = ""

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
