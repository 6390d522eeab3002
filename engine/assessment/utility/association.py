"""Association of two columns: pairs of cells, Cramer's V and correlation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.assessment.axis import Axis
from engine.assessment.cells import ReleasedCells
from engine.assessment.common_labels import CommonLabels
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.grouping import records_by_code
from engine.monitor import SILENT, Monitor
from engine.words import _

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
