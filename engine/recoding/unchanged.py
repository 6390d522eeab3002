"""Columns that are released unchanged: records they single out, and levels they undo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.frequency.counted import RECORDS, Noun
from engine.kernels.arrays import BoolArray, Codes, Counts, FloatArray, IntArray
from engine.kernels.grouping import class_labels
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count, as_percent, in_records
from engine.words import N_, _, ngettext

_LEAST_AGREEMENT = 0.1  # beyond chance, from which a dependency is told
_SURE = 3 * np.log(10.0)  # chance would do as well once in a thousand tables
COUNTING = N_("Counting records that unchanged columns single out")
_LARGEST_POWER = 1023  # that is computed; chance is bounded from above
_LOOKS = 8  # at records of each group, before all are looked at


@dataclass(frozen=True, eq=False)
class WrittenColumn:
    """A written column: distinct texts, and a code per written record."""

    name: str
    labels: Sequence[str]
    codes: Codes


@dataclass(frozen=True, eq=False)
class GeneralizedColumn:
    """A quasi-identifier: its written texts, and the original values behind.

    Attributes
    ----------
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
    """A column that is released unchanged and reveals the original values of a generalized one.

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

    def words(self) -> str:
        """Return the sentence on what the column reveals."""
        return _(
            "'{column}' reveals the original '{determined}' of {share} of its generalized records"
        ).format(column=self.column, determined=self.determined, share=as_percent(self.share))


@dataclass(frozen=True)
class SingledOut:
    """Number of released records that unchanged columns single out.

    Attributes
    ----------
    alone : mapping of str to int
        Written records that each column singles out.
    together : int
        Those that all of them together do; 0 if there are none.
    with_quasi_identifiers : int
        Those that all of them together with the written quasi-identifiers do.
    """

    alone: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    together: int = 0
    with_quasi_identifiers: int = 0

    @property
    def named(self) -> tuple[tuple[str, int], ...]:
        """The counts with the columns that they are of, in words."""
        together = ((_("all of them together"), self.together),) if len(self.alone) > 1 else ()
        with_others = (_("with the released quasi-identifying columns"), self.with_quasi_identifiers)
        return (*self.alone.items(), *together, with_others)

    def counts(self) -> dict[str, Any]:
        """The counts in the form of the summary."""
        return {
            "alone": dict(self.alone),
            "together": self.together,
            "with_quasi_identifiers": self.with_quasi_identifiers,
        }


@dataclass(frozen=True, kw_only=True)
class UnchangedColumns(SingledOut):
    """Records that unchanged columns single out, and levels that they undo.

    A record is singled out by columns if no other written record has the same values in all of them, so that
    anyone with the file counts the same.

    Attributes
    ----------
    columns : tuple of str
        Insensitive and sensitive columns, in the order of the file.
    n_records : int
        Written records, including suppressed ones: their unchanged cells are released too.
    by_rule : tuple of str
        Those of the columns that a rule changes; they too form no classes.
    of_one_person : SingledOut or None
        Where several records may be of one person: records whose values no record of another person has.
        They belong to one person although the file alone does not show it.
    determines : tuple of Determined
        Largest share first.
    """

    columns: tuple[str, ...]
    n_records: int
    by_rule: tuple[str, ...] = ()
    of_one_person: SingledOut | None = None
    determines: tuple[Determined, ...] = ()

    @property
    def exposed(self) -> SingledOut:
        """The larger counts: by person where records are of persons."""
        return self.of_one_person or self

    def words(self) -> str:
        """Return, for example, "4 columns are released unchanged and single out 7 874 of 7 874 records"."""
        counts = (self.together, self.exposed.together, len(self.columns))
        count, of_one, n_columns = map(as_exact_count, counts)
        return unchanged_words(self, count, in_records(self.n_records), of_one, n_columns)

    def verdict(
        self,
        k: int | None,
        n_quasi_identifying: int,
        counted: Noun = RECORDS,
        revealed: Sequence[str] = (),
    ) -> str:
        """State a class size with its columns, and what the other columns single out.

        Parameters
        ----------
        k : int or None
            Of the smallest kept class; None if nothing is kept.
        n_quasi_identifying : int
            How many columns form the classes.
        counted : Noun
            What the class size is of; only people are said.
        revealed : sequence of str
            Further clauses, on what order and codes reveal.

        Returns
        -------
        str
            Such as "k = 5 for these 7 columns; 1 column is released unchanged and singles out no record".
        """
        of_k = k_words(None if k is None else as_exact_count(k), as_exact_count(n_quasi_identifying), counted)
        return "; ".join((of_k, *revealed, self.words()))

    def as_dict(self) -> dict[str, Any]:
        """The figures in the form of the summary."""
        return {
            "columns": list(self.columns),
            "singled_out": self.counts(),
            **({"of_one_person": self.of_one_person.counts()} if self.of_one_person else {}),
            "determines": [
                {"column": found.column, "determined": found.determined, "share": found.share}
                for found in self.determines
            ],
        }


def k_words(k: str | None, n_quasi_identifying: str, counted: Noun = RECORDS) -> str:
    """A class size with how many columns it is of, and with people if it counts them; None for none."""
    if k is None:
        return _("No record is kept")
    if counted is RECORDS:
        if n_quasi_identifying == "1":
            return _("k = {k} for this column").format(k=k)
        return _("k = {k} for these {n} columns").format(k=k, n=n_quasi_identifying)
    if n_quasi_identifying == "1":
        return _("k = {k} people for this column").format(k=k)
    return _("k = {k} people for these {n} columns").format(k=k, n=n_quasi_identifying)


def unchanged_words(found: UnchangedColumns, count: str, total: str, of_one: str, n_columns: str) -> str:
    """State what columns single out, with counts in words.

    Parameters
    ----------
    count, of_one : str
        How many records they single out, and how many belong to one person.
    total : str
        Written records.
    n_columns : str
        Number of unchanged columns.
    """
    if not found.columns:
        return _("no column is released unchanged")
    if found.by_rule and found.together:
        words = ngettext(
            "{n} column is released by a rule and singles out {count} of {total}",
            "{n} columns are released unchanged or by a rule and single out {count} of {total}",
            len(found.columns),
        )
    elif found.by_rule:
        words = ngettext(
            "{n} column is released by a rule and singles out no record",
            "{n} columns are released unchanged or by a rule and single out no record",
            len(found.columns),
        )
    elif found.together:
        words = ngettext(
            "{n} column is released unchanged and singles out {count} of {total}",
            "{n} columns are released unchanged and single out {count} of {total}",
            len(found.columns),
        )
    else:
        words = ngettext(
            "{n} column is released unchanged and singles out no record",
            "{n} columns are released unchanged and single out no record",
            len(found.columns),
        )
    words = words.format(n=n_columns, count=count, total=total)
    if found.exposed.together == found.together:
        return words
    return _("{words}; {of_one} of {total} have values that belong to a single person").format(
        words=words, of_one=of_one, total=total
    )


def find_determined(
    unchanged: Sequence[WrittenColumn],
    quasi_identifying: Sequence[GeneralizedColumn],
    *,
    kept: BoolArray | None = None,
    persons: Codes | None = None,
    monitor: Monitor = SILENT,
) -> tuple[Determined, ...]:
    """Find the unchanged columns that reveal the original values of generalized ones.

    Looked at are kept records whose label of a quasi-identifier b covers several original values that kept
    records have. A column a determines b in those whose value of a goes, in all kept records, with one
    original value of b; `Determined.share` is how many that are.

    A value of a that occurs once goes with one value of b whatever the two columns are, and so a column of
    distinct numbers would "determine" every other one. A dependency is listed only if there is evidence
    for it, in the values of a that several persons have: each agrees with the dependency if it goes with one
    original value of b. A value that occurs once is evidence if it is written like a value of b, as a day
    of death is: it agrees if it is that of its own record. Against what chance would give, by how often the
    values of b occur, a pair of columns is listed if both hold:

    - records agree more often than by chance, by at least 0.1 on the scale from chance 0 to always 1 [1]_;
    - chance would agree as often in fewer than one of 1,000 tables (Chernoff's bound); or the evidence is
      half of the records or more, all of it agrees, and with at least two values of b.

    Parameters
    ----------
    unchanged : sequence of WrittenColumn
        The columns that leave unchanged, blank cells of suppressed records among them.
    kept : ndarray of bool, shape (n_records,), optional
        Written records that are not suppressed; without it all.
    persons : ndarray of int32, shape (n_records,), optional
        Whose record each is; without it every record is of a person of its own.
    monitor : Monitor
        Asked before each pair of columns.

    References
    ----------
    .. [1] Cohen (1960). A Coefficient of Agreement for Nominal Scales. Educational and Psychological
       Measurement 20.
    """
    rows = slice(None) if kept is None or kept.all() else np.flatnonzero(kept)
    if not quasi_identifying or not unchanged or not len(quasi_identifying[0].codes[rows]):
        return ()
    texts = _shared_texts(unchanged, quasi_identifying)
    covered: list[_Generalized] = []
    for done, quasi_identifier in enumerate(quasi_identifying):
        PartMonitor(monitor, 0, 2).step(done, len(quasi_identifying), _(COUNTING))
        generalized = _Generalized.of(quasi_identifier, texts, rows)
        covered += [generalized] if generalized.n_covered else []
    found: list[Determined] = []
    pairs, total = PartMonitor(monitor, 1, 2), len(unchanged) * len(covered)
    # One column after the other: grouped records take more room than all that is asked of them.
    for place, column in enumerate(unchanged):
        pairs.step(place * len(covered), total, _(COUNTING))
        group = _Groups.of(column, texts, rows, persons)
        for number, other in enumerate(covered):
            pairs.step(place * len(covered) + number, total, _(COUNTING))
            share = group.share_determined(other)
            if share is not None:
                found.append(Determined(group.name, other.name, share))
    in_order = {column.written.name: number for number, column in enumerate(quasi_identifying)}
    return tuple(sorted(found, key=lambda one: (-one.share, in_order[one.determined])))


def varies(labels: IntArray | Codes, n_labels: int, values: NDArray[np.integer[Any]]) -> BoolArray:
    """Return whether records of each label have different values, shape (n_labels,)."""
    some = np.zeros(n_labels, dtype=values.dtype)
    some[labels] = values
    varies = np.zeros(n_labels, dtype=np.bool_)
    varies[labels[values != some[labels]]] = True
    return varies


def _shared_texts(
    unchanged: Sequence[WrittenColumn], quasi_identifying: Sequence[GeneralizedColumn]
) -> dict[str, int]:
    """The values that generalized columns have in common with unchanged ones, numbered."""
    values = frozenset(chain.from_iterable(column.labels for column in quasi_identifying))
    shared = frozenset().union(*(values.intersection(column.labels) for column in unchanged))
    return {text: number for number, text in enumerate(shared)}


Rows = slice | IntArray
"""Which records are looked at: all of them, or those with some numbers."""


@dataclass(frozen=True, eq=False)
class _Generalized:
    """The original values of a quasi-identifier, in the records that are kept.

    Attributes
    ----------
    values : ndarray of int32, shape (n_kept,)
    shares : ndarray of float64, shape (n_labels,)
        Share of the kept records per original value.
    code_of : ndarray of int64
        Code of the original value that each shared text is, -1 if it is none.
    covers : ndarray of bool, shape (n_kept,)
        Records whose written label covers several original values.
    """

    name: str
    values: Codes
    shares: FloatArray
    code_of: IntArray
    covers: BoolArray

    @classmethod
    def of(cls, column: GeneralizedColumn, texts: Mapping[str, int], rows: Rows) -> _Generalized:
        """Look at some rows; `texts` numbers values that other columns have too."""
        values, labels = column.codes[rows], column.written.codes[rows]
        n_labels, n_values = len(column.written.labels), len(column.labels)
        if n_labels * n_values <= len(values):
            pairs = np.bincount(labels.astype(np.int64) * n_values + values, minlength=n_labels * n_values)
            counts = pairs.reshape(n_labels, n_values)
            covers, shares = (np.count_nonzero(counts, axis=1) > 1)[labels], counts.sum(axis=0) / len(values)
        else:
            covers = varies(labels, n_labels, values)[labels]
            shares = np.bincount(values, minlength=n_values) / len(values)
        code_of = np.full(len(texts), -1, dtype=np.int64)
        for code, label in enumerate(column.labels):
            if label in texts:
                code_of[texts[label]] = code
        return cls(column.written.name, values, shares, code_of, covers)

    @cached_property
    def n_covered(self) -> int:
        """Number of records whose written label covers several original values."""
        return int(np.count_nonzero(self.covers))


@dataclass(frozen=True, eq=False)
class _Groups:
    """The kept records by their value of an unchanged column, if that value can be evidence."""

    name: str
    order: IntArray  # records, those of a group beside each other
    starts: IntArray  # where each group begins
    sizes: Counts
    n_persons: Counts
    shared: IntArray  # the groups whose value is written like one of a generalized column,
    texts: IntArray  # and the number of that text

    @classmethod
    def of(
        cls, column: WrittenColumn, texts: Mapping[str, int], rows: Rows, persons: Codes | None
    ) -> _Groups:
        """Group the records of some rows; `texts` numbers values of generalized columns."""
        codes = column.codes[rows]
        sizes = n_persons = np.bincount(codes, minlength=len(column.labels))
        if persons is not None and len(codes):
            own = persons[rows]
            _unused, first, _unused = class_labels([codes, own], [len(column.labels), int(own.max()) + 1])
            n_persons = np.bincount(codes[first], minlength=len(column.labels))
        text_of = np.fromiter(map(texts.get, column.labels, repeat(-1)), np.int64, len(column.labels))
        shared = np.flatnonzero((text_of >= 0) & (sizes > 0))
        is_used = sizes > 1
        is_used[shared] = True
        places = np.cumsum(is_used) - 1
        records = np.flatnonzero(is_used[codes])
        sizes = sizes[is_used]
        # One array of integers is sorted several times faster than one by another.
        packed = records | (codes[records].astype(np.int64) << 32)
        packed.sort()
        packed &= 0xFFFFFFFF
        return cls(
            column.name,
            packed,
            np.cumsum(sizes) - sizes,
            sizes,
            n_persons[is_used],
            places[shared],
            text_of[shared],
        )

    def share_determined(self, column: _Generalized) -> float | None:
        """Return the share of the covered records with one original value."""
        if not len(self.order):
            return None
        values, shares, n_covered = column.values, column.shares, column.n_covered
        first = values[self.order[self.starts]]
        covered = self.sizes
        if n_covered < len(column.covers):
            covered = np.add.reduceat(column.covers[self.order], self.starts, dtype=np.int64)

        repeated = (self.n_persons > 1) & (covered > 0)
        chances = np.zeros(len(self.starts), dtype=np.float64)
        # Sum of p^g over the values, from above: the largest p to the power g - 2, times the sum of p^2.
        powers = shares.max() ** np.arange(_LARGEST_POWER + 1.0)
        chances[repeated] = (shares @ shares) * powers[
            np.minimum(self.n_persons[repeated] - 2, _LARGEST_POWER)
        ]
        alike = np.full(len(self.starts), -1, dtype=np.int64)
        alike[self.shared] = column.code_of[self.texts]
        once = (self.n_persons == 1) & (covered > 0) & (alike >= 0)
        chances[once] = shares[alike[once]]
        evidence = repeated | once
        may_agree = repeated | (once & (first == alike))
        known = covered[evidence], float(covered[evidence] @ chances[evidence])
        if self._disagrees(values, first, covered, may_agree, *known):
            return None
        is_fixed = self._is_fixed(values)
        agrees = is_fixed & may_agree
        if not _is_evident(
            covered[evidence], agrees[evidence], chances[evidence], first[evidence], n_covered
        ):
            return None
        # A value that occurs once goes with one value, so all that are no group here are determined.
        return (n_covered - int(covered[~is_fixed].sum())) / n_covered

    def _disagrees(
        self,
        values: Codes,
        first: Codes,
        covered: Counts,
        may_agree: BoolArray,
        weights: Counts,
        by_chance: float,
    ) -> bool:
        """Return whether a few records of each group show already that too few agree, as most columns do."""
        left = np.flatnonzero(may_agree)
        n_records = int(weights.sum())
        for look in range(_LOOKS, 0, -1):  # the last record of each group first
            at = self.starts[left] + (self.sizes[left] - 1) * look // _LOOKS
            left = left[values[self.order[at]] == first[left]]
            if _is_too_few(int(covered[left].sum()), n_records, by_chance):
                return True
        return False

    def _is_fixed(self, values: Codes) -> BoolArray:
        """Return whether all records of each group have one value."""
        own = values[self.order]
        changes = np.empty(len(own), dtype=np.bool_)
        np.not_equal(own[1:], own[:-1], out=changes[1:])
        changes[self.starts] = False
        return np.asarray(~np.logical_or.reduceat(changes, self.starts))


def _is_too_few(n_agreeing: int, n_records: int, by_chance: float) -> bool:
    """Return whether no more records agree than by chance, or hardly more."""
    return not n_records or n_agreeing - by_chance < _LEAST_AGREEMENT * (n_records - by_chance)


def _is_evident(
    weights: Counts, agrees: BoolArray, chances: FloatArray, values: Codes, n_covered: int
) -> bool:
    """Return whether groups agree more often than by chance; see `find_determined`."""
    n_records, n_agreeing = int(weights.sum()), int(weights[agrees].sum())
    by_chance = float(weights @ chances)
    if _is_too_few(n_agreeing, n_records, by_chance) or n_agreeing == by_chance:
        return False
    n_groups, expected = int(agrees.sum()), float(chances.sum())
    if n_groups > expected and n_groups * np.log(n_groups / expected) - n_groups + expected >= _SURE:
        return True
    return bool(2 * n_records >= n_covered and agrees.all() and len(np.unique(values)) > 1)
