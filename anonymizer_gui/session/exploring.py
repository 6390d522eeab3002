"""Partial scoring of a lattice too large to score completely, by best-first search off the GUI thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from engine.monitor import Monitor
from engine.privacy import Requirement
from engine.project import Project

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.scoring.explored import ExploredProfile
    from engine.utility.objective import Objective

NODES_AT_ONCE = 5_000  # scored in one run; the user can continue
_SLICE = 20  # nodes between two updates of the proven bound


@dataclass(frozen=True)
class Exploring:
    """Goal and progress of a best-first search.

    Attributes
    ----------
    requirement : Requirement
    metric : str
        Key of the metric to minimize.
    attribute_weights : mapping of column to float
    bound : float
        Proven lower bound of the metric over all satisfying nodes; -inf if there is none.
    is_proved : bool
        Whether the best node so far is proven optimal, or no node satisfies.
    is_full : bool
        Whether the memory for scores is used up.
    metric_options : mapping of str to value
        Settings of the metric that differ from its defaults.
    """

    requirement: Requirement
    metric: str
    attribute_weights: Mapping[str, float]
    bound: float = float("-inf")
    is_proved: bool = False
    is_full: bool = False
    metric_options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, project: Project) -> Self:
        """Return the goal of a project without any progress."""
        search = project.search
        return cls(project.requirement, search.metric, search.weights, metric_options=search.metric_options)

    def is_for(self, other: Exploring) -> bool:
        """Return whether both have the same goal."""
        return (self.requirement, self.metric, self.attribute_weights, self.metric_options) == (
            other.requirement,
            other.metric,
            other.attribute_weights,
            other.metric_options,
        )


class ExplorationRun:
    """Continues the scoring of a profile; other threads may read `state`.

    Parameters
    ----------
    profile : ExploredProfile
    wanted : Exploring
        Goal of the search.
    objective : Objective
        Settings of the metric, and weights.
    memory : int
        Memory limit for scores in bytes.
    """

    def __init__(
        self, profile: ExploredProfile, wanted: Exploring, objective: Objective, memory: int
    ) -> None:
        self.profile = profile
        self.state = wanted
        self._objective = objective
        self._memory = memory

    def run(self, monitor: Monitor) -> ExplorationRun:
        """Score `NODES_AT_ONCE` nodes, or fewer if the optimum is proven or memory is used up.

        Raises
        ------
        CancelledError
            The monitor asked to stop; `state` has the progress so far.
        """
        from engine.search.exploration import Exploration

        profile, state = self.profile, self.state
        exploration = Exploration(profile, state.requirement, state.metric, self._objective)
        first = profile.n_scored
        progress = _Progress(monitor, first, profile.problem.lattice.n_nodes)
        while profile.n_scored - first < NODES_AT_ONCE and not self.state.is_proved:
            if profile.n_bytes > self._memory:
                self.state = replace(self.state, is_full=True)
                break
            exploration.advance(progress, steps=_SLICE)
            self.state = replace(self.state, bound=exploration.bound, is_proved=exploration.is_proved)
        return self


class _Progress:
    """Progress of one run relative to the nodes it may score, not to the lattice."""

    def __init__(self, monitor: Monitor, first: int, n_nodes: int) -> None:
        self._monitor, self._first = monitor, first
        self._total = min(NODES_AT_ONCE, n_nodes - first)

    def step(self, done: int, total: int, text: str = "") -> None:
        self._monitor.step(min(done - self._first, self._total), max(self._total, 1), text)


def score_around(profile: ExploredProfile, node: Node, monitor: Monitor) -> tuple[ExploredProfile, int]:
    """Score the neighbours of a node, which the user is likely to open next; return how many were new."""
    lattice = profile.problem.lattice
    around = [*lattice.predecessors(node), *lattice.successors(node)]
    new = [other for other in around if other not in profile]
    for done, other in enumerate(new):
        monitor.step(done, len(new))
        profile.score(other)
    return profile, len(new)
