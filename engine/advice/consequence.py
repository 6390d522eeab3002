"""Effect of a requirement on a scored lattice, in two values, and the next stricter requirement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.advice.first_release import first_settings
from engine.errors import AnonymizerError
from engine.monitor import SILENT, Monitor
from engine.privacy import PrivacyModel, Relation, Requirement
from engine.project.project import Project
from engine.scoring.evaluate import evaluate
from engine.scoring.scored import ScoredNodes
from engine.utility.objective import Objective

MOST_RECORDS, MOST_NODES = 200_000, 20_000  # more would be scored for long, only for a line of text


@dataclass(frozen=True, slots=True)
class Consequence:
    """Nodes and metric that remain under a requirement.

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
    objective : Objective
        Settings and weights of the metric.
    metric : str
        Key of a utility metric.

    Raises
    ------
    InputError
        A model cannot be measured in this problem, such as k-map without a population.
    """
    from engine.project.compile import check_model

    for model in requirement.models:
        check_model(profile.problem, model)
    if not profile.covers(requirement):
        return None
    evaluation = evaluate(profile, requirement, objective).watched_by(monitor)
    best = evaluation.optimum(metric)
    value = None if best is None else float(evaluation.metric_at(metric, np.array([best]))[0])
    return Consequence(evaluation.n_satisfying, value)


@dataclass(frozen=True, slots=True)
class Suggested:
    """Nodes that remain under the suggested roles and hierarchies of a new table.

    Attributes
    ----------
    n_nodes : int
        Nodes of the lattice.
    now : Consequence
        Under the requirement, with the models suggested for sensitive columns.
    stricter : PrivacyModel or None
        A model of it with its next usual threshold.
    then : Consequence or None
        Under the requirement with this model.
    """

    n_nodes: int
    now: Consequence
    stricter: PrivacyModel | None
    then: Consequence | None


def consequence_as_suggested(project: Project, monitor: Monitor = SILENT) -> Suggested | None:
    """Score the lattice of a first release; None if that takes long, or if the suggestions make none.

    Parameters
    ----------
    project : Project
        Roles, hierarchies and models that are set stay unchanged.
    """
    from engine.project.compile import compile_problem, objective_of
    from engine.scoring import score_lattice
    from engine.scoring.profile import LatticeProfile

    if project.n_records > MOST_RECORDS:
        return None
    settings = first_settings(project, monitor)
    project = settings.project
    try:
        problem = compile_problem(project)
    except AnonymizerError:
        return None  # the pre-flight checks say why
    if problem.lattice.n_nodes > MOST_NODES:
        return None
    profile = score_lattice(problem, monitor, LatticeProfile(problem, project.requirement))
    objective, metric = objective_of(project, problem), project.search.metric
    now = consequence_of(profile, project.requirement, objective, metric, monitor)
    assert now is not None, "the measures of the requirement are scored"
    found = next_usual(project.requirement)
    if found is None:
        return Suggested(problem.lattice.n_nodes, now, None, None)
    index, stricter = found
    then = consequence_of(profile, stricter, objective, metric, monitor)
    return Suggested(problem.lattice.n_nodes, now, stricter.models[index], then)


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
