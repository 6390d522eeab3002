"""Two bars on one scale, before and after, with both numbers above them."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from anonymizer_gui.theming import Text, current_theme, paint_track
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import hbox, vbox

_BAR, _GAP = 8, 2


class _Bars(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.before = self.after = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(120, 2 * _BAR + _GAP)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        pairs = ((0, self.before, theme.series_1), (_BAR + _GAP, self.after, theme.series_2))
        for top, share, color in pairs:
            track = QRectF(0, top, self.width(), _BAR)
            paint_track(painter, track, theme, "surface_2" if theme.is_dark else "sunken")
            if share > 0:
                painter.setBrush(QColor(color))
                painter.drawRoundedRect(QRectF(0, top, max(share * self.width(), 1.0), _BAR), 2, 2)


class BarPair(FitsRoom, QWidget):
    """Bars for a quantity before and after; zero draws no bar."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ElidedLabel(name, Text.CELL, "text_2")
        self._numbers = make_label("", Text.CELL_STRONG)
        self._bars = _Bars()
        self._head = hbox((self._name, 1), self._numbers, spacing=8)
        vbox(self._head, self._bars, spacing=4, margins=0, of=self)

    def show_pair(self, before: float, after: float, before_text: str, after_text: str) -> None:
        """Set the lengths as fractions of one common scale, and their texts."""
        self._bars.before, self._bars.after = min(before, 1.0), min(after, 1.0)
        self._numbers.setText(f"{before_text} → {after_text}")
        self.setAccessibleName(
            self.tr("{name}: {before} before, {after} after").format(
                name=self._name.text(), before=before_text, after=after_text
            )
        )
        self._bars.update()
        self._fit()

    def _fit(self) -> None:
        """Put the numbers below the name if both have no room in one line."""
        needed = self._name.sizeHint().width() + self._head.spacing() + self._numbers.sizeHint().width()
        is_narrow = needed > self.width()
        directions = QBoxLayout.Direction
        self._head.setDirection(directions.TopToBottom if is_narrow else directions.LeftToRight)

    def numbers(self) -> str:
        return self._numbers.text()
