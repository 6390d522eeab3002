"""How well the release answers random counts: "how many are 30 to 39 and live in Rome?" [1]."""

from __future__ import annotations

from dataclasses import dataclass

from engine.analysis.tables import FigureColumn, FigureTable
from engine.kernels.arrays import Counts, Reals


@dataclass(frozen=True)
class QueryFigures:
    """The queries about so many columns.

    Attributes
    ----------
    n_columns : int
        0 for all queries.
    n_queries : int
    share_within : float
        Share of them whose estimate is within the tolerance.
    first_quartile, median, third_quartile : float
        Of the relative errors.
    """

    n_columns: int
    n_queries: int
    share_within: float
    first_quartile: float
    median: float
    third_quartile: float


@dataclass(frozen=True, eq=False)
class LocalQueriesFound:
    """What the release answers to random counts.

    Attributes
    ----------
    whole : QueryFigures
        All queries.
    by_columns : tuple of QueryFigures
        For 1, 2, ... columns.
    tolerance : float
    n_columns : ndarray of int64, shape (n_queries,)
        Columns that each query is about.
    exact, estimated : ndarray, shape (n_queries,)
        Records of the input that fit, and what the release lets one expect.
    errors : ndarray of float64, shape (n_queries,)
        |estimated - exact| / max(exact, least_records).
    least_records : float
        What an error is compared with where fewer records fit.
    """

    whole: QueryFigures
    by_columns: tuple[QueryFigures, ...]
    tolerance: float
    n_columns: Counts
    exact: Counts
    estimated: Reals
    errors: Reals
    least_records: float

    def tables(self) -> tuple[FigureTable, ...]:
        """The figures by number of columns, and every query."""
        figures = tuple(
            (f.n_columns or "all", f.n_queries, f.share_within, f.first_quartile, f.median, f.third_quartile)
            for f in (*self.by_columns, self.whole)
        )
        queries = tuple(
            zip(
                self.n_columns.tolist(),
                self.exact.tolist(),
                self.estimated.tolist(),
                self.errors.tolist(),
                strict=True,
            )
        )
        return (
            FigureTable("local_queries", "Count queries", _FIGURES, figures),
            FigureTable("queries", "Every query", _QUERIES, queries),
        )


_FIGURES = (
    FigureColumn("columns", "Columns", "columns", "How many columns a query names."),
    FigureColumn("queries", "Queries", "queries"),
    FigureColumn("within", "Within tolerance", "", "Queries answered nearly right.", True),
    FigureColumn(
        "first_quartile", "First quartile", "", "A quarter of the relative errors is smaller.", True
    ),
    FigureColumn("median", "Median error", "", "Half of the relative errors are smaller.", True),
    FigureColumn("third_quartile", "Third quartile", "", "Three quarters of them are smaller.", True),
)
_QUERIES = (
    FigureColumn("columns", "Columns", "columns"),
    FigureColumn("exact", "Exact", "records", "Records of the input that fit."),
    FigureColumn("estimated", "Estimated", "records", "What the release lets one expect."),
    FigureColumn("error", "Relative error", "", "", True),
)
