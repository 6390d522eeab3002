"""A requirement applied to every scored node: suppression, satisfying nodes, metrics, optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.attackers import AttackerModel
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.limit import allowed_losses, limits_persons, most_suppressed
from engine.scoring.lookups.by_cell import BoundedRecords
from engine.scoring.lookups.by_node import NodeLookup
from engine.scoring.lookups.by_sorted_cells import SortedLookup
from engine.scoring.lookups.earlier_releases import withstanding
from engine.scoring.lookups.look_up import is_whole, look_up
from engine.scoring.lookups.rolled import RolledNodes
from engine.scoring.lookups.suppressed_groups import held_groups
from engine.scoring.lookups.table_wide_nodes import LatticeFigures
from engine.scoring.optimum import ABSOLUTE_ROUNDING, RELATIVE_ROUNDING, best_of
from engine.utility import UtilityMetric, utility_metrics
from engine.utility.objective import Objective

if TYPE_CHECKING:
    from engine.scoring.scored import Profile, ScoredNodes

# nodes whose loss is computed first, to know which others may be better
FIRST_LOOK, FIRST_COSTLY_LOOK = 256, 16
FEW_CELLS = 500_000  # all of which are evaluated within a few milliseconds
NODES_AT_ONCE = 512  # nodes whose values are completed in one step
MOST_FLOORS = 16  # metrics and weights whose least losses are cached
COMPLETED = "completed"  # family of the values of the last complete evaluation


class Completed(NamedTuple):
    """Values of all nodes, which do not depend on the suppression limit.

    Attributes
    ----------
    indices : mapping of str to tuple
        What the values of each metric depend on, see `Objective.index`.
    """

    suppressed: Counts
    metrics: Mapping[str, FloatArray]
    indices: Mapping[str, tuple[UtilityMetric, bytes]]


def _apart_from_limit(requirement: Requirement) -> Requirement:
    return replace(requirement, suppression_limit=0.0)


def evaluate(
    profile: Profile | ScoredNodes, requirement: Requirement, objective: Objective | FloatArray | None = None
) -> Evaluation:
    """Apply a requirement to all scored nodes, without scoring again."""
    return Evaluation(profile.scored_nodes(), requirement, objective)


def may_satisfy(profile: Profile | ScoredNodes, requirement: Requirement) -> BoolArray | None:
    """Return the nodes where what surely fails is within the limit: all that satisfy are among them.

    Returns
    -------
    ndarray of bool, shape (n_nodes,), or None
        Found in milliseconds; None if it would take longer, or if suppression is not repeated.
    """
    nodes = profile.scored_nodes()
    if not requirement.has_attackers:
        return None
    lookup = look_up(nodes, nodes.cells(), requirement)
    if not isinstance(lookup, NodeLookup) or not lookup.is_quick_at_first:
        return None
    within: BoolArray = lookup.failing_at_least <= most_suppressed(nodes.problem, requirement)
    return within


def surely_satisfy(profile: Profile | ScoredNodes, requirement: Requirement) -> BoolArray | None:
    """Return nodes that satisfy since even enough classes of all columns are large enough.

    Returns
    -------
    ndarray of bool, shape (n_nodes,), or None
        Found in milliseconds; None if models ask for more than class sizes, or suppression is not repeated.
    """
    models = requirement.by_class.models
    sizes = [model.k if isinstance(model, AttackerModel) else model.required_k for model in models]
    if (
        not requirement.has_attackers
        or requirement.table_wide
        or any(size is None for size in sizes)
        or any(not model.is_by_size for model in models if not isinstance(model, AttackerModel))
        or any(model.looks_at_values for model in models if isinstance(model, AttackerModel))
    ):
        return None
    sizes_alone = replace(requirement, models=(KAnonymity(max(size for size in sizes if size is not None)),))
    nodes = profile.scored_nodes()
    most = 0 if requirement.holds_group else most_suppressed(nodes.problem, sizes_alone)
    # not by an `Evaluation`, since another thread may hold the lock of its cached properties for long
    within: BoolArray = look_up(nodes, nodes.cells(), sizes_alone).bounded(most).at_least <= most
    return within


class Evaluation(RolledNodes):
    """Every node under one requirement.

    Arrays have one entry per node of the lattice, by number; for nodes that are not scored yet, counts are 0,
    `satisfies` is false and metrics are nan. Everything is computed when first needed.

    Which nodes satisfy, their values and the optimum need no value of failing nodes, and cost a fraction of
    one pass over all cells. `suppressed` and `metric` have the values of all nodes, which `complete` computes
    in steps.

    Parameters
    ----------
    objective : Objective or ndarray of float64 of shape (n_qi,), optional
        Settings of a metric and weights, or weights alone.
    """

    def __init__(
        self,
        profile: ScoredNodes,
        requirement: Requirement,
        objective: Objective | FloatArray | None = None,
    ) -> None:
        self.profile = profile
        self.lattice = profile.lattice
        self.requirement = requirement
        self.objective = Objective.of(objective)
        self.allowed = allowed_losses(profile.problem, requirement)
        self._cells = profile.cells()
        self._is_whole = is_whole(profile, self._cells)
        self._metrics: dict[str, FloatArray] = {}
        self._satisfying: dict[str, FloatArray] = {}  # metrics of satisfying nodes, in their order
        self._optima: dict[str, int | None] = {}
        self._monitor: Monitor = SILENT
        lookup = look_up(profile, self._cells, requirement)
        super().__init__(profile, requirement, lookup, None, requirement.k)
        self._inherit()

    @cached_property
    def scored(self) -> BoolArray:
        """The nodes of this evaluation."""
        scored = np.full(self.lattice.n_nodes, self._is_whole)
        if not self._is_whole:
            scored[self._cells.nodes] = True
        return scored

    @cached_property
    def n_scored(self) -> int:
        """Number of scored nodes of this evaluation."""
        return len(self._cells.nodes)

    @cached_property
    def satisfies(self) -> BoolArray:
        """Return per node whether losses are within the limit and table-wide models are met.

        So must the suppressed records as one class, and every class that is large enough, and what a release
        leaves beside earlier ones, if the requirement says so.
        """
        found = self.requirement.holds(self.figures, self.is_within)
        if self.requirement.large_must_hold:
            nodes = np.flatnonzero(found)
            by_size = evaluate(self.profile, self.requirement.size_part)
            found[nodes] = by_size.suppressed_at(nodes) == self.suppressed_at(nodes)
        if self.requirement.holds_group:
            found &= self.groups(found)[0]
        return withstanding(self.profile, self.requirement, found, self._monitor)

    def groups(self, wanted: BoolArray) -> tuple[BoolArray, BoolArray]:
        """Return at which nodes suppressed records meet the requirement as one class, and at which any exist.

        Parameters
        ----------
        wanted : ndarray of bool, shape (n_nodes,)
            Nodes to measure. Without suppressed records the requirement is met; it is not at other nodes.
        """
        nodes = np.flatnonzero(wanted & self.scored)
        some = np.zeros(self.lattice.n_nodes, dtype=np.bool_)
        some[nodes[self.suppressed_at(nodes) > 0]] = self.requirement.sampling is None
        held = held_groups(self.profile, self._cells, self.requirement, some, self._monitor)
        return held | (wanted & ~some), some

    @cached_property
    def bounded(self) -> BoundedRecords:
        """Suppressed records, exact for nodes within the limit; see `BoundedRecords`."""
        if "suppressed" in self.__dict__:
            return BoundedRecords.exact(self.suppressed)
        return self.lookup.bounded(most_suppressed(self.profile.problem, self.requirement))

    @cached_property
    def is_within(self) -> BoolArray:
        """Return whether suppressed records, or persons who lose some, are within the limit, per node."""
        within = self.bounded.at_least <= most_suppressed(self.profile.problem, self.requirement)
        within = within if self._is_whole else self.scored & within
        return self._affects_few(within) if limits_persons(self.profile.problem, self.requirement) else within

    def _affects_few(self, within: BoolArray) -> BoolArray:
        """Return which of some nodes affect at most the allowed persons; each of them loses a record."""
        doubtful = np.flatnonzero(within & (self.bounded.at_least > self.allowed))
        within[doubtful[self.losses(doubtful) > self.allowed]] = False
        return within

    @cached_property
    def figures(self) -> LatticeFigures:
        """The kept classes of the nodes, for table-wide models."""
        return LatticeFigures(
            self.profile, self._cells, self.requirement, self.lookup, self.scored, self._monitor
        )

    def losses(self, nodes: IntArray) -> Counts:
        """Return what the limit counts of some nodes: suppressed records, or persons who lose one."""
        if not limits_persons(self.profile.problem, self.requirement):
            return self.suppressed_at(nodes)
        assert self.figures.persons is not None, "persons are counted where they have several records"
        wanted = np.zeros(self.lattice.n_nodes, dtype=np.bool_)
        wanted[nodes] = True
        return self.figures.persons.affected(wanted)[nodes]

    def suppressed_at(self, nodes: IntArray) -> Counts:
        """Return the exact suppressed records of some scored nodes, at the cost of these nodes only."""
        if "suppressed" in self.__dict__:
            return self.suppressed[nodes]
        if self.bounded.is_exact[nodes].all():
            return self.bounded.at_least[nodes]
        return self.lookup.at(nodes).suppressed

    def watched_by(self, monitor: Monitor) -> Self:
        """Let a monitor follow and cancel slow steps: estimates of population uniques, and repetitions."""
        self._monitor = monitor
        if isinstance(self.lookup, NodeLookup):
            self.lookup.monitor = monitor
        return self

    def _inherit(self) -> None:
        """Take the values of the last complete evaluation if only the suppression limit differs."""
        if not isinstance(self.lookup, SortedLookup):
            return
        known: Completed | None = self.profile.own.find(COMPLETED, _apart_from_limit(self.requirement))
        if known is not None:
            self.__dict__["suppressed"] = known.suppressed
            same = (key for key, index in known.indices.items() if index == self.objective.index(key))
            self._metrics = {key: known.metrics[key] for key in same}

    @property
    def has_turns(self) -> bool:
        """Return whether `prepare_turns` has nothing left to make."""
        most = most_suppressed(self.profile.problem, self.requirement)
        return not (isinstance(self.lookup, SortedLookup) and self.lookup.turns_left(most))

    def prepare_turns(self, monitor: Monitor = SILENT) -> None:
        """Make what other thresholds of its models need: a knob turned from here is then followed at once."""
        if isinstance(self.lookup, SortedLookup):
            self.lookup.prepare_turns(most_suppressed(self.profile.problem, self.requirement), monitor)

    @cached_property
    def n_satisfying(self) -> int:
        """Number of nodes that satisfy."""
        return int(np.count_nonzero(self.satisfies))

    @cached_property
    def minimal(self) -> BoolArray:
        """Satisfying nodes without a satisfying predecessor."""
        return self.lattice.minimal(self.satisfies)

    def knows(self, key: str) -> bool:
        """Return whether a metric, and the optimum by it, is available without rolling nodes up again."""
        return key in self._metrics or not utility_metrics[key].costly

    @property
    def is_bounded(self) -> bool:
        """Return whether values of failing nodes take much longer than those of satisfying ones."""
        return self._cells.n_cells > FEW_CELLS and not self.bounded.is_exact.all()

    def is_complete_for(self, key: str) -> bool:
        """Return whether suppressed records and a metric of all nodes are exact and known."""
        return key in self._metrics and ("suppressed" in self.__dict__ or bool(self.bounded.is_exact.all()))

    def complete(self, key: str, monitor: Monitor = SILENT) -> None:
        """Compute suppressed records and a metric of all nodes, in steps after each of which it may stop.

        Raises
        ------
        CancelledError
            If the monitor cancels; then nothing is known that was not before.
        """
        if self.objective.member(key).costly or self.bounded.is_exact.all():
            _ = self.suppressed, self.metric(key)
            return
        values, suppressed = self.metric_of_satisfying(key).copy(), self.bounded.at_least.copy()
        failing = np.flatnonzero(~self.satisfies)
        at_once = NODES_AT_ONCE
        if isinstance(self.lookup, NodeLookup):
            at_once = max(len(failing), 1)  # one walk, which its own monitor follows
            self.lookup.monitor = monitor
        for first in range(0, len(failing), at_once):
            monitor.step(first, len(failing))
            nodes = failing[first : first + at_once]
            found = self._at(nodes)
            suppressed[nodes] = found.suppressed
            values[nodes] = (
                self._metrics[key][nodes] if key in self._metrics else self.objective.natural(key, found)
            )
        self.__dict__["suppressed"], self._metrics[key] = suppressed, values
        if isinstance(self.lookup, SortedLookup):
            metrics = dict(self._metrics)
            indices = {name: self.objective.index(name) for name in metrics}
            known = Completed(suppressed, metrics, indices)
            self.profile.own.put(COMPLETED, _apart_from_limit(self.requirement), known, most=1)

    def metric_of_satisfying(self, key: str) -> FloatArray:
        """Return the natural values of a metric per node; nan for nodes that fail, too."""
        values = np.full(self.lattice.n_nodes, np.nan)
        nodes = np.flatnonzero(self.satisfies)
        values[nodes] = self._values_of_satisfying(key, nodes)
        return values

    def _values_of_satisfying(self, key: str, nodes: IntArray) -> FloatArray:
        if key not in self._satisfying:
            self._satisfying[key] = self.metric_at(key, nodes)
        return self._satisfying[key]

    def metric(self, key: str) -> FloatArray:
        """Return the natural values of a metric per node; nan if not scored or without a value."""
        if key not in self._metrics:
            values = self.objective.natural(key, self)
            self._metrics[key] = values if self._is_whole else np.where(self.scored, values, np.nan)
        return self._metrics[key]

    def metric_at(self, key: str, nodes: IntArray) -> FloatArray:
        """Return the natural values of a metric for some scored nodes, at the cost of these nodes only."""
        if key in self._metrics:
            return self._metrics[key][nodes]
        return self.objective.natural(key, self._at(nodes))

    def ties_at(self, key: str, nodes: IntArray) -> FloatArray | None:
        """Tie-break values for scored nodes of equal loss; see `UtilityMetric.ties`."""
        if type(self.objective.member(key)).ties is UtilityMetric.ties:
            return None
        return self.objective.ties(key, self._at(nodes))

    def optimum(self, key: str) -> int | None:
        """Return the number of the satisfying node of least metric value, with ties decided by `best_of`."""
        if key not in self._optima:
            nodes = np.flatnonzero(self.satisfies)
            if key in self._satisfying:
                self._optima[key] = self._best_of(key, nodes, self._satisfying[key])
            else:
                self._optima[key] = self.best_among(key, nodes)
        return self._optima[key]

    def best_among(self, key: str, nodes: IntArray) -> int | None:
        """Return the number of the node of least metric value among some; None if there are none."""
        metric = self.objective.member(key)
        n_first = FIRST_COSTLY_LOOK if metric.costly else FIRST_LOOK
        if key in self._metrics or not metric.has_floor or len(nodes) <= n_first:
            values = self.metric_at(key, nodes)
        else:
            nodes, values = self._promising(key, nodes, n_first)
        return self._best_of(key, nodes, values)

    def _best_of(self, key: str, nodes: IntArray, values: FloatArray) -> int | None:
        return best_of(self.lattice, nodes, values, self.suppressed_at(nodes), partial(self.ties_at, key))

    def _promising(self, key: str, nodes: IntArray, n_first: int) -> tuple[IntArray, FloatArray]:
        """Exclude nodes that lose more without suppression than another node does in total."""
        floors = self._floors(key, nodes)
        order = np.argpartition(floors, n_first)
        first, others = order[:n_first], order[n_first:]
        values = self.metric_at(key, nodes[first])
        least = float(np.min(values))
        too_much = least + abs(least) * RELATIVE_ROUNDING + ABSOLUTE_ROUNDING
        others = others[~(floors[others] > too_much)]
        if not len(others):
            return nodes[first], values
        chosen = nodes[np.concatenate((first, others))]
        return chosen, np.concatenate((values, self.metric_at(key, nodes[others])))

    def _floors(self, key: str, nodes: IntArray) -> FloatArray:
        """Return the losses of nodes without suppression, cached for a completely scored lattice."""

        def work_out(chosen: IntArray | None = None) -> FloatArray:
            nothing = Requirement()
            figures = look_up(self.profile, self._cells, nothing)
            figures = figures if chosen is None else figures.at(chosen)
            judged = RolledNodes(self.profile, nothing, figures, chosen, self.required_k)
            return self.objective.natural(key, judged)

        if not self._is_whole:
            return work_out(nodes)
        return self.profile.own.get("floors", self.objective.index(key), work_out, MOST_FLOORS)[nodes]

    def _at(self, nodes: IntArray) -> RolledNodes:
        return RolledNodes(self.profile, self.requirement, self.lookup.at(nodes), nodes, self.required_k)

    @property
    def _wanted(self) -> BoolArray:
        return self.scored
