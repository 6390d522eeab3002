"""Class sizes: a few figures above the records by size of their class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.charts.plot import ThemedPlot
from anonymizer_gui.perspectives.utility.figures_table import FiguresTable
from anonymizer_gui.perspectives.utility.panes import class_sizes_values as values
from anonymizer_gui.theming import scaled, theme_manager
from anonymizer_gui.widgets.numbers import as_exact_count
from anonymizer_gui.widgets.tables import HEADER_HEIGHT, ROW_HEIGHT

if TYPE_CHECKING:
    from engine.assessment.utility.class_sizes import ClassSizesFound

_ROWS, _WIDE = 3, 900
_MOST_TICKS = 9


class ClassSizesView(QWidget):
    """Table and chart."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = FiguresTable(self.tr("Class sizes"))
        self.table.setObjectName("classSizesTable")
        self.plot = ThemedPlot(self.tr("Records by size of their class"))
        self.plot.setObjectName("classSizesPlot")
        self.legend = Legend(
            [
                LegendEntry(Sample.OUTLINE, "series_1", self.tr("input")),
                LegendEntry(Sample.AREA, "series_2", self.tr("release, kept classes")),
            ]
        )
        legend = QVBoxLayout()
        legend.setContentsMargins(12, 2, 12, 0)
        legend.addWidget(self.legend)
        chart = QVBoxLayout()
        chart.setSpacing(4)
        chart.addLayout(legend)
        chart.addWidget(self.plot, 1)
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._parts.setContentsMargins(0, 0, 0, 6)
        self._parts.setSpacing(4)
        self._parts.addWidget(self.table, 4)
        self._parts.addLayout(chart, 5)
        theme_manager().theme_changed.connect(self._fit)
        self._fit()

    def show_findings(self, found: ClassSizesFound) -> None:
        """Show the sizes of another release."""
        self.table.show_figures(values.headings(found), values.lines_of(found))
        drawing = values.drawing_of(found)
        spoken = "; ".join(words.replace("\n", ", ") for words in drawing.words)
        self.plot.show_drawing(lambda plot: _draw(plot, drawing), spoken)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Beside one another in wide cards; else the chart takes what the figures leave."""
        is_wide = self.width() >= scaled(_WIDE)
        directions = QBoxLayout.Direction
        self._parts.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        self.table.setMaximumHeight(scaled(HEADER_HEIGHT) + _ROWS * scaled(ROW_HEIGHT) + 2)
        self.table.setMinimumHeight(scaled(HEADER_HEIGHT) + scaled(ROW_HEIGHT))
        self._parts.setAlignment(self.table, Qt.AlignmentFlag.AlignTop if is_wide else Qt.AlignmentFlag(0))


def _draw(plot: ThemedPlot, drawing: values.SizesDrawing) -> None:
    plot.name_axes(plot.tr("records in the class"), plot.tr("records"))
    n_bins = len(drawing.labels)
    tallest = max(*drawing.before, *drawing.after, 1)
    plot.set_range((-0.6, n_bins - 0.4), (0.0, tallest * 1.08))
    step = -(-n_bins // _MOST_TICKS)
    plot.set_ticks("bottom", [(i, text) for i, text in enumerate(drawing.labels) if i % step == 0])
    plot.set_tick_text("left", lambda value, _decimals: as_exact_count(value))
    for heights, half, token in ((drawing.after, 0.36, "series_2"), (drawing.before, 0.44, "series_1")):
        there = [(i, height) for i, height in enumerate(heights) if height]
        plot.add_bars(
            [i - half for i, _ in there],
            [i + half for i, _ in there],
            [height for _, height in there],
            token,
            filled=token == "series_2",
        )
    plot.set_tooltip(drawing.words_at)
