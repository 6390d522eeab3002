"""Values of a release, and where its records were, as plain JSON values."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.advice.notes import release_notes
from engine.params import values_of
from engine.pipeline.making import Outcome
from engine.project import Project
from engine.project.deciding import by_recipe
from engine.project.project import DURING
from engine.project.recipe.plugins import plugins_of
from engine.project.trade_off import complete_problem, expected_records
from engine.recoding import Release
from engine.recoding.by_model import as_json, by_model
from engine.recoding.persons import ReleasePersons
from engine.recoding.release_status import ReleaseStatus
from engine.records.counting import counted_table
from engine.records.options import MEMORY
from engine.search.trace import as_figures
from engine.utility.base import LATTICE_METRICS


def summary(project: Project, outcome: Outcome, *, verified: bool) -> dict[str, Any]:
    """Return the values of a release as plain JSON values, None for those that do not exist."""
    release, evaluation = outcome.release, outcome.evaluation
    metrics = {key: _existing(evaluation.metric(key)[0]) for key in LATTICE_METRICS}
    metric = project.search.metric
    figures: dict[str, Any] = {
        "node": release.levels,
        "metric": metric,
        "value": metrics[metric] if metric in metrics else _existing(evaluation.metric(metric)[0]),
        "metrics": metrics,
        "suppressed": release.n_suppressed,
        "records": release.n_records,
        "classes": release.n_classes,
        "k": release.k,
        "l": dict(release.l),
        "t": dict(release.t),
        "group": None if release.group_figures is None else {"cells": release.cells, **release.group_figures},
        "satisfies": release.satisfies,
        "status": ReleaseStatus.of(project, release).as_dict(),
        "models": as_json(by_model(project, release)),
        "unchanged": release.unchanged.as_dict(),
        "guarantee": outcome.guarantee,
        "nodes_checked": outcome.nodes_checked,
        "nodes_total": outcome.nodes_total,
        "seconds": outcome.seconds,
        "verified": verified,
        "efficiency": as_figures(outcome.efficiency),
    }
    if release.persons is not None:
        figures["persons"] = _persons_summary(release, release.persons)
    if release.links.neighbours:
        figures["neighbours"] = {"starred": release.links.starred, "columns": dict(release.links.neighbours)}
    if notes := [*outcome.notes, *release_notes(project, release)]:
        figures["notes"] = notes
    if packages := plugins_of(project):
        figures["plugins"] = packages
    if release.recoding is None and outcome.problem.declared_node is not None:
        figures["node_declared"] = True
    if release.recoding is not None:
        figures["recoding"] = release.method
    if release.aggregates:
        figures["microaggregation"] = {name: function.key for name, function in release.aggregates.items()}
    if names := by_recipe(project):
        figures["others"] = {"rule": project.others, "columns": list(names)}
    if project.options.left_out:
        figures["not_selected"] = list(project.options.left_out)
    if project.search.enforce != DURING:
        figures["enforce"] = project.search.enforce
    if project.requirement.sampling is not None:
        figures["differential_privacy"] = _sampling_summary(project, release)
    return figures | dict(outcome.further)


def source_figures(project: Project) -> dict[str, Any]:
    """Return where the records were, their distinct combinations, and the bytes of temporary files."""
    home = project.table.home
    return {
        "source": MEMORY if home is None else home.kind,
        "tuples": counted_table(project.rows, project.scored).n_rows,
        "spilled_bytes": 0 if home is None else home.spilled_bytes,
    }


def _sampling_summary(project: Project, release: Release) -> dict[str, Any]:
    """Return parameters and numbers of a random draw; the numbers are for the owner only."""
    model = project.requirement.sampling
    assert model is not None, "asked where records are drawn"
    assert release.node is not None, "levels that vary by record are refused"
    return {
        **values_of(model),
        "beta": model.beta,
        "k": project.requirement.k,
        "covers": model.covers,
        "table_records": project.table.n_records,
        "drawn": release.n_records,
        "expected_kept": expected_records(complete_problem(project), release.node, project.requirement),
    }


def _persons_summary(release: Release, persons: ReleasePersons) -> dict[str, Any]:
    """Return the values of persons, to whom `k`, `l` and `t` of the summary refer, with k of the records."""
    column = persons.persons.column
    figures: dict[str, Any] = {
        "column": column,
        "persons": persons.n_persons,
        "affected": persons.affected,
        "lost": persons.lost,
        "k_records": persons.k_of_records,
    }
    links = release.links
    if links.tell_persons_apart:
        figures["chained"] = persons.chained_figures
        figures["linked_by"] = {
            "columns": dict(links.columns),
            "order": links.together if links.are_together else None,
            "alone": persons.matched_by_nobody,
        }
        figures["readable"] = links.readable
    return figures


def _existing(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
