"""The sensitive values of one class as bars, against the whole table as outlines."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from anonymizer_gui.perspectives.risk.painted_chart import Labels, PaintedChart, percent_labels, thinned
from anonymizer_gui.theming import Text, current_theme, font
from anonymizer_gui.widgets.numbers import as_percent

_OUTLINE, _BAR = 0.76, 0.54  # of the room of one value


@dataclass(frozen=True)
class ClassBars:
    """What is drawn: one pair per value or band of values.

    Attributes
    ----------
    column : str
        The sensitive column, which names the axis.
    labels : tuple of str
    of_class, of_table : tuple of float
        Shares of the records of the class, and of the whole table.
    edges : tuple of str
        Where each band begins and where the last ends, if values are bands of numbers; what is beyond the
        last is missing. Empty where each value stands for itself.
    """

    column: str
    labels: tuple[str, ...]
    of_class: tuple[float, ...]
    of_table: tuple[float, ...]
    edges: tuple[str, ...] = ()


class ClassChart(PaintedChart):
    """Bars start at zero; filled is the class, the outline is the table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("classChart", parent)
        self._bars: ClassBars | None = None
        self.setAccessibleName(self.tr("Sensitive values of a class beside the whole table"))

    @property
    def bars(self) -> ClassBars | None:
        """What is drawn."""
        return self._bars

    def show_bars(self, bars: ClassBars | None) -> None:
        """Show another class."""
        self._bars = bars
        told = "; ".join(self._told(i) for i in range(len(bars.labels))) if bars is not None else ""
        self.setAccessibleDescription(told)
        self.update()

    def bar_rect(self, place: int) -> QRectF:
        """The room of one value, from the axis to the top of the plot."""
        plot = self._plot()
        width = plot.width() / max(len(self._bars.labels) if self._bars else 1, 1)
        return QRectF(plot.left() + place * width, plot.top(), width, plot.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        bars, theme = self._bars, current_theme()
        if bars is None or not bars.labels:
            return
        painter, plot = QPainter(self), self._plot()
        end, y_labels = percent_labels(plot, max(*bars.of_class, *bars.of_table))
        self.draw_axes(painter, plot, self._x_labels(), y_labels, bars.column)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for i, (own, all_of_it) in enumerate(zip(bars.of_class, bars.of_table, strict=True)):
            room = self.bar_rect(i)
            if own > 0:
                bar = _part(room, _BAR, plot.height() * own / end)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.color("series_2"))
                painter.drawRoundedRect(bar, 2, 2)
            if all_of_it > 0:
                outline = _part(room, _OUTLINE, plot.height() * all_of_it / end)
                painter.setPen(QPen(theme.color("text_2"), 1.4))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(outline)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._told_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _plot(self) -> QRectF:
        return self.plot_rect(["100\u202f%"])

    def _x_labels(self) -> Labels:
        """Every value where all have room, else shortened, else those that have; of bands, their edges."""
        assert self._bars is not None
        if edges := self._bars.edges:
            marks = [(self.bar_rect(i).left(), text) for i, text in enumerate(edges)]
            rest = range(len(edges) - 1, len(self._bars.labels))
            return thinned([*marks, *((self.bar_rect(i).center().x(), self._bars.labels[i]) for i in rest)])
        metrics, room = QFontMetricsF(font(Text.TICK)), self.bar_rect(0).width() - 4
        labels = [(self.bar_rect(i).center().x(), text) for i, text in enumerate(self._bars.labels)]
        least = metrics.horizontalAdvance("mmm…")
        if room >= least:
            mode = Qt.TextElideMode.ElideRight
            return [(x, metrics.elidedText(text, mode, room)) for x, text in labels]
        every = max(round(least / max(room, 1)), 1)
        mode, wide = Qt.TextElideMode.ElideRight, room * every
        return [(x, metrics.elidedText(text, mode, wide)) for x, text in labels[::every]]

    def _told_at(self, at: QPointF) -> str:
        if self._bars is None:
            return ""
        for i in range(len(self._bars.labels)):
            if self.bar_rect(i).contains(at):
                return self._told(i)
        return ""

    def _told(self, place: int) -> str:
        assert self._bars is not None
        return self.tr("{0}: {1} of the class, {2} of the table").format(
            self._bars.labels[place],
            as_percent(self._bars.of_class[place]),
            as_percent(self._bars.of_table[place]),
        )


def _part(room: QRectF, share: float, height: float) -> QRectF:
    width = room.width() * share
    return QRectF(room.center().x() - width / 2, room.bottom() - height, width, height)
