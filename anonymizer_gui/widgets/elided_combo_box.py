"""Combo box that elides long text with an ellipsis instead of clipping it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

_MARGIN, _BESIDE_ICON = 2, 2


class ElidedComboBox(QComboBox):
    """The caller sets a tooltip with the full text."""

    def shown_text(self) -> str:
        """Return the current text as drawn."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._elided(option)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._elided(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _elided(self, option: QStyleOptionComboBox) -> str:
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        room = field.width() - 2 * _MARGIN
        if not option.currentIcon.isNull():
            room -= option.iconSize.width() + _BESIDE_ICON
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)
