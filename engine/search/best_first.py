"""Best-first search: scores the most promising nodes first within its limits, and proves what it can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.scoring.evaluate import evaluate
from engine.search.base import SearchAlgorithm, search_algorithms
from engine.search.exploration import Exploration
from engine.search.search import Search
from engine.words import lazy


@search_algorithms.register("best_first")
@dataclass(frozen=True, slots=True)
class BestFirst(SearchAlgorithm):
    """Score promising nodes until the best one is proven to be the optimum, or a limit is reached.

    It begins with the ends of the lattice and a chain between them, to find a node that satisfies. Then
    neighbours of the best nodes alternate with corners of boxes of nodes, by which complete boxes are
    excluded. The profile of the `Exploration` keeps all scores, so a search that is stopped keeps its best
    node and can continue.
    """

    title: ClassVar[str] = lazy("Best first")
    summary: ClassVar[str] = lazy(
        "For lattices of any size: finds good nodes early, and the optimum if time allows."
    )
    promise: ClassVar[str] = "optimal"

    def explore(self, search: Search) -> None:
        """Without a limit, the search ends with the optimum."""
        best_first(search)


def best_first(search: Search) -> None:
    """Explore the lattice of a search, whose profile has no scores yet."""
    task, profile = search.task, search.profile
    exploration = Exploration(profile, task.requirement, task.metric, task.objective)
    exploration.advance(
        search.monitor, steps=task.steps, seconds=task.seconds, stop=task.stop, memory=task.memory
    )
    search.adopted = evaluation = evaluate(profile, task.requirement, task.objective)
    nodes = evaluation.lattice.levels.tolist()
    for number, (levels, satisfies) in enumerate(zip(nodes, evaluation.satisfies.tolist(), strict=True)):
        rule = exploration.reason(number)
        assert rule is not None, "nobody else scores nodes of this profile"
        search.trace.add(tuple(levels), satisfies, rule)
    search.bound = exploration.bound
    search.is_settled = exploration.is_proved
