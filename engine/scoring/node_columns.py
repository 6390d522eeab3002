"""The table of all nodes of an evaluated lattice, as columns by name."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from engine.frequency import Measure
from engine.frequency.classes import DISTINCT
from engine.scoring.evaluate import Evaluation
from engine.utility.base import LATTICE_METRICS

Cells: TypeAlias = list[Any]  # None where a figure does not exist


def node_columns(evaluation: Evaluation) -> dict[str, Cells]:
    """Return the columns by name, one entry per node by number.

    `classes`, `k`, `l` and `t` are those of all classes, the others those under the requirement.
    """
    profile, problem = evaluation.profile, evaluation.problem
    columns: dict[str, Cells] = {}
    for position, name in enumerate(problem.names):
        columns[f"level.{name}"] = evaluation.levels[:, position].tolist()
    columns["classes"] = profile.n_classes.tolist()
    columns["k"] = profile.k.tolist()
    for attribute in problem.sensitive:
        columns[f"l.{attribute.name}"] = profile.worst(Measure(DISTINCT, attribute.name)).tolist()
        distance = evaluation.requirement.distance(attribute.name) or attribute.default_distance
        columns[f"t.{attribute.name}"] = profile.worst(Measure(distance, attribute.name)).tolist()
    columns["suppressed"] = evaluation.suppressed.tolist()
    columns["kept_classes"] = evaluation.kept_classes.tolist()
    columns["kept_k"] = [size or None for size in evaluation.kept_k.tolist()]
    columns["satisfies"] = evaluation.satisfies.tolist()
    columns["group_held"] = group_held(evaluation)
    for key in LATTICE_METRICS:
        columns[key] = [None if math.isnan(v) else v for v in evaluation.metric(key).tolist()]
    return columns


def group_held(evaluation: Evaluation) -> list[bool | None]:
    """Return whether suppressed records meet the requirement as one class, per node; None without any."""
    held, some = (own.tolist() for own in evaluation.groups(evaluation.scored))
    return [own if has else None for own, has in zip(held, some, strict=True)]
