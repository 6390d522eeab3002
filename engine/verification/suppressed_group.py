"""Suppressed records recounted as one class, by the models of a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from engine.verification.cells import is_all_star
from engine.verification.claims import ReleaseClaim
from engine.verification.classes import Classes
from engine.verification.findings import Findings
from engine.verification.model_check import ModelCheck
from engine.verification.models.base import Model
from engine.verification.persons import Persons, Weights
from engine.verification.readers.collecting import Vocabularies
from engine.words import _

_NOT_APPLIED = ("profitability", "differential_privacy")  # a row of stars pays nothing; all are removed
_BY_OWN_SIZE = "profitability_no_attack"


@dataclass(frozen=True)
class GroupCount:
    """Original records with what decides whether the suppressed ones are held.

    Attributes
    ----------
    claim : ReleaseClaim
    known : dict of str to Vocabulary
    check : ModelCheck
    original : DataFrame
        Codes, sensitive columns as they are released.
    persons, weights : Persons and Weights, or None
    counts : Series of int
        Records of each row.
    distances : mapping of str to str
        Distance of `t` by sensitive column.
    """

    claim: ReleaseClaim
    known: Vocabularies
    check: ModelCheck
    original: pd.DataFrame
    persons: Persons | None
    weights: Weights | None
    counts: pd.Series[int]
    distances: Mapping[str, str]

    def measure(self, labels: pd.DataFrame, suppressed: pd.Series[bool]) -> dict[str, Any] | None:
        """Return the figures of suppressed rows and of those with `*` in all quasi-identifiers as one class.

        Parameters
        ----------
        labels : DataFrame
            Codes of the written quasi-identifiers of every original row; those of suppressed rows do not
            matter.
        suppressed : Series of bool

        Returns
        -------
        dict or None
            `records`, `k`, `l` and `t` by sensitive column, and `held`; None if nothing is suppressed.
        """
        claim = self.claim
        if not suppressed.any() or any(model.key == "differential_privacy" for model in claim.models):
            return None
        inside = suppressed | is_all_star(labels, claim.quasi_identifying, self.known)
        mark = {name: int(labels[name].max()) + 1 for name in claim.quasi_identifying}
        joined = labels.assign(**{name: labels[name].where(~inside, own) for name, own in mark.items()})
        rows = inside.index[inside]
        group, records = self._classes(joined, rows), self.original.loc[rows].reset_index(drop=True)
        l_values, t_values = {}, {}
        for name in claim.sensitive:
            parts = group
            if claim.others_as_qi:
                parts = group.split_by(records[[other for other in claim.sensitive if other != name]])
            l_values[name] = int(parts.diversity(records[name]).min())
            found = parts.distances(records[name], self.check.references[name], self.distances[name])
            t_values[name] = float(found.rounded.max())
        return {
            "records": int(group.records.sum()),
            "k": int(group.sizes.min()),
            "l": l_values,
            "t": t_values,
            "held": self._is_held(joined, labels[~inside], rows, group, mark),
        }

    def _classes(self, labels: pd.DataFrame, rows: pd.Index[int]) -> Classes:
        counts = self.counts.loc[rows]
        persons = None if self.persons is None else self.persons.at(rows, counts)
        return Classes(labels.loc[rows, list(self.claim.quasi_identifying)], persons, counts)

    def _is_held(
        self,
        joined: pd.DataFrame,
        kept: pd.DataFrame,
        rows: pd.Index[int],
        group: Classes,
        mark: Mapping[str, int],
    ) -> bool:
        """Return whether the group meets every model, as a class or as one more class of all."""
        everybody = joined.index
        whole = self._classes(joined, everybody)
        check = replace(self.check, population=self.check.population.joined(kept, mark))
        weights = None if self.weights is None else self.weights.at(rows, self.counts.loc[rows])
        own, labels = (table.loc[rows].reset_index(drop=True) for table in (self.original, joined))
        for model, _unused in check.models:
            check.step()
            if model.key in _NOT_APPLIED:
                continue
            if model.is_table_wide:
                if model.holds(whole, check.n_people) is False:
                    return False
                continue
            if not check.met(_by_own_size(model), group, own, labels, weights).all():
                return False
            if model.verifier.needs_all_members(model) and not check.population.holds_all(
                whole, joined.reset_index(drop=True)
            ):
                return False
        return True

    def report(self, found: Mapping[str, Any] | None, findings: Findings) -> None:
        """Report cells that stay or not against the rule for suppressed records."""
        claim = self.claim
        is_asked = claim.suppressed_records == "star" and claim.suppressed_group in ("if_held", "hold")
        if found is None or not is_asked:
            return
        if not found["held"] and not claim.blank_suppressed:
            findings.add(
                _(
                    "The suppressed records do not meet the requirement as one class, but the file has their "
                    "other cells."
                )
            )
        if found["held"] and claim.blank_suppressed:
            findings.add(
                _("The suppressed records meet the requirement as one class, but all their cells are *.")
            )
        if not found["held"] and claim.suppressed_group == "hold" and not claim.expected.are_claimed:
            findings.add(_("The suppressed records do not meet the requirement as one class."))


def _by_own_size(model: Model) -> Model:
    """Return a model of expected gains that counts the records themselves; any other as it is."""
    if model.key != _BY_OWN_SIZE:
        return model
    return replace(model, words={**model.words, "attacker": "prosecutor"})
