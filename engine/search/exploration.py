"""A search of lattices of any size, from both ends, that can stop and continue at any node.

From the top it finds good nodes early: the unscored neighbours of the best satisfying nodes come next. From
the bottom it proves: the lattice is cut into boxes, each containing all nodes between a lowest and a highest
one. The box with the lowest bound is cut in two. A box is finished if its bound exceeds the best value, or if
its highest node fails a condition that carries over from nodes to their successors, since then the complete
box fails. If no box remains, the best node is the optimum.
"""

from __future__ import annotations

import heapq
import itertools
import time
from dataclasses import replace
from threading import Event

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, FloatArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.privacy import Conditions, Monotonic, Requirement
from engine.privacy.limit import allowed_losses
from engine.scoring.evaluate import Evaluation, evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.optimum import TIE
from engine.search.bounds import Bounds, rounded_down
from engine.search.trace import Rule
from engine.utility.objective import Objective
from engine.words import N_, _

MOST_STARTS = 1000  # satisfying nodes scored before whose neighbours are examined at the start
MOST_NEAR = 200_000  # remembered neighbours, limited to bound memory

END = Rule("end", N_("it is an end of the lattice"), is_check=True)
CHAIN = Rule(
    "chain", N_("it halves the part of a chain between the ends where nodes begin to satisfy"), is_check=True
)
NEAR = Rule("near", N_("it is next to the best satisfying node with unscored neighbours"), is_check=True)
HIGHEST = Rule(
    "highest",
    N_("it is the highest node of the box with the lowest bound, which fails if it fails"),
    is_check=True,
)
LOWEST = Rule(
    "lowest",
    N_("it is the lowest node of the box with the lowest bound, whose classes bound the box"),
    is_check=True,
)
SINGLE = Rule("single", N_("it is the only node of the box with the lowest bound"), is_check=True)


class Exploration:
    """An exploration of a lattice under one requirement; earlier scores are used.

    Parameters
    ----------
    profile : ExploredProfile
        The profile that receives the scores.
    objective : Objective or ndarray of float64 of shape (n_qi,), optional
        Settings of the metric and weights, or weights alone.
    within : tuple of Node and Node, optional
        Lowest and highest node of the box that is explored; the whole lattice by default. The optimum is
        then that of the box.
    """

    def __init__(
        self,
        profile: ExploredProfile,
        requirement: Requirement,
        metric: str = "loss",
        objective: Objective | FloatArray | None = None,
        within: tuple[Node, Node] | None = None,
    ) -> None:
        self.profile = profile
        self.requirement = requirement
        self.metric = metric
        self.objective = Objective.of(objective)
        self._lattice = profile.problem.lattice
        self._low, self._high = within or (self._lattice.minimum, self._lattice.maximum)
        self._bounds = Bounds(profile.problem, requirement, metric, self.objective)
        self._inherited = inherited(requirement, profile.problem)
        self._judged = 0
        self._least = np.inf  # value of the best known node
        self._failing = HighestNodes(len(self._lattice.shape))
        self._closed: set[Node] = set()  # satisfying nodes that suppress nothing
        self._order = itertools.count()
        self._near: list[tuple[float, float, int, Node]] = []
        self._boxes: list[tuple[float, int, Node, Node]] = []
        self._push_box(self._low, self._high, -np.inf)
        self._ends = [self._low, self._high]
        self._n_links = 1 << sum(self._lattice.shape).bit_length()
        self._span = (0, self._n_links)  # of the chain between the ends, halved until one edge remains
        self._turn = 0
        self._reasons: list[Rule | None] = []  # by number in the profile

    @property
    def is_proved(self) -> bool:
        """Return whether the best node is proven to be the optimum, or no node is proven to satisfy."""
        self._drop_boxes()
        return not self._boxes

    @property
    def bound(self) -> float:
        """A value below which no node satisfies; inf if it is proven that none does."""
        self._drop_boxes()
        return min(rounded_down(self._boxes[0][0]), self._least) if self._boxes else self._least

    def advance(
        self,
        monitor: Monitor = SILENT,
        *,
        steps: int = 0,
        seconds: float = 0.0,
        stop: Event | None = None,
        memory: int = 0,
    ) -> None:
        """Score nodes until the optimum is proven, a limit is reached (0: no limit) or `stop` is set.

        `memory` limits the bytes of the scores.

        Raises
        ------
        CancelledError
            If the monitor cancels; scores are kept, and `advance` continues from there.
        """
        started, n_before = time.monotonic(), self.profile.n_scored
        n_nodes = self._lattice.n_nodes
        total = min(n_before + steps, n_nodes) if steps else n_nodes
        while True:
            self._judge_new()
            n_scored = self.profile.n_scored
            monitor.step(n_scored, total, _("Exploring nodes"))
            if self.is_proved or (steps and n_scored - n_before >= steps):
                return
            if stop is not None and stop.is_set() and n_scored > n_before:
                return
            if memory and n_scored > n_before and self.profile.n_bytes > memory:
                return
            if seconds and n_scored > n_before and time.monotonic() - started >= seconds:
                return
            if (found := self._next()) is not None:
                self._score(*found)

    def reason(self, number: int) -> Rule | None:
        """Return why this exploration scored a node, by its number in the profile; None if it did not."""
        return self._reasons[number] if number < len(self._reasons) else None

    def _score(self, node: Node, rule: Rule) -> None:
        number = self.profile.score(node)
        # other users of the profile may have scored nodes since
        self._reasons += [None] * (number + 1 - len(self._reasons))
        self._reasons[number] = rule

    # -- what is known -------------------------------------------------------------------------

    def _judge_new(self) -> None:
        """Evaluate the nodes scored since the last call, by this exploration or by others."""
        last = self.profile.n_scored
        if last == self._judged:
            return
        part = self.profile.part(self._judged, last)
        evaluation = evaluate(part, self.requirement, self.objective)
        self._note_failing(evaluation)
        self._judged = last
        levels = evaluation.lattice.levels
        is_inside = ((levels >= self._low) & (levels <= self._high)).all(axis=1)
        satisfying = np.flatnonzero(evaluation.satisfies & is_inside)
        if not len(satisfying):
            return
        values = np.nan_to_num(evaluation.metric(self.metric)[satisfying], nan=np.inf)
        self._least = min(self._least, float(values.min()))
        unsuppressed = satisfying[evaluation.suppressed[satisfying] == 0]
        if self._bounds.is_exact:
            self._closed.update(part.lattice.node(number) for number in unsuppressed.tolist())
        for place in np.argsort(values, kind="stable")[:MOST_STARTS].tolist():
            self._push_near(float(values[place]), part.lattice.node(int(satisfying[place])))

    def _note_failing(self, evaluation: Evaluation) -> None:
        """Remember the highest failing nodes whose predecessors all fail too."""
        if not self._inherited.models:
            return
        judged = evaluation
        if self._inherited != self.requirement:
            judged = evaluate(evaluation.profile, self._inherited)
        failing = np.flatnonzero(~judged.satisfies)
        highest_first = failing[np.argsort(-judged.lattice.sums[failing], kind="stable")]
        for number in highest_first.tolist():
            self._failing.add(judged.lattice.node(number))

    def _is_beaten(self, bound: float) -> bool:
        """Return whether a node of at least this value neither beats the best nor ties with it."""
        return rounded_down(bound) > self._least + abs(self._least) * TIE

    # -- which node next -----------------------------------------------------------------------

    def _next(self) -> tuple[Node, Rule] | None:
        """Return a node to score and the reason; None if a box was cut or dropped without scoring."""
        if self._ends:
            end = self._ends.pop()
            return None if end in self.profile else (end, END)
        if self._span[1] - self._span[0] > 1:
            return self._next_of_chain()
        self._turn += 1
        if self._turn % 2 and (node := self._next_near()) is not None:
            return node, NEAR
        return self._next_of_boxes()

    def _next_of_chain(self) -> tuple[Node, Rule] | None:
        """Return the lowest satisfying node of a chain between the ends, by bisection."""
        low, high = self._span
        middle = (low + high) // 2
        share = middle / self._n_links
        node = tuple(a + round((b - a) * share) for a, b in zip(self._low, self._high, strict=True))
        if node not in self.profile:
            return node, CHAIN
        number = self.profile.score(node)
        met = bool(evaluate(self.profile.part(number, number + 1), self.requirement).satisfies[0])
        self._span = (low, middle) if met else (middle, high)
        return None

    def _next_near(self) -> Node | None:
        while self._near:
            _unused, bound, _unused, node = heapq.heappop(self._near)
            if node not in self.profile and not self._is_beaten(bound) and not self._failing.has_above(node):
                return node
        return None

    def _is_inside(self, node: Node) -> bool:
        return all(a <= level <= b for a, level, b in zip(self._low, node, self._high, strict=True))

    def _push_near(self, value: float, node: Node) -> None:
        around = [*self._lattice.predecessors(node), *self._lattice.successors(node)]
        around = [other for other in around if other not in self.profile and self._is_inside(other)]
        if not around:
            return
        own, *bounds = self._bounds.of_levels([node, *around]).tolist()
        for other, bound in zip(around, bounds, strict=True):
            if not self._is_beaten(bound):
                # assumes that suppression costs the neighbour as much as this node
                guess = value - own + bound if np.isfinite(own) else value
                heapq.heappush(self._near, (guess, bound, next(self._order), other))
        if len(self._near) > MOST_NEAR:
            self._near = heapq.nsmallest(MOST_NEAR // 2, self._near)  # a sorted list is a heap

    def _next_of_boxes(self) -> tuple[Node, Rule] | None:
        self._drop_boxes()
        if not self._boxes:
            return None
        bound, _unused, low, high = heapq.heappop(self._boxes)
        if self._failing.has_above(high) or low in self._closed:
            return None
        needs = self._needed_of_box(low, high)
        if needs is not None:
            self._push_box(low, high, bound)
            return needs
        if self._bounds.is_by_classes and low in self.profile:
            found = self.profile.part(number := self.profile.score(low), number + 1)
            better = max(bound, float(self._bounds.of_scored(found)[0]))
            if better > bound:
                self._push_box(low, high, better)
                return None
        if low != high:
            self._cut(low, high, bound)
        return None

    def _needed_of_box(self, low: Node, high: Node) -> tuple[Node, Rule] | None:
        """Return the corner to score before a box is cut: it may drop the box or improve its bound."""
        if (self._inherited.models or low == high) and high not in self.profile:
            return high, SINGLE if low == high else HIGHEST
        if self._bounds.is_by_classes and low not in self.profile:
            return low, LOWEST
        return None

    def _cut(self, low: Node, high: Node, bound: float) -> None:
        """Cut where the bound of the upper half rises most; without bounds, halve the longest side."""
        sides = [q for q in range(len(low)) if high[q] > low[q]]
        middles = {q: (low[q] + high[q]) // 2 for q in sides}
        uppers = [(*low[:q], middles[q] + 1, *low[q + 1 :]) for q in sides]
        bounds = np.nan_to_num(self._bounds.of_levels(uppers), neginf=0.0)
        best = max(range(len(sides)), key=lambda i: (bounds[i], high[sides[i]] - low[sides[i]], -sides[i]))
        q = sides[best]
        self._push_box(low, (*high[:q], middles[q], *high[q + 1 :]), bound)
        self._push_box(uppers[best], high, bound)

    def _push_box(self, low: Node, high: Node, bound: float) -> None:
        bound = max(bound, float(self._bounds.of_levels([low])[0]))
        if not self._is_beaten(bound):
            heapq.heappush(self._boxes, (bound, next(self._order), low, high))

    def _drop_boxes(self) -> None:
        """Drop all boxes if the first is beaten, since boxes are sorted by their bounds."""
        if self._boxes and self._is_beaten(self._boxes[0][0]):
            self._boxes.clear()


def inherited(requirement: Requirement, problem: Problem) -> Requirement:
    """Return the part of a requirement that carries over from a node to all its successors.

    If nothing may be suppressed, every class must meet every model, so models that are monotonic without
    suppression carry over. What suppressed records have to meet as one class never does, nor what a release
    has to withstand beside earlier ones.
    """
    kinds, conditions = {Monotonic.ALWAYS}, Conditions.of(problem)
    if allowed_losses(problem, requirement) == 0:
        kinds.add(Monotonic.WITHOUT_SUPPRESSION)
    models = tuple(model for model in requirement.models if model.monotonic_under(conditions) in kinds)
    return replace(requirement, models=models, holds_group=False, large_must_hold=False, earlier=None)


class HighestNodes:
    """Nodes none of which is below another, stored in columns: a comparison reads one number per node."""

    def __init__(self, n_qi: int) -> None:
        self._levels = np.zeros((n_qi, 64), dtype=np.int16)
        self._n_nodes = 0

    def __len__(self) -> int:
        return self._n_nodes

    def has_above(self, node: Node) -> bool:
        """Return whether a node is one of these or below one."""
        levels = self._levels[:, : self._n_nodes]
        above: BoolArray = np.ones(self._n_nodes, dtype=np.bool_)
        for column, level in zip(levels, node, strict=True):
            above &= column >= level
        return bool(above.any())

    def add(self, node: Node) -> None:
        """Add a node unless it is below another; remove those below it."""
        if self.has_above(node):
            return
        levels = self._levels[:, : self._n_nodes]
        below: BoolArray = np.ones(self._n_nodes, dtype=np.bool_)
        for column, level in zip(levels, node, strict=True):
            below &= column <= level
        if below.any():
            kept = levels[:, ~below]
            self._n_nodes = kept.shape[1]
            self._levels[:, : self._n_nodes] = kept
        if self._n_nodes == self._levels.shape[1]:
            self._levels = np.concatenate((self._levels, np.zeros_like(self._levels)), axis=1)
        self._levels[:, self._n_nodes] = node
        self._n_nodes += 1
