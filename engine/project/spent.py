"""Privacy losses of the releases of one table, which add up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from engine.numbers import as_exact_count, as_general
from engine.project.pins_and_runs import Run
from engine.words import ngettext


@dataclass(frozen=True)
class SpentBudget:
    """Sum over releases of one table.

    Attributes
    ----------
    n_releases : int
        Different releases under differential privacy.
    epsilon, delta : float
    """

    n_releases: int
    epsilon: float
    delta: float

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Self:
        """Return the sum of applied releases; one that was applied again counts once."""
        different = {(run.choice.requirement, run.node, run.settings): run for run in runs}.values()
        models = [model for run in different if (model := run.choice.requirement.sampling) is not None]
        return cls(len(models), sum(m.epsilon for m in models), sum(m.delta for m in models))

    def words(self) -> str:
        """Return the sum in a sentence; empty without a release under differential privacy."""
        if not self.n_releases:
            return ""
        return ngettext(
            "{n} release under differential privacy: ε = {epsilon}, δ = {delta}",
            "{n} releases under differential privacy, if all are published: ε = {epsilon}, δ = {delta}",
            self.n_releases,
        ).format(
            n=as_exact_count(self.n_releases),
            epsilon=as_general(self.epsilon, 4),
            delta=as_general(self.delta, 4),
        )
