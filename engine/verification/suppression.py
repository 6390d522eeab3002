"""Records that node and models suppress."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from engine.verification.aggregates import classes_of, due_columns
from engine.verification.cells import Paths, generalize
from engine.verification.classes import Original
from engine.verification.model_check import ModelCheck
from engine.verification.readers.collecting import Vocabularies


@dataclass(frozen=True)
class Suppression:
    """What decides which records are suppressed.

    Attributes
    ----------
    known : dict of str to Vocabulary
    check : ModelCheck
    original : Original
    """

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
