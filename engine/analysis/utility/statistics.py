"""Summary statistics of every column, before and after, as far as the scale of its values has them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum

from engine.analysis.tables import Figure, FigureColumn, FigureTable
from engine.table import Role


class Scale(Enum):
    """What may be said of values [1].

    References
    ----------
    .. [1] Stevens (1946). On the Theory of Scales of Measurement. Science 103(2684).
    """

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


@dataclass(frozen=True)
class SideStatistics:
    """A column of the input, or of the release; None where the scale of the values has no such figure.

    Attributes
    ----------
    n_records : int
        Records that have a value; of the release only kept ones.
    n_missing : int
        Records without one.
    n_distinct : int
        Distinct values, or distinct released cells.
    mode : str or None
        The most frequent value or released cell; of several the first in the order of the column.
    n_mode : int
        Records that have it.
    median, minimum, maximum : str, float or None
        Numbers in numeric columns, else the text of a value; of a release the ends of what its cells
        stand for. The median of an even number of texts is the lower of the two in the middle.
    mean : str, float or None
        Of dates the day.
    variance, deviation : float or None
        Of the population (divisor n); of dates in days.
    sample_variance : float or None
        With divisor n - 1; None for a single record.
    range : float or None
    kurtosis : float or None
        Excess kurtosis of a sample, as spreadsheets have it; None below four records or without spread.
    geometric_mean : float or None
        Where all values are above 0.
    is_estimated : bool
        Whether released cells stand for several values each: the figures then take every value that a
        cell stands for as equally likely.
    """

    n_records: int
    n_missing: int
    n_distinct: int
    mode: str | None
    n_mode: int
    median: str | float | None = None
    minimum: str | float | None = None
    maximum: str | float | None = None
    mean: str | float | None = None
    variance: float | None = None
    sample_variance: float | None = None
    deviation: float | None = None
    range: float | None = None
    kurtosis: float | None = None
    geometric_mean: float | None = None
    is_estimated: bool = False


@dataclass(frozen=True)
class ColumnCompared:
    """One column on both sides.

    Attributes
    ----------
    name : str
    role : Role
    scale : Scale
        Of the input's values.
    unit : str
        "days" for the variances, deviations and ranges of dates; else empty.
    before : SideStatistics
    after : SideStatistics or None
        None where the release has no values of the column.
    why_not : str
        Why there are none, in a sentence; empty where there are.
    """

    name: str
    role: Role
    scale: Scale
    unit: str
    before: SideStatistics
    after: SideStatistics | None
    why_not: str = ""


@dataclass(frozen=True)
class StatisticsFound:
    """All columns, in the order of the table.

    Attributes
    ----------
    columns : tuple of ColumnCompared
    n_suppressed : int
        Records that the figures after leave out.
    """

    columns: tuple[ColumnCompared, ...]
    n_suppressed: int

    def column(self, name: str) -> ColumnCompared:
        """One column by its name."""
        return next(column for column in self.columns if column.name == name)

    def tables(self) -> tuple[FigureTable, ...]:
        """A row per column and side."""
        heads = (
            FigureColumn("column", "Column"),
            FigureColumn("scale", "Scale"),
            FigureColumn("side", "Side"),
        )
        rows: list[tuple[Figure, ...]] = []
        for column in self.columns:
            for side, found in (("before", column.before), ("after", column.after)):
                if found is not None:
                    figures = (getattr(found, field.name) for field in fields(SideStatistics))
                    rows.append((column.name, column.scale.value, side, *figures))
        return (FigureTable("statistics", "Summary statistics", (*heads, *_COLUMNS), tuple(rows)),)


_COLUMNS = (
    FigureColumn("records", "Values", "records", "Records that have a value; of the release only kept ones."),
    FigureColumn("missing", "Missing", "records", "Records without a value."),
    FigureColumn("distinct", "Distinct", "values", "Different values, or different released cells."),
    FigureColumn("mode", "Mode", "", "The most frequent value or released cell."),
    FigureColumn("mode_records", "Records of the mode", "records"),
    FigureColumn("median", "Median", "", "Half of the records have at most this value."),
    FigureColumn("minimum", "Minimum"),
    FigureColumn("maximum", "Maximum"),
    FigureColumn("mean", "Mean", "", "The average."),
    FigureColumn("variance", "Variance", "", "Mean squared distance from the mean, divisor n."),
    FigureColumn("sample_variance", "Sample variance", "", "The same with divisor n - 1."),
    FigureColumn("deviation", "Standard deviation", "", "The usual distance from the mean."),
    FigureColumn("range", "Range", "", "Largest minus smallest value."),
    FigureColumn(
        "kurtosis",
        "Excess kurtosis",
        "",
        "How heavy the tails are; 0 as in a normal distribution, below 0 lighter, above 0 heavier.",
    ),
    FigureColumn("geometric_mean", "Geometric mean", "", "The average of growth factors."),
    FigureColumn(
        "estimated", "Estimated", "", "Whether cells stand for several values, each taken as equally likely."
    ),
)
