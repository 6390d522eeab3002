"""What a search is asked, what it answers, and the registry of algorithms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.frequency import Problem
from engine.kernels.arrays import Reals
from engine.lattice import Node
from engine.monitor import Monitor
from engine.params import Configurable
from engine.privacy import Requirement
from engine.registry import Registry
from engine.scoring import Evaluation


@dataclass(frozen=True, eq=False)
class SearchTask:
    """What to look for.

    Attributes
    ----------
    problem : Problem
    requirement : Requirement
    metric : str
        Key of the utility metric to minimize.
    weights : ndarray of float64, shape (n_qi,), or None
    steps : int
        Nodes to score at most; 0 for no limit.
    seconds : float
        Time to spend at most; 0 for no limit.
    """

    problem: Problem
    requirement: Requirement
    metric: str = "loss"
    weights: Reals | None = None
    steps: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What was found.

    Attributes
    ----------
    node : tuple of int or None
        None if no checked node satisfies.
    guarantee : str
        "optimal", "best_known" or "none".
    nodes_checked, nodes_total : int
    evaluation : Evaluation
        All checked nodes under the requirement; the numbers of its nodes are those of its lattice.
    bound : float
        No satisfying node has a lower value: proved, not estimated. -inf where nothing is proved,
        inf where surely no node satisfies.
    is_proved : bool
        Whether the answer is final: the optimum, or that no node satisfies.
    """

    node: Node | None
    guarantee: str
    nodes_checked: int
    nodes_total: int
    evaluation: Evaluation
    bound: float
    is_proved: bool


class SearchAlgorithm(Configurable):
    """Finds a node that satisfies a requirement at little loss."""

    __slots__ = ()
    summary: ClassVar[str]

    def run(self, task: SearchTask, monitor: Monitor) -> SearchResult:
        """Search; raises `CancelledError` when the monitor asks to stop."""
        raise NotImplementedError


search_algorithms: Registry[SearchAlgorithm] = Registry("engine.search", "search algorithm")
