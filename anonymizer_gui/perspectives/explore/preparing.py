"""What Explore has computed in tasks: places, scores ready to be shown, columns that may lag behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonymizer_gui.perspectives.explore.lattice.lattice_layout import LatticeLayout, lay_out
from anonymizer_gui.perspectives.explore.node_scores import Details, Ends, NodeScores, prepare_scores
from engine.monitor import SILENT, Monitor

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.scoring import Evaluation


@dataclass(frozen=True, eq=False)
class Prepared:
    """An evaluation ready to be shown, with the places of its nodes where there are new ones."""

    evaluation: Evaluation
    metric: str
    scores: NodeScores
    layout: LatticeLayout | None


def lay_out_whole(problem: Problem) -> tuple[Problem, LatticeLayout]:
    """Place all nodes of a lattice."""
    from engine.scoring.generalization import generalization_loss

    return problem, lay_out(problem.lattice.sums, generalization_loss(problem))


def prepare(evaluation: Evaluation, metric: str, held: Ends | None, has_grown: bool) -> Prepared:
    """Prepare an evaluation, and places where nodes were scored since the last one."""
    layout = None
    if has_grown:
        # Later nodes stand further out, so that in a row those scored before keep their order.
        sums = evaluation.lattice.sums
        layout = lay_out(sums, np.arange(len(sums), dtype=np.float64))
    return Prepared(evaluation, metric, prepare_scores(evaluation, metric, held), layout)


def measure_details(evaluation: Evaluation, monitor: Monitor = SILENT) -> tuple[Evaluation, Details]:
    """The columns of the list that a turning knob does not wait for."""
    from engine.scoring.node_figures import node_figures
    from engine.utility import utility_metrics

    details: Details = node_figures(evaluation, monitor)
    details["minimal"] = evaluation.minimal.astype(np.float64)
    keys = [key for key, member in utility_metrics.items() if not member.costly]
    for done, key in enumerate(keys):
        monitor.step(done, len(keys))
        details[key] = evaluation.metric(key)
    return evaluation, details
