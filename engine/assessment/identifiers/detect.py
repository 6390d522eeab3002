"""Columns that distinguish records: identifiers, singletons of column subsets, best quasi-identifiers.

A *singleton* is a record with a unique combination of values [1]_. Distinction and separation follow [2]_.

References
----------
.. [1] Pastore, Pellegrino, Scarano: detection of quasi-identifiers by singletons.
.. [2] Motwani, Xu (2007). Efficient Algorithms for Masking and Finding Quasi-Identifiers. VLDB Workshop on
   Secure Data Management.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.assessment.identifiers.best import BestSubsets, find_best
from engine.assessment.identifiers.coded import CodedColumns, Subset
from engine.assessment.identifiers.subsets import MeasuredSubsets, measure_subsets
from engine.errors import ParameterError
from engine.monitor import SILENT, Monitor
from engine.notebook import Facts, Shown, listed
from engine.scoring.kernel_compilation import fetch_if_worth
from engine.table.column_selection import chosen_columns, refuse_none_left, without_missing
from engine.table.counting import counted_table
from engine.table.frames import AnyTable, as_table
from engine.table.stored import refuse_cut
from engine.words import _

_PER_CELL = 15e-9  # approximate seconds of numpy per row of one subset
_MOST_FORESEEN = 4_000  # assumed number of subsets if it is unknown
_NO_SUBSETS = MeasuredSubsets((), ())


@dataclass(frozen=True, slots=True)
class SubsetFigures:
    """Values of a set of columns.

    Attributes
    ----------
    columns : tuple of str
    singletons : int
        Number of records with a unique combination of values.
    distinct : int
        Number of distinct combinations.
    distinction : float
        Distinct combinations / records.
    separation : float
        Share of the pairs of records that differ; 1 with a single record.
    """

    columns: tuple[str, ...]
    singletons: int
    distinct: int
    distinction: float
    separation: float


@dataclass(frozen=True, eq=False)
class Detection(Shown):
    """Result of a search for identifiers and quasi-identifiers.

    Attributes
    ----------
    n_records : int
        Number of examined records; without those dropped for missing cells.
    names : tuple of str
        Examined columns.
    identifiers : tuple of tuple of str
        Sets of columns whose records all differ; only minimal ones, unless every subset was requested.
    best_quasi_identifiers : tuple of tuple of str
        Other sets with most singletons, and of these those with fewest columns; empty without singletons.
    best_singletons : int
        Singletons of each of the best quasi-identifiers.
    measured : MeasuredSubsets
        Counts of all listed sets.
    """

    n_records: int
    names: tuple[str, ...]
    identifiers: tuple[tuple[str, ...], ...]
    best_quasi_identifiers: tuple[tuple[str, ...], ...]
    best_singletons: int
    measured: MeasuredSubsets

    def _facts(self) -> Facts:
        facts = [("records", str(self.n_records)), ("columns", listed(self.names))]
        facts += [("identifiers", listed(self.identifiers))]
        facts += [("best quasi-identifiers", listed(self.best_quasi_identifiers))]
        return [*facts, ("their unique records", str(self.best_singletons))]

    def subsets(self) -> Iterator[SubsetFigures]:
        """Values of every listed set of columns, by size and position in the table."""
        n_pairs = self.n_records * (self.n_records - 1)
        for columns, (singletons, distinct, equal) in self.measured:
            yield SubsetFigures(
                tuple(self.names[column] for column in columns),
                singletons,
                distinct,
                distinct / self.n_records,
                (n_pairs - equal) / n_pairs if n_pairs else 1.0,
            )

    def as_dict(self) -> dict[str, Any]:
        """Return the result as `anonymizer detect --format json` prints it."""
        return {
            "records": self.n_records,
            "identifiers": [list(names) for names in self.identifiers],
            "best_quasi_identifiers": [list(names) for names in self.best_quasi_identifiers],
            "subsets": [
                {
                    "columns": list(subset.columns),
                    "singletons": subset.singletons,
                    "distinct": subset.distinct,
                    "distinction": subset.distinction,
                    "separation": subset.separation,
                }
                for subset in self.subsets()
            ],
        }


def detect(
    data: AnyTable,
    columns: Sequence[str] | str | None = None,
    max_size: int = 3,
    drop_missing: bool = False,
    all_subsets: bool = False,
    best_only: bool = False,
    monitor: Monitor = SILENT,
) -> Detection:
    """Find identifiers and quasi-identifiers among the columns of a table.

    Equal numbers, dates and booleans are one value, even if a file writes them differently.

    Parameters
    ----------
    data : Table, DataFrame or path of a file
    columns : sequence of str, or str, optional
        Columns to examine, in this order; by default all. A single name is a list of one.
    max_size : int
        Largest number of columns in a set, at least 1.
    drop_missing : bool
        Exclude records with a missing cell in one of the columns; otherwise missing is an ordinary value.
    all_subsets : bool
        List every set; otherwise supersets of identifiers are not listed (rule of [1]_).
    best_only : bool
        List no sets. Identifiers and best quasi-identifiers are the same but are found without counting
        every set, so that larger sizes and more columns are possible.
    monitor : Monitor

    Raises
    ------
    TableError
        A column does not exist, or the data cannot be read.
    InputError
        A column is given twice, no record remains, or there are too many sets to list.
    ParameterError
        If `max_size` is below 1, or `all_subsets` and `best_only` are both set.
    CancelledError
        If the monitor asks to stop.

    References
    ----------
    .. [1] Pastore, Pellegrino, Scarano: detection of quasi-identifiers by singletons.
    """
    if max_size < 1:
        raise ParameterError(
            _("The largest number of columns cannot be {max_size}.").format(max_size=max_size),
            hint=_("Use 1 or more."),
        )
    if all_subsets and best_only:
        raise ParameterError(
            _("Every set and only the best sets cannot be combined."),
            hint=_("Use only one of the two."),
        )
    table = as_table(data, monitor)
    if table.is_stored:
        for column in chosen_columns(table, columns):
            refuse_cut(column)
        names = (columns,) if isinstance(columns, str) else columns
        table = counted_table(table, table.names if names is None else names, monitor)
    chosen = chosen_columns(table, columns)
    if drop_missing:
        chosen = without_missing(chosen)
    refuse_none_left(table, chosen)
    n_records = int(chosen[0].counts.sum())
    _fetch_kernels(n_records, len(chosen), max_size, monitor)
    coded = CodedColumns.of(chosen, n_records, monitor)
    names = tuple(column.name for column in chosen)
    if best_only:
        measured = _NO_SUBSETS
        identifiers, best = find_best(coded, max_size, monitor)
    else:
        measured = measure_subsets(coded, max_size, all_subsets=all_subsets, monitor=monitor)
        identifiers, best = _read(measured, n_records)
    return Detection(
        n_records,
        names,
        _named(identifiers, names),
        _named(best.subsets, names),
        best.n_singletons,
        measured,
    )


def _read(measured: MeasuredSubsets, n_records: int) -> tuple[list[Subset], BestSubsets]:
    """Return the identifiers among the listed sets, and the best of the others."""
    identifiers, best = [], BestSubsets()
    for subset, (singletons, distinct, _unused) in measured:
        if distinct == n_records:
            identifiers.append(subset)
        else:
            best.offer(subset, singletons)
    return identifiers, best


def _named(subsets: Sequence[Subset], names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(names[column] for column in subset) for subset in subsets)


def _fetch_kernels(n_records: int, n_columns: int, max_size: int, monitor: Monitor) -> None:
    """Load or compile the compiled kernels if numpy would take long."""
    n_subsets = 1
    for size in range(1, min(max_size, n_columns) + 1):
        n_subsets = min(n_subsets * (n_columns - size + 1), _MOST_FORESEEN)
    fetch_if_worth(n_subsets * n_records * _PER_CELL, ("partitions",), monitor)
