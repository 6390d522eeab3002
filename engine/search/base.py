"""The result of a search, and the base class and registry of algorithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine import plugins
from engine.kernels.arrays import BoolArray, FloatArray, IntArray
from engine.lattice import LatticePart, Node
from engine.monitor import Monitor
from engine.params import Configurable
from engine.registry import Registry
from engine.scoring import Evaluation
from engine.scoring.optimum import best_of
from engine.search.search import LimitReachedError, Search, SearchTask
from engine.search.trace import Efficiency, Effort, Trace
from engine.words import N_, _


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of a search.

    Attributes
    ----------
    node : tuple of int or None
        The node found; None if no checked node satisfies.
    guarantee : str
        "optimal", "best_known" or "none".
    evaluation : Evaluation
        All scored nodes under the requirement; its node numbers are those of its lattice.
    bound : float
        No satisfying node has a lower value: proven, not estimated. -inf if nothing is proven, inf if it is
        proven that no node satisfies.
    is_proved : bool
        Whether the result is final: the optimum, or that no node satisfies.
    trace : Trace
        The nodes in the order they were checked or inferred, each with the reason.
    satisfying : ndarray of bool, shape (n_nodes,), or None
        Which nodes satisfy, by node number, if the search decided every node.
    notes : tuple of str
        Sentences for the user about deviations from the published algorithm.
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
    """A search for a node that satisfies a requirement with little loss.

    Attributes
    ----------
    summary : str
        What it does, in one sentence for readers new to the field.
    promise : str
        The strongest status that its result can have: "optimal", "best_known" or "none".
    source : str
        Author and year; the docstring has the full reference.
    settles_all : bool
        Whether it decides of every node whether it satisfies, and so refuses lattices too large to list.
    """

    __slots__ = ()
    summary: ClassVar[str]
    promise: ClassVar[str]
    source: ClassVar[str] = ""
    settles_all: ClassVar[bool] = False

    def run(self, task: SearchTask, monitor: Monitor) -> SearchResult:
        """Search until done, or until a limit of the task is reached.

        Raises
        ------
        InputError
            If the algorithm cannot search this lattice.
        """
        with Effort() as effort:
            search = Search(task, monitor)
            with suppress(LimitReachedError):
                self.explore(search)
            return self._concluded(search, effort)

    def explore(self, search: Search) -> None:
        """Check nodes, note what follows for others, and leave the result in `search`.

        Raises
        ------
        LimitReachedError
            From `Search.check`; the result is the best known by then.
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
        if search.task.is_stopped and not search.is_settled:
            search.notes.append(
                _("The search was stopped early: its result is the best node evaluated until then.")
            )
        if search.is_full and not search.is_settled:
            search.notes.append(
                _("The scores took all the memory that they may: the result is the best node known by then.")
            )
        effort.stop()
        return SearchResult(
            node=node,
            # a node without a value is not an optimum, since no value can be compared with it
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
    """Return the best checked node that satisfies, with ties decided as in `best_of`."""
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


def _ties(search: Search, nodes: Sequence[Node]) -> Callable[[IntArray], FloatArray | None]:
    """Return the metric's tie-break values of checked nodes, by their position in `nodes`."""

    def ties(places: IntArray) -> FloatArray | None:
        evaluation = search.evaluation
        numbers = [evaluation.lattice.number(nodes[place]) for place in places.tolist()]
        return evaluation.ties_at(search.task.metric, np.array(numbers, dtype=np.int64))

    return ties


search_algorithms: Registry[SearchAlgorithm] = Registry(
    "engine.search",
    N_("search algorithm"),
    group=plugins.ALGORITHMS,
    base=SearchAlgorithm,
    methods=("explore",),
)
