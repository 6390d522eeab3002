"""Genetic search: two populations of nodes evolve, in lattices too large for any proof."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from engine.kernels.arrays import IntArray
from engine.lattice import Node
from engine.params import Integer, Real, param
from engine.privacy.limit import most_suppressed
from engine.search.base import SearchAlgorithm, search_algorithms
from engine.search.search import Search
from engine.search.trace import Rule
from engine.words import N_, lazy

END = Rule("end", N_("it is an end of the lattice"), is_check=True)
DRAWN = Rule("drawn", N_("it was drawn at random"), is_check=True)
BRED = Rule("bred", N_("it combines the levels of two nodes, better ones preferred"), is_check=True)
NEIGHBOUR = Rule("neighbour", N_("it is next to the best node of its population"), is_check=True)

N_POPULATIONS = 2
MOST_TRIES = 8  # attempts to breed a node that the population does not contain


class NodeRank(NamedTuple):
    """Rank of a node, lowest first: satisfying nodes before failing ones, then by cost.

    Attributes
    ----------
    cost : float
        The metric of a satisfying node; for others, the number of suppressed records above the limit.
    suppressed, n_levels : int
        At equal cost, fewer suppressed records and lower levels rank better.
    """

    fails: bool
    cost: float
    suppressed: int
    n_levels: int
    node: Node


@search_algorithms.register("genetic")
@dataclass(frozen=True, slots=True)
class Genetic(SearchAlgorithm):
    """Breed nodes generation by generation; the result is the best node seen, never a proven optimum.

    The better nodes of a population survive, the others are replaced by children: each level of a child comes
    from one of two parents, drawn with a preference for better ones. Some children are moved by a step, down
    if the parent satisfies and up if it fails. The neighbours of the best node are checked too. Two
    populations develop separately and exchange nodes at intervals, as in ARX. A satisfying node is better the
    less it loses, a failing one the fewer records it suppresses beyond the limit. Draws depend only on the
    seed.

    References
    ----------
    .. [1] Holland (1975). Adaptation in Natural and Artificial Systems.
    .. [2] Iyengar (2002). Transforming Data to Satisfy Privacy Constraints. KDD.
    """

    title: ClassVar[str] = lazy("Genetic")
    summary: ClassVar[str] = lazy(
        "Combines good nodes into better ones: for lattices too large to prove an "
        "optimum, and for metrics that are not monotonic."
    )
    promise: ClassVar[str] = "best_known"
    source: ClassVar[str] = "Holland 1975; Iyengar 2002"

    population: int = param(
        50,
        Integer(
            minimum=4,
            maximum=10_000,
            label=N_("Population"),
            help=N_("Nodes per generation, in each of two populations."),
            usual=(20, 50, 100),
        ),
    )
    generations: int = param(
        50,
        Integer(minimum=1, maximum=100_000, label=N_("Generations"), help=N_("Number of generations.")),
    )
    elite: float = param(
        0.2,
        Real(label=N_("Elite"), help=N_("Share of best nodes that survive unchanged.")),
    )
    mutation: float = param(
        0.5, Real(label=N_("Mutation"), help=N_("Share of children that are moved by one or more steps."))
    )
    immigration: int = param(
        10,
        Integer(
            minimum=0,
            maximum=100_000,
            label=N_("Immigration"),
            help=N_("Generations between exchanges of nodes by the two populations; 0 for never."),
        ),
    )
    immigrants: float = param(
        0.2,
        Real(label=N_("Immigrants"), help=N_("Share of best nodes that is exchanged.")),
    )

    def explore(self, search: Search) -> None:
        """Ends after the last generation, or if all nodes are checked."""
        ends = [search.lattice.maximum, search.lattice.minimum]
        for end in ends:
            search.check(end, END)
        search.note_top(search.lattice.maximum)
        if search.bound == np.inf or search.lattice.n_nodes <= len(ends):
            return
        breeding = _Breeding(search, self)
        populations = [breeding.first(place, ends) for place in range(N_POPULATIONS)]
        for generation in range(1, self.generations + 1):
            if len(search.checked) == search.lattice.n_nodes:
                return
            populations = [breeding.next(population) for population in populations]
            if self.immigration and generation % self.immigration == 0:
                populations = breeding.exchanged(populations)


class _Breeding:
    """Draws nodes and ranks them."""

    def __init__(self, search: Search, settings: Genetic) -> None:
        self._search = search
        self._settings = settings
        self._random = np.random.default_rng(search.task.seed)
        self._minimum = np.array(search.lattice.minimum)
        self._maximum = np.array(search.lattice.maximum)
        self._allowed = most_suppressed(search.problem, search.task.requirement)
        self._size = min(settings.population, search.lattice.n_nodes)

    def first(self, place: int, ends: Iterable[Node]) -> list[NodeRank]:
        """Return a first population: nodes of even height in the first one, of any levels in the others."""
        nodes = dict.fromkeys(ends)
        for _ in range(self._size * MOST_TRIES):
            if len(nodes) >= self._size:
                break
            self._search.spend()
            nodes[self._even() if place == 0 else self._any()] = None
        return self._ranked(nodes, DRAWN)

    def next(self, ranked: list[NodeRank]) -> list[NodeRank]:
        """Return the next population: the best nodes, their children, and neighbours of the best."""
        n_elite = max(1, round(self._size * self._settings.elite))
        nodes = dict.fromkeys(standing.node for standing in ranked[:n_elite])
        while len(nodes) < self._size:
            self._search.spend()  # a child may be known already, and checking it again costs nothing
            nodes[self._child(ranked, nodes)] = None
        best = ranked[0].node
        around = [*self._search.lattice.predecessors(best), *self._search.lattice.successors(best)]
        beside = self._ranked(around, NEIGHBOUR)
        known = {standing.node for standing in beside}
        bred = self._ranked((node for node in nodes if node not in known), BRED)
        return sorted([*beside, *bred])[: self._size]

    def exchanged(self, populations: list[list[NodeRank]]) -> list[list[NodeRank]]:
        """Replace the worst nodes of each population with the best of another."""
        n_guests = round(self._size * self._settings.immigrants)
        found = []
        for place, population in enumerate(populations):
            guests = populations[place - 1][:n_guests]
            own = {standing.node for standing in guests}
            stay = [standing for standing in population if standing.node not in own]
            found.append(sorted([*guests, *stay[: self._size - len(guests)]]))
        return found

    def _ranked(self, nodes: Iterable[Node], rule: Rule) -> list[NodeRank]:
        """Check nodes, and return them ranked."""
        nodes = list(nodes)
        checked = [self._search.check(node, rule) for node in nodes]
        satisfying = [node for node, found in zip(nodes, checked, strict=True) if found.satisfies]
        values = dict(zip(satisfying, self._search.values(satisfying).tolist(), strict=True))
        return sorted(
            NodeRank(
                not found.satisfies,
                values[node] if found.satisfies else float(max(found.suppressed - self._allowed, 0)),
                found.suppressed,
                sum(node),
                node,
            )
            for node, found in zip(nodes, checked, strict=True)
        )

    def _child(self, ranked: list[NodeRank], known: Iterable[Node]) -> Node:
        """Return a child of two nodes; a random node if only known ones result."""
        for _ in range(MOST_TRIES):
            one, other = self._parent(ranked), self._parent(ranked)
            is_first = self._random.random(len(self._minimum)) < 0.5
            levels = np.where(is_first, one.node, other.node)
            if self._random.random() < self._settings.mutation:
                levels = self._moved(levels, fails=one.fails)
            if (node := _node(levels)) not in known:
                return node
        return self._any()

    def _parent(self, ranked: list[NodeRank]) -> NodeRank:
        """Return the better of two nodes drawn at random."""
        return ranked[int(self._random.integers(len(ranked), size=2).min())]

    def _moved(self, levels: IntArray, *, fails: bool) -> IntArray:
        """Move one or a few attributes by a level, mostly towards the border of satisfying nodes."""
        n_qi = len(levels)
        chosen = self._random.random(n_qi) < 1 / n_qi
        chosen[self._random.integers(n_qi)] = True
        is_usual = self._random.random(n_qi) < 0.8
        steps = np.where(is_usual == fails, 1, -1)
        return np.clip(levels + chosen * steps, self._minimum, self._maximum)

    def _even(self) -> Node:
        """Return a node of about the same relative height in every attribute."""
        share = self._random.random() + self._random.normal(0, 0.15, len(self._minimum))
        spread = self._maximum - self._minimum
        return _node(self._minimum + np.rint(np.clip(share, 0, 1) * spread).astype(np.int64))

    def _any(self) -> Node:
        return _node(self._random.integers(self._minimum, self._maximum + 1))


def _node(levels: IntArray) -> Node:
    return tuple(levels.tolist())
