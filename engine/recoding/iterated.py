"""Iterated re-generalization: suppressed records get a node of their own, again and again [1]."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from engine.frequency import Problem, SensitiveAttribute
from engine.frequency.problem import WeightAttribute
from engine.kernels.arrays import Codes, IntArray
from engine.kernels.covering import NO_GROUP
from engine.lattice import Node
from engine.monitor import Monitor, StretchMonitor
from engine.params import Flag, Integer, param
from engine.privacy import Requirement
from engine.recoding.allowed_labels import LabelCosts
from engine.recoding.base import Recoding, RecodingMethod, RecodingTask, leaf_codes, recoding_methods
from engine.recoding.distinct import DistinctRecords, common_levels
from engine.recoding.leftover_placement import housed
from engine.recoding.requirement_check import highest_node, records_of, strictest_needed
from engine.scoring import LatticeProfile, fetching_kernels, score_lattice
from engine.scoring.evaluate import evaluate
from engine.search import SearchTask, search_algorithms
from engine.words import N_, lazy

MOST_SCORED = 50_000  # nodes that are scored whole in every iteration
DECIMALS = 12  # of mean costs; equal ones differ by rounding
SHARE_OF_ITERATION = 0.1  # of the records left that it seems to release, for progress only


class _AsAsked:
    """Return whether a release is started from: by a method that is set so, not by the usual one."""

    def __get__(self, method: Iterated | None, kind: type[Iterated]) -> bool:
        return method is not None and not method.from_scratch


@recoding_methods.register("iterated")
@dataclass(frozen=True, slots=True)
class Iterated(RecodingMethod):
    """Search the best node, release what is safe on it, and go on with the records that are left.

    Every node has to release at least one of every `iterations` records. Among the nodes that do, the one
    is taken whose released records have the most precise labels; records that it leaves over cost nothing,
    because they are considered again. The first run looks at all records or, on top of a release, at its
    suppressed ones, and does not change the others. Distances from the table are from the whole table in
    every run. What remains at the end joins the classes that it costs least, if that is better than to
    hide it or too much would be suppressed.

    References
    ----------
    .. [1] Prasser, Eicher, Spengler, Bild, Kuhn (2020). Flexible Data Anonymization Using ARX: Current
       Status and Challenges Ahead. Software: Practice and Experience 50(7). The local transformation.
    """

    title: ClassVar[str] = lazy("Iterated generalization")
    summary: ClassVar[str] = lazy(
        "Releases the safe records at the best node, then searches another node for the remaining "
        "records, until none remain."
    )
    weakness: ClassVar[str] = lazy(
        "A record at general levels was in a class too small at all earlier nodes; an attacker "
        "who knows their order learns that the more precise classes do not contain it."
    )
    needs_start = _AsAsked()
    source: ClassVar[str] = lazy("Prasser, Eicher, Spengler, Bild and Kuhn 2020")

    iterations: int = param(
        100,
        Integer(
            minimum=1,
            maximum=10_000,
            label=N_("Iterations"),
            help=N_(
                "Largest number of searches; each must release at least one of this many records: "
                "100 is 1 %. More iterations give more precise labels and take longer."
            ),
            usual=(10, 100, 1000),
        ),
    )
    from_scratch: bool = param(
        True,
        Flag(
            label=N_("From scratch"),
            help=N_(
                "Start with all records; otherwise with those that the best or the chosen node suppresses."
            ),
        ),
    )
    lower_labels: bool = param(
        True,
        Flag(
            label=N_("Lower labels at the end"),
            help=N_(
                "Gives each class the most precise labels that all its records share, instead of "
                "those of its node."
            ),
        ),
    )
    steps: int = param(
        300,
        Integer(
            minimum=10,
            label=N_("Nodes per iteration"),
            help=N_(
                "Number of nodes to score in each iteration if the lattice is too large to score completely."
            ),
            usual=(100, 300, 1000),
        ),
    )

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        records = records_of(task)
        start = None if self.from_scratch else task.start
        fallback = start or highest_node(records, task.requirement)
        costs = LabelCosts(task.problem, task.weights)

        def recode(requirement: Requirement) -> Recoding:
            run = _Run(self, task, requirement, start, costs, monitor)
            run.release_all()
            if start is None:
                run.house(records)
            return run.recoding()

        return strictest_needed(task, recode, fallback)


class _Run:
    """Records released so far, and records left."""

    def __init__(
        self,
        method: Iterated,
        task: RecodingTask,
        requirement: Requirement,
        start: Recoding | None,
        costs: LabelCosts,
        monitor: Monitor,
    ) -> None:
        self._method, self._task, self._requirement = method, task, requirement
        self._start, self._costs, self._monitor = start, costs, monitor
        self._problem, self._n_records = task.problem, task.problem.n_records
        self._groups = np.full(self._n_records, NO_GROUP, dtype=np.int64)
        self._floors: list[Node] = []  # the level vector that each group was found on

    def release_all(self) -> None:
        """Release what can be released, of all records or of those suppressed in the given release."""
        left: IntArray = np.arange(self._n_records)
        if self._start is not None:
            left = np.flatnonzero(self._start.suppressed)
        least = math.ceil(self._n_records / self._method.iterations)
        for _ in range(self._method.iterations):
            if not len(left):
                return
            part = remaining(self._problem, left)
            node = self._best_node(part, min(least, len(left)))
            if node is None:
                return
            records = DistinctRecords(part)
            classes, n_classes = records.at(node)
            is_safe = self._requirement.fulfilled(records.classes(classes))
            own = classes[records.row_of]
            released = is_safe[own]
            self._groups[left[released]] = len(self._floors) + own[released]
            self._floors += [node] * n_classes
            left = left[~released]

    def house(self, records: DistinctRecords) -> None:
        """Let records that are left join the classes that they cost least."""
        of_row = np.full(records.n_rows, NO_GROUP, dtype=np.int64)
        of_row[records.row_of] = self._groups  # alike records are released together
        numbers = np.unique(of_row[of_row != NO_GROUP])
        found = housed(records, self._requirement, self._costs, of_row, self._monitor)
        of_row[found.rows] = numbers[found.groups]
        self._groups = of_row[records.row_of]

    def recoding(self) -> Recoding:
        """The levels of every class, and what is suppressed."""
        levels = np.tile(np.array(self._problem.lattice.maximum, dtype=np.int16), (self._n_records, 1))
        if self._start is not None:
            levels = self._start.levels.copy()
        released = np.flatnonzero(self._groups != NO_GROUP)
        if len(released):
            numbers, groups = np.unique(self._groups[released], return_inverse=True)
            leaves = leaf_codes(self._problem)[released]
            common = common_levels(self._problem, leaves, groups, len(numbers))
            if not self._method.lower_labels:
                floors = np.array(self._floors, dtype=np.int16)[numbers]
                common = np.maximum(common, floors)
            levels[released] = common[groups]
        suppressed = self._groups == NO_GROUP
        return Recoding(levels, suppressed if self._start is None else suppressed & self._start.suppressed)

    def _best_node(self, part: Problem, least: int) -> Node | None:
        """The node of least loss that releases enough of the records, or any at all."""
        for wanted in dict.fromkeys((least, 1)):
            # Half a record more than may be left, so that no rounding decides.
            limit = min((part.n_records - wanted + 0.5) / part.n_records, 1.0)
            node = self._optimum(part, Requirement(self._requirement.models, limit))
            if node is not None:
                return node
        return None

    def _optimum(self, part: Problem, requirement: Requirement) -> Node | None:
        task = self._task
        left = part.n_records / self._n_records
        monitor = StretchMonitor(self._monitor, 1 - left, 1 - left + SHARE_OF_ITERATION * left)
        if part.lattice.n_nodes > MOST_SCORED:
            searching = SearchTask(
                part,
                requirement,
                task.metric,
                task.weights,
                self._method.steps,
                seed=task.seed,
                chosen=task.chosen,
            )
            return search_algorithms.create("best_first").run(searching, monitor).node
        profile = LatticeProfile(part, requirement)
        with fetching_kernels(profile):
            score_lattice(part, monitor, profile)
        evaluation = evaluate(profile, requirement)
        nodes = np.flatnonzero(evaluation.satisfies)
        if not len(nodes):
            return None
        n_released = part.n_records - evaluation.suppressed[nodes]
        costs = np.zeros(len(nodes))
        for q, (attribute, weight) in enumerate(zip(part.attributes, self._costs.weights, strict=True)):
            others = max(attribute.hierarchy.n_leaves - 1, 1)
            costs += weight * (evaluation.kept_leaves(q)[nodes] / n_released - 1) / others
        order = np.lexsort((nodes, -n_released, np.round(costs, DECIMALS)))
        return part.lattice.node(int(nodes[order[0]]))


@dataclass(frozen=True, eq=False)
class _SomeValues(SensitiveAttribute):
    """A sensitive column of some records; its counts of the table are those of all records."""

    own: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @property
    def codes(self) -> Codes:
        """Value per chosen record."""
        return self.own


@dataclass(frozen=True, eq=False)
class _SomeWeights(_SomeValues, WeightAttribute):
    """The weights of some records."""


@dataclass(frozen=True, eq=False)
class _SomeRecords(Problem):
    """A problem of some records."""

    whole_fraction: float | None = None

    @property
    def sampling_fraction(self) -> float | None:
        """That of the whole table, of which these records are a part."""
        return self.whole_fraction


def remaining(problem: Problem, records: IntArray) -> Problem:
    """A problem of some of the records.

    Distances from the table and the share of the population stay those of the whole table; a node's
    metrics are those of the chosen records alone. People of the population are not counted one by one.

    Parameters
    ----------
    records : ndarray of int64, shape (n_chosen,)
    """
    weight = problem.weight
    return _SomeRecords(
        len(records),
        tuple(replace(a, leaves=a.leaves[records]) for a in problem.attributes),
        tuple(_chosen(attribute, records) for attribute in problem.sensitive),
        problem.others_as_qi,
        None if problem.target is None else _chosen(problem.target, records),
        None if problem.people is None else replace(problem.people, leaves=None),
        None if problem.persons is None else problem.persons.some(records),
        None if weight is None else _SomeWeights(weight.column, own=weight.codes[records]),
        whole_fraction=problem.sampling_fraction,
    )


def _chosen(attribute: SensitiveAttribute, records: IntArray) -> SensitiveAttribute:
    return _SomeValues(attribute.column, attribute.hierarchy, attribute.weights, attribute.codes[records])
