"""Population in a verification: number of people per class."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pandas as pd

from engine.verification.classes import Classes
from engine.verification.findings import UnverifiableError
from engine.words import _


class PopulationClasses:
    """Population on the levels of a node.

    Parameters
    ----------
    people : DataFrame or None
        Codes of the labels per quasi-identifier, one row per person; None if only the size is known.
    size : Fraction or None
        Population size.
    persons : Series of int, optional
        Person of each row, if a person may have several; by default each row is another person.
    """

    def __init__(
        self, people: pd.DataFrame | None, size: Fraction | None, persons: pd.Series[int] | None = None
    ) -> None:
        self.size = size
        self._people, self._persons = people, persons
        self._counts: dict[tuple[int, ...], int] | None = None
        if people is not None:
            self._counts = {}
            if persons is not None:
                people = people[~people.assign(person=persons).duplicated()]
            for row in people.to_numpy().tolist():
                labels = tuple(row)
                self._counts[labels] = self._counts.get(labels, 0) + 1

    def joined(self, kept: pd.DataFrame, mark: Mapping[str, int]) -> PopulationClasses:
        """Return the same with all people whose labels no kept record has under other labels.

        Parameters
        ----------
        kept : DataFrame
            Codes of the labels of the kept records.
        mark : mapping of str to int
            Code of the other label, per quasi-identifier.
        """
        if self._people is None:
            return self
        names = list(self._people.columns)
        known = set(map(tuple, kept[names].drop_duplicates().to_numpy().tolist()))
        rows = self._people.to_numpy().tolist()
        is_kept = pd.Series([tuple(row) in known for row in rows], index=self._people.index)
        people = {name: self._people[name].where(is_kept, mark[name]) for name in names}
        return PopulationClasses(pd.DataFrame(people), self.size, self._persons)

    def members(self, classes: Classes, labels: pd.DataFrame) -> pd.Series[int]:
        """Return the number of people with the labels of each class.

        Parameters
        ----------
        classes : Classes
        labels : DataFrame
            Codes of the labels of the records in the classes.

        Raises
        ------
        UnverifiableError
            If there is no population table.
        """
        if self._counts is None:
            raise UnverifiableError(_("The population table is missing."))
        found = {number: self._counts.get(tuple(row), 0) for number, row in classes.labels_of(labels).items()}
        return pd.Series(found, dtype="int64").reindex(classes.sizes.index)

    def holds_all(self, classes: Classes, labels: pd.DataFrame) -> bool:
        """Return whether every person of the population is in one of the classes."""
        return int(self.members(classes, labels).sum()) == sum((self._counts or {}).values())
