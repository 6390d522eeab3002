"""The population: its size, and its people if they are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import InputError
from engine.frequency.persons import Persons, people_of_classes
from engine.kernels.arrays import Codes, Counts
from engine.kernels.grouping import class_labels
from engine.numbers import as_exact_count
from engine.words import _


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
