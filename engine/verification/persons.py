"""Persons in a verification: the person of each record, and its weight in distributions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.claims import RuleClaim
from engine.verification.findings import Findings
from engine.words import _

_INT64_BOUND = 2**62  # products below it cannot overflow 64 bits; larger ones use Python's integers
_CODES = ("pseudonym", "keyed_hash")


@dataclass(frozen=True)
class Persons:
    """Persons of some records.

    Attributes
    ----------
    codes : Series of int
        Person per record.
    weights : Series of int
        Per record: 1 / (records of its person in the input), scaled so that all weights are integers.
        Every person of the input has the same weight, and sums are exact.
    """

    codes: pd.Series[int]
    weights: pd.Series[int]

    @classmethod
    def of(cls, codes: pd.Series[int], counts: pd.Series[int] | None = None) -> Persons:
        """Weigh all records of the input, given their persons; the missing value is one person.

        Every row is one record, or as many as `counts` says; the weight of a row is that of all its records.
        """
        records = codes.value_counts(sort=False) if counts is None else counts.groupby(codes).sum()
        found = sorted(set(records.tolist()))
        common = math.lcm(*found)
        fits = common * len(records) < _INT64_BOUND
        weights = codes.map(records).map({count: common // count for count in found})
        weights = weights.astype("int64" if fits else object)
        return cls(codes, weights if counts is None else weights * counts)

    def __len__(self) -> int:
        """Return the number of persons."""
        return int(self.codes.nunique())

    def at(self, rows: pd.Index[int]) -> Persons:
        """Return the persons of some rows, in their order, with their weights in the input."""
        return Persons(self.codes.loc[rows], self.weights.loc[rows])


@dataclass(frozen=True)
class Losses:
    """Persons who lose records by suppression."""

    affected: int
    lost: int

    @classmethod
    def of(cls, persons: Persons, suppressed: pd.Series[bool]) -> Losses:
        """Count the persons with a suppressed record, and those without a kept one."""
        flags = suppressed.tolist()
        affected = persons.codes[flags].drop_duplicates()
        kept = persons.codes[[not flag for flag in flags]]
        return cls(len(affected), int((~affected.isin(kept)).sum()))


def check_codes(
    rule: RuleClaim, name: str, persons: Persons, written: pd.Series[int], findings: Findings
) -> None:
    """Report written person codes that are not unique per person.

    Parameters
    ----------
    rule : RuleClaim
        Rule of the person column; only pseudonyms and keyed hashes write codes.
    name : str
    persons : Persons
        Persons of the written records.
    written : Series of int
        Cells of the person column in the file.
    findings : Findings
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
