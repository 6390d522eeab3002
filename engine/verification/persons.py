"""Persons in a verification: the person of each record, and its weight in distributions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.claims import ColumnKind, RuleClaim
from engine.verification.findings import Findings, UnverifiableError
from engine.verification.subsets import value_of
from engine.words import _

_INT64_BOUND = 2**62  # of the sum of all weights, so that sums of 64 bits are exact
_CODES = ("pseudonym", "keyed_hash")


@dataclass(frozen=True)
class Persons:
    """Persons of some records.

    Attributes
    ----------
    codes : Series of int
        Person per record.
    each : Series of int
        Per row, the weight of a record: 1 / (records of its person in the input), as an integer of a common
        unit, so that sums are exact; see `unit_of`.
    weights : Series of int
        The weight of all its records.
    """

    codes: pd.Series[int]
    each: pd.Series[int]
    weights: pd.Series[int]

    @classmethod
    def of(cls, codes: pd.Series[int], counts: pd.Series[int]) -> Persons:
        """Weigh all records of the input, given the person and the number of records of each row.

        The missing value is one person.
        """
        records = counts.groupby(codes).sum()
        unit = unit_of(records.tolist())
        nearest = {count: (2 * unit + count) // (2 * count) for count in set(records.tolist())}
        each = codes.map(records).map(nearest).astype("int64")
        return cls(codes, each, each * counts)

    def __len__(self) -> int:
        """Return the number of persons."""
        return int(self.codes.nunique())

    def at(self, rows: pd.Index[int], counts: pd.Series[int]) -> Persons:
        """Return the persons of some rows, of which each has as many records as `counts` says."""
        codes, each = (own.loc[rows].reset_index(drop=True) for own in (self.codes, self.each))
        return Persons(codes, each, each * counts.reset_index(drop=True))


def unit_of(records: Sequence[int]) -> int:
    """Return the weight of one person, given the records of every person.

    The least common multiple of the numbers of records makes every weight exact. If the persons of the input
    would weigh more than 62 bits by it, the unit is the multiple of as many numbers as fit, the most frequent
    first and of equally frequent ones the smaller, doubled while it fits; the weights of the others are the
    nearest integers. That rule is part of the claim, so the release is measured by the same weights.
    """
    most, unit, is_exact = _INT64_BOUND // max(len(records), 1), 1, True
    frequency = Counter(records)
    for count in sorted(frequency, key=lambda count: (-frequency[count], count)):
        common = math.lcm(unit, count)
        unit, is_exact = (common, is_exact) if common <= most else (unit, False)
    while not is_exact and 2 * unit <= most:
        unit *= 2
    return unit


@dataclass(frozen=True)
class Losses:
    """Persons who lose records by suppression."""

    affected: int
    lost: int

    @classmethod
    def of(cls, persons: Persons, counts: pd.Series[int], kept: pd.Series[int]) -> Losses:
        """Count the persons with a suppressed record, and those without a kept one.

        `counts` and `kept` are the records of each row of the input, and those of them that are kept.
        """
        affected = persons.codes[kept < counts].drop_duplicates()
        return cls(len(affected), int((~affected.isin(persons.codes[kept > 0])).sum()))


def check_codes(
    rule: RuleClaim, name: str, persons: Persons, written: pd.Series[int], findings: Findings
) -> None:
    """Report written person codes that are not unique per person.

    Parameters
    ----------
    rule : RuleClaim
        Rule of the person column; only pseudonyms and keyed hashes write codes.
    persons : Persons
        Persons of the written records.
    written : Series of int
        Cells of the person column in the file.
    """
    if rule.rule not in _CODES:
        return
    pairs = pd.DataFrame({"person": persons.codes.tolist(), "code": written.tolist()}).drop_duplicates()
    several, shared = (int(pairs[side].duplicated().sum()) for side in ("person", "code"))
    if several:
        findings.add(
            _("Column '{name}': {several} persons have more than one code in the file.").format(
                name=name, several=as_exact_count(several)
            )
        )
    if shared:
        findings.add(
            _("Column '{name}': {shared} codes in the file belong to more than one person.").format(
                name=name, shared=as_exact_count(shared)
            )
        )


def weights_of(
    name: str, texts: Sequence[str], codes: Iterable[int], kind: ColumnKind
) -> dict[int, Fraction]:
    """Return the weights that codes of a column stand for.

    Raises
    ------
    UnverifiableError
        A cell is not a number above 0.
    """
    weights: dict[int, Fraction] = {}
    for code in codes:
        number = value_of(texts[code], kind)
        if not isinstance(number, Fraction) or number <= 0:
            raise UnverifiableError(
                _("The weight {text!r} in '{name}' is not a number above 0.").format(
                    text=texts[code], name=name
                )
            )
        weights[code] = number
    return weights


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
