"""One run of a search algorithm: its limits, what it knows so far, and its result."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import NamedTuple

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, FloatArray
from engine.lattice import Lattice, Node
from engine.monitor import Monitor
from engine.privacy import Requirement
from engine.scoring import Evaluation
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.scored import Profile
from engine.search.exploration import inherited
from engine.search.trace import Efficiency, Effort, Rule, Trace
from engine.utility import UtilityMetric
from engine.utility.objective import Objective
from engine.words import _


@dataclass(frozen=True, eq=False)
class SearchTask:
    """The task of a search.

    Attributes
    ----------
    metric : str
        Key of the utility metric to minimize.
    weights : ndarray of float64, shape (n_qi,), or None
    chosen : UtilityMetric or None
        The metric with its settings; None for the defaults.
    steps : int
        Largest number of nodes to score; 0 for no limit.
    seconds : float
        Largest time to spend, in seconds; 0 for no limit.
    seed : int
        Seed of algorithms that draw at random.
    profile : Profile, optional
        The completely scored lattice of the same problem: checks are then look-ups.
    stop : Event, optional
        Set by another thread to end the search as a limit does: with the best node known.
    memory : int
        Bytes for scores: an exhaustive search scores lattices that would take more in parts, others end with
        the best node known once they have taken them; 0 for no limit.
    """

    problem: Problem
    requirement: Requirement
    metric: str = "loss"
    weights: FloatArray | None = None
    steps: int = 0
    seconds: float = 0.0
    seed: int = 0
    profile: Profile | None = None
    chosen: UtilityMetric | None = None
    stop: Event | None = None
    memory: int = 0

    @property
    def is_stopped(self) -> bool:
        """Return whether the user asked to end the search with what it has."""
        return self.stop is not None and self.stop.is_set()

    @property
    def objective(self) -> Objective:
        """The objective by which evaluations compare nodes."""
        return Objective(self.weights, self.chosen)


class LimitReachedError(Exception):
    """A limit is reached or the user asked to stop; the result is the best known by then."""


class Checked(NamedTuple):
    """Result of counting a node's classes.

    Attributes
    ----------
    carries : bool
        Whether the node meets the part of the requirement that carries over to all successors. If not, all
        predecessors fail.
    suppressed : int
        Number of suppressed records.
    """

    satisfies: bool
    carries: bool
    suppressed: int


class Search:
    """Everything that one run has scored and inferred.

    Attributes
    ----------
    inherited : Requirement
        The part of the requirement that carries over from nodes to their successors.
    carries_over : bool
        Whether that is the complete requirement, so that all nodes above a satisfying one satisfy.
    satisfying : ndarray of bool, shape (n_nodes,), or None
        Which nodes satisfy, by node number, if the algorithm decided every node of the lattice.
    is_settled : bool
        Whether no node of the lattice can be better than the best checked one.
    final : tuple of int or None
        The result, if it is not simply the best checked node.
    notes : list of str
        Sentences for the user about deviations from the published algorithm.
    bound : float
        See `SearchResult`.
    adopted : Evaluation or None
        Evaluation of all scored nodes, by an algorithm that does not score them by `check`.
    n_planned : int
        Largest number of checks over all passes, those of parts of the lattice included.
    n_spared : int
        Planned checks that are not needed any more, since the node fails or cannot be the best.
    scans, rollups, generalization_steps : int
        Work done outside of `check`; see `Efficiency`.
    """

    def __init__(self, task: SearchTask, monitor: Monitor) -> None:
        self.task = task
        self.monitor = monitor
        self.problem: Problem = task.problem
        self.lattice: Lattice = task.problem.lattice
        self.inherited = inherited(task.requirement, task.problem)
        self.carries_over = self.inherited == task.requirement
        self.trace = Trace(len(task.problem.attributes))
        self.satisfying: BoolArray | None = None
        self.is_settled = False
        self.final: Node | None = None
        self.bound = -np.inf
        self.notes: list[str] = []
        self.n_planned, self.n_spared = self.lattice.n_nodes, 0
        self.scans = self.rollups = self.generalization_steps = 0
        self.adopted: Evaluation | None = None
        self.checked: dict[Node, Checked] = {}  # the nodes checked so far, in order; must not be changed
        self._values: dict[Node, float] = {}
        self._started = time.monotonic()
        self._whole: _Whole | None = None
        self._profile: ExploredProfile | None = None
        if task.profile is not None and task.profile.is_complete:
            evaluation = evaluate(task.profile, task.requirement, task.objective)
            carries = evaluation if self.carries_over else evaluate(task.profile, self.inherited)
            self._whole = _Whole(evaluation, evaluation.satisfies, carries.satisfies)

    @property
    def profile(self) -> ExploredProfile:
        """Scores of the checked nodes, unless they are looked up in the complete lattice."""
        if self._profile is None:
            self._profile = ExploredProfile(self.problem, self.task.requirement)
        return self._profile

    @property
    def is_full(self) -> bool:
        """Return whether the scores have taken the memory that they may take."""
        scored, memory = self._profile, self.task.memory
        return scored is not None and 0 < memory < scored.n_bytes

    @property
    def evaluation(self) -> Evaluation:
        """The scored nodes under the requirement."""
        if self.adopted is not None:
            return self.adopted
        if self._whole is not None:
            return self._whole.evaluation
        return evaluate(self.profile, self.task.requirement, self.task.objective)

    @property
    def is_looked_up(self) -> bool:
        """Return whether checks are look-ups in a completely scored lattice, which generalize nothing."""
        return self._whole is not None

    def check(self, node: Node, rule: Rule) -> Checked:
        """Count the classes of a node and evaluate it; repeated checks cost nothing.

        Raises
        ------
        LimitReachedError
            If no more nodes may be scored.
        """
        if (known := self.checked.get(node)) is not None:
            return known
        self.spend()
        self.checked[node] = found = self._looked_up(node) if self._whole else self._scored(node)
        self.trace.add(node, found.satisfies, rule)
        return found

    def note_top(self, node: Node) -> None:
        """Note that no node satisfies, if the top fails a condition that every node would pass on to it."""
        if node == self.lattice.maximum and not self.checked[node].carries:
            self.bound = np.inf

    def value(self, node: Node) -> float:
        """Return the metric of a checked node; inf if it has no value."""
        return float(self.values([node])[0])

    def values(self, nodes: Sequence[Node]) -> FloatArray:
        """Return the metric of checked nodes, shape (n_nodes,); inf if it has no value."""
        new = [node for node in nodes if node not in self._values]
        if new:
            evaluation = self.evaluation
            numbers = np.array([evaluation.lattice.number(node) for node in new], dtype=np.int64)
            found = np.nan_to_num(evaluation.metric_at(self.task.metric, numbers), nan=np.inf)
            self._values.update(zip(new, found.tolist(), strict=True))
        return np.array([self._values[node] for node in nodes])

    def spend(self) -> None:
        """Count one more check of a node, of the lattice or of a part, against the limits.

        Raises
        ------
        LimitReachedError
            If the limit of steps or seconds is reached, or the user asked to stop.
        """
        task, n_checked = self.task, self.trace.n_checked
        self.report(_("Checking nodes"))
        if task.steps and n_checked >= task.steps:
            raise LimitReachedError
        if self.is_full:
            raise LimitReachedError
        if n_checked and (task.is_stopped or (task.seconds and self._elapsed() >= task.seconds)):
            raise LimitReachedError

    def report(self, text: str) -> None:
        """Report the progress over all passes, or towards a limit that is nearer."""
        task, n_checked = self.task, self.trace.n_checked
        shares = [(min(n_checked + self.n_spared, self.n_planned), self.n_planned)]
        if task.steps:
            shares.append((min(n_checked, task.steps), task.steps))
        if task.seconds:
            limit = max(round(task.seconds * 1000), 1)
            shares.append((min(round(self._elapsed() * 1000), limit), limit))
        done, total = max(shares, key=lambda share: share[0] / max(share[1], 1))
        self.monitor.step(done, total, text)

    def efficiency(self, effort: Effort) -> Efficiency:
        """Return the cost of the run so far."""
        tuples = None if self._profile is None else self._profile.tuples
        return Efficiency(
            seconds=effort.seconds,
            peak_bytes=effort.peak_bytes,
            nodes_checked=self.trace.n_checked,
            nodes_inferred=self.trace.n_inferred,
            scans=self.scans + (tuples.n_scans if tuples else 0),
            rollups=self.rollups + (tuples.n_rollups if tuples else 0),
            generalization_steps=self.generalization_steps + (tuples.n_steps if tuples else 0),
        )

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _looked_up(self, node: Node) -> Checked:
        assert self._whole is not None
        number = self.lattice.number(node)
        return Checked(
            bool(self._whole.satisfies[number]),
            bool(self._whole.carries[number]),
            int(self._whole.evaluation.suppressed[number]),
        )

    def _scored(self, node: Node) -> Checked:
        place = self.profile.score(node)
        part = self.profile.part(place, place + 1)
        evaluation = evaluate(part, self.task.requirement, self.task.objective)
        satisfies = bool(evaluation.satisfies[0])
        carries = satisfies
        if not satisfies and not self.carries_over:
            carries = bool(evaluate(part, self.inherited).satisfies[0])
        return Checked(satisfies, carries, int(evaluation.suppressed[0]))


class _Whole(NamedTuple):
    """A completely scored lattice, in which checks are look-ups."""

    evaluation: Evaluation
    satisfies: BoolArray
    carries: BoolArray
