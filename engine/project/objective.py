"""What a project compares nodes by: its metric with its settings, and the weights of its columns."""

from __future__ import annotations

from dataclasses import replace

from engine.frequency import Problem
from engine.privacy import Requirement
from engine.project.compile import attribute_weights
from engine.project.project import DURING, Project
from engine.utility import UtilityMetric, utility_metrics
from engine.utility.objective import Objective


def chosen_metric(project: Project) -> UtilityMetric | None:
    """The project's metric with its settings; None where these are the usual ones."""
    options = project.search.metric_options
    return utility_metrics.create(project.search.metric, **options) if options else None


def searched_requirement(project: Project) -> Requirement:
    """What a search holds nodes to: all models, or those that look at no sensitive column.

    The others are then enforced on its answer, by suppression.
    """
    requirement = project.requirement
    if project.search.enforce == DURING:
        return requirement
    return replace(requirement, models=tuple(model for model in requirement.models if not model.columns))


def objective_of(project: Project, problem: Problem) -> Objective:
    """What evaluations under a project are told: settings act on its metric, weights on all weighted ones."""
    return Objective(attribute_weights(project, problem), chosen_metric(project))
