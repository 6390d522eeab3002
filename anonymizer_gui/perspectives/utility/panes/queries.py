"""Random count queries: the share answered within the tolerance, and the errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QBoxLayout, QWidget

from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarRows, BarScale
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, named, nest, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from anonymizer_gui.widgets.tables import HEADER_HEIGHT, ROW_HEIGHT
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsTable
from engine.numbers import as_columns, as_exact_count, as_percent
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment.utility.local_queries import LocalQueriesFound, QueryFigures


_WIDE = 900  # px; in narrower cards bars and table are stacked


class QueriesView(FitsRoom, QWidget):
    """A sentence, bars and a table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.statement = named(make_label("", Text.TITLE, "text", wraps=True), "queriesStatement")
        self.rows = named(BarRows(self.tr("Queries answered approximately correctly")), "queriesRows")
        self.table = TextsTable(
            "queriesTable", self.tr("Errors of the estimates"), stretched=0, gives_way=True, chooses=False
        )
        bars = vbox(self.rows, STRETCH)
        figures = vbox(self.table, STRETCH)
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._parts.setSpacing(6)
        nest(self._parts, bars, 1)
        nest(self._parts, figures, 1)
        inner = vbox(
            vbox(self.statement, margins=(12, 0, 12, 0)),
            self._parts,
            STRETCH,
            spacing=6,
            margins=(0, 8, 0, 8),
        )
        vbox(scrolled(inner), margins=0, of=self)

    def _fit(self) -> None:
        directions = QBoxLayout.Direction
        is_wide = self.width() >= scaled(_WIDE)
        self._parts.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)

    def show_findings(self, found: LocalQueriesFound) -> None:
        """Show other results."""
        self.statement.setText(found.statement().sentence)
        self.rows.show_rows(rows_of(found), scale_of(found))
        lines = lines_of(found)
        self.table.show_rows(headings(), lines)
        self.table.setFixedHeight(scaled(HEADER_HEIGHT) + (len(lines) + 1) * scaled(ROW_HEIGHT))


def rows_of(found: LocalQueriesFound) -> list[BarRow]:
    """Return the share within the tolerance, by number of columns."""
    return [
        BarRow(
            columns_text(figures),
            _("{n_queries} queries").format(n_queries=as_exact_count(figures.n_queries)),
            (Bar(figures.share_within),),
            as_percent(figures.share_within, keep_zeros=True),
        )
        for figures in _all(found)
    ]


def scale_of(found: LocalQueriesFound) -> BarScale:
    """Return the scale of the bars."""
    words = _("answered within {tolerance}").format(tolerance=as_percent(found.tolerance))
    return BarScale(as_percent(0.0), as_percent(1.0), words)


def headings() -> tuple[Heading, ...]:
    """Return the headings of the columns."""
    return (
        Heading(_("Relative error")),
        Heading(_("lower quartile"), True),
        Heading(_("median"), True),
        Heading(_("upper quartile"), True),
    )


def lines_of(found: LocalQueriesFound) -> list[tuple[Cell, ...]]:
    """Return the quartiles of the errors."""
    return [
        (
            Cell(columns_text(figures)),
            *(
                Cell(as_percent(error, keep_zeros=True))
                for error in (figures.first_quartile, figures.median, figures.third_quartile)
            ),
        )
        for figures in _all(found)
    ]


def columns_text(figures: QueryFigures) -> str:
    """Return the columns of a line."""
    if not figures.n_columns:
        return _("all queries")
    return as_columns(figures.n_columns)


def _all(found: LocalQueriesFound) -> tuple[QueryFigures, ...]:
    return (found.whole, *found.by_columns)
