"""Population in a verification: number of people with the labels of a class."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from engine.verification.findings import UnverifiableError
from engine.words import _


class Population:
    """Population on the levels of a node.

    Parameters
    ----------
    people : DataFrame or None
        Codes of the labels per quasi-identifier, one row per person; None if there is no table of it.
    persons : Series of int, optional
        Person of each row, if a person may have several; by default each row is another person.
    """

    def __init__(self, people: pd.DataFrame | None, persons: pd.Series[int] | None = None) -> None:
        self._people, self._persons = people, persons

    def joined(self, kept: pd.DataFrame, mark: Mapping[str, int]) -> Population:
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
        return Population(pd.DataFrame(people), self._persons)

    def counted(self, labels: Mapping[str, str]) -> pd.DataFrame:
        """Return the people with each combination of labels, `n_people`, and what the labels are called.

        Raises
        ------
        UnverifiableError
            If there is no population table.
        """
        if self._people is None:
            raise UnverifiableError(_("The population table is missing."))
        people = self._people.rename(columns=labels).assign(everybody=0)
        if self._persons is not None:
            people = people[~people.assign(person=self._persons).duplicated()]
        return people.groupby(list(people.columns)).size().rename("n_people").reset_index()

    @property
    def n_counted(self) -> int:
        """People with their labels, each as often as there are others."""
        return int(self.counted({})["n_people"].sum())
