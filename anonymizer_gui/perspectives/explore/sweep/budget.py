"""Sweep of differential privacy: records of the selected node that are not released, by epsilon and beta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.models.node_name import LevelWords, own_name
from anonymizer_gui.perspectives.explore.knobs.bar import KnobSpec
from anonymizer_gui.perspectives.explore.sweep.run import SweepRun
from anonymizer_gui.perspectives.explore.sweep.table import Cell, SweepTable
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_percent, as_typed, localized
from engine.privacy import Requirement
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.words import _, english

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.project import Project
    from engine.scoring import Evaluation


@dataclass(frozen=True, eq=False)
class BudgetRun(SweepRun):
    """Sweep whose thresholds are values of epsilon, and whose limits are shares of the largest beta.

    Attributes
    ----------
    project : Project
    node : tuple of int
        The node whose records are expected.
    """

    project: Project
    node: Node

    @classmethod
    def at(
        cls, evaluation: Evaluation, spec: KnobSpec, metric: str, project: Project, node: Node
    ) -> BudgetRun:
        """Return a sweep around the settings of an evaluation, at a node."""
        from engine.project.trade_off import EPSILONS, SHARES

        model = _model(evaluation.requirement)
        epsilons = tuple(sorted({*EPSILONS, model.epsilon}))
        shares = tuple(sorted({*SHARES, model.share}))
        return cls(evaluation, spec, metric, epsilons, shares, project, node)

    def requirement(self, cell: Cell) -> Requirement:
        from engine.project.trade_off import with_budget

        return with_budget(
            self.evaluation.requirement, self.thresholds[cell.threshold], self.limits[cell.limit]
        )

    def cell_of(self, requirement: Requirement) -> Cell | None:
        from engine.project.trade_off import with_budget

        model, own = requirement.sampling, _model(self.evaluation.requirement)
        if model is None or model.epsilon not in self.thresholds or model.share not in self.limits:
            return None
        if with_budget(requirement, own.epsilon, own.share).models != self.evaluation.requirement.models:
            return None
        return Cell(self.thresholds.index(model.epsilon), self.limits.index(model.share))

    def has_settings_of(self, other: SweepRun) -> bool:
        return (
            isinstance(other, BudgetRun)
            and (self.node, self.spec.key) == (other.node, other.spec.key)
            and self.project.table is other.project.table
            and self.project.hierarchies is other.project.hierarchies
            and self.evaluation.problem.names == other.evaluation.problem.names
            and self.cell_of(other.evaluation.requirement) is not None
        )

    def answers(self, other: SweepRun) -> bool:
        return self.has_settings_of(other)

    def swept(self, monitor: Monitor = SILENT) -> BudgetResult:
        from engine.project.trade_off import complete_problem, kept_by_settings

        problem = complete_problem(self.project)
        kept = kept_by_settings(problem, self.node, self.evaluation.requirement, self.thresholds, self.limits)
        return BudgetResult(self, 1 - kept, problem.n_records)


@dataclass(frozen=True, eq=False)
class BudgetResult:
    """Results of a run.

    Attributes
    ----------
    run : BudgetRun
    values : ndarray of float64, shape (n_epsilons, n_shares)
        Expected share of the records that are not released.
    n_records : int
        Records of the whole table.
    """

    run: BudgetRun
    values: NDArray[np.float64]
    n_records: int

    def node(self, cell: Cell) -> Node:
        """Return the node, which is the same in all cells."""
        return self.run.node

    def table(self, model_words: str) -> SweepTable:
        """Return the values for the views; `model_words` is the name of the threshold."""
        run = self.run
        return SweepTable(
            threshold_name=run.spec.name,
            limit_name=_("share of the largest β"),
            value_name=_("not released, expected"),
            thresholds=run.thresholds,
            threshold_texts=tuple(as_typed(value, 0) for value in run.thresholds),
            limit_texts=tuple(as_percent(share) for share in run.limits),
            values=self.values,
            value_text=lambda share: as_percent(share, 0),
            is_logarithmic=True,
        )

    def line(self, cell: Cell) -> str:
        """Return a cell in one line."""
        return f"{self.settings(cell)}: {self._value(cell)}"

    def lines(self, cell: Cell, words: LevelWords | None) -> str:
        """Return a cell with its probability and class size."""
        requirement = self.run.requirement(cell)
        sizes = _("β = {beta}, k = {k}").format(
            beta=localized(f"{_model(requirement).beta:.4g}"), k=as_exact_count(requirement.k)
        )
        name = own_name(self.run.node, self.run.evaluation.problem)
        return "\n".join([self.settings(cell), sizes, self._value(cell), name])

    def settings(self, cell: Cell) -> str:
        """Return epsilon and share of a cell."""
        return _("ε = {epsilon}, {share} of the largest β").format(
            epsilon=as_typed(self.run.thresholds[cell.threshold], 0),
            share=as_percent(self.run.limits[cell.limit]),
        )

    def _value(self, cell: Cell) -> str:
        kept = round((1 - float(self.values[cell])) * self.n_records)
        return _("{n} of {total} records expected to be released").format(
            n=as_exact_count(kept), total=as_exact_count(self.n_records)
        )


def _model(requirement: Requirement) -> DifferentialPrivacy:
    model = requirement.sampling
    assert model is not None, "only records that are drawn have a budget"
    return model


def is_budget(spec: KnobSpec, requirement: Requirement) -> bool:
    """Return whether a knob is that of differential privacy."""
    return requirement.sampling is not None and spec.key == english(requirement.sampling, "symbol")
