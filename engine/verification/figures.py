"""Values of a release that are measured, and compared with those claimed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from engine.numbers import as_exact_count, localized
from engine.verification.claims import ReleaseClaim, SingledOutClaim, UnchangedClaim
from engine.verification.classes import Classes
from engine.verification.findings import Findings, UnverifiableError
from engine.verification.persons import Losses, Persons
from engine.words import N_, _, pgettext


def compare_figures(claim: ReleaseClaim, measured: dict[str, Any], findings: Findings) -> None:
    """Report the claimed values that are not those measured."""
    expected = claim.expected
    counts = claim.limit_counts
    lost, of_all = measured["suppressed"], measured["records"]
    if counts == "persons":
        lost, of_all = measured["affected_persons"], measured["persons"]
    is_within = lost <= measured["allowed"]
    if is_within != claim.satisfies:
        if counts == "records":
            words = (
                _("Suppressed records: {lost}, within the limit of {allowed} ({limit} of {of_all}).")
                if is_within
                else _("Suppressed records: {lost}, above the limit of {allowed} ({limit} of {of_all}).")
            )
        else:
            words = (
                _(
                    "Persons with suppressed records: {lost}, within the limit of {allowed} "
                    "({limit} of {of_all})."
                )
                if is_within
                else _(
                    "Persons with suppressed records: {lost}, above the limit of {allowed} "
                    "({limit} of {of_all})."
                )
            )
        findings.add(
            words.format(
                lost=as_exact_count(lost),
                allowed=as_exact_count(measured["allowed"]),
                limit=claim.suppression_limit,
                of_all=as_exact_count(of_all),
            )
        )
    if not expected.are_claimed:
        return
    for key in ("records", "kept", "suppressed", "classes", "k"):
        _compare_figure(findings, key, getattr(expected, key), measured[key])
    for key in ("persons", "affected_persons", "lost_persons", "k_records"):
        if claim.person:
            _compare_figure(findings, key.replace("_", " "), getattr(expected, key), measured[key])
    for key, of_how_many in (("2", _("people by two records")), ("all", _("people by all records"))):
        found = measured.get("chained", {}).get(key)
        if found is not None and expected.chained.get(key) is not None:  # neither is counted of very many
            _compare_figure(findings, of_how_many, expected.chained[key], found)
    _compare_values(findings, expected.l, expected.t, measured)
    _compare_group(findings, expected.group, measured["group"])


def _compare_group(
    findings: Findings, claimed: Mapping[str, Any] | None, found: Mapping[str, Any] | None
) -> None:
    """Report the claimed values of the suppressed records as one class that are not those counted."""
    if claimed is None:
        return
    if not claimed or found is None:
        if claimed or found:
            findings.add(_("The claim about suppressed records does not match the records."))
        return
    of_group = Findings()
    for key in ("records", "k"):
        _compare_figure(of_group, key, claimed[key], found[key])
    _compare_values(of_group, claimed["l"], claimed["t"], found)
    if claimed["held"] != found["held"]:
        of_group.add(
            _("They meet the requirement as one class, against the claim.")
            if found["held"]
            else _("They do not meet the requirement as one class, against the claim.")
        )
    for problem in of_group.sentences():
        findings.add(_("Suppressed records: {problem}").format(problem=problem))


def _compare_values(
    findings: Findings,
    l_values: Mapping[str, int | None],
    t_values: Mapping[str, float | None],
    measured: Mapping[str, Any],
) -> None:
    for name, value in l_values.items():
        _compare_figure(
            findings, _("l of '{name}'").format(name=name), value, _measured_of(name, measured["l"])
        )
    for name, real in t_values.items():
        found = _measured_of(name, measured["t"])
        if found is None or real is None or not math.isclose(found, real, rel_tol=1e-9, abs_tol=1e-12):
            _compare_figure(findings, _("t of '{name}'").format(name=name), real, found)


def _measured_of(name: str, values: dict[str, Any]) -> Any:
    if name not in values:
        raise UnverifiableError(
            _("Values are claimed for '{name}', which is not a sensitive column.").format(name=name)
        )
    return values[name]


def _compare_figure(findings: Findings, what: str, claimed: float | None, found: float | None) -> None:
    if claimed != found:
        findings.add(
            _("The claim is {what} = {claimed}, but the file has {found}.").format(
                what=what, claimed=_shown(claimed), found=_shown(found)
            )
        )


def _shown(value: float | None) -> str:
    if value is None:
        return pgettext("value", "none")
    return localized(f"{value:,}" if isinstance(value, int) else repr(value))


def measure_persons(
    claim: ReleaseClaim,
    persons: Persons,
    counts: pd.Series[int],
    kept: pd.Series[int],
    classes: Classes,
    findings: Findings,
) -> dict[str, Any]:
    """Count persons, and those who lost records; report those with both suppressed and kept ones.

    Parameters
    ----------
    counts, kept : Series of int
        Records of each row of the original, and those of them that are kept.
    classes : Classes
        Of the kept records.
    """
    losses = Losses.of(persons, counts, kept)
    if claim.whole_persons and losses.affected > losses.lost:
        findings.add(
            _(
                "{affected} persons have both suppressed and kept records, but all records "
                "of an affected person must be suppressed."
            ).format(affected=as_exact_count(losses.affected - losses.lost))
        )
    return {
        "persons": len(persons),
        "affected_persons": losses.affected,
        "lost_persons": losses.lost,
        "k_records": int(classes.least_records) if len(classes) else None,
        **({"chained": classes.chained()} if claim.are_linked and len(classes) else {}),
    }


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


_SINGLED_OUT = (
    N_("'{name}' alone singles out {claimed} records by the claim, but {counted} in the file."),
    N_(
        "The unchanged columns together single out {claimed} records by the claim, but {counted} in the file."
    ),
    N_(
        "The unchanged and quasi-identifying columns together single out {claimed} records "
        "by the claim, but {counted} in the file."
    ),
)
_SINGLED_OUT_OF_ONE_PERSON = (
    N_(
        "'{name}' alone singles out one person in {claimed} records by the claim, but in {counted} "
        "in the file."
    ),
    N_(
        "The unchanged columns together single out one person in {claimed} records by the claim, "
        "but in {counted} in the file."
    ),
    N_(
        "The unchanged and quasi-identifying columns together single out one person in {claimed} records "
        "by the claim, but in {counted} in the file."
    ),
)


def _compare_counts(
    expected: SingledOutClaim, counts: Mapping[str, Any], findings: Findings, *, of_one_person: bool = False
) -> None:
    alone, together, with_quasi_identifiers = map(
        _, _SINGLED_OUT_OF_ONE_PERSON if of_one_person else _SINGLED_OUT
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
