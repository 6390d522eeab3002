"""Base of small charts: a plot area, an axis and labels below it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import Text, current_theme, font, scaled
from anonymizer_gui.widgets.accessible import Accessible, Role

CHART_HEIGHT, LABELS = 52, 14  # of the plot, and of the labels below it
_Align = Qt.AlignmentFlag


class SmallChart(QWidget):
    """Plot area with an axis and labels below it."""

    def __init__(self, parent: QWidget | None = None, *, height: int = CHART_HEIGHT) -> None:
        super().__init__(parent)
        self._height = height
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Chart)

    def sizeHint(self) -> QSize:
        return QSize(140, self._height + scaled(LABELS))

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.sizeHint().height())

    def plot_rect(self) -> QRectF:
        return QRectF(0.5, 4, self.width() - 1, self._height - 4)

    def draw_axis(self, painter: QPainter) -> None:
        plot = self.plot_rect()
        painter.setPen(QPen(current_theme().color("border_strong"), 1))
        painter.drawLine(QPointF(plot.left(), plot.bottom()), QPointF(plot.right(), plot.bottom()))

    def draw_labels(self, painter: QPainter, labels: list[tuple[float, str]]) -> None:
        """Draw texts centred at positions, without those that would overlap the previous one."""
        painter.setFont(font(Text.TICK))
        painter.setPen(current_theme().color("text_3"))
        metrics = painter.fontMetrics()
        taken = -10.0
        for x, text in labels:
            width = metrics.horizontalAdvance(text)
            left = min(max(x - width / 2, 0.0), self.width() - width - 1.0)
            if left <= taken + 3:
                continue
            place = QRectF(left, self._height, width + 2, scaled(LABELS))
            painter.drawText(place, int(_Align.AlignLeft), text)
            taken = left + width
