"""Summary statistics of a column as lines: the input beside the release, as far as its scale has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.models.texts_model import Cell, Heading
from anonymizer_gui.widgets.numbers import DASH, as_decimal, as_exact_count, as_significant

if TYPE_CHECKING:
    from engine.assessment.utility.statistics import ColumnCompared, SideStatistics

_FIGURES: tuple[tuple[str, str, str], ...] = (
    ("n_records", "Values", "Records that have a value; of the release only kept ones"),
    ("n_missing", "Missing", "Records without a value"),
    ("n_distinct", "Distinct", "Different values, or different released cells"),
    ("mode", "Mode", "The most frequent value or released cell"),
    ("n_mode", "Records of the mode", "Records that have the most frequent one"),
    ("median", "Median", "Half of the records have at most this value"),
    ("minimum", "Minimum", "The smallest value"),
    ("maximum", "Maximum", "The largest value"),
    ("mean", "Mean", "The average"),
    ("deviation", "Standard deviation", "The usual distance from the mean"),
    ("variance", "Variance", "Mean squared distance from the mean, divisor n"),
    ("sample_variance", "Sample variance", "Mean squared distance from the mean, divisor n - 1"),
    ("range", "Range", "Largest minus smallest value"),
    ("kurtosis", "Excess kurtosis", "How heavy the tails are: 0 as in a normal distribution"),
    ("geometric_mean", "Geometric mean", "The average of growth factors"),
)
_COUNTED = ("n_records", "n_missing", "n_distinct", "n_mode", "mode")


def headings() -> tuple[Heading, ...]:
    """The titles of the columns."""
    return (Heading(_tr("Figure")), Heading(_tr("Input"), True), Heading(_tr("Release"), True))


def lines_of(column: ColumnCompared) -> list[tuple[Cell, ...]]:
    """A line per figure that either side has."""
    lines: list[tuple[Cell, ...]] = []
    for name, title, meaning in _FIGURES:
        before = figure_text(column.before, name)
        after = DASH if column.after is None else figure_text(column.after, name)
        if before == DASH and after == DASH:
            continue
        why = column.why_not or meaning
        lines.append(
            (Cell(_tr(title), _tr(meaning)), Cell(before), Cell(after, why if after == DASH else after))
        )
    return lines


def figure_text(side: SideStatistics, name: str) -> str:
    """One figure as it is shown; those that rest on spreading bands are marked."""
    value = getattr(side, name)
    if value is None:
        return DASH
    from engine.assessment.utility.statistics import ABOUT

    about = f"{ABOUT} " if side.is_estimated and name not in _COUNTED else ""
    return about + number_text(value)


def number_text(value: float | str) -> str:
    """A number with the digits that count, or a text as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) or (abs(value) < 1e15 and value == round(value)):
        return as_exact_count(value)
    return as_decimal(value, 3) if 0.01 <= abs(value) < 1e6 else as_significant(value)


def _tr(text: str) -> str:
    return QCoreApplication.translate("StatisticsValues", text)
