"""Suppressed records recounted as one class, by the models of a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from engine.verification.cells import is_all_star
from engine.verification.classes import Classes, Original
from engine.verification.findings import Findings
from engine.verification.model_check import ModelCheck
from engine.verification.models.base import Model
from engine.verification.readers.collecting import Vocabularies
from engine.words import _

_NOT_APPLIED = ("profitability", "differential_privacy")  # a row of stars pays nothing; all are removed
_BY_OWN_SIZE = "profitability_no_attack"


@dataclass(frozen=True)
class GroupCount:
    """Original records with what decides whether the suppressed ones are held.

    Attributes
    ----------
    known : dict of str to Vocabulary
    check : ModelCheck
    original : Original
    distances : mapping of str to str
        Distance of `t` by sensitive column.
    """

    known: Vocabularies
    check: ModelCheck
    original: Original
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
        claim = self.check.claim
        if not suppressed.any() or any(model.key == "differential_privacy" for model in claim.models):
            return None
        names = list(claim.quasi_identifying)
        inside = suppressed | is_all_star(labels, names, self.known)
        mark = {name: int(labels[name].max()) + 1 for name in names}
        joined = pd.DataFrame({name: labels[name].where(~inside, own) for name, own in mark.items()})
        joined = joined.reindex(labels.index)
        rows, counts = inside.index[inside], self.original.counts
        group = self.original.classes("group", joined.loc[rows], rows, counts.loc[rows])
        l_values, t_values = {}, {}
        for name in claim.sensitive:
            l_values[name], t_values[name] = group.figures(
                name, self.check.references[name], self.distances[name], others=claim.others_as_qi
            )
        whole = self.original.classes("whole", joined, joined.index, counts)
        population = self.check.population.joined(labels[~inside], mark)
        return {
            "records": int(group.records),
            "k": int(group.least),
            "l": l_values,
            "t": t_values,
            "held": self._is_held(replace(self.check, population=population), group, whole),
        }

    def _is_held(self, check: ModelCheck, group: Classes, whole: Classes) -> bool:
        """Return whether the group meets every model, as a class or as one more class of all."""
        for model, _unused in check.models:
            check.step()
            if model.key in _NOT_APPLIED:
                continue
            if model.is_table_wide:
                if model.holds(whole.kept(check.known.people)) is False:
                    return False
                continue
            if check.failing(_by_own_size(model), group):
                return False
            if model.verifier.needs_all_members(model) and not check.holds_everybody(whole):
                return False
        return True

    def report(self, found: Mapping[str, Any] | None, findings: Findings) -> None:
        """Report cells that stay or not against the rule for suppressed records."""
        claim = self.check.claim
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
