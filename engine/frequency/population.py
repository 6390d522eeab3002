"""The people among whom somebody may look for one: how many they are, and who, as far as it is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import InputError
from engine.frequency.persons import Persons, people_of_classes
from engine.kernels.arrays import Codes
from engine.kernels.grouping import class_labels
from engine.words import _


@dataclass(frozen=True, eq=False)
class People:
    """The population of a compiled problem.

    Attributes
    ----------
    size : float
        How many people; a whole number unless it follows from a sampling fraction.
    leaves : tuple of ndarray of int32, each of shape (n_members,), or None
        Leaf of every member per attribute, under the hierarchies of the records; None where only their
        number is known.
    persons : Persons or None
        Who they are, where one of them has several rows; None where every row is a person.
    """

    size: float
    leaves: tuple[Codes, ...] | None = None
    persons: Persons | None = None

    @property
    def n_members(self) -> int:
        """Rows of the table that tells who they are; 0 where only their number is known."""
        return len(self.leaves[0]) if self.leaves else 0

    def n_lacking(
        self, records: Sequence[Codes], spans: Sequence[int], persons: Persons | None = None
    ) -> int:
        """How many people with a record have nobody of their own with the same values in the population.

        Parameters
        ----------
        records : sequence of ndarray of int32, each of shape (n_records,)
            Leaf of every record per attribute.
        spans : sequence of int
            Leaves of each hierarchy.
        persons : Persons, optional
            Whose the records are, where one person has several.
        """
        assert self.leaves is not None, "only asked for where the members are known"
        n_records = len(records[0])
        both = [np.concatenate(pair) for pair in zip(records, self.leaves, strict=True)]
        labels, _unused, sizes = class_labels(both, spans)
        own = people_of_classes(labels[:n_records], persons, len(sizes))
        theirs = people_of_classes(labels[n_records:], self.persons, len(sizes))
        return int(np.maximum(own - theirs, 0).sum())

    def fraction(self, n_records: int) -> float:
        """How many people have a record, as a fraction of all.

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
                _("A population of {size:,.0f} is smaller than the table of {n_records:,} records.").format(
                    size=self.size, n_records=n_records
                ),
                hint=_("Every record is about somebody of the population; give the number of all people."),
            )
        return n_records / self.size
