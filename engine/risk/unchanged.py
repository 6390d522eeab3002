"""Columns that leave unchanged: how many records their values single out, and which levels they undo."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray, Reals
from engine.kernels.grouping import class_labels
from engine.monitor import SILENT, Monitor

_LEAST_AGREEMENT = 0.1  # beyond chance, from which a dependency is told
_SURE = 3 * np.log(10.0)  # chance would do as well once in a thousand tables
_COUNTING = "Counting what unchanged columns single out"
_LARGEST_POWER = 1023  # that is computed; chance is bounded from above


@dataclass(frozen=True, eq=False)
class WrittenColumn:
    """A column as it is written: distinct texts, and a code per written record."""

    name: str
    labels: Sequence[str]
    codes: Codes


@dataclass(frozen=True, eq=False)
class GeneralizedColumn:
    """A quasi-identifier: what is written of it, and the original values behind.

    Attributes
    ----------
    written : WrittenColumn
    labels : sequence of str
        The distinct original values.
    codes : ndarray of int32, shape (n_written,)
        The original value of each written record.
    """

    written: WrittenColumn
    labels: Sequence[str]
    codes: Codes


@dataclass(frozen=True)
class Determined:
    """A column that leaves unchanged and undoes the levels of a generalized one.

    Attributes
    ----------
    column, determined : str
        The unchanged column, and the generalized one.
    share : float
        Of the kept records whose label of `determined` covers several of its original values: those whose
        value of `column` goes with a single original value. 1.0 is a functional dependency.
    """

    column: str
    determined: str
    share: float


@dataclass(frozen=True)
class UnchangedColumns:
    """What the columns that leave unchanged give away.

    A record is singled out by columns if no other written record has the same values in all of them; where
    several records may be of one person, if none of another person has.

    Attributes
    ----------
    columns : tuple of str
        Insensitive and sensitive columns, in the order of the file.
    n_records : int
        Written records, starred ones included: their unchanged cells leave as well.
    alone : mapping of str to int
        Written records that each column singles out.
    together : int
        Those that all of them together do; 0 where there are none.
    with_quasi_identifiers : int
        Those that all of them together with the written quasi-identifiers do.
    determines : tuple of Determined
        Largest share first.
    """

    columns: tuple[str, ...]
    n_records: int
    alone: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    together: int = 0
    with_quasi_identifiers: int = 0
    determines: tuple[Determined, ...] = ()

    @property
    def words(self) -> str:
        """What they single out, such as "4 columns leave unchanged and single out 7,874 of 7,874 records"."""
        total = f"{self.n_records:,} record{'' if self.n_records == 1 else 's'}"
        return unchanged_words(self, f"{self.together:,}", total)

    def verdict(self, k: int | None, n_quasi_identifying: int) -> str:
        """What a class size says, and of which columns; never the class size alone.

        Parameters
        ----------
        k : int or None
            Of the smallest kept class; None where nothing is kept.
        n_quasi_identifying : int
            How many columns form the classes.

        Returns
        -------
        str
            Such as "k = 5 for these 7 columns; 1 column leaves unchanged and singles out no record".
        """
        return f"{k_words(None if k is None else f'{k:,}', n_quasi_identifying)}; {self.words}"

    def as_dict(self) -> dict[str, Any]:
        """The figures in the form of the summary."""
        return {
            "columns": list(self.columns),
            "singled_out": {
                "alone": dict(self.alone),
                "together": self.together,
                "with_quasi_identifiers": self.with_quasi_identifiers,
            },
            "determines": [
                {"column": found.column, "determined": found.determined, "share": found.share}
                for found in self.determines
            ],
        }


def k_words(k: str | None, n_quasi_identifying: int) -> str:
    """A class size with the columns it is of; None where nothing is kept."""
    these = "this column" if n_quasi_identifying == 1 else f"these {n_quasi_identifying:,} columns"
    return "No record is kept" if k is None else f"k = {k} for {these}"


def unchanged_words(found: UnchangedColumns, count: str, total: str) -> str:
    """What columns single out, given the words for how many records, and for those that are written."""
    n = len(found.columns)
    if not n:
        return "no column leaves unchanged"
    leave = "1 column leaves unchanged and singles" if n == 1 else f"{n:,} columns leave unchanged and single"
    return f"{leave} out {f'{count} of {total}' if found.together else 'no record'}"


def count_unchanged(
    unchanged: Sequence[WrittenColumn],
    quasi_identifying: Sequence[GeneralizedColumn],
    n_records: int,
    *,
    kept: BoolArray | None = None,
    persons: Codes | None = None,
    monitor: Monitor = SILENT,
) -> UnchangedColumns:
    """Count the records that unchanged columns single out, and find the levels that they undo.

    Parameters
    ----------
    unchanged : sequence of WrittenColumn
        The columns that leave unchanged, blank cells of suppressed records among them.
    quasi_identifying : sequence of GeneralizedColumn
    n_records : int
        Written records.
    kept : ndarray of bool, shape (n_records,), optional
        Written records that are not suppressed; without it all.
    persons : ndarray of int32, shape (n_records,), optional
        Whose record each is; without it every record is of a person of its own.
    monitor : Monitor
        Asked before each column, and each pair of columns that is looked at for a dependency.

    Notes
    -----
    A record that some columns single out is singled out by more of them too, so that each step looks at
    the others alone.
    """
    written = [column.written for column in quasi_identifying]
    single = np.zeros(n_records, dtype=np.bool_)
    alone = {}
    total = len(unchanged) + 2
    for done, column in enumerate(unchanged):
        monitor.step(done, total, _COUNTING)
        own = _singled_out([column], persons)
        alone[column.name] = int(own.sum())
        single |= own
    monitor.step(len(unchanged), total, _COUNTING)
    _single_out_more(single, unchanged, persons)
    together = int(single.sum()) if unchanged else 0
    monitor.step(len(unchanged) + 1, total, _COUNTING)
    _single_out_more(single, [*unchanged, *written], persons)
    return UnchangedColumns(
        tuple(column.name for column in unchanged),
        n_records,
        MappingProxyType(alone),
        together,
        int(single.sum()),
        find_determined(unchanged, quasi_identifying, kept=kept, persons=persons, monitor=monitor),
    )


def find_determined(
    unchanged: Sequence[WrittenColumn],
    quasi_identifying: Sequence[GeneralizedColumn],
    *,
    kept: BoolArray | None = None,
    persons: Codes | None = None,
    monitor: Monitor = SILENT,
) -> tuple[Determined, ...]:
    """Find the unchanged columns that tell the original values of generalized ones.

    Looked at are kept records whose label of a quasi-identifier b covers several original values that kept
    records have. A column a determines b in those whose value of a goes, in all kept records, with one
    original value of b; `Determined.share` is how many that are.

    A value of a that occurs once goes with one value of b whatever the two columns are, and so a column of
    distinct numbers would "determine" every other one. A dependency is listed only where there is evidence
    for it, in the values of a that several persons have: each agrees with the dependency if it goes with one
    original value of b. A value that occurs once is evidence where it is written like a value of b, as a day
    of death is: it agrees if it is that of its own record. Against what chance would give, by how often the
    values of b occur, a pair of columns is listed where both hold:

    - records agree more often than by chance, by at least 0.1 on the scale from chance 0 to always 1 [1]_;
    - chance would agree as often in fewer than one of 1,000 tables (Chernoff's bound); or the evidence is
      half of the records or more, all of it agrees, and with at least two values of b.

    Parameters
    ----------
    unchanged, quasi_identifying, kept, persons, monitor
        As for `count_unchanged`.

    References
    ----------
    .. [1] Cohen (1960). A Coefficient of Agreement for Nominal Scales. Educational and Psychological
       Measurement 20.
    """
    rows = None if kept is None or kept.all() else np.flatnonzero(kept)
    found: list[Determined] = []
    own = frozenset(chain.from_iterable(column.labels for column in unchanged))
    places = [
        {label: place for place, label in enumerate(column.labels) if label in own}
        for column in quasi_identifying
    ]
    texts = frozenset(chain.from_iterable(places))
    groups = [_Groups.of(column, texts, rows, persons) for column in unchanged] if quasi_identifying else []
    n_pairs = len(unchanged) * len(quasi_identifying)
    for number, (column, place_of) in enumerate(zip(quasi_identifying, places, strict=True)):
        codes = column.codes if rows is None else column.codes[rows]
        labels = column.written.codes if rows is None else column.written.codes[rows]
        if not len(codes):
            break
        covers = _varies(labels, len(column.written.labels), codes)[labels]
        if not covers.any():
            continue
        shares = np.bincount(codes, minlength=len(column.labels)) / len(codes)
        for place, group in enumerate(groups):
            monitor.step(number * len(groups) + place, n_pairs, _COUNTING)
            share = group.share_determined(place_of, codes, shares, covers)
            if share is not None:
                found.append(Determined(group.name, column.written.name, share))
    return tuple(sorted(found, key=lambda one: -one.share))


def _single_out_more(single: BoolArray, columns: Sequence[WrittenColumn], persons: Codes | None) -> None:
    """Mark the records that columns single out together, given those that some of them do already."""
    rest = np.flatnonzero(~single)
    if columns and len(rest):
        fewer = [WrittenColumn(column.name, column.labels, column.codes[rest]) for column in columns]
        single[rest] = _singled_out(fewer, None if persons is None else persons[rest])


def _singled_out(columns: Sequence[WrittenColumn], persons: Codes | None) -> BoolArray:
    """Which records have values in some columns that no record of another person has."""
    labels: IntArray | Codes = columns[0].codes
    n_labels = len(columns[0].labels)
    if len(columns) > 1:
        codes, spans = [column.codes for column in columns], [len(column.labels) for column in columns]
        labels, first, sizes = class_labels(codes, spans)
        n_labels = len(first)
        if persons is None:
            return np.asarray((sizes == 1)[labels])
    if persons is None:
        return np.asarray((np.bincount(labels, minlength=n_labels) == 1)[labels])
    return np.asarray(~_varies(labels, n_labels, persons)[labels])


def _varies(labels: IntArray | Codes, n_labels: int, values: Codes) -> BoolArray:
    """Whether records of each label have different values, shape (n_labels,)."""
    some = np.zeros(n_labels, dtype=values.dtype)
    some[labels] = values
    varies = np.zeros(n_labels, dtype=np.bool_)
    varies[labels[values != some[labels]]] = True
    return varies


@dataclass(frozen=True, eq=False)
class _Groups:
    """The kept records by their value of an unchanged column, where that value can be evidence."""

    name: str
    order: IntArray  # records, those of a group beside each other
    starts: IntArray  # where each group begins
    sizes: Counts
    n_persons: Counts
    shared: Mapping[int, str]  # the groups whose value is written like one of a generalized column

    @classmethod
    def of(
        cls, column: WrittenColumn, texts: Collection[str], rows: IntArray | None, persons: Codes | None
    ) -> _Groups:
        """Group the records of some rows, None for all; `texts` are the values of generalized columns."""
        codes = column.codes if rows is None else column.codes[rows]
        sizes = n_persons = np.bincount(codes, minlength=len(column.labels))
        if persons is not None and len(codes):
            own = persons if rows is None else persons[rows]
            _, first, _ = class_labels([codes, own], [len(column.labels), int(own.max()) + 1])
            n_persons = np.bincount(codes[first], minlength=len(column.labels))
        is_used = sizes > 1
        shared = [place for place, label in enumerate(column.labels) if label in texts and sizes[place]]
        is_used[shared] = True
        places = np.cumsum(is_used) - 1
        records = np.flatnonzero(is_used[codes])
        sizes = sizes[is_used]
        return cls(
            column.name,
            records[np.argsort(codes[records])],
            np.cumsum(sizes) - sizes,
            sizes,
            n_persons[is_used],
            {int(places[place]): column.labels[place] for place in shared},
        )

    def share_determined(
        self, place_of: Mapping[str, int], values: Codes, shares: Reals, covers: BoolArray
    ) -> float | None:
        """Which share of the covered records has one original value per group; None without evidence.

        Parameters
        ----------
        place_of : mapping of str to int
            Code of the original values that are written like a value of some unchanged column.
        values : ndarray of int32, shape (n_kept,)
        shares : ndarray of float64, shape (n_labels,)
            Share of the kept records per original value.
        covers : ndarray of bool, shape (n_kept,)
            Records whose written label covers several original values.
        """
        if not len(self.order):
            return None
        own = values[self.order]
        first = own[self.starts]
        changes = np.empty(len(own), dtype=np.bool_)
        np.not_equal(own[1:], own[:-1], out=changes[1:])
        changes[self.starts] = False
        is_fixed = ~np.logical_or.reduceat(changes, self.starts)
        covered = self.sizes
        if not covers.all():
            covered = np.add.reduceat(covers[self.order], self.starts, dtype=np.int64)
        n_covered = int(covers.sum())

        repeated = (self.n_persons > 1) & (covered > 0)
        chances = np.zeros(len(self.starts), dtype=np.float64)
        # Sum of p^g over the values, from above: the largest p to the power g - 2, times the sum of p^2.
        powers = shares.max() ** np.arange(_LARGEST_POWER + 1.0)
        chances[repeated] = (shares @ shares) * powers[
            np.minimum(self.n_persons[repeated] - 2, _LARGEST_POWER)
        ]
        alike = np.full(len(self.starts), -1, dtype=np.int64)
        alike[list(self.shared)] = [place_of.get(label, -1) for label in self.shared.values()]
        once = (self.n_persons == 1) & (covered > 0) & (alike >= 0)
        chances[once] = shares[alike[once]]
        agrees = is_fixed & (repeated | (first == alike))
        evidence = repeated | once
        if not _is_evident(
            covered[evidence], agrees[evidence], chances[evidence], first[evidence], n_covered
        ):
            return None
        # A value that occurs once goes with one value, so all that are no group here are determined.
        return (n_covered - int(covered[~is_fixed].sum())) / n_covered


def _is_evident(weights: Counts, agrees: BoolArray, chances: Reals, values: Codes, n_covered: int) -> bool:
    """Whether groups agree so much more often than by chance that it is a rule; see `find_determined`."""
    n_records, n_agreeing = int(weights.sum()), int(weights[agrees].sum())
    by_chance = float(weights @ chances)
    if not n_records or n_agreeing - by_chance < _LEAST_AGREEMENT * (n_records - by_chance):
        return False
    if n_agreeing == by_chance:
        return False
    n_groups, expected = int(agrees.sum()), float(chances.sum())
    if n_groups > expected and n_groups * np.log(n_groups / expected) - n_groups + expected >= _SURE:
        return True
    return bool(2 * n_records >= n_covered and agrees.all() and len(np.unique(values)) > 1)
