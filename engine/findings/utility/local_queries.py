"""Accuracy of random counts on the release, such as: how many are 30 to 39 and live in Rome?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from engine.findings.base import Analysis, utility_analyses
from engine.findings.blocks import (
    SHARE,
    Block,
    Chart,
    FigureColumn,
    FigureTable,
    Findings,
    Series,
    Statement,
    as_column,
    figure_row,
)
from engine.findings.cells import Axis, ReleasedCells
from engine.findings.subject import Subject
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.grouping import class_keys, class_labels
from engine.monitor import SILENT, Monitor
from engine.numbers import as_columns, as_exact_count, as_percent
from engine.params import Integer, Real, param
from engine.words import N_, _, lazy

ROUNDING = 1e-12  # an error equal to the tolerance except for rounding is within it
_DENSE = 1 << 22  # up to this many combinations, each has a counter


@figure_row
class QueryFigures:
    """Results of the queries with some number of columns, which is 0 for all queries."""

    n_columns: int = as_column(
        N_("Columns"),
        "columns",
        N_("Number of columns in a query."),
        key="columns",
        shown=lambda n_columns: n_columns or _("all"),
    )
    n_queries: int = as_column(N_("Queries"), "queries", key="queries")
    share_within: float = as_column(
        N_("Within tolerance"), SHARE, N_("Queries answered approximately correctly."), key="within"
    )
    first_quartile: float = as_column(
        N_("First quartile"), SHARE, N_("A quarter of the relative errors are smaller.")
    )
    median: float = as_column(N_("Median error"), SHARE, N_("Half of the relative errors are smaller."))
    third_quartile: float = as_column(
        N_("Third quartile"), SHARE, N_("Three quarters of the relative errors are smaller.")
    )


@dataclass(frozen=True, eq=False)
class LocalQueriesFound(Findings):
    """Results of random counts on the release.

    Attributes
    ----------
    whole : QueryFigures
        All queries.
    by_columns : tuple of QueryFigures
        Results for 1, 2, ... columns.
    n_columns : ndarray of int64, shape (n_queries,)
        Number of columns of each query.
    exact, estimated : ndarray, shape (n_queries,)
        Matching records of the input, and expected number by the release.
    errors : ndarray of float64, shape (n_queries,)
        |estimated - exact| / max(exact, least), least being the chosen share of the records.
    """

    whole: QueryFigures
    by_columns: tuple[QueryFigures, ...]
    tolerance: float
    n_columns: Counts
    exact: Counts
    estimated: FloatArray
    errors: FloatArray

    def statement(self) -> Statement:
        whole = self.whole
        return Statement(
            _(
                "{share_within} of {n_queries} random count queries are answered within {tolerance} "
                "of the true count."
            ).format(
                share_within=as_percent(whole.share_within),
                n_queries=as_exact_count(whole.n_queries),
                tolerance=as_percent(self.tolerance),
            )
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return the results by number of columns, and every query."""
        every = (self.whole, *self.by_columns)
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
            Chart(
                "within",
                _("Queries answered approximately correctly"),
                "rows",
                _("answered within {tolerance}").format(tolerance=as_percent(self.tolerance)),
                _("columns of a query"),
                (Series(_("Release"), tuple(f.share_within for f in every)),),
                labels=tuple(map(_columns, every)),
                captions=tuple(
                    _("{n_queries} queries").format(n_queries=as_exact_count(f.n_queries)) for f in every
                ),
                is_share=True,
            ),
            FigureTable.of("local_queries", _("Errors of the estimates"), QueryFigures, every),
            FigureTable("queries", _("Every query"), _QUERIES, queries, is_listed=False),
        )


def _columns(figures: QueryFigures) -> str:
    return as_columns(figures.n_columns) if figures.n_columns else _("all queries")


_QUERIES = (
    FigureColumn("columns", N_("Columns"), "columns"),
    FigureColumn("exact", N_("Exact"), "records", N_("Matching records of the input.")),
    FigureColumn("estimated", N_("Estimated"), "records", N_("Estimate from the release.")),
    FigureColumn("error", N_("Relative error"), SHARE),
)


@utility_analyses.register("local_queries")
@dataclass(frozen=True, slots=True)
class LocalQueries(Analysis):
    """Random count queries over quasi-identifiers, by the input and estimated from the release [1].

    Each query selects some columns, and in each a run of adjacent values that at least the share
    ``least_share ** (1 / columns)`` of the records has; the position of the run is drawn uniformly over
    records. The estimate is the expected number of matching kept records if all values of a released cell are
    equally likely, independent of other columns. Suppressed records never match.

    The error of an estimate is ``|estimate - exact| / max(exact, least_share * n_records)``: the bound keeps
    queries with few matching records from dominating [2].

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan (2008). Workload-Aware Anonymization Techniques for Large-Scale
       Datasets. ACM TODS 33(3).
    .. [2] Xiao, Wang, Gehrke (2011). Differential Privacy via Wavelet Transforms. IEEE TKDE 23(8): the sanity
       bound.
    """

    title: ClassVar[str] = lazy("Count queries")
    summary: ClassVar[str] = lazy(
        "How well the release answers questions such as how many people are 30 to 39 and "
        "live in Rome: many random ones."
    )
    reading: ClassVar[str] = lazy(
        "The more columns a question has, the harder it is to answer. A release of original "
        "values answers exactly. If most answers about one column are right and those about "
        "three are not, the release retains the columns but not their association."
    )
    source: ClassVar[str] = lazy("LeFevre and others 2008")
    needs_kept: ClassVar[bool] = True
    is_costly: ClassVar[bool] = True

    n_queries: int = param(
        1000,
        Integer(
            minimum=1, maximum=100_000, label=N_("Queries"), help=N_("More queries give more stable values.")
        ),
    )
    most_columns: int = param(
        3,
        Integer(
            minimum=1,
            maximum=10,
            label=N_("Largest number of columns"),
            help=N_("Queries have from one to this many columns."),
        ),
    )
    tolerance: float = param(
        0.1,
        Real(
            minimum=0.0,
            maximum=1.0,
            label=N_("Tolerance"),
            help=N_("Largest relative error that counts as right."),
        ),
    )
    least_share: float = param(
        0.05,
        Real(
            minimum=0.0001,
            maximum=1.0,
            decimals=4,
            label=N_("Share of records"),
            help=N_("Share a query would select if its columns were independent."),
        ),
    )
    seed: int = param(
        0, Integer(minimum=0, label=N_("Seed"), help=N_("The same number gives the same queries."))
    )

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> LocalQueriesFound:
        self.refuse_impossible(subject)
        names = subject.quasi_identifying
        cells = []
        for name in names:
            monitor.step(0, self.n_queries, _("Examining the cells of {name}").format(name=name))
            cells.append(subject.cells(name))
        queries = drawn_queries(
            [column.axis for column in cells], self.n_queries, self.most_columns, self.least_share, self.seed
        )
        monitor.step(0, self.n_queries, _("Counting records of the input"))
        before = _before(cells)
        monitor.step(0, self.n_queries, _("Counting classes of the release"))
        after = _after(cells, subject)
        exact, estimated = np.zeros(len(queries), dtype=np.int64), np.zeros(len(queries))
        order = sorted(range(len(queries)), key=lambda number: queries[number].columns)
        known: tuple[int, ...] = ()
        for done, number in enumerate(order):
            query = queries[number]
            if query.columns != known:
                monitor.step(done, len(queries), _("Counting combinations of values"))
                known = query.columns
                own = before.over(known)
                monitor.step(done, len(queries), _("Counting combinations of cells"))
                released = after.over(known)
            monitor.step(done, len(queries), _("Answering count queries"))
            exact[number] = own.counts[query.fits(own.codes)].sum()
            estimated[number] = (released.counts * query.likely(released.codes, cells)).sum()
        return self._summed_up(
            np.array([len(query.columns) for query in queries]), exact, estimated, subject.n_records
        )

    def _summed_up(
        self, n_columns: Counts, exact: Counts, estimated: FloatArray, n_records: int
    ) -> LocalQueriesFound:
        least = self.least_share * n_records
        errors = np.abs(estimated - exact) / np.maximum(exact, least)
        by_columns = tuple(
            self._figures(number, errors[n_columns == number]) for number in np.unique(n_columns).tolist()
        )
        whole = self._figures(0, errors)
        return LocalQueriesFound(whole, by_columns, self.tolerance, n_columns, exact, estimated, errors)

    def _figures(self, n_columns: int, errors: FloatArray) -> QueryFigures:
        quartiles = np.quantile(errors, (0.25, 0.5, 0.75)).tolist()
        within = float(np.mean(errors <= self.tolerance * (1 + ROUNDING)))
        return QueryFigures(n_columns, len(errors), within, *quartiles)


class Query(NamedTuple):
    """Count query over some columns.

    Attributes
    ----------
    columns : tuple of int
        Numbers of the quasi-identifiers in ascending order.
    runs : tuple of (int, int)
        First and last value of each column on its axis.
    """

    columns: tuple[int, ...]
    runs: tuple[tuple[int, int], ...]

    def fits(self, codes: Sequence[IntArray]) -> BoolArray:
        """Return whether combinations of values match the query."""
        found = np.ones(len(codes[0]), dtype=np.bool_)
        for column, (low, high) in zip(codes, self.runs, strict=True):
            found &= (column >= low) & (column <= high)
        return found

    def likely(self, codes: Sequence[IntArray], cells: Sequence[ReleasedCells]) -> FloatArray:
        """Return the probability that combinations of released texts match the query."""
        found = np.ones(len(codes[0]))
        for column, texts, (low, high) in zip(self.columns, codes, self.runs, strict=True):
            chosen = np.zeros(cells[column].axis.n_values, dtype=np.bool_)
            chosen[low : high + 1] = True
            found *= cells[column].stands_for.shares(chosen)[texts]
        return found


def drawn_queries(
    axes: Sequence[Axis], n_queries: int, most_columns: int, least_share: float, seed: int
) -> list[Query]:
    """Return random queries, equal for equal seed and input; see `LocalQueries` for their form.

    The number of columns is 1, 2, ..., `most_columns`, then 1 again.
    """
    source = np.random.default_rng(seed)
    most = min(most_columns, len(axes))
    reached = [np.cumsum(_known(axis)) for axis in axes]
    queries = []
    for number in range(n_queries):
        n_columns = number % most + 1
        columns = np.sort(source.choice(len(axes), size=n_columns, replace=False)).tolist()
        width = least_share ** (1 / n_columns)
        runs = []
        for column, begin in zip(columns, (source.random(n_columns) * (1 - width)).tolist(), strict=True):
            below = reached[column]
            ends = np.array([begin, begin + width]) * below[-1]
            first, last = np.searchsorted(below, ends, side="right").tolist()
            runs.append((first, min(last, len(below) - 1)))
        queries.append(Query(tuple(columns), tuple(runs)))
    return queries


class _Combinations(NamedTuple):
    """Distinct rows of some columns with their counts."""

    codes: list[IntArray]
    spans: list[int]
    counts: Counts

    def over(self, columns: Sequence[int]) -> _Combinations:
        """Return the distinct rows over some of the columns."""
        codes, spans = [self.codes[c] for c in columns], [self.spans[c] for c in columns]
        if np.prod([float(span) for span in spans]) <= _DENSE:
            keys = class_keys(codes, spans)
            counts = np.bincount(keys, weights=self.counts).astype(np.int64)
            keys = np.flatnonzero(counts)
            rows = np.unravel_index(keys, spans)
            return _Combinations([row.astype(np.int64) for row in rows], spans, counts[keys])
        labels, first, _unused = class_labels(codes, spans)
        counts = np.bincount(labels, weights=self.counts).astype(np.int64)
        return _Combinations([column[first] for column in codes], spans, counts)


def _before(cells: Sequence[ReleasedCells]) -> _Combinations:
    codes, spans = [column.axis.codes for column in cells], [column.axis.n_values for column in cells]
    labels, first, _rows = class_labels(codes, spans)
    records = cells[0].axis.count(labels, len(first))
    return _Combinations([column[first] for column in codes], spans, records)


def _after(cells: Sequence[ReleasedCells], subject: Subject) -> _Combinations:
    """Return the kept classes, whose records have equal texts in all quasi-identifiers."""
    release = subject.release
    first = subject.class_records[release.kept]
    codes, spans = [column.codes[first] for column in cells], [len(column.labels) for column in cells]
    return _Combinations(codes, spans, release.kept_records)


def _known(axis: Axis) -> Counts:
    """Return the records per value, 0 for missing unless there is no other value."""
    counts = axis.counts.copy()
    if axis.missing is not None and counts.sum() > counts[axis.missing]:
        counts[axis.missing] = 0
    return counts
