"""What a requirement leaves of a scored lattice, in two figures, and the next stricter one."""

from __future__ import annotations

from dataclasses import dataclass

from engine.monitor import SILENT, Monitor
from engine.privacy import Relation, Requirement
from engine.scoring.evaluate import evaluate
from engine.scoring.scored import ScoredNodes
from engine.utility.objective import Objective


@dataclass(frozen=True, slots=True)
class Consequence:
    """What remains under a requirement.

    Attributes
    ----------
    n_satisfying : int
        Scored nodes that satisfy it.
    best : float or None
        Metric of the optimum; None if no node satisfies.
    """

    n_satisfying: int
    best: float | None


def consequence_of(
    profile: ScoredNodes,
    requirement: Requirement,
    objective: Objective,
    metric: str,
    monitor: Monitor = SILENT,
) -> Consequence | None:
    """Return what remains under a requirement; None if it compares measures that are not scored.

    Parameters
    ----------
    profile : ScoredNodes
    requirement : Requirement
    objective : Objective
        Settings and weights of the metric.
    metric : str
        Key of a utility metric.
    """
    if not profile.covers(requirement):
        return None
    evaluation = evaluate(profile, requirement, objective).watched_by(monitor)
    best = evaluation.optimum(metric)
    value = None if best is None else float(evaluation.metric(metric)[best])
    return Consequence(evaluation.n_satisfying, value)


def next_usual(requirement: Requirement) -> tuple[int, Requirement] | None:
    """Return the requirement with the next stricter usual threshold of its first model that has one.

    Returns
    -------
    tuple of int and Requirement, or None
        Place of the model, and the requirement.
    """
    for index, model in enumerate(requirement.models):
        usual, limit = model.threshold_parameter().usual, model.limit
        if model.relation is Relation.AT_LEAST:
            stricter = [value for value in usual if value > limit]
            found = min(stricter, default=None)
        else:
            found = max((value for value in usual if value < limit), default=None)
        if found is not None:
            return index, requirement.with_limit(index, found)
    return None
