"""Records that node and models suppress, and these recounted as one class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from engine.verification.aggregates import classes_of, due_columns
from engine.verification.cells import Paths, generalize, is_all_star
from engine.verification.classes import Classes, Original
from engine.verification.findings import Findings
from engine.verification.model_check import ModelCheck
from engine.verification.models.base import Model
from engine.verification.readers.collecting import Vocabularies
from engine.words import _


@dataclass(frozen=True)
class Suppression:
    """Decision on which records are suppressed."""

    known: Vocabularies
    check: ModelCheck
    original: Original

    def by_node(self, paths: dict[str, Paths]) -> tuple[pd.Series[bool] | None, dict[str, pd.Series[int]]]:
        """Return the records that node and models suppress, and the expected aggregated cells.

        None if levels differ by record. With aggregates, distinct classes of the node may have equal cells,
        so the kept records are checked again by their written cells.
        """
        claim, original = self.check.claim, self.original.rows
        if claim.node is None:
            return None, {}
        labels = generalize(original, paths, claim.node)
        suppressed = self._failing(labels, pd.Series(True, index=labels.index))
        if not claim.aggregates:
            return suppressed, {}
        # if persons are suppressed as a whole, among the kept records only
        groups = classes_of(labels.assign(suppressed=suppressed & claim.whole_persons))
        due = due_columns(claim, original, groups, self.known, self.original.counts)
        suppressed |= self._failing(labels.assign(**due), ~suppressed)
        return suppressed, due

    def _failing(self, labels: pd.DataFrame, among: pd.Series[bool]) -> pd.Series[bool]:
        """Return which of some records are suppressed, repeated until stable if they make others fail."""
        suppressed = among & False
        repeats = self.check.claim.whole_persons or any(
            model.verifier.sets is not None for model, _unused in self.check.models
        )
        while True:
            left = among & ~suppressed
            failing = self._missing_any(labels, left)
            persons = self.original.persons
            if self.check.claim.whole_persons and persons is not None:
                failing = left & persons.codes.isin(persons.codes[failing])
            suppressed |= failing
            if not repeats or not failing.any():
                return suppressed

    def _missing_any(self, labels: pd.DataFrame, among: pd.Series[bool]) -> pd.Series[bool]:
        """Return which of some records are in classes that fail a model claimed as met."""
        rows = among.index[among]
        classes = self.original.classes("failing", labels.loc[rows], rows, self.original.counts.loc[rows])
        failing = set[int]()
        for model, is_met in self.check.models:
            self.check.step()
            if is_met and not model.is_table_wide:
                failing |= self.check.failing(model, classes)
        found = classes.of_row().isin(failing)
        return found.set_axis(rows).reindex(among.index, fill_value=False)


_NOT_APPLIED = ("profitability", "differential_privacy")  # a row of stars pays nothing; all are removed
_BY_OWN_SIZE = "profitability_no_attack"


@dataclass(frozen=True)
class GroupCount:
    """Original records with what decides whether the suppressed ones are held.

    Attributes
    ----------
    distances : mapping of str to str
        Distance of `t` by sensitive column.
    """

    known: Vocabularies
    check: ModelCheck
    original: Original
    distances: Mapping[str, str]

    def measure(self, labels: pd.DataFrame, suppressed: pd.Series[bool]) -> dict[str, Any] | None:
        """Return the values of suppressed rows and of rows with `*` in all quasi-identifiers as one class.

        Parameters
        ----------
        labels : DataFrame
            Codes of the written quasi-identifiers of every original row; those of suppressed rows do not
            matter.

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
    """Return a model of expected gains that counts the records themselves; any other unchanged."""
    if model.key != _BY_OWN_SIZE:
        return model
    return replace(model, words={**model.words, "attacker": "prosecutor"})
