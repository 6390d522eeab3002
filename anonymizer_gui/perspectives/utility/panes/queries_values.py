"""How well the release answers random counts, as bars and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarScale
from anonymizer_gui.models.texts_model import Cell, Heading
from anonymizer_gui.widgets.numbers import as_exact_count, as_percent

if TYPE_CHECKING:
    from engine.assessment.utility.local_queries import LocalQueriesFound, QueryFigures


def rows_of(found: LocalQueriesFound) -> list[BarRow]:
    """The share within the tolerance, by number of columns."""
    return [
        BarRow(
            columns_text(figures),
            _tr("{0} queries").format(as_exact_count(figures.n_queries)),
            (Bar(figures.share_within),),
            as_percent(figures.share_within),
        )
        for figures in _all(found)
    ]


def scale_of(found: LocalQueriesFound) -> BarScale:
    """What the bars count."""
    words = _tr("answered within {0}").format(as_percent(found.tolerance))
    return BarScale(as_percent(0.0), as_percent(1.0), words)


def headings() -> tuple[Heading, ...]:
    """The titles of the columns."""
    return (
        Heading(_tr("Relative error")),
        Heading(_tr("a quarter below"), True),
        Heading(_tr("median"), True),
        Heading(_tr("a quarter above"), True),
    )


def lines_of(found: LocalQueriesFound) -> list[tuple[Cell, ...]]:
    """Quartiles of the errors."""
    return [
        (
            Cell(columns_text(figures)),
            *(
                Cell(as_percent(error))
                for error in (figures.first_quartile, figures.median, figures.third_quartile)
            ),
        )
        for figures in _all(found)
    ]


def columns_text(figures: QueryFigures) -> str:
    """What a line of figures is about."""
    if not figures.n_columns:
        return _tr("all queries")
    return _tr("1 column") if figures.n_columns == 1 else _tr("{0} columns").format(figures.n_columns)


def _all(found: LocalQueriesFound) -> tuple[QueryFigures, ...]:
    return (found.whole, *found.by_columns)


def _tr(text: str) -> str:
    return QCoreApplication.translate("QueriesValues", text)
