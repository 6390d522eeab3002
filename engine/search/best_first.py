"""Best-first search: scores the most promising nodes first, for as long as it may, and proves what it can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.monitor import Monitor
from engine.scoring.explored import ExploredProfile
from engine.search.base import SearchAlgorithm, SearchResult, SearchTask, search_algorithms
from engine.search.exploration import Exploration


@search_algorithms.register("best_first")
@dataclass(frozen=True, slots=True)
class BestFirst(SearchAlgorithm):
    """Score promising nodes until the best one is proved to be the optimum, or a limit is reached."""

    title: ClassVar[str] = "Best first"
    summary: ClassVar[str] = "For lattices of any size: good nodes early, the optimum if time allows."

    def run(self, task: SearchTask, monitor: Monitor) -> SearchResult:
        """See `SearchAlgorithm.run`; without a limit it ends with the optimum."""
        profile = ExploredProfile(task.problem, task.requirement)
        exploration = Exploration(profile, task.requirement, task.metric, task.weights)
        exploration.advance(monitor, steps=task.steps, seconds=task.seconds)
        evaluation = profile.evaluate(task.requirement, task.weights)
        best = evaluation.optimum(task.metric)
        guarantee = "optimal" if exploration.is_proved else "best_known"
        return SearchResult(
            node=None if best is None else evaluation.lattice.node(best),
            guarantee="none" if best is None else guarantee,
            nodes_checked=profile.n_scored,
            nodes_total=task.problem.lattice.n_nodes,
            evaluation=evaluation,
            bound=exploration.bound,
            is_proved=exploration.is_proved,
        )
