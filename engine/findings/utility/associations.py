"""Association of two columns by Cramer's V and correlation, and of all pairs, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from engine.findings.base import Analysis, utility_analyses
from engine.findings.blocks import Block, FigureTable, Findings, Statement, as_column, figure_row
from engine.findings.cells import Axis, ReleasedCells
from engine.findings.common_labels import CommonLabels, common_labels
from engine.findings.subject import Subject
from engine.findings.words import with_left_out
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.grouping import records_by_code
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_decimal, as_exact_count
from engine.words import N_, _, lazy, ngettext


@figure_row
class Association:
    """Association of two columns: the correlation if both have numbers or dates, else Cramer's V.

    A value is None for a column with a single value, and after for a hidden column. Cramer's V of every pair
    has a bias correction, and is that of the input values and of the released labels.
    """

    first: str = as_column(N_("Column"))
    second: str = as_column(N_("With"))
    measure: str = as_column(N_("Measure", "noun"))  # "correlation" or "cramers_v"
    before: float | None = as_column(
        N_("Before"), "", N_("From 0 (no association) to 1; correlations from -1 to 1.")
    )
    after: float | None = as_column(N_("After"), "", N_("The same in the release."))
    cramers_v_before: float | None = as_column(N_("Cramer's V before"))
    cramers_v_after: float | None = as_column(N_("Cramer's V after"))


@dataclass(frozen=True)
class AssociationsFound(Findings):
    """Association of all pairs of columns with released values.

    Attributes
    ----------
    columns : tuple of str
        Names in the order of the table.
    pairs : tuple of Association
        Each pair once, columns in that order.
    left_out : tuple of str
        Columns without values in the release.
    uncounted : tuple of str
        Those of them that are not counted together with others.
    """

    columns: tuple[str, ...]
    pairs: tuple[Association, ...]
    left_out: tuple[str, ...]
    uncounted: tuple[str, ...] = ()

    def pair(self, one: str, other: str) -> Association:
        """Return the association of two columns, in any order."""
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {one, other})

    def statement(self) -> Statement:
        known = [
            (abs(p.after - p.before), p) for p in self.pairs if p.before is not None and p.after is not None
        ]
        n = len(self.pairs)
        if not known:
            text = ngettext(
                "{n} pair of columns, none with an association on both sides.",
                "{n} pairs of columns, none with an association on both sides.",
                n,
            )
            return Statement(text.format(n=as_exact_count(n)), caption=with_left_out("", self.uncounted))
        change, pair = max(known, key=lambda entry: entry[0])
        text = ngettext(
            "Of {n} pair of columns, the association of '{first}' and '{second}' changes most, by {change}.",
            "Of {n} pairs of columns, the association of '{first}' and '{second}' changes most, by {change}.",
            n,
        )
        return Statement(
            text.format(
                n=as_exact_count(n), first=pair.first, second=pair.second, change=as_decimal(change, 3)
            ),
            caption=with_left_out("", self.uncounted),
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return one row per pair."""
        return (FigureTable.of("associations", _("Associations"), Association, self.pairs),)


@utility_analyses.register("associations")
@dataclass(frozen=True, slots=True)
class Associations(Analysis):
    """Cramer's V of all pairs of columns, and Pearson's correlation of numbers and dates.

    Cramer's V uses the values of the input before, and the labels of the release after; see
    `engine.findings.utility.associations` and `engine.findings.common_labels`.
    """

    title: ClassVar[str] = lazy("Associations")
    summary: ClassVar[str] = lazy("Which columns are associated, and whether the release still shows it.")
    reading: ClassVar[str] = lazy(
        "0 means that two columns are not associated, 1 that one determines the other; "
        "correlations can also be negative. Associations that disappear can no longer be "
        "studied with the release."
    )
    source: ClassVar[str] = "Bergsma 2013"
    needs_kept: ClassVar[bool] = True
    is_costly: ClassVar[bool] = True
    combines_columns: ClassVar[bool] = True

    def why_not(self, subject: Subject) -> str:
        if subject.why_empty:
            return subject.why_empty
        if len(subject.comparable) < 2:
            return _("The release has values of only one column, so there are no associations.")
        return ""

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> AssociationsFound:
        self.refuse_impossible(subject)
        names = subject.comparable
        own, released = {}, {}
        for name in names:
            monitor.step(0, 1, _("Finding the labels of {name}").format(name=name))
            own[name] = common_labels(subject, name, of_input=True)
            released[name] = common_labels(subject, name)
        pairs = list(combinations(names, 2))
        found = []
        for number, (first, second) in enumerate(pairs):
            part = PartMonitor(monitor, number, len(pairs))
            part.step(0, 2, _("Counting '{first}' and '{second}'").format(first=first, second=second))
            v_before = cramers_v(crossed_before(own[first], own[second]))
            part.step(1, 2, _("Counting '{first}' and '{second}'").format(first=first, second=second))
            cells = own[first].cells, own[second].cells
            counted = released_pairs(*cells)
            v_after = cramers_v(crossed(counted, released[first], released[second], PartMonitor(part, 1, 2)))
            measure, before, after = "cramers_v", v_before, v_after
            if cells[0].axis.is_numeric and cells[1].axis.is_numeric:
                before = correlation_before(cells[0].axis, cells[1].axis)
                measure, after = "correlation", correlation_after(counted, *cells)
            found.append(Association(first, second, measure, before, after, v_before, v_after))
        left_out = tuple(name for name in subject.names if name not in names)
        return AssociationsFound(names, tuple(found), left_out, subject.uncounted)


AT_ONCE = 2048  # texts of a column processed at once
_DENSE = 1 << 22  # up to this many pairs of texts, each has a counter
_PARTS = 1 << 21  # parts of cells processed at once
_DECIMALS = 9  # of distributed records, so that the order of summation does not matter


class Pairs(NamedTuple):
    """Pairs of texts that kept records have in two columns.

    Attributes
    ----------
    first, second : ndarray of int64, shape (n_pairs,)
        Index of the text in each column.
    counts : ndarray of int64, shape (n_pairs,)
    """

    first: IntArray
    second: IntArray
    counts: Counts


def released_pairs(first: ReleasedCells, second: ReleasedCells) -> Pairs:
    """Count the kept records of each pair of texts, in lexicographic order."""
    span = max(len(second.labels), 1)
    kept = first.codes >= 0
    keys = first.codes[kept] * span + second.codes[kept]
    records = None if first.axis.records is None else first.axis.records[kept]
    if len(first.labels) * span <= _DENSE:
        counts = records_by_code(keys, len(first.labels) * span, records)
        keys = np.flatnonzero(counts)
        counts = counts[keys]
    else:
        keys, place = np.unique(keys, return_inverse=True)
        counts = records_by_code(place, len(keys), records)
    return Pairs(keys // span, keys % span, counts)


def crossed_before(rows: CommonLabels, columns: CommonLabels) -> Counts:
    """Return the records of the input per pair of common labels, shape (n_row_labels, n_column_labels)."""
    shape = rows.n_labels, columns.n_labels
    places = rows.of_row * shape[1] + columns.of_row
    return rows.cells.axis.count(places, shape[0] * shape[1]).reshape(shape)


def crossed(pairs: Pairs, rows: CommonLabels, columns: CommonLabels, monitor: Monitor = SILENT) -> FloatArray:
    """Return the kept records per pair of common labels, shape (n_row_labels, n_column_labels)."""
    column = columns.of_cell[pairs.second]
    plain = np.flatnonzero(column >= 0)
    found = _by_row(pairs, plain, column[plain], columns.n_labels, rows, monitor)
    rest = np.flatnonzero(column < 0)
    rest = rest[np.argsort(pairs.second[rest], kind="stable")]
    texts, which = np.unique(pairs.second[rest], return_inverse=True)
    bounds = np.searchsorted(which, np.arange(0, len(texts) + AT_ONCE, AT_ONCE))
    for number in range(len(bounds) - 1):
        some = texts[number * AT_ONCE : (number + 1) * AT_ONCE]
        here = slice(bounds[number], bounds[number + 1])
        by_text = _by_row(pairs, rest[here], which[here] - number * AT_ONCE, len(some), rows, monitor)
        found += by_text @ columns.shares(some)
    return np.asarray(np.round(found, _DECIMALS))


def _by_row(
    pairs: Pairs, some: IntArray, keys: IntArray, n_keys: int, rows: CommonLabels, monitor: Monitor
) -> FloatArray:
    """Return the records of some pairs per row label and key of the pair, shape (n_row_labels, n_keys)."""
    found = np.zeros(rows.n_labels * n_keys)
    each = max(_PARTS // rows.n_labels, 1) if rows.is_spread.any() else _PARTS
    for start in range(0, len(some), each):
        monitor.step(0, 1, _("Spreading cells over labels"))
        here = some[start : start + each]
        which, labels, shares = rows.parts(pairs.first[here])
        places = labels * n_keys + keys[start : start + each][which]
        found += np.bincount(places, weights=pairs.counts[here][which] * shares, minlength=len(found))
    return found.reshape(rows.n_labels, n_keys)


def cramers_v(table: Counts | FloatArray) -> float | None:
    """Return Cramer's V with the bias correction of [1]; None with fewer than two rows or columns.

    With phi2 = chi2 / n of a table with r nonempty rows and c nonempty columns:
    ``sqrt(max(0, phi2 - (r - 1)(c - 1) / (n - 1)) / (min(r', c') - 1))``, where
    ``r' = r - (r - 1)**2 / (n - 1)`` and c' likewise.

    References
    ----------
    .. [1] Bergsma (2013). A bias-correction for Cramer's V and Tschuprow's T. Journal of the Korean
       Statistical Society 42(3).
    """
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    table = table[np.ix_(rows > 0, columns > 0)]
    rows, columns, total = rows[rows > 0], columns[columns > 0], float(rows.sum())
    n_rows, n_columns = len(rows), len(columns)
    if min(n_rows, n_columns) < 2 or total <= 1:
        return None
    phi2 = float((np.square(table) / np.outer(rows, columns)).sum()) - 1
    unbiased = max(0.0, phi2 - (n_rows - 1) * (n_columns - 1) / (total - 1))
    smaller = min(n - (n - 1) ** 2 / (total - 1) for n in (n_rows, n_columns)) - 1
    return min(1.0, float(np.sqrt(unbiased / smaller))) if smaller > 0 else None


def correlation_before(first: Axis, second: Axis) -> float | None:
    """Return Pearson's correlation of two input columns over records with both values; None without."""
    if not (first.is_numeric and second.is_numeric):
        return None
    x, y = first.positions[first.codes], second.positions[second.codes]
    known = ~(np.isnan(x) | np.isnan(y))
    records = np.ones(len(x)) if first.records is None else first.records.astype(np.float64)
    return _correlation(x[known], y[known], records[known])


def correlation_after(pairs: Pairs, first: ReleasedCells, second: ReleasedCells) -> float | None:
    """Return Pearson's correlation of a release, with all values of a cell equally likely.

    Records with a hidden or missing cell are excluded.
    """
    if not (first.axis.is_numeric and second.axis.is_numeric):
        return None
    x, y = first.means[pairs.first], second.means[pairs.second]
    known = ~(np.isnan(x) | np.isnan(y))
    return _correlation(
        x[known],
        y[known],
        pairs.counts[known].astype(np.float64),
        first.variances[pairs.first][known],
        second.variances[pairs.second][known],
    )


def _correlation(
    x: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    within_x: FloatArray | float = 0.0,
    within_y: FloatArray | float = 0.0,
) -> float | None:
    total = float(weights.sum())
    if total <= 0:
        return None
    with np.errstate(all="ignore"):  # numbers of hundreds of digits have no square
        x, y = x - (x * weights).sum() / total, y - (y * weights).sum() / total
        both = float((x * y * weights).sum())
        alone = float(((x * x + within_x) * weights).sum()), float(((y * y + within_y) * weights).sum())
        found = both / (np.sqrt(alone[0]) * np.sqrt(alone[1])) if min(alone) > 0 else np.nan
    return float(np.clip(found, -1.0, 1.0)) if np.isfinite(found) else None
