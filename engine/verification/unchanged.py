"""Count of the records that unchanged columns of the written file single out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from engine.numbers import as_exact_count
from engine.verification.claims import SingledOutClaim, UnchangedClaim
from engine.verification.findings import Findings
from engine.words import _


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
