"""What the charts of this perspective have in common: two named axes with values, and lines across."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import Text, current_theme, font, scaled, theme_manager
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.numbers import as_percent

Labels = list[tuple[float, str]]  # places in pixels, and what is printed there
_Align = Qt.AlignmentFlag
_TICK, _LABEL, _NAME, _SIDE = 4, 12, 14, 16
_APART, _ROOM = 8, 26  # pixels between printed values: of the lower axis, of the upright one
_MINIMUM = QSize(140, 96)


class PaintedChart(QWidget):
    """Draws axes around a plot; a chart draws what is in it and says what the axes are called."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is the widget's object name."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme_manager().theme_changed.connect(self._on_theme_changed)

    def sizeHint(self) -> QSize:
        return QSize(scaled(280), scaled(170))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(_MINIMUM.width()), scaled(_MINIMUM.height()))

    def plot_rect(self, left_texts: Sequence[str], *, top: int = 8) -> QRectF:
        """Where values lie, beside and above what is printed at the axes."""
        metrics = QFontMetricsF(font(Text.TICK))
        widest = max((metrics.horizontalAdvance(text) for text in left_texts), default=0.0)
        left = round(widest) + 10
        bottom = _TICK + scaled(_LABEL) + scaled(_NAME) + 4
        width, height = self.width() - left - _SIDE, self.height() - scaled(top) - bottom
        return QRectF(left, scaled(top), max(width, 20), max(height, 20))

    def draw_axes(
        self, painter: QPainter, plot: QRectF, x_labels: Labels, y_labels: Labels, x_name: str
    ) -> None:
        """A line at every printed value of the vertical axis, then both axes with values and the name."""
        theme = current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        line, metrics = QColor(theme.border_strong), QFontMetricsF(font(Text.TICK))
        for y, _ in y_labels:
            painter.fillRect(QRectF(plot.left(), round(y), plot.width(), 1), QColor(theme.grid))
        painter.fillRect(QRectF(plot.left(), round(plot.bottom()), plot.width(), 1), line)
        painter.setFont(font(Text.TICK))
        painter.setPen(theme.color("text_3"))
        height = scaled(_LABEL)
        for x, text in x_labels:
            painter.fillRect(QRectF(round(x), round(plot.bottom()), 1, _TICK), line)
            width = metrics.horizontalAdvance(text) + 2
            left = min(max(x - width / 2, 0.0), self.width() - width)
            place = QRectF(left, plot.bottom() + _TICK + 1, width, height)
            painter.drawText(place, int(_Align.AlignCenter), text)
        for y, text in y_labels:
            place = QRectF(0, y - height / 2, plot.left() - 6, height)
            painter.drawText(place, int(_Align.AlignRight | _Align.AlignVCenter), text)
        painter.setFont(font(Text.AXIS))
        wide = QFontMetricsF(painter.font())
        shown = wide.elidedText(x_name, Qt.TextElideMode.ElideRight, self.width() - 8.0)
        place = QRectF(4, plot.bottom() + _TICK + height + 2, self.width() - 8, scaled(_NAME))
        painter.drawText(place, int(_Align.AlignCenter), shown)

    def draw_dashed(self, painter: QPainter, plot: QRectF, x: float, token: str) -> None:
        """A dashed line from top to bottom."""
        pen = QPen(current_theme().color(token), 1.5)
        pen.setDashPattern([3, 2])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen)
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))

    def draw_note(self, painter: QPainter, at: QPointF, text: str, token: str) -> None:
        """A few strong words with their left end and middle at a point, on a halo."""
        painter.setFont(font(Text.AXIS, SEMI_BOLD))
        place = note_rect(at, text)
        painter.setPen(current_theme().color(token))
        painter.drawText(place, int(_Align.AlignLeft | _Align.AlignVCenter), text)

    def _on_theme_changed(self) -> None:
        self.updateGeometry()
        self.update()


def note_rect(at: QPointF, text: str) -> QRectF:
    """The room that words at a point take."""
    metrics = QFontMetricsF(font(Text.AXIS, SEMI_BOLD))
    height = metrics.height()
    return QRectF(at.x(), at.y() - height / 2, metrics.horizontalAdvance(text) + 2, height)


def percent_labels(plot: QRectF, highest: float) -> tuple[float, Labels]:
    """Round shares for a vertical axis that starts at zero: where it ends, and what is printed."""
    step = round_step(max(highest, 1e-6), max(int(plot.height() // scaled(_ROOM)), 2))
    end = step * max(-(-highest // step), 1.0)
    end = min(end, 1.0) if highest <= 1.0 else end
    n_steps = round(end / step)
    values = [i * step for i in range(n_steps + 1)]
    if values[-1] < end - step / 1000:
        values.append(end)
    decimals = max(2, ceil(-log10(step * 100)) + 1)  # as many as tell neighbours apart
    return end, [(plot.bottom() - plot.height() * v / end, as_percent(v, decimals)) for v in values]


def round_step(span: float, most: int) -> float:
    """A step of 1, 2, 2.5 or 5 times a power of ten that fits a span at most so often."""
    least = span / max(most, 1)
    power = 10.0 ** floor(log10(least))
    for factor in (1.0, 2.0, 2.5, 5.0, 10.0):
        if factor * power >= least * (1 - 1e-9):
            return factor * power
    return 10.0 * power


def thinned(labels: Labels, *, keep_last: bool = True) -> Labels:
    """Leave out what would touch a neighbour; the last one stays."""
    metrics = QFontMetricsF(font(Text.TICK))
    kept: Labels = []
    ends = (0.0,) if not keep_last or not labels else (_left_of(labels[-1], metrics),)
    for place, text in labels[:-1] if keep_last else labels:
        half = metrics.horizontalAdvance(text) / 2
        is_clear = not kept or place - half >= _right_of(kept[-1], metrics) + _APART
        if is_clear and (not keep_last or place + half + _APART <= ends[0]):
            kept.append((place, text))
    return [*kept, labels[-1]] if keep_last and labels else kept


def _left_of(label: tuple[float, str], metrics: QFontMetricsF) -> float:
    return label[0] - metrics.horizontalAdvance(label[1]) / 2


def _right_of(label: tuple[float, str], metrics: QFontMetricsF) -> float:
    return label[0] + metrics.horizontalAdvance(label[1]) / 2
