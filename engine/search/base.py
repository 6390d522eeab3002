"""What a search answers, and the registry of algorithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.kernels.arrays import BoolArray, IntArray, Reals
from engine.lattice import LatticePart, Node
from engine.monitor import Monitor
from engine.params import Configurable
from engine.registry import Registry
from engine.scoring import Evaluation
from engine.scoring.optimum import best_of
from engine.search.effort import Efficiency, Effort
from engine.search.search import LimitReachedError, Search, SearchTask
from engine.search.trace import Trace


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
        All scored nodes under the requirement; the numbers of its nodes are those of its lattice.
    bound : float
        No satisfying node has a lower value: proved, not estimated. -inf where nothing is proved,
        inf where surely no node satisfies.
    is_proved : bool
        Whether the answer is final: the optimum, or that no node satisfies.
    trace : Trace
        The nodes in the order they were checked or inferred, each with the reason.
    efficiency : Efficiency
    satisfying : ndarray of bool, shape (n_nodes,), or None
        By node number which nodes satisfy, where the search settled every node.
    notes : tuple of str
        Sentences for people about what was done otherwise than the algorithm's name promises.
    """

    node: Node | None
    guarantee: str
    nodes_checked: int
    nodes_total: int
    evaluation: Evaluation
    bound: float
    is_proved: bool
    trace: Trace
    efficiency: Efficiency
    satisfying: BoolArray | None = None
    notes: tuple[str, ...] = ()


class SearchAlgorithm(Configurable):
    """Finds a node that satisfies a requirement at little loss.

    Attributes
    ----------
    summary : str
        What it does, in one sentence for people who do not know the field.
    promise : str
        What it may say of its answer at best: "optimal", "best_known" or "none".
    source : str
        Who published it, and when; the docstring has the full reference.
    settles_all : bool
        Whether it has to know of every node whether it satisfies, so that it refuses lattices too large
        to list.
    """

    __slots__ = ()
    summary: ClassVar[str]
    promise: ClassVar[str]
    source: ClassVar[str] = ""
    settles_all: ClassVar[bool] = False

    def run(self, task: SearchTask, monitor: Monitor) -> SearchResult:
        """Search until done, or until the task's limits are reached.

        Raises
        ------
        CancelledError
            When the monitor asks to stop.
        InputError
            If the algorithm cannot deal with such a lattice.
        """
        with Effort() as effort:
            search = Search(task, monitor)
            with suppress(LimitReachedError):
                self.explore(search)
            return self._concluded(search, effort)

    def explore(self, search: Search) -> None:
        """Check nodes, note what follows of others, and say in `search` what is known in the end.

        Raises
        ------
        LimitReachedError
            From `Search.check`; what is known then is the answer.
        """
        raise NotImplementedError

    def _concluded(self, search: Search, effort: Effort) -> SearchResult:
        node = search.final or best_checked(search)
        fails_surely = node is None and search.bound == np.inf
        promise = "best_known" if self.promise == "optimal" and not search.is_settled else self.promise
        is_proved = fails_surely or (search.is_settled and self.promise == "optimal")
        bound = search.bound
        if is_proved and not np.isfinite(bound):
            bound = np.inf if node is None else search.value(node)
        effort.stop()
        return SearchResult(
            node=node,
            # A node without a value is no optimum: there is nothing that others could lose more than.
            guarantee="none" if node is None or not np.isfinite(search.value(node)) else promise,
            nodes_checked=search.trace.n_checked,
            nodes_total=search.lattice.n_nodes,
            evaluation=search.evaluation,
            bound=bound,
            is_proved=is_proved,
            trace=search.trace,
            efficiency=search.efficiency(effort),
            satisfying=search.satisfying,
            notes=tuple(search.notes),
        )


def best_checked(search: Search) -> Node | None:
    """The best node among those checked that satisfy, ties as `best_of` decides them."""
    if search.adopted is not None:
        best = search.adopted.optimum(search.task.metric)
        return None if best is None else search.adopted.lattice.node(best)
    nodes = [node for node, found in search.checked.items() if found.satisfies]
    part = LatticePart(search.lattice, np.array(nodes, dtype=np.int16), {n: i for i, n in enumerate(nodes)})
    suppressed = np.array([search.checked[node].suppressed for node in nodes], dtype=np.int64)
    if not nodes:
        return None
    number = best_of(part, np.arange(len(nodes)), search.values(nodes), suppressed, _ties(search, nodes))
    return None if number is None else nodes[number]


def _ties(search: Search, nodes: Sequence[Node]) -> Callable[[IntArray], Reals | None]:
    """What the metric itself says between checked nodes of equal value, by their place among `nodes`."""

    def ties(places: IntArray) -> Reals | None:
        evaluation = search.evaluation
        numbers = [evaluation.lattice.number(nodes[place]) for place in places.tolist()]
        return evaluation.ties_at(search.task.metric, np.array(numbers, dtype=np.int64))

    return ties


search_algorithms: Registry[SearchAlgorithm] = Registry("engine.search", "search algorithm")
