"""Summary statistics of a column, input and release side by side, as its scale allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonymizer_gui.widgets.texts_table import Cell, Heading
from engine.numbers import DASH, as_decimal, as_exact_count, as_significant
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment.utility.statistics import ColumnCompared, SideStatistics

_SHOWN = (
    "n_records",
    "n_missing",
    "n_distinct",
    "mode",
    "n_mode",
    "median",
    "minimum",
    "maximum",
    "mean",
    "deviation",
    "variance",
    "sample_variance",
    "range",
    "kurtosis",
    "geometric_mean",
)
_COUNTED = ("n_records", "n_missing", "n_distinct", "n_mode", "mode")


def headings() -> tuple[Heading, ...]:
    """Return the headings of the columns."""
    return (Heading(_("Value")), Heading(_("Input"), True), Heading(_("Release"), True))


def lines_of(column: ColumnCompared) -> list[tuple[Cell, ...]]:
    """Return a line per value that either side has."""
    from engine.assessment.utility.statistics import FIGURES

    lines: list[tuple[Cell, ...]] = []
    for name in _SHOWN:
        before = figure_text(column.before, name)
        after = DASH if column.after is None else figure_text(column.after, name)
        if before == DASH and after == DASH:
            continue
        figure = FIGURES[name]
        why = column.why_not or figure.explanation
        lines.append(
            (
                Cell(figure.title, figure.explanation),
                Cell(before),
                Cell(after, why if after == DASH else after),
            )
        )
    return lines


def figure_text(side: SideStatistics, name: str) -> str:
    """Return one value as text; those estimated by spreading bands are marked."""
    value = getattr(side, name)
    if value is None:
        return DASH
    from engine.assessment.utility.statistics import ABOUT

    about = f"{ABOUT} " if side.is_estimated and name not in _COUNTED else ""
    return about + number_text(value)


def number_text(value: float | str) -> str:
    """Return a number with significant digits, or a text unchanged."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) or (abs(value) < 1e15 and value == round(value)):
        return as_exact_count(value)
    return as_decimal(value, 3) if 0.01 <= abs(value) < 1e6 else as_significant(value)
