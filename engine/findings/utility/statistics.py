"""Summary statistics of every column before and after, by the scale of its values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from engine.findings.base import Analysis, utility_analyses
from engine.findings.blocks import (
    Block,
    Figure,
    FigureColumn,
    FigureTable,
    Findings,
    Paragraph,
    Statement,
    as_column,
    columns_of,
    figure_row,
    row_of,
)
from engine.findings.cells import ReleasedCells
from engine.findings.format_value import format_value
from engine.findings.subject import ColumnAlone, Subject
from engine.kernels.arrays import Counts, FloatArray
from engine.monitor import SILENT, Monitor
from engine.recoding.aggregation.values import OrderedValues
from engine.records import Column, DataType, Kind, Role, Table
from engine.records.column_selection import by_value
from engine.records.values import DATE_FORMATS
from engine.words import N_, _, lazy

DAY = 86_400_000_000  # microseconds
ROUNDING = 1e-12  # relative, of sums of fractions


ABOUT = "≈"  # before an estimate from values distributed over bands


class Scale(Enum):
    """Scale of measurement of values [1].

    References
    ----------
    .. [1] Stevens (1946). On the Theory of Scales of Measurement. Science 103(2684).
    """

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


@figure_row
class SideStatistics:
    """Statistics of a column of input or release; None if its scale does not have the statistic.

    Of tied modes it is the first in the order of the column. Median and ends are numbers in numeric columns,
    else the text of a value, for which the lower of two middle ones is the median; of a release the ends are
    those of the values of its cells. For dates the mean is a day, and variances and deviations are in days.
    The kurtosis is that of a sample, as in spreadsheets, and does not exist below four records or without
    variance; nor does the sample variance of a single record, or the geometric mean unless all values are
    above 0. Mode and counts include hidden cells as ordinary ones.
    """

    n_records: int = as_column(
        N_("Values"), "records", N_("Records with a value; for the release only kept ones."), key="records"
    )
    n_missing: int = as_column(N_("Missing"), "records", N_("Records without a value."), key="missing")
    n_distinct: int = as_column(
        N_("Distinct"), "values", N_("Distinct values, or distinct released cells."), key="distinct"
    )
    mode: str | None = as_column(N_("Mode"), "", N_("The most frequent value or released cell."))
    n_mode: int = as_column(
        N_("Records of the mode"), "records", N_("Records with the most frequent value."), key="mode_records"
    )
    median: str | float | None = as_column(
        N_("Median"), "", N_("Half of the records have at most this value."), default=None
    )
    minimum: str | float | None = as_column(N_("Minimum"), "", N_("The smallest value."), default=None)
    maximum: str | float | None = as_column(N_("Maximum"), "", N_("The largest value."), default=None)
    mean: str | float | None = as_column(N_("Mean"), "", N_("The arithmetic mean."), default=None)
    variance: float | None = as_column(
        N_("Variance"), "", N_("Mean squared distance from the mean, divisor n."), default=None
    )
    sample_variance: float | None = as_column(
        N_("Sample variance"), "", N_("The same as variance with divisor n - 1."), default=None
    )
    deviation: float | None = as_column(
        N_("Standard deviation"), "", N_("The square root of the variance."), default=None
    )
    range: float | None = as_column(N_("Range"), "", N_("Largest minus smallest value."), default=None)
    kurtosis: float | None = as_column(
        N_("Excess kurtosis"),
        "",
        N_("Weight of the tails; 0 as in a normal distribution, below 0 lighter, above 0 heavier."),
        default=None,
    )
    geometric_mean: float | None = as_column(
        N_("Geometric mean"), "", N_("The mean of growth factors."), default=None
    )
    is_estimated: bool = as_column(
        N_("Estimated"),
        "",
        N_("Whether cells cover several values, each counted as equally likely."),
        key="estimated",
        default=False,
    )
    n_hidden: int = as_column(
        N_("Hidden"),
        "records",
        N_("Cells without information; values of numbers exclude them."),
        key="hidden",
        default=0,
    )


@dataclass(frozen=True)
class ColumnCompared:
    """Statistics of one column on both sides.

    Attributes
    ----------
    scale : Scale
        Scale of the input's values.
    unit : str
        "days" for the variances, deviations and ranges of dates; else empty.
    after : SideStatistics or None
        None if the release has no values of the column.
    why_not : str
        Why there are none, in a sentence; empty if there are.
    """

    name: str
    role: Role | None
    scale: Scale
    unit: str
    before: SideStatistics
    after: SideStatistics | None
    why_not: str = ""

    @property
    def is_estimated(self) -> bool:
        """Return whether released cells stand for several values, so that its values are estimates."""
        return self.after is not None and self.after.is_estimated

    @property
    def caption(self) -> str:
        """Scale, and whether statistics of the release are estimates."""
        parts = [_("{scale} scale").format(scale=_(self.scale.value))]
        if self.unit:
            parts.append(_("variance and deviation in {unit}").format(unit=self.unit))
        if self.is_estimated:
            parts.append(_("{ABOUT} spread evenly over each band").format(ABOUT=ABOUT))
        return " · ".join(parts)


@dataclass(frozen=True)
class StatisticsFound(Findings):
    """Statistics of all columns, in the order of the table.

    Attributes
    ----------
    n_suppressed : int
        Records excluded from the statistics after.
    shown : str
        Column whose statistics are displayed; empty for none.
    """

    columns: tuple[ColumnCompared, ...]
    n_suppressed: int
    shown: str = ""

    def column(self, name: str) -> ColumnCompared:
        """Return the statistics of a column by its name."""
        return next(column for column in self.columns if column.name == name)

    def statement(self) -> Statement:
        n_estimated = sum(column.is_estimated for column in self.columns)
        return Statement(
            _("Columns compared: {n}; values of {n_estimated} are estimates.").format(
                n=len(self.columns), n_estimated=n_estimated
            ),
            caption=self.column(self.shown).caption if self.shown else "",
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return one row per column and side, after the statistics of the displayed column."""
        heads = (
            FigureColumn("column", _("Column")),
            FigureColumn("scale", _("Scale")),
            FigureColumn("side", _("Side")),
        )
        rows: list[tuple[Figure, ...]] = []
        for column in self.columns:
            for side, found in (("before", column.before), ("after", column.after)):
                if found is not None:
                    rows.append((column.name, column.scale.value, side, *row_of(found)))
        columns = (*heads, *columns_of(SideStatistics))
        every = FigureTable(
            "statistics", _("Summary statistics"), columns, tuple(rows), is_listed=not self.shown
        )
        return (*(_displayed(self.column(self.shown)) if self.shown else ()), every)


_DISPLAYED = (
    FigureColumn("figure", N_("Value")),
    FigureColumn("input", N_("Input")),
    FigureColumn("release", N_("Release")),
    FigureColumn("meaning", N_("Meaning")),
)


def _displayed(column: ColumnCompared) -> Iterator[Block]:
    """Yield the statistics that a side of a column has; estimates are marked."""
    if column.why_not:
        yield Paragraph(column.why_not)
    rows: list[tuple[Figure, ...]] = []
    columns = columns_of(SideStatistics)
    nothing = (None,) * len(columns)
    sides = row_of(column.before), nothing if column.after is None else row_of(column.after)
    for figure, before, after in zip(columns, *sides, strict=True):
        if figure.key in ("estimated", "hidden") or before is after is None:
            continue
        if column.is_estimated and isinstance(after, float):  # counts are exact
            after = f"{ABOUT} {format_value(after)}"
        rows.append((figure.title, before, after, figure.explanation))
    yield FigureTable("column", column.name, _DISPLAYED, rows)


@utility_analyses.register("statistics")
@dataclass(frozen=True, slots=True)
class Statistics(Analysis):
    """Location, dispersion and shape of every column, if its scale has them.

    Released cells of several values count as each of these with equal weight; an aggregate counts as its
    number, and a hidden cell is excluded.
    """

    title: ClassVar[str] = lazy("Summary statistics")
    summary: ClassVar[str] = lazy("Means, spread and most frequent values of every column, before and after.")
    reading: ClassVar[str] = lazy(
        "Texts have only a most frequent value, ordered categories also a median, numbers "
        "everything. If a released cell covers several values, the values after are "
        "estimates: each value is counted as equally likely. A large change means that "
        "recipients of the release will see different numbers."
    )
    source: ClassVar[str] = lazy("scales by Stevens 1946")
    needs_kept: ClassVar[bool] = True

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> StatisticsFound:
        self.refuse_impossible(subject)
        found = []
        for number, name in enumerate(subject.described):
            monitor.step(number, len(subject.described), _("Summarizing {name}").format(name=name))
            found.append(_compared(subject, subject.alone(name, monitor)))
        return StatisticsFound(tuple(found), subject.release.n_suppressed)


class _Weighted(NamedTuple):
    """Numbers in ascending order with their frequencies, which may be fractions."""

    numbers: FloatArray
    weights: Counts | FloatArray


def _compared(subject: Subject, alone: ColumnAlone) -> ColumnCompared:
    column = alone.column
    kind = column.data_type.kind
    scale = Scale.NOMINAL
    if column.data_type.is_numeric:
        scale = Scale.RATIO
    elif kind in (Kind.DATE, Kind.ORDERED):
        scale = Scale.INTERVAL if kind is Kind.DATE else Scale.ORDINAL
    after = None
    why_not = subject.why_not_described(column.name)
    if not why_not and column.name in subject.quasi_identifying:
        after = _of_cells(subject.cells(column.name))
    elif not why_not:
        after = _of_column(column.take(alone.kept))
    role = subject.project.role(column.name)
    unit = "days" if kind is Kind.DATE else ""
    return ColumnCompared(column.name, role, scale, unit, _of_column(column), after, why_not)


def _of_column(given: Column) -> SideStatistics:
    """Return the statistics of values; texts of equal numbers are one value."""
    column = by_value(Table((given,)), (given.name,)).columns[0]
    n_values = len(column.labels) - column.has_missing
    counts, labels = column.counts[:n_values], column.labels[:n_values]
    n_records = int(counts.sum())
    n_missing = int(column.counts[n_values:].sum())
    if not n_records:
        return SideStatistics(0, n_missing, 0, None, 0)
    mode = int(np.argmax(counts))
    return SideStatistics(
        n_records,
        n_missing,
        n_values,
        labels[mode],
        int(counts[mode]),
        **_figures(column.data_type, labels, _Weighted(column.numbers[:n_values], counts)),
    )


def _of_cells(cells: ReleasedCells) -> SideStatistics:
    """Return the statistics of released cells, distributed over their values."""
    axis = cells.axis
    is_missing = cells.stands_for.lowest == axis.missing if axis.missing is not None else None
    counts = cells.counts if is_missing is None else np.where(is_missing, 0, cells.counts)
    n_records = int(counts.sum())
    n_missing = cells.n_kept - n_records
    if not n_records:
        return SideStatistics(0, n_missing, 0, None, 0)
    mode = int(np.argmax(counts))
    visible = np.where(cells.is_hidden, 0, counts)
    states = ~np.isnan(cells.points)
    spread = cells.stands_for.spread(np.where(states, 0, visible), axis.n_values)
    occurs = np.flatnonzero(spread > 0)
    if axis.is_numeric:  # a hierarchy of numbers may also have words
        occurs = occurs[occurs < axis.n_placed]
    weighted = _Weighted(axis.positions[occurs], spread[occurs])
    if states.any():
        numbers = np.concatenate((weighted.numbers, cells.points[states]))
        weights = np.concatenate((weighted.weights, visible[states]))
        order = np.argsort(numbers, kind="stable")
        weighted = _Weighted(numbers[order], weights[order])
    labels = tuple(axis.values[value] for value in occurs.tolist())
    return SideStatistics(
        n_records,
        n_missing,
        int(np.count_nonzero(counts)),
        cells.labels[mode],
        int(counts[mode]),
        **_figures(axis.data_type, labels, weighted),
        is_estimated=bool((cells.is_coarse & (visible > 0)).any()),
        n_hidden=n_records - int(visible.sum()),
    )


def _figures(data_type: DataType, labels: tuple[str, ...], weighted: _Weighted) -> dict[str, Any]:
    """Return the statistics of the scale beyond frequencies."""
    if not len(weighted.weights):
        return {}
    if data_type.kind is Kind.ORDERED:
        middle = np.searchsorted(np.cumsum(weighted.weights), weighted.weights.sum() / 2)
        return {"median": labels[int(middle)], "minimum": labels[0], "maximum": labels[-1]}
    if not data_type.is_numeric and data_type.kind is not Kind.DATE:
        return {}
    figures = _moments(weighted)
    numbers = weighted.numbers
    located = {"median": _median(weighted), "minimum": float(numbers[0]), "maximum": float(numbers[-1])}
    if data_type.kind is Kind.DATE:
        days = {**located, "mean": figures.pop("mean")}
        return {name: _day(place, data_type) for name, place in days.items() if place is not None} | figures
    if weighted.numbers[0] > 0:
        logarithm = np.average(np.log(weighted.numbers), weights=weighted.weights)
        figures["geometric_mean"] = float(np.exp(logarithm))
    return {**located, **figures}


def _median(weighted: _Weighted) -> float:
    """Return the median; the mean of both middle numbers if there are two."""
    reached = np.cumsum(weighted.weights)
    half = reached[-1] / 2
    place = int(np.searchsorted(reached, half * (1 - ROUNDING)))
    if reached[place] <= half * (1 + ROUNDING) and place + 1 < len(reached):
        return float(weighted.numbers[place] + weighted.numbers[place + 1]) / 2
    return float(weighted.numbers[place])


def _moments(weighted: _Weighted) -> dict[str, float | None]:
    numbers, weights = weighted
    n_records = float(weights.sum())
    with np.errstate(all="ignore"):  # squares of numbers with hundreds of digits overflow
        mean = float(np.average(numbers, weights=weights))
        apart = numbers - mean
        variance = float(np.average(apart**2, weights=weights))
        fourth = float(np.average(apart**4, weights=weights))
        found: dict[str, float | None] = {
            "mean": mean,
            "variance": variance,
            "deviation": float(np.sqrt(variance)),
            "range": float(numbers[-1] - numbers[0]),
            "sample_variance": variance * n_records / (n_records - 1) if n_records > 1 else None,
            "kurtosis": _kurtosis(n_records, variance, fourth),
        }
    return {
        name: value if value is not None and np.isfinite(value) else None for name, value in found.items()
    }


def _kurtosis(n_records: float, variance: float, fourth: float) -> float | None:
    """Return the excess kurtosis of a sample, unbiased for a normal distribution (G2 of [1]).

    References
    ----------
    .. [1] Joanes, Gill (1998). Comparing measures of sample skewness and kurtosis. The Statistician 47(1).
    """
    if n_records <= 3 or not variance:
        return None
    n = n_records
    return (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * fourth / variance**2 - 3 * (n - 1))


def _day(ordinal: float, data_type: DataType) -> str:
    """Return a day in the format of its column, rounded to the precision of the format."""
    microseconds = Fraction(round((ordinal - 1) * DAY))
    return OrderedValues((), (), date_format=data_type.format or DATE_FORMATS[0]).written(microseconds)
