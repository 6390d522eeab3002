"""Persons as the judge counts them: whose each record is, and what it weighs in a distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.claims import IdentifierClaim
from engine.verification.findings import Findings
from engine.words import _

_INT64_BOUND = 2**62  # products below it cannot overflow 64 bits; above it Python's own integers count
_CODES = ("pseudonym", "keyed_hash")


@dataclass(frozen=True)
class Persons:
    """The persons of some records.

    Attributes
    ----------
    codes : Series of int
        Person per record.
    weights : Series of int
        Per record: 1 / (records of its person in the whole input), times a number that makes all of
        them whole. So each person of the input weighs the same, and sums are exact.
    """

    codes: pd.Series[int]
    weights: pd.Series[int]

    @classmethod
    def of(cls, codes: pd.Series[int]) -> Persons:
        """Weigh the records of the whole input, given their persons; a missing person is one person."""
        records = codes.value_counts(sort=False)
        found = sorted(set(records.tolist()))
        common = math.lcm(*found)
        fits = common * len(records) < _INT64_BOUND
        weights = codes.map(records).map({count: common // count for count in found})
        return cls(codes, weights.astype("int64" if fits else object))

    def __len__(self) -> int:
        """How many persons there are."""
        return int(self.codes.nunique())

    def among(self, chosen: pd.Series[bool]) -> Persons:
        """The persons of some of the records, as they weigh in the whole input."""
        flags = chosen.tolist()
        return Persons(self.codes[flags], self.weights[flags])


@dataclass(frozen=True)
class Losses:
    """Persons that suppression takes records from."""

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
    rule: IdentifierClaim, name: str, persons: Persons, written: pd.Series[int], findings: Findings
) -> None:
    """Note it where the codes written for persons are not one for each of them.

    Parameters
    ----------
    rule : IdentifierClaim
        Of the person column; other rules than pseudonyms and keyed hashes promise no codes.
    name : str
    persons : Persons
        Of the written records.
    written : Series of int
        What the file has in that column.
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
