"""Exploring a lattice too large to score whole: one run of the best-first search, off the GUI thread."""

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

NODES_AT_ONCE = 5_000  # scored in one run; a person may ask for more
_SLICE = 20  # nodes between two looks at what is proved


@dataclass(frozen=True)
class Exploring:
    """How far an exploration is.

    Attributes
    ----------
    requirement : Requirement
    metric : str
        What it looks for the least of.
    attribute_weights : mapping of column to float
    bound : float
        No satisfying node has a lower value of the metric: proved. -inf where nothing is.
    is_proved : bool
        Whether the best node known is the optimum, or surely none satisfies.
    is_full : bool
        Whether the memory for scores is used up.
    metric_options : mapping of str to value
        Settings of the metric that are not the usual ones.
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
        """What a project asks to look for, nothing known yet."""
        search = project.search
        return cls(project.requirement, search.metric, search.weights, metric_options=search.metric_options)

    def is_for(self, other: Exploring) -> bool:
        """Whether both look for the same."""
        return (self.requirement, self.metric, self.attribute_weights, self.metric_options) == (
            other.requirement,
            other.metric,
            other.attribute_weights,
            other.metric_options,
        )


class ExplorationRun:
    """Goes on with a profile; `state` may be read by another thread.

    Parameters
    ----------
    profile : ExploredProfile
    wanted : Exploring
        What to look for.
    objective : Objective
        Settings of the metric, and weights.
    memory : int
        Bytes the scores may take.
    """

    def __init__(
        self, profile: ExploredProfile, wanted: Exploring, objective: Objective, memory: int
    ) -> None:
        self.profile = profile
        self.state = wanted
        self._objective = objective
        self._memory = memory

    def run(self, monitor: Monitor) -> ExplorationRun:
        """Score `NODES_AT_ONCE` nodes, or fewer where the optimum is proved or memory is used up before.

        Raises
        ------
        CancelledError
            If the monitor asks to stop; the state says what was reached.
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
    """Progress of one run of an exploration: of the nodes it may score, not of the lattice."""

    def __init__(self, monitor: Monitor, first: int, n_nodes: int) -> None:
        self._monitor, self._first = monitor, first
        self._total = min(NODES_AT_ONCE, n_nodes - first)

    def step(self, done: int, total: int, text: str = "") -> None:
        self._monitor.step(min(done - self._first, self._total), max(self._total, 1), text)


def score_around(profile: ExploredProfile, node: Node, monitor: Monitor) -> tuple[ExploredProfile, int]:
    """Score the neighbours of a node, what a person who looks at it asks next; says how many were new."""
    lattice = profile.problem.lattice
    around = [*lattice.predecessors(node), *lattice.successors(node)]
    new = [other for other in around if other not in profile]
    for done, other in enumerate(new):
        monitor.step(done, len(new))
        profile.score(other)
    return profile, len(new)
