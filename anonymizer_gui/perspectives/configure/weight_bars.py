"""The weights of the quasi-identifiers as small bars; a click opens the exact entry."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from anonymizer_gui.theming import current_theme, scaled

_BAR, _GAP, _TALLEST = 14, 6, 22


class WeightBars(QAbstractButton):
    """One bar per attribute, as tall as its weight; bars narrow before any is left out."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._weights: tuple[float, ...] = ()
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_weights(self, weights: Sequence[float]) -> None:
        """Show other weights, in the order of the attributes."""
        self._weights = tuple(weights)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(max(len(self._weights), 1) * (_BAR + _GAP) - _GAP + 4, scaled(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(max(len(self._weights), 1) * 4 + 4, scaled(24))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        if self.underMouse() and self.isEnabled():
            painter.fillRect(self.rect(), QColor(theme.hover))
        room = self.rect().adjusted(2, 1, -2, -3)
        painter.setPen(QColor(theme.border_strong))
        painter.drawLine(room.left(), room.bottom() + 1, room.right(), room.bottom() + 1)
        if not self._weights:
            return
        pitch = min(room.width() / len(self._weights), _BAR + _GAP)
        gap = _GAP if pitch >= _BAR else 1
        # Equal weights fill half the height, so that a larger one has room to stand out.
        tallest = max(max(self._weights), 2.0)
        color = QColor(theme.series_1 if self.isEnabled() else theme.border)
        for i, weight in enumerate(self._weights):
            left = room.left() + round(i * pitch)
            tall = round(weight / tallest * min(room.height(), scaled(_TALLEST)))
            width = max(round(pitch) - gap, 2)
            painter.fillRect(QRect(left, room.bottom() + 1 - tall, width, tall), color)
