"""Sensitive values of one class as bars, compared with the table as outlines."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.axis_titles import AxisTitles
from anonymizer_gui.charts.plot import ThemedPlot, as_percent_tick
from anonymizer_gui.theming import Text, font
from engine.numbers import as_risk

_OUTLINE, _BAR = 0.38, 0.27  # half of the bar widths, as a share of the width per value
_BESIDE = 56  # px of the vertical axis


@dataclass(frozen=True)
class ClassBars:
    """Bars of a class: one pair per value or band of values.

    Attributes
    ----------
    column : str
        Sensitive column, the name of the axis.
    labels : tuple of str
    of_class, of_table : tuple of float
        Shares of the records of the class, and of the table.
    edges : tuple of str
        Edges of the bands if values are bands of numbers; a bar beyond the last edge is for missing values.
        Empty if each value has its own bar.
    """

    column: str
    labels: tuple[str, ...]
    of_class: tuple[float, ...]
    of_table: tuple[float, ...]
    edges: tuple[str, ...] = ()


class ClassChart(ThemedPlot):
    """Bars start at zero; the class is filled, the table is an outline."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Sensitive values of a class compared with the whole table"), parent)
        self.setObjectName("classChart")
        self.bars: ClassBars | None = None  # bars drawn

    def show_bars(self, bars: ClassBars | None) -> None:
        """Show another class."""
        self.bars = bars
        if bars is None or not bars.labels:
            self.clear()
            self.setAccessibleDescription("")
            return
        text = "; ".join(self._description(i) for i in range(len(bars.labels)))
        titles = AxisTitles(bars.column, self.tr("share of records"))
        self.show_drawing(lambda _plot: self._draw_bars(), titles, text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.bars is not None and self.bars.labels:
            self.set_ticks("bottom", self.ticks())

    def ticks(self) -> list[tuple[float, str]]:
        """Return values elided to their width, or only those with room; for bands, their edges."""
        assert self.bars is not None
        labels = self.bars.labels
        if edges := self.bars.edges:
            rest = range(len(edges) - 1, len(labels))
            return [*((i - 0.5, text) for i, text in enumerate(edges)), *((i, labels[i]) for i in rest)]
        metrics = QFontMetricsF(font(Text.TICK))
        room = (self.width() - _BESIDE) / len(labels) - 4
        every = max(round(metrics.horizontalAdvance("mmm…") / max(room, 1)), 1)
        mode = Qt.TextElideMode.ElideRight
        return [(i, metrics.elidedText(labels[i], mode, room * every)) for i in range(0, len(labels), every)]

    def _draw_bars(self) -> None:
        bars = self.bars
        assert bars is not None
        highest = max(*bars.of_class, *bars.of_table) or 1.0
        self.set_range((-0.5, len(bars.labels) - 0.5), (0.0, min(highest * 1.08, 1.0)))
        self.set_ticks("bottom", self.ticks())
        self.set_tick_text("left", as_percent_tick)
        for shares, half, token in ((bars.of_class, _BAR, "series_2"), (bars.of_table, _OUTLINE, "series_1")):
            there = [(i, share) for i, share in enumerate(shares) if share > 0]
            lefts, rights = [i - half for i, _ in there], [i + half for i, _ in there]
            heights = [share for _, share in there]
            self.add_bars(lefts, rights, heights, token, filled=token == "series_2")
        self.set_tooltip(self._description_at)

    def _description_at(self, x: float, _y: float) -> str:
        place = round(x)
        return (
            self._description(place) if self.bars is not None and 0 <= place < len(self.bars.labels) else ""
        )

    def _description(self, place: int) -> str:
        assert self.bars is not None
        return self.tr("{label}: {of_clas} of the class, {of_table} of the table").format(
            label=self.bars.labels[place],
            of_clas=as_risk(self.bars.of_class[place]),
            of_table=as_risk(self.bars.of_table[place]),
        )
