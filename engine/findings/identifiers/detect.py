"""Columns that distinguish records: identifiers, singletons of column subsets, best quasi-identifiers.

A *singleton* is a record with a unique combination of values [1]_. Distinction and separation follow [2]_.

References
----------
.. [1] Pastore, Pellegrino, Scarano: detection of quasi-identifiers by singletons.
.. [2] Motwani, Xu (2007). Efficient Algorithms for Masking and Finding Quasi-Identifiers. VLDB Workshop on
   Secure Data Management.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import prod
from typing import Any

import numpy as np

from engine.errors import ParameterError
from engine.findings.identifiers.coded import CodedColumns, Subset, at_once
from engine.findings.identifiers.subsets import MeasuredSubsets, measure_subsets
from engine.kernels.arrays import Counts, IntArray
from engine.kernels.partitions import Partition
from engine.monitor import SILENT, Monitor, with_progress
from engine.notebook import Facts, listed
from engine.numbers import as_exact_count
from engine.privacy.required import Measured
from engine.records.column_selection import chosen_columns, refuse_none_left, without_missing
from engine.records.counting import rows_in_memory
from engine.records.opening.data_frames import AnyTable, as_table
from engine.records.stored import refuse_cut
from engine.scoring.acceleration import fetch_if_worth
from engine.words import _

_PER_CELL = 2e-6  # approximate seconds of interpreted code per row of one subset
_MOST_FORESEEN = 4_000  # assumed number of subsets if it is unknown
_NO_SUBSETS = MeasuredSubsets((), ())


@dataclass(frozen=True, slots=True)
class SubsetFigures:
    """Values of a set of columns.

    Attributes
    ----------
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

    def as_dict(self) -> dict[str, Any]:
        """Return all values by name."""
        return asdict(self) | {"columns": list(self.columns)}


@dataclass(frozen=True, eq=False)
class Detection(Measured):
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

    def further_values(self) -> Mapping[str, int]:
        """Return the number of identifiers, and the unique records of the best quasi-identifiers."""
        return {"identifiers": len(self.identifiers), "best_singletons": self.best_singletons}

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
            "subsets": [subset.as_dict() for subset in self.subsets()],
        }


@with_progress
def detect(
    data: AnyTable,
    columns: Sequence[str] | str | None = None,
    max_size: int = 3,
    drop_missing: bool = False,
    all_subsets: bool = False,
    best_only: bool = False,
    monitor: Monitor = SILENT,
    progress: bool = False,
) -> Detection:
    """Find identifiers and quasi-identifiers among the columns of a table.

    Equal numbers, dates and booleans are one value, even if a file writes them differently.

    Parameters
    ----------
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

    Raises
    ------
    TableError
        A column does not exist, or the data cannot be read.
    InputError
        A column is given twice, no record remains, or there are too many sets to list.
    ParameterError
        If `max_size` is below 1, or `all_subsets` and `best_only` are both set.

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
    for column in chosen_columns(table, columns):
        refuse_cut(column)
    wanted = (columns,) if isinstance(columns, str) else columns
    table = rows_in_memory(table, table.names if wanted is None else wanted, monitor)
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
    """Load or compile the kernels if interpreted ones would take long."""
    n_subsets = 1
    for size in range(1, min(max_size, n_columns) + 1):
        n_subsets = min(n_subsets * (n_columns - size + 1), _MOST_FORESEEN)
    fetch_if_worth(n_subsets * n_records * _PER_CELL, ("partitions",), monitor)


@dataclass
class BestSubsets:
    """Best subsets so far: most singletons, then fewest columns; all tied ones are stored.

    Attributes
    ----------
    n_singletons : int
        Singletons of each; 0 without any.
    """

    n_singletons: int = 0
    subsets: list[Subset] = field(default_factory=list)

    def offer(self, subset: Subset, n_singletons: int) -> None:
        """Store a subset that is not an identifier, if none is better."""
        if not n_singletons or n_singletons < self.n_singletons:
            return
        if n_singletons > self.n_singletons or len(subset) < len(self.subsets[0]):
            self.subsets.clear()
        elif len(subset) > len(self.subsets[0]):
            return
        self.n_singletons = n_singletons
        self.subsets.append(subset)

    def may_improve(self, size: int, n_singletons: int) -> bool:
        """Return whether subsets of at least `size` columns and at most `n_singletons` could be stored."""
        if not n_singletons or n_singletons < self.n_singletons:
            return False
        return n_singletons > self.n_singletons or size <= len(self.subsets[0])


def find_best(
    coded: CodedColumns, max_size: int, monitor: Monitor = SILENT
) -> tuple[list[Subset], BestSubsets]:
    """Find the smallest identifiers and the best quasi-identifiers up to a size.

    Parameters
    ----------
    max_size : int
        Largest number of columns, at least 1.
    monitor : Monitor
        May stop between two steps, each of which reads every row a few times.

    Returns
    -------
    identifiers : list of tuple of int
        Minimal subsets whose records all differ, in order of size and position.
    best : BestSubsets
        Best of the subsets that are not identifiers.

    Notes
    -----
    Depth-first search, starting with the columns that separate most. A branch is pruned if all its columns
    together are not an identifier and have too few singletons, which is safe because singletons and distinct
    combinations never decrease when columns are added; or if the remaining columns have too few values to
    split the classes. Column numbers are those of the table.
    """
    found, best = _Branches(coded, max_size, monitor).search()
    if coded.n_records == 1:
        return [(column,) for column in range(coded.n_columns)], best
    smallest = [s for s in found if not any(set(other) < set(s) for other in found)]
    identifiers = [subset for reduced in smallest for subset in coded.unreduced(reduced)]
    subsets = sorted(subset for reduced in best.subsets for subset in coded.unreduced(reduced))
    return sorted(identifiers, key=lambda s: (len(s), s)), BestSubsets(best.n_singletons, subsets)


class _Branches:
    """Search tree over the kept columns: a subset's children add one later column."""

    def __init__(self, coded: CodedColumns, max_size: int, monitor: Monitor) -> None:
        self._coded = coded
        self._max_size = max_size
        self._monitor = monitor
        self._partitioning = coded.blocks[0].partitioning()
        self._identifiers: list[Subset] = []
        self._best = BestSubsets()
        self._n_first = 0

    def search(self) -> tuple[list[Subset], BestSubsets]:
        """Return identifiers, some of which may contain others, and the best other subsets; kept columns."""
        if self._coded.whole[0]:  # without a singleton of all columns together, no subset has one
            self._visit((), self._partitioning.partition(()))
        return self._identifiers, self._best

    def _visit(self, chosen: Subset, partition: Partition) -> None:
        columns = np.arange(chosen[-1] + 1 if chosen else 0, self._coded.n_kept, dtype=np.int64)
        if not len(columns) or not self._may_reach(chosen, partition, columns):
            return
        figures = self._figures(partition, columns)
        extends = [self._judge((*chosen, c), row) for c, row in zip(columns.tolist(), figures, strict=True)]
        if len(chosen) + 1 == self._max_size:
            return
        bounds = self._bounds(partition, columns)
        for column, is_open, bound in zip(columns.tolist(), extends, bounds, strict=True):
            subset = (*chosen, column)
            if is_open and (
                bound[1] == self._coded.n_records or self._best.may_improve(len(subset) + 1, int(bound[0]))
            ):
                self._visit(subset, self._partitioning.refined(partition, column))
            if not chosen:
                self._n_first += 1

    def _figures(self, partition: Partition, columns: IntArray) -> Counts:
        """Return the counts of the chosen columns with each of the later ones."""
        found = []
        step = at_once(self._coded.blocks[0].codes.shape[1])
        for begin in range(0, len(columns), step):
            found.append(self._partitioning.extended(partition, columns[begin : begin + step]))
            self._tell()
        return np.concatenate(found)

    def _may_reach(self, chosen: Subset, partition: Partition, columns: IntArray) -> bool:
        """Return whether the remaining columns can split the classes finely enough.

        A class with more rows than the remaining columns have combinations cannot be split completely.
        """
        n_added = min(self._max_size - len(chosen), len(columns))
        cardinalities = np.sort(self._coded.blocks[0].cardinalities[columns])[::-1][:n_added]
        n_parts = min(prod(cardinalities.tolist()), self._coded.n_records)
        sizes = np.diff(partition.starts)
        is_split = sizes <= n_parts
        if is_split.all():
            return True
        n_singletons = int(partition.settled[0] + np.where(is_split, sizes, n_parts - 1).sum())
        return self._best.may_improve(len(chosen) + 1, n_singletons)

    def _judge(self, subset: Subset, figures: Counts) -> bool:
        """Store a subset as identifier or offer it as best; return whether to extend it."""
        if figures[1] == self._coded.n_records:
            self._identifiers.append(subset)
            return False
        self._best.offer(subset, int(figures[0]))
        return True

    def _bounds(self, partition: Partition, columns: IntArray) -> list[Counts]:
        """Return the counts of the chosen columns with each column and all later ones."""
        bounds: list[Counts] = []
        for column in reversed(columns.tolist()):
            partition = self._partitioning.refined(partition, column)
            bounds.append(partition.figures)
            self._tell()
        return bounds[::-1]

    def _tell(self) -> None:
        text = _("Best so far: {n_singletons} unique records").format(
            n_singletons=as_exact_count(self._best.n_singletons)
        )
        self._monitor.step(self._n_first, self._coded.n_kept, text)
