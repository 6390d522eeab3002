"""Records that node and models suppress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from engine.verification.aggregates import due_columns
from engine.verification.cells import Paths, generalize
from engine.verification.claims import ReleaseClaim
from engine.verification.classes import Classes
from engine.verification.model_check import ModelCheck
from engine.verification.models.base import Model
from engine.verification.persons import Persons, Weights
from engine.verification.readers.collecting import Vocabularies


@dataclass(frozen=True)
class Suppression:
    """What decides which records are suppressed.

    Attributes
    ----------
    claim : ReleaseClaim
    known : dict of str to Vocabulary
    models : sequence of (Model, bool)
        With whether each is claimed as met.
    check : ModelCheck
    persons, weights : Persons and Weights, or None
        Of the original records.
    counts : Series of int
        Records of each row of the original.
    step : callable
        Called often; may raise to stop.
    """

    claim: ReleaseClaim
    known: Vocabularies
    models: Sequence[tuple[Model, bool]]
    check: ModelCheck
    persons: Persons | None
    weights: Weights | None
    counts: pd.Series[int]
    step: Callable[[], None]

    def by_node(
        self, original: pd.DataFrame, paths: dict[str, Paths]
    ) -> tuple[pd.Series[bool] | None, dict[str, pd.Series[int]]]:
        """Return the records that node and models suppress, and the expected aggregated cells.

        None if levels differ by record. With aggregates, distinct classes of the node may have equal cells,
        so the kept records are checked again by their written cells.
        """
        claim, node = self.claim, self.claim.node
        if node is None:
            return None, {}
        labels = generalize(original, paths, node)
        suppressed = self._failing(original, labels, pd.Series(True, index=labels.index))
        if not claim.aggregates:
            return suppressed, {}
        groups = Classes(labels).of_record
        if claim.whole_persons:  # among the kept records only
            groups = Classes(labels.assign(suppressed=suppressed.astype(int))).of_record
        due = due_columns(claim, original, groups, self.known, self.counts)
        suppressed |= self._failing(original, labels.assign(**due), ~suppressed)
        return suppressed, due

    def _failing(
        self, original: pd.DataFrame, labels: pd.DataFrame, among: pd.Series[bool]
    ) -> pd.Series[bool]:
        """Return which of some records are suppressed, repeated until stable if they make others fail."""
        suppressed = among & False
        repeats = self.claim.whole_persons or any(
            model.verifier.sets is not None for model, _unused in self.models
        )
        while True:
            left = among & ~suppressed
            failing = self._missing_any(original, labels, left)
            if self.claim.whole_persons and self.persons is not None:
                affected = self.persons.codes[failing]
                failing = left & self.persons.codes.isin(affected)
            suppressed |= failing
            if not repeats or not failing.any():
                return suppressed

    def _missing_any(
        self, original: pd.DataFrame, labels: pd.DataFrame, among: pd.Series[bool]
    ) -> pd.Series[bool]:
        """Return which of some records are in classes that fail a model claimed as met."""
        records, written, rows = original, labels, among.index[among]
        if not among.all():
            records, written = (table[among].reset_index(drop=True) for table in (records, written))
        counts = self.counts.loc[rows]
        persons = None if self.persons is None else self.persons.at(rows, counts)
        classes = Classes(written, persons, counts)
        weights = None if self.weights is None else self.weights.at(rows, counts)
        kept = pd.Series(True, index=classes.sizes.index)
        for model, is_met in self.models:
            self.step()
            if is_met:
                kept &= self.check.met(model, classes, records, written, weights)
        failing = ~classes.of_record.map(kept).astype(bool)
        return failing.set_axis(among.index[among]).reindex(among.index, fill_value=False)
