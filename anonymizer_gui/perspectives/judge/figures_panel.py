"""The card of risk: figures side by side, and the records by size of their class."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.judge.values import Figure
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.scroll_body import scrolled
from anonymizer_gui.widgets.size_histogram import Histogram, SizeHistogram

_CHART_HEIGHT = 64
_COLUMNS = 2


class FiguresPanel(Card):
    """Figures stand in two columns above the chart."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Risk of being found"), parent=parent)
        self._figures: list[tuple[ElidedLabel, ElidedLabel]] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(8)
        for place in range(_COLUMNS):
            self._grid.setColumnStretch(place, 1)
        self.chart = SizeHistogram(height=_CHART_HEIGHT)
        column = QVBoxLayout()
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        column.addLayout(self._grid)
        column.addSpacing(4)
        self._sizes_title = make_label(self.tr("Records by class size"), Text.SECTION, "text_2")
        column.addWidget(self._sizes_title)
        column.addWidget(self.chart)
        column.addStretch(1)
        self.set_body(scrolled(column), 0)

    def show_figures(self, figures: Sequence[Figure], sizes: Histogram) -> None:
        """Show other figures."""
        self._sizes_title.setText(sizes.title)
        while len(self._figures) < len(figures):
            place = len(self._figures)
            made = (
                ElidedLabel("", Text.CAPTION, "text_3"),
                ElidedLabel("", Text.STAT),
            )
            cell = QVBoxLayout()
            cell.setSpacing(0)
            for label in made:
                cell.addWidget(label)
            row, column = divmod(place, _COLUMNS)
            self._grid.addLayout(cell, row, column, Qt.AlignmentFlag.AlignTop)
            self._figures.append(made)
        for (caption, value), figure in zip(self._figures, figures, strict=False):
            caption.setText(figure.caption)
            value.setText(figure.value)
            caption.set_hint(figure.hint)
            value.set_hint(figure.hint)
            set_tone(value, figure.tone)
        self.chart.show_histogram(sizes)

    def texts(self) -> dict[str, str]:
        """The figures by caption."""
        return {caption.text(): value.text() for caption, value in self._figures}
