"""Count of the records that unchanged columns of the written file single out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.claims import ReleaseClaim, SingledOutClaim, UnchangedClaim
from engine.verification.findings import Findings, UnverifiableError
from engine.verification.grouping import joined, n_alone
from engine.words import _


@dataclass(frozen=True)
class Recount:
    """Written file with its original records, row by row.

    Attributes
    ----------
    claim : ReleaseClaim
    released, original : DataFrame of int
        Codes, equal if the texts are.
    hidden : Series of bool
        Whether each record is suppressed.
    persons : Series of int or None
        Person of each record.
    counts : Series of int or None
        Records of each row; None if every row is one.
    """

    claim: ReleaseClaim
    released: pd.DataFrame
    original: pd.DataFrame
    hidden: pd.Series[bool]
    persons: pd.Series[int] | None
    counts: pd.Series[int] | None = None

    @property
    def columns(self) -> list[str]:
        """Unchanged columns, in the order of the file."""
        others = {*self.claim.quasi_identifying, *self.claim.identifying}
        return [name for name in self.released.columns if name not in others]

    def figures(self, determines: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
        """Return all counts and the shares of the given dependencies, in the form of the summary."""
        columns = self.columns
        return {
            "columns": columns,
            "singled_out": self._counts(columns, None),
            **({} if self.persons is None else {"of_one_person": self._counts(columns, self.persons)}),
            "determines": [
                {"column": column, "determined": other, "share": self.share(column, other)}
                for column, other in determines
            ],
        }

    def _counts(self, columns: Sequence[str], persons: pd.Series[int] | None) -> dict[str, Any]:
        return {
            "alone": {name: self.singled_out([name], persons) for name in columns},
            "together": self.singled_out(columns, persons),
            "with_quasi_identifiers": self.singled_out([*columns, *self.claim.quasi_identifying], persons),
        }

    def singled_out(self, names: Sequence[str], persons: pd.Series[int] | None = None) -> int:
        """Count the records whose values in some columns no other record, or other person, has."""
        if not names:
            return 0
        keys = joined([self.released[name] for name in names])
        if persons is not None:
            return self._count(persons.groupby(keys).transform("nunique") == 1)
        return n_alone(keys) if self.counts is None else int((self.counts.groupby(keys).sum() == 1).sum())

    def share(self, column: str, other: str) -> float:
        """Return the share of a dependency; see `UnchangedClaim.determines`."""
        if column not in self.columns or other not in self.claim.quasi_identifying:
            raise UnverifiableError(
                _("'{column}' cannot undo the levels of '{other}' in this release.").format(
                    column=column, other=other
                )
            )
        kept = ~self.hidden
        own, label = self.released.loc[kept, column], self.released.loc[kept, other]
        before = self.original.loc[kept, other]
        covers = before.groupby(label).transform("nunique") > 1
        fixed = before.groupby(own).transform("nunique") == 1
        return self._count(covers & fixed) / self._count(covers) if covers.any() else 0.0

    def _count(self, rows: pd.Series[bool]) -> int:
        return int(rows.sum() if self.counts is None else self.counts[rows[rows].index].sum())


def compare_unchanged(expected: UnchangedClaim, found: Mapping[str, Any], findings: Findings) -> None:
    """Report every count and share that differs from the claim."""
    if sorted(expected.alone) != sorted(found["columns"]):
        findings.add(
            _("The claim counts the unchanged columns {alone}, but the file has {found}.").format(
                alone=_listed(expected.alone), found=_listed(found["columns"])
            )
        )
    _compare_counts(expected, found["singled_out"], findings)
    if expected.of_one_person is not None and "of_one_person" in found:
        _compare_counts(expected.of_one_person, found["of_one_person"], findings, of_one_person=True)
    for entry in found["determines"]:
        claimed_share = expected.determines[entry["column"], entry["determined"]]
        if not math.isclose(claimed_share, entry["share"], rel_tol=1e-9):
            findings.add(
                _(
                    "The claim is that '{entry}' determines '{entry_2}' in a share of "
                    "{claimed_share!r}, but in the file it is {entry_3!r}."
                ).format(
                    entry=entry["column"],
                    entry_2=entry["determined"],
                    claimed_share=claimed_share,
                    entry_3=entry["share"],
                )
            )


def _compare_counts(
    expected: SingledOutClaim, counts: Mapping[str, Any], findings: Findings, *, of_one_person: bool = False
) -> None:
    alone = (
        _(
            "'{name}' alone singles out one person in {claimed} records by the claim, but in {counted} "
            "in the file."
        )
        if of_one_person
        else _("'{name}' alone singles out {claimed} records by the claim, but {counted} in the file.")
    )
    together = (
        _(
            "The unchanged columns together single out one person in {claimed} records by the claim, "
            "but in {counted} in the file."
        )
        if of_one_person
        else _(
            "The unchanged columns together single out {claimed} records by the claim, "
            "but {counted} in the file."
        )
    )
    with_quasi_identifiers = (
        _(
            "The unchanged and quasi-identifying columns together single out one person in {claimed} "
            "records "
            "by the claim, but in {counted} in the file."
        )
        if of_one_person
        else _(
            "The unchanged and quasi-identifying columns together single out {claimed} records "
            "by the claim, but {counted} in the file."
        )
    )
    for name in counts["alone"]:
        if name in expected.alone and expected.alone[name] != counts["alone"][name]:
            findings.add(
                alone.format(
                    name=name,
                    claimed=as_exact_count(expected.alone[name]),
                    counted=as_exact_count(counts["alone"][name]),
                )
            )
    for words, claimed, counted in (
        (together, expected.together, counts["together"]),
        (with_quasi_identifiers, expected.with_quasi_identifiers, counts["with_quasi_identifiers"]),
    ):
        if claimed != counted:
            findings.add(words.format(claimed=as_exact_count(claimed), counted=as_exact_count(counted)))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or _("none")
