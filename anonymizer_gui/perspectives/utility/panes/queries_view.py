"""Random count queries: the share answered nearly right, and how large the errors are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.charts.bar_rows import BarRows
from anonymizer_gui.perspectives.utility.figures_table import FiguresTable
from anonymizer_gui.perspectives.utility.panes import queries_values as values
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.scroll_body import scrolled
from anonymizer_gui.widgets.tables import HEADER_HEIGHT, ROW_HEIGHT

if TYPE_CHECKING:
    from engine.assessment.utility.local_queries import LocalQueriesFound

_WIDE = 900  # from here on bars and table stand beside one another


class QueriesView(QWidget):
    """A sentence, bars and a table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.statement = make_label("", Text.TITLE, "text", wraps=True)
        self.statement.setObjectName("queriesStatement")
        self.rows = BarRows(self.tr("Queries answered nearly right"))
        self.rows.setObjectName("queriesRows")
        self.table = FiguresTable(self.tr("Errors of the estimates"))
        self.table.setObjectName("queriesTable")
        words = QVBoxLayout()
        words.setContentsMargins(12, 0, 12, 0)
        words.addWidget(self.statement)
        bars = QVBoxLayout()
        bars.addWidget(self.rows)
        bars.addStretch(1)
        figures = QVBoxLayout()
        figures.addWidget(self.table)
        figures.addStretch(1)
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._parts.setSpacing(6)
        self._parts.addLayout(bars, 1)
        self._parts.addLayout(figures, 1)
        inner = QVBoxLayout()
        inner.setContentsMargins(0, 8, 0, 8)
        inner.setSpacing(6)
        inner.addLayout(words)
        inner.addLayout(self._parts)
        inner.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scrolled(inner))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        directions = QBoxLayout.Direction
        is_wide = self.width() >= scaled(_WIDE)
        self._parts.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)

    def show_findings(self, found: LocalQueriesFound) -> None:
        """Show what was found."""
        self.statement.setText(found.told().sentence)
        self.rows.show_rows(values.rows_of(found), values.scale_of(found))
        lines = values.lines_of(found)
        self.table.show_figures(values.headings(), lines)
        self.table.setFixedHeight(scaled(HEADER_HEIGHT) + (len(lines) + 1) * scaled(ROW_HEIGHT))
