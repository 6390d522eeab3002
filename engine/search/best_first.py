"""Best-first search: scores the most promising nodes first, for as long as it may, and proves what it can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.scoring.explored import ExploredProfile
from engine.search.base import SearchAlgorithm, search_algorithms
from engine.search.exploration import Exploration
from engine.search.search import Search
from engine.search.trace import Rule

PROMISING = Rule("promising", "it was the most promising node not yet counted", is_check=True)


@search_algorithms.register("best_first")
@dataclass(frozen=True, slots=True)
class BestFirst(SearchAlgorithm):
    """Score promising nodes until the best one is proved to be the optimum, or a limit is reached."""

    title: ClassVar[str] = "Best first"
    summary: ClassVar[str] = "For lattices of any size: good nodes early, the optimum if time allows."
    promise: ClassVar[str] = "optimal"

    def explore(self, search: Search) -> None:
        """See `SearchAlgorithm.explore`; without a limit it ends with the optimum."""
        task = search.task
        profile = ExploredProfile(task.problem, task.requirement)
        exploration = Exploration(profile, task.requirement, task.metric, task.objective)
        exploration.advance(search.monitor, steps=task.steps, seconds=task.seconds)
        search.adopted = evaluation = profile.evaluate(task.requirement, task.objective)
        search.trace.extend(evaluation.lattice.levels, np.asarray(evaluation.satisfies), PROMISING)
        search.rollups, search.scans = profile.tuples.n_rollups, profile.tuples.n_scans
        search.generalization_steps = profile.tuples.n_steps
        search.bound = exploration.bound
        search.is_settled = exploration.is_proved
