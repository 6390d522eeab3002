"""Tables of all nodes: as columns by name, and of lattices too large for memory, scored in parts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.frequency import Measure, Problem
from engine.frequency.classes import DISTINCT
from engine.monitor import SILENT, Monitor, StretchMonitor
from engine.privacy import Requirement
from engine.scoring.evaluate import Evaluation, evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.limits import parts_within
from engine.scoring.optimum import RELATIVE_ROUNDING
from engine.scoring.profile import LatticeProfile
from engine.scoring.score import fetching_kernels, score_lattice
from engine.utility.base import LATTICE_METRICS, utility_metrics
from engine.utility.objective import Objective

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


class ListedNodes(NamedTuple):
    """All nodes of a lattice.

    Attributes
    ----------
    columns : mapping of str to list
        See `node_columns`.
    best : Evaluation
        See `BestOfParts.evaluation`.
    """

    columns: dict[str, Cells]
    best: Evaluation


def listed_nodes(
    problem: Problem,
    requirement: Requirement,
    metric: str,
    objective: Objective | None = None,
    memory: int = 0,
    monitor: Monitor = SILENT,
) -> ListedNodes:
    """Score and evaluate all nodes, in parts if their scores would take more than that many bytes."""
    best, columns = BestOfParts(problem, requirement, metric, objective), dict[str, Cells]()
    for evaluation in evaluated_parts(problem, requirement, objective, memory, monitor):
        best.add(evaluation)
        extend(columns, evaluation)
        del evaluation
    return ListedNodes(columns, best.evaluation)


def extend(columns: dict[str, Cells], part: Evaluation) -> None:
    """Append the nodes of a part to the columns of those before."""
    for name, cells in node_columns(part).items():
        columns.setdefault(name, []).extend(cells)


def evaluated_parts(
    problem: Problem,
    requirement: Requirement,
    objective: Objective | None = None,
    memory: int = 0,
    monitor: Monitor = SILENT,
) -> Iterator[Evaluation]:
    """Score and evaluate all nodes, one part after the other, each of which may take that many bytes.

    Who takes a part must not keep it: its memory is for the next one.
    """
    done, n_nodes = 0, problem.lattice.n_nodes
    for part in parts_within(problem, requirement, memory):
        first, done = done, done + part.lattice.n_nodes
        stretch = StretchMonitor(monitor, first / n_nodes, done / n_nodes)
        profile = LatticeProfile(part, requirement)
        with fetching_kernels(profile, also=_kernels()):
            score_lattice(part, stretch, profile)
            yield evaluate(profile, requirement, objective).watched_by(stretch)
        del profile


def _kernels() -> tuple[str, ...]:
    """Return the modules of kernels that the metrics of the table use besides those that score."""
    named = (metric.kernels for key, metric in utility_metrics.items() if key in LATTICE_METRICS)
    return tuple(name for name in named if name)


class BestOfParts:
    """The nodes of parts that may be the optimum, or that come closest if none satisfies.

    Parameters
    ----------
    problem : Problem
        Of the complete lattice.
    """

    def __init__(
        self, problem: Problem, requirement: Requirement, metric: str, objective: Objective | None = None
    ) -> None:
        self._problem, self._requirement = problem, requirement
        self._metric, self._objective = metric, objective
        self._whole: Evaluation | None = None
        self._kept: ExploredProfile | None = None
        self._least = self._fewest = math.inf
        self._some_satisfy = False

    @property
    def evaluation(self) -> Evaluation:
        """The complete lattice if it is one part, else the best nodes of its parts."""
        if self._whole is not None:
            return self._whole
        return evaluate(self._profile, self._requirement, self._objective)

    def add(self, part: Evaluation) -> None:
        """Take the evaluated part, or score its best node again unless another part has a better one."""
        if part.lattice.n_nodes == self._problem.lattice.n_nodes:
            self._whole = part
            return
        number = part.optimum(self._metric)
        if number is not None:
            value = float(np.nan_to_num(part.metric_at(self._metric, np.array([number]))[0], nan=math.inf))
            # nodes of equal value are kept, since other figures decide between them in the end
            if not self._some_satisfy or value <= self._least + abs(self._least) * RELATIVE_ROUNDING:
                self._profile.score(part.lattice.node(number))
            self._least, self._some_satisfy = min(self._least, value), True
        elif not self._some_satisfy and part.n_scored:
            scored = np.flatnonzero(part.scored)
            number = int(scored[np.argmin(part.suppressed[scored])])
            if part.suppressed[number] < self._fewest:
                self._fewest = int(part.suppressed[number])
                self._profile.score(part.lattice.node(number))

    @property
    def _profile(self) -> ExploredProfile:
        if self._kept is None:
            self._kept = ExploredProfile(self._problem, self._requirement)
        return self._kept
