"""The distribution of a column: the input as a line, the release as areas over the same axis."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from anonymizer_gui.charts.bar_rows import BarRows
from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.charts.plot import ThemedPlot
from anonymizer_gui.perspectives.utility.panes.distribution_values import (
    AxisDrawing,
    ValuesDrawing,
    date_text,
)
from anonymizer_gui.widgets.scroll_body import scrolled

_LETTER, _WIDE = 6.5, 400.0  # pixels of a letter, and of a plot in the smallest card
_LOW = 0.14  # of the height: areas below it have their name above them


class DistributionView(QWidget):
    """Plot or rows of bars, by the type of the column."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = ThemedPlot(self.tr("Distribution"))
        self.plot.setObjectName("distributionPlot")
        self.rows = BarRows(self.tr("Distribution"))
        self.rows.setObjectName("distributionRows")
        self.legend = Legend()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.plot)
        inner = QVBoxLayout()
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.rows)
        inner.addStretch(1)
        self._stack.addWidget(scrolled(inner))
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 6)
        column.setSpacing(4)
        column.addWidget(self.legend)
        column.addWidget(self._stack, 1)
        self._drawing: AxisDrawing | ValuesDrawing | None = None

    @property
    def drawing(self) -> AxisDrawing | ValuesDrawing | None:
        """What is drawn."""
        return self._drawing

    def show_drawing(self, drawing: AxisDrawing | ValuesDrawing) -> None:
        """Draw another column."""
        self._drawing = drawing
        if isinstance(drawing, ValuesDrawing):
            self._show_legend(Sample.BLOCK, Sample.BLOCK, self.tr("release, spread evenly over each cell"))
            self.rows.show_rows(drawing.rows, drawing.scale)
            self._stack.setCurrentIndex(1)
            return
        self._show_legend(Sample.LINE, Sample.AREA, self.tr("release, spread evenly over each band"))
        if drawing.hidden is not None:
            words = self.tr("hidden, spread over all values")
            self.legend.add_entry(LegendEntry(Sample.DASHED, "series_2", words))
        spoken = "; ".join(f"{area.label} {round(area.n_records)}" for area in drawing.areas if area.label)
        self.plot.show_drawing(lambda plot: _draw(plot, drawing), spoken)
        self._stack.setCurrentIndex(0)

    def _show_legend(self, before: Sample, after: Sample, words: str) -> None:
        self.legend.show_entries(
            [LegendEntry(before, "series_1", self.tr("input")), LegendEntry(after, "series_2", words)]
        )


def _draw(plot: ThemedPlot, drawing: AxisDrawing) -> None:
    plot.name_axes(drawing.x_name, drawing.y_name)
    if drawing.is_date:
        plot.set_tick_text("bottom", date_text)
    plot.set_range(drawing.xs, drawing.ys)
    areas = drawing.areas
    plot.add_bars(
        [area.left for area in areas],
        [area.right for area in areas],
        [area.height for area in areas],
        "series_2",
    )
    if drawing.hidden is not None:
        hidden = drawing.hidden
        plot.add_steps([hidden.left, hidden.right], [hidden.height], "series_2", dashed=True)
    plot.add_steps(drawing.edges, drawing.heights, "series_1")
    tallest, width = drawing.ys[1], drawing.xs[1] - drawing.xs[0]
    for area in areas:
        if (area.right - area.left) / width * _WIDE < len(area.label) * _LETTER or not area.label:
            continue
        if area.height >= _LOW * tallest:
            plot.add_text(
                area.middle, 0.0, area.label, "text", anchor=(0.5, 1.15), strong=True, is_on_area=True
            )
        else:
            plot.add_text(area.middle, area.height, area.label, "text", anchor=(0.5, 1.05), strong=True)
    plot.set_tooltip(drawing.words_at)
