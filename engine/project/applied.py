"""Record of an applied release: its node, settings and values."""

from __future__ import annotations

import math

from engine.frequency import Problem
from engine.project.compile import objective_of
from engine.project.pins_and_runs import Choice, Run
from engine.project.project import Project
from engine.project.run_settings import settings_of
from engine.recoding import Recoding, Release
from engine.recoding.base import recoded_records
from engine.utility import utility_metrics
from engine.utility.recoded import RecodedRecords


def choice_of(project: Project, problem: Problem, release: Release) -> Choice:
    """Return the node of a release with the settings it was made with."""
    return Choice(problem.names, release.node, release.requirement, project.search.metric)


def records_of(project: Project, problem: Problem, release: Release) -> RecodedRecords:
    """Return what metrics see of a release, whether of a node or of a recoding."""
    recoding = release.recoding
    if recoding is None:
        assert release.node is not None, "what is no recoding is a node"
        recoding = Recoding.of_node(release.node, release.suppressed)
    return recoded_records(problem, recoding, release.requirement.k, objective_of(project, problem))


def run_of(project: Project, problem: Problem, release: Release, made_at: str) -> Run:
    """Measure a release: its classes, l and t of every sensitive column, and the values of metrics.

    Slow metrics are omitted, except that of the project.

    Parameters
    ----------
    project : Project
        Project that the release was made with.
    made_at : str
        See `Run`.
    """
    records = records_of(project, problem, release)
    figures: dict[str, float | None] = {
        "records": release.n_records,
        "suppressed": release.n_suppressed,
        "classes": release.n_classes,
        "k": release.k,
    }
    figures |= {f"l.{column}": value for column, value in release.l.items()}
    figures |= {f"t.{column}": value for column, value in release.t.items()}
    for key, kind in utility_metrics.items():
        is_known = problem.target is not None or not kind.needs_target
        if key == project.search.metric or (is_known and not kind.costly):
            value = float(records.metric(key)[0])
            figures[key] = value if math.isfinite(value) else None
    choice = choice_of(project, problem, release)
    return Run(choice, made_at, figures, release.method, settings=settings_of(project))
