"""Two columns at once: a heat map of their table, and how strongly they go together."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QLinearGradient, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.utility.heat_table import Heat, HeatTable
from anonymizer_gui.theming import Text, current_theme, font, scaled
from anonymizer_gui.widgets.labels import ElidedLabel

_BAR, _LONGEST, _ROOM_FOR_STATEMENT = 10, 220, 150


class _Ramp(QWidget):
    """What shades mean: from the least number, by zero, to the most."""

    def __init__(self) -> None:
        super().__init__()
        self._low = self._high = ""
        self._is_signed = True

    def show_ends(self, low: str, high: str, *, is_signed: bool) -> None:
        self._low, self._high, self._is_signed = low, high, is_signed
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(_LONGEST), scaled(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.setFont(font(Text.TICK))
        painter.setPen(theme.color("text_3"))
        metrics = painter.fontMetrics()
        left, right = metrics.horizontalAdvance(self._low) + 8, metrics.horizontalAdvance(self._high) + 8
        whole = self.rect()
        painter.drawText(whole, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), self._low)
        wide = max(min(self.width(), scaled(_LONGEST)) - left - right, 10)
        room = QRectF(left, (self.height() - _BAR) / 2, wide, _BAR)
        low, middle, high = theme.color("series_4"), theme.color("sunken"), theme.color("series_2")
        ramp = QLinearGradient(room.topLeft(), room.topRight())
        ramp.setColorAt(0.0, low if self._is_signed else middle)
        ramp.setColorAt(0.5 if self._is_signed else 0.0, middle)
        ramp.setColorAt(1.0, high)
        painter.fillRect(room, ramp)
        after = whole.adjusted(int(room.right()) + 8, 0, 0, 0)
        painter.drawText(after, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), self._high)


class ContingencyView(QWidget):
    """The table with its statement above and its measures below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.statement = ElidedLabel("", Text.CELL, "text_3")
        self.statement.setObjectName("contingencyStatement")
        self.measures = ElidedLabel("", Text.CELL_STRONG, "text")
        self.measures.setObjectName("contingencyMeasures")
        self.table = HeatTable(self.tr("Contingency table"))
        self.table.setObjectName("contingencyTable")
        self._ramp = _Ramp()
        below = QHBoxLayout()
        below.setContentsMargins(12, 0, 12, 4)
        below.setSpacing(12)
        below.addWidget(self.measures, 1)
        below.addWidget(self._ramp)
        above = QHBoxLayout()
        above.setContentsMargins(12, 4, 12, 0)
        above.addWidget(self.statement)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(above)
        column.addWidget(self.table, 1)
        column.addLayout(below)

    def show_heat(self, heat: Heat, statement: str, measures: str, unit: str, *, is_signed: bool) -> None:
        """Show another table; the unit is that of the numbers in its cells."""
        self.table.show_heat(heat)
        self.statement.setText(statement)
        self.measures.setText(measures)
        low = heat.text(-heat.most) if is_signed else "0"
        self._ramp.show_ends(low, f"{heat.text(heat.most)} {unit}".rstrip(), is_signed=is_signed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.statement.setVisible(self.height() >= scaled(_ROOM_FOR_STATEMENT))
