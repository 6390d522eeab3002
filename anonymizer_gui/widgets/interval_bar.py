"""A value with its interval on a scale from 0 to 1."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import current_theme, paint_track, scaled

_HEIGHT, _TRACK, _BAND, _END, _MARK = 18, 8, 4, 12, 10


class IntervalBar(QWidget):
    """Line between both ends of the interval, and a dot at the value; nothing without an interval."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._interval: tuple[float, float, float] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_interval(self, interval: tuple[float, float, float] | None, text: str) -> None:
        """Show value, lower and upper end; the text is for a screen reader."""
        self._interval = interval
        self.setAccessibleName(text)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(120), scaled(_HEIGHT))

    def mark_rect(self) -> QRectF:
        """Return the rectangle of the dot; empty without an interval."""
        return QRectF() if self._interval is None else self._part(self._interval[0], _MARK, _MARK)

    def band_rect(self) -> QRectF:
        """Return the rectangle of the line; empty without an interval."""
        if self._interval is None:
            return QRectF()
        low, high = (self._part(end, 0, _BAND) for end in self._interval[1:])
        return low.united(QRectF(low.topLeft(), high.bottomRight()))

    def _part(self, share: float, width: int, height: int) -> QRectF:
        """Return a rectangle around a place of the scale; a dot at an end of the scale is inside."""
        inset = scaled(_MARK) / 2
        middle = inset + share * (self.width() - 2 * inset)
        wide, high = scaled(width), scaled(height)
        return QRectF(middle - wide / 2, (self.height() - high) / 2, wide, high)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        high = scaled(_TRACK)
        track = QRectF(0, (self.height() - high) / 2, self.width(), high)
        paint_track(painter, track, theme, "surface_2" if theme.is_dark else "sunken")
        if self._interval is None:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("series_2"))
        painter.drawRect(self.band_rect())
        for end in self._interval[1:]:
            painter.drawRect(self._part(end, 2, _END))
        painter.setBrush(theme.color("ink"))
        painter.drawEllipse(self.mark_rect())
