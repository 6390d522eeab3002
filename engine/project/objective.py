"""What a project compares nodes by: its metric with its settings, and the weights of its columns."""

from __future__ import annotations

from engine.frequency import Problem
from engine.project.compile import attribute_weights
from engine.project.project import Project
from engine.utility import UtilityMetric, utility_metrics
from engine.utility.objective import Objective


def chosen_metric(project: Project) -> UtilityMetric | None:
    """The project's metric with its settings; None where these are the usual ones."""
    options = project.search.metric_options
    return utility_metrics.create(project.search.metric, **options) if options else None


def objective_of(project: Project, problem: Problem) -> Objective:
    """What evaluations under a project are told: settings act on its metric, weights on all weighted ones."""
    return Objective(attribute_weights(project, problem), chosen_metric(project))
