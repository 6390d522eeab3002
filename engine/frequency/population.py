"""The population: its size, its people if they are known, and the weights of records drawn from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.frequency.persons import Persons, people_of_classes
from engine.kernels.arrays import BoolArray, Codes, Counts, FloatArray
from engine.kernels.grouping import class_labels
from engine.numbers import as_exact_count
from engine.records import Column
from engine.words import N_, _, ngettext


@dataclass(frozen=True, eq=False)
class PopulationMembers:
    """The population of a compiled problem.

    Attributes
    ----------
    size : float
        Number of people; a whole number unless it follows from a sampling fraction.
    leaves : tuple of ndarray of int32, each of shape (n_members,), or None
        Leaf of every member per attribute, under the hierarchies of the records; None if only their number is
        known.
    persons : Persons or None
        Persons of the rows, if one may have several; None if every row is a person.
    """

    size: float
    leaves: tuple[Codes, ...] | None = None
    persons: Persons | None = None

    @property
    def n_members(self) -> int:
        """Rows of the population table; 0 if only the size is known."""
        return len(self.leaves[0]) if self.leaves else 0

    def n_lacking(
        self,
        rows: Sequence[Codes],
        spans: Sequence[int],
        persons: Persons | None = None,
        records: Counts | None = None,
    ) -> int:
        """Return how many people with a record have no match in the population table.

        Parameters
        ----------
        rows : sequence of ndarray of int32, each of shape (n_rows,)
            Leaf of every row per attribute.
        spans : sequence of int
            Leaves of each hierarchy.
        persons : Persons, optional
            Persons of the rows, if one may have several.
        records : ndarray of int64, shape (n_rows,), optional
            Records of every row, if there are no persons; one each by default.
        """
        assert self.leaves is not None, "only asked for where the members are known"
        n_rows = len(rows[0])
        both = [np.concatenate(pair) for pair in zip(rows, self.leaves, strict=True)]
        labels, _unused, sizes = class_labels(both, spans)
        own = people_of_classes(labels[:n_rows], persons, len(sizes), records)
        theirs = people_of_classes(labels[n_rows:], self.persons, len(sizes))
        return int(np.maximum(own - theirs, 0).sum())

    def fraction(self, n_records: int) -> float:
        """Return the people with a record as a fraction of the population.

        Parameters
        ----------
        n_records : int
            People with a record.

        Raises
        ------
        InputError
            If there are more records than people.
        """
        if n_records > self.size:
            raise InputError(
                _("A population of {size} is smaller than the table of {n_records} records.").format(
                    size=as_exact_count(self.size), n_records=as_exact_count(n_records)
                ),
                hint=_("The population includes everyone in the table. Give its total size."),
            )
        return n_records / self.size


WEIGHT_HINT = N_("Choose a numeric column whose values are all above 0, or complete its values.")


class WeightCounts(NamedTuple):
    """Records by what is unusual about their weight."""

    missing: int
    not_positive: int
    below_one: int


def weight_counts(column: Column) -> WeightCounts:
    """Count the records without a weight, with one of at most 0, and with one between 0 and 1."""
    numbers, counts = column.numbers, column.counts

    def of(chosen: BoolArray) -> int:
        return int(counts[chosen].sum())

    known = np.isfinite(numbers)
    small = np.where(known, numbers, np.inf)
    return WeightCounts(of(~known), of(small <= 0), of((small > 0) & (small < 1)))


def why_no_weights(column: Column) -> str:
    """Return why the values of a column cannot be weights; empty if they can."""
    if not column.data_type.is_numeric:
        return _("The weight column '{column}' is not numeric.").format(column=column.name)
    counts = weight_counts(column)
    if counts.missing:
        return ngettext(
            "'{column}' has no weight for {n} record.",
            "'{column}' has no weight for {n} records.",
            counts.missing,
        ).format(column=column.name, n=as_exact_count(counts.missing))
    if counts.not_positive:
        return ngettext(
            "'{column}' has a weight of 0 or less for {n} record.",
            "'{column}' has a weight of 0 or less for {n} records.",
            counts.not_positive,
        ).format(column=column.name, n=as_exact_count(counts.not_positive))
    return ""


def check_weights(column: Column) -> None:
    """Raise an `InputError` if the values of a column cannot be weights."""
    if reason := why_no_weights(column):
        raise InputError(reason, hint=_(WEIGHT_HINT), column=column.name)


def weights_of_records(column: Column) -> FloatArray:
    """Return the weight of every record, shape (n_records,).

    Raises
    ------
    InputError
        The column is not numeric, or a weight is missing or not above 0.
    """
    check_weights(column)
    return np.asarray(column.numbers[column.codes], dtype=np.float64)


def weights_of_rows(column: Column) -> FloatArray:
    """Return the weight of all records of every row, shape (n_rows,); raises like `weights_of_records`."""
    weights = weights_of_records(column)
    return weights if column.records is None else weights * column.records
