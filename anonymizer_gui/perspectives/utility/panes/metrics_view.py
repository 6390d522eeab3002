"""All metrics as a table; of the selected one what each attribute loses."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.charts.bar_rows import BarRows
from anonymizer_gui.perspectives.utility.figures_table import FiguresTable
from anonymizer_gui.perspectives.utility.panes import metrics_values as values
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import make_label, make_line
from anonymizer_gui.widgets.scroll_body import scrolled


class MetricsView(QWidget):
    """Table at the left, what the selected line means at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: list[values.MetricLine] = []
        self.table = FiguresTable(self.tr("Utility metrics"), chooses=True)
        self.table.setObjectName("metricsTable")
        self.table.row_chosen.connect(self._on_row_chosen)
        self.meaning = make_label("", Text.CELL, "text_2", wraps=True)
        self.meaning.setObjectName("metricMeaning")
        self.bars = BarRows(self.tr("By attribute"))
        self.bars.setObjectName("metricBars")
        inner = QVBoxLayout()
        inner.setContentsMargins(0, 8, 0, 4)
        inner.setSpacing(4)
        words = QVBoxLayout()
        words.setContentsMargins(12, 0, 12, 0)
        words.addWidget(self.meaning)
        inner.addLayout(words)
        inner.addWidget(self.bars)
        inner.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.table, 12)
        row.addWidget(make_line(Qt.Orientation.Vertical))
        row.addWidget(scrolled(inner, 120), 8)

    def show_lines(self, lines: list[values.MetricLine]) -> None:
        """Show the metrics of another release; the selected one stays."""
        place = max(self.table.currentIndex().row(), 0)
        self._lines = lines
        self.table.show_figures(values.headings(), [line.cells for line in lines])
        if lines:
            place = min(place, len(lines) - 1)
            self.table.choose(place)
            self._on_row_chosen(place)

    def _on_row_chosen(self, place: int) -> None:
        if 0 <= place < len(self._lines):
            line = self._lines[place]
            self.meaning.setText(line.meaning)
            self.bars.show_rows(line.bars, line.scale)
            self.bars.setVisible(bool(line.bars))
