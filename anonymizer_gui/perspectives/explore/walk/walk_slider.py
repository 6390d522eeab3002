"""The position in a walk: a slider whose done part is drawn in accent; a click leads to where it is."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from anonymizer_gui.theming import current_theme, scaled

_HANDLE, _SIDE = 6.0, 8
_PAGES = 20  # Page keys that lead from one end to the other


class WalkSlider(QSlider):
    """`valueChanged` is emitted for the person only; the program sets positions with `show_position`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setObjectName("walkSlider")
        self.setAccessibleName(self.tr("Position in the walk"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_position(self, position: int, length: int) -> None:
        """Show where the walk is, without announcing it."""
        was_blocked = self.blockSignals(True)
        self.setRange(0, length)
        self.setPageStep(max(length // _PAGES, 1))
        self.setValue(position)
        self.blockSignals(was_blocked)
        self.update()

    def x_of(self, position: int) -> float:
        """Where a position is on the slider."""
        return _SIDE + position / max(self.maximum(), 1) * (self.width() - 2 * _SIDE)

    def sizeHint(self) -> QSize:
        return QSize(160, scaled(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, scaled(24))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._move_to(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._move_to(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle, end = self.height() / 2, self.x_of(self.value())
        is_on = self.isEnabled()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.border_strong if is_on else theme.border))
        painter.drawRoundedRect(QRectF(_SIDE, middle - 0.75, self.width() - 2 * _SIDE, 1.5), 0.75, 0.75)
        if not is_on:
            return
        painter.setBrush(QColor(theme.accent))
        painter.drawRoundedRect(QRectF(_SIDE, middle - 1.5, max(end - _SIDE, 0), 3), 1.5, 1.5)
        painter.setBrush(QColor(theme.surface))
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.drawEllipse(QPointF(end, middle), _HANDLE, _HANDLE)

    def _move_to(self, x: float) -> None:
        share = min(max((x - _SIDE) / max(self.width() - 2 * _SIDE, 1), 0.0), 1.0)
        self.setValue(round(share * self.maximum()))
