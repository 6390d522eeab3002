"""Incognito: all nodes that satisfy, by way of ever larger subsets of the attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from math import prod
from types import MappingProxyType
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.errors import InputError
from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, IntArray
from engine.lattice import Lattice, Node
from engine.numbers import as_exact_count
from engine.params import Choice, param
from engine.privacy import Requirement
from engine.privacy.limit import is_satisfied
from engine.scoring.evaluate import evaluate
from engine.scoring.walk.node_tuples import NodeTuples, bytes_of, raised_to
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.tuples import evaluated_classes
from engine.search.base import SearchAlgorithm, search_algorithms
from engine.search.exact_optimum import choose
from engine.search.search import Search
from engine.search.tags import ABOVE, CARRIES, FAILS, UNKNOWN, Grid, Tags
from engine.search.trace import ABSENT, Rule
from engine.words import N_, _, lazy

LARGEST_PARTS = 5_000_000  # nodes of all parts together; the trace has an entry for each


class Part:
    """The lattice of a subset of the attributes.

    Parameters
    ----------
    attributes : tuple of int
        Attribute numbers in ascending order.

    Attributes
    ----------
    lattice : Lattice
        Lattice of these attributes alone.
    """

    def __init__(self, whole: Lattice, attributes: tuple[int, ...]) -> None:
        self.attributes = attributes
        self.lattice = Lattice(
            tuple(whole.minimum[q] for q in attributes), tuple(whole.maximum[q] for q in attributes)
        )
        self._n_qi = len(whole.shape)

    @cached_property
    def lowest(self) -> Node:
        """The lowest node of the part; see `node`."""
        return self.node(0)

    def node(self, number: int) -> Node:
        """Return a node of the part as one of all attributes, `ABSENT` if omitted."""
        return self.placed(number, (ABSENT,) * self._n_qi)

    def placed(self, number: int, others: Node) -> Node:
        """Return a node of the part as one of all attributes, with another node's levels if omitted."""
        levels = list(others)
        for q, level in zip(self.attributes, self.lattice.node(number), strict=True):
            levels[q] = level
        return tuple(levels)

    def nodes(self, numbers: IntArray) -> NDArray[np.int16]:
        """Several nodes as by `node`, shape (len(numbers), n_qi)."""
        levels = np.full((len(numbers), self._n_qi), ABSENT, dtype=np.int16)
        levels[:, self.attributes] = self.lattice.levels[numbers]
        return levels

    def candidates(self, holding: Mapping[tuple[int, ...], BoolArray]) -> BoolArray:
        """Return the nodes that fail in no part of one attribute less: join and prune in one step.

        Parameters
        ----------
        holding : mapping of attributes to ndarray of bool
            Which nodes satisfy in every part of one attribute less, in the shape of its lattice.

        Returns
        -------
        ndarray of bool, shape of the part's lattice
        """
        found: BoolArray = np.ones(self.lattice.shape, dtype=np.bool_)
        if len(self.attributes) > 1:
            for place in range(len(self.attributes)):
                less = self.attributes[:place] + self.attributes[place + 1 :]
                found &= np.expand_dims(holding[less], place)
        return found


def check_parts(lattice: Lattice) -> None:
    """Refuse a problem whose parts have too many nodes together."""
    n_nodes = prod(size + 1 for size in lattice.shape) - 1
    if n_nodes > LARGEST_PARTS:
        raise InputError(
            _(
                "Incognito checks the nodes of all subsets of the quasi-identifying "
                "columns, {n_nodes} here; the limit is {LARGEST_PARTS}."
            ).format(n_nodes=as_exact_count(n_nodes), LARGEST_PARTS=as_exact_count(LARGEST_PARTS)),
            hint=_(
                'Choose algorithm = "flash" or "ola", which check only nodes of all '
                "columns. Or allow fewer levels, or make fewer columns quasi-identifying."
            ),
            n_nodes=n_nodes,
        )


MOST_CUBE_BYTES = 256 << 20  # zero-generalization sets in memory; others are rolled up when needed


class PartTuples:
    """Frequency sets of one part, each rolled up from the smallest available one below it.

    Parameters
    ----------
    search : Search
        The search that counts the work.
    start : FrequencySet
        The frequency set from which the lowest ones are rolled up.
    lowest : tuple of int
        The node of `start`, in the part's attributes.
    is_base : bool
        Whether `start` are the base tuples, which have all attributes, so that each roll-up is a scan.
    """

    def __init__(self, search: Search, start: FrequencySet, lowest: Node, *, is_base: bool) -> None:
        self._search = search
        self._lowest = lowest
        self._is_base = is_base
        self._tuples = NodeTuples(start, lowest)

    def at(self, node: Node) -> FrequencySet:
        """Return the frequency set of a node, `ABSENT` for omitted attributes."""
        if node == self._lowest and not self._is_base:
            return self._tuples.base
        return self._tuples.at(node)

    def close(self) -> None:
        """Add the work to the counts of the search."""
        search, tuples = self._search, self._tuples
        search.scans += tuples.n_scans if self._is_base else 0
        search.rollups += tuples.n_rollups + (0 if self._is_base else tuples.n_scans)
        search.generalization_steps += tuples.n_steps


class Basic:
    """Variant that counts every root from the base tuples.

    Parameters
    ----------
    base : FrequencySet
        The base tuples.
    """

    def __init__(self, search: Search, base: FrequencySet) -> None:
        self._search = search
        self._base = base

    def open(self, part: Part, roots: Sequence[Node]) -> PartTuples:
        """Prepare a part whose candidates have these roots."""
        return PartTuples(self._search, self._base, part.lowest, is_base=True)

    def open_whole(self, roots: Sequence[Node]) -> None:
        """Prepare the part of all attributes, whose nodes the search itself counts."""


class SuperRoots(Basic):
    """Variant that counts the node below all roots of a part once and rolls up."""

    def open(self, part: Part, roots: Sequence[Node]) -> PartTuples:
        if len(roots) < 2:
            return super().open(part, roots)
        meet = _below_all(roots)
        self._search.scans += 1
        self._search.generalization_steps += sum(meet) - sum(part.lowest)
        return PartTuples(self._search, raised_to(self._base, meet), meet, is_base=False)

    def open_whole(self, roots: Sequence[Node]) -> None:
        """Rolls up the nodes that the search counted."""
        if len(roots) > 1 and (meet := _below_all(roots)) != self._search.lattice.minimum:
            self._search.profile.tuples.at(meet)


class Cube(Basic):
    """Variant that first rolls up the lowest nodes of all parts, each from a part of one attribute more."""

    def __init__(self, search: Search, base: FrequencySet) -> None:
        super().__init__(search, base)
        lattice = search.lattice
        everything = tuple(range(len(lattice.shape)))
        self._kept: dict[tuple[int, ...], FrequencySet] = {everything: base}
        self._n_bytes = 0
        search.scans += 1  # of the base tuples themselves
        for attributes in _smaller(everything):
            search.report(_("Counting parts of the columns"))
            if self._n_bytes < MOST_CUBE_BYTES:
                found = self._rolled_up(Part(lattice, attributes))
                self._kept[attributes] = found
                self._n_bytes += bytes_of(found)

    def open(self, part: Part, roots: Sequence[Node]) -> PartTuples:
        start = self._kept.pop(part.attributes, None)  # each part is opened once
        if start is None:
            start = self._rolled_up(part)
        return PartTuples(self._search, start, part.lowest, is_base=False)

    def _rolled_up(self, part: Part) -> FrequencySet:
        """Return the lowest frequency set of a part, rolled up from the smallest set with its attributes."""
        own = set(part.attributes)
        above = (found for attributes, found in self._kept.items() if own < set(attributes))
        self._search.rollups += 1
        return raised_to(min(above, key=lambda found: len(found.counts)), part.lowest)


def _below_all(nodes: Sequence[Node]) -> Node:
    """Return the highest node that is not above any of some nodes."""
    return tuple(int(level) for level in np.min(np.array(nodes), axis=0))


def _smaller(attributes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Return all proper subsets, the larger ones first."""
    for size in range(len(attributes) - 1, 0, -1):
        yield from combinations(attributes, size)


CANDIDATE = Rule("candidate", N_("no node below it satisfies, and none of its subsets fails"), is_check=True)
PART_FAILS = Rule("part_fails", N_("some of its columns alone fail on these levels"))

VARIANTS: Mapping[str, type[Basic]] = MappingProxyType(
    {"basic": Basic, "super_roots": SuperRoots, "cube": Cube}
)


@search_algorithms.register("incognito")
@dataclass(frozen=True, slots=True)
class Incognito(SearchAlgorithm):
    """Decide the subsets of one attribute, then of two, and so on up to all of them.

    Levels that fail for some attributes fail for more of them, since omitting an attribute joins classes
    (subset property). So nodes of a subset are candidates only if they satisfy in all subsets of one
    attribute less: two of those are joined, the others prune. Since the satisfying nodes are closed upwards,
    the edges of the graph are the single steps between candidates. Candidates are visited breadth first from
    their roots; above one that satisfies, all do (generalization property).

    The variants find the same nodes. They differ in the source of the frequency sets of roots: `basic` counts
    each from the base tuples, `super_roots` counts the node below all roots of a subset once and rolls up,
    `cube` first rolls up the lowest nodes of all subsets from each other.

    Subsets are ruled out only by models that carry over to more general nodes; if other models remain, the
    remaining nodes are checked one by one.

    Notes
    -----
    Checks include those of subsets; their number does not depend on any order. Adult without `occupation`, k
    = 5 and without suppression takes 1,302, as published in [2], with the hierarchies used there: they spell
    England's region "Europa" and so make it a region by itself. Spelled "Europe" as for its neighbours, more
    nodes of subsets satisfy and are candidates, and it takes 1,360.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan (2005). Incognito: efficient full-domain k-anonymity. SIGMOD.
    .. [2] Prasser, Kohlmayer, Kuhn (2014). A benchmark of globally-optimal anonymization methods for
       biomedical data. CBMS.
    """

    title: ClassVar[str] = lazy("Incognito")
    summary: ClassVar[str] = lazy(
        "Rules out levels by checking few columns first, then more: finds all satisfying "
        "nodes, and the optimum."
    )
    promise: ClassVar[str] = "optimal"
    settles_all: ClassVar[bool] = True
    source: ClassVar[str] = lazy("LeFevre, DeWitt and Ramakrishnan 2005")

    variant: str = param(
        "basic",
        Choice(
            label=N_("Variant"),
            help=N_("Source of the first counts of every set of columns; all variants find the same nodes."),
            options=(
                ("basic", N_("Basic: each from the distinct records")),
                ("super_roots", N_("Super-roots: one count for each set of columns")),
                ("cube", N_("Cube: all sets of columns in advance, from larger ones")),
            ),
        ),
    )

    def explore(self, search: Search) -> None:
        tags = Tags(search)
        check_parts(search.lattice)
        if search.inherited.models or search.carries_over:
            candidates = _Parts(search, VARIANTS[self.variant]).candidates()
            tags.exclude(np.flatnonzero(~candidates), PART_FAILS)
            remaining = np.flatnonzero(candidates)
            for number in remaining[np.argsort(search.lattice.sums[remaining], kind="stable")].tolist():
                if not tags.is_tagged(number):
                    tags.check(number, CANDIDATE)
        tags.settle()
        choose(search)


class _Parts:
    """The walk through the subsets of a problem's attributes, smaller ones first."""

    def __init__(self, search: Search, variant: type[Basic]) -> None:
        self._search = search
        self._variant = variant
        self._holding: dict[tuple[int, ...], BoolArray] = {}
        self._source: Basic | None = None
        self._whole: BoolArray | None = None
        if search.is_looked_up and search.task.profile is not None:
            self._whole = evaluate(search.task.profile, search.inherited).satisfies
        self._is_merged = [
            len(attribute.hierarchy.levels[attribute.maximum].labels) == 1
            for attribute in search.problem.attributes
        ]

    def candidates(self) -> BoolArray:
        """Return the nodes of all attributes that no subset rules out, shape (n_nodes,)."""
        lattice = self._search.lattice
        everything = range(len(lattice.shape))
        sizes = lattice.shape
        # of all nonempty subsets but the complete one, which the lattice counts
        self._search.n_planned += prod(size + 1 for size in sizes) - prod(sizes) - 1
        for size in everything[1:]:
            self._holding = {
                attributes: self._settled(Part(lattice, attributes))
                for attributes in combinations(everything, size)
            }
        found = Part(lattice, tuple(everything)).candidates(self._holding).reshape(-1)
        if self._source is not None and not self._search.is_looked_up:
            roots = np.flatnonzero(lattice.minimal(found)).tolist()
            self._source.open_whole([lattice.node(root) for root in roots])
        return found

    def _settled(self, part: Part) -> BoolArray:
        """Return which nodes of a part satisfy, in the shape of its lattice."""
        search, lattice = self._search, part.lattice
        search.report(_("Checking nodes"))
        n_before = search.trace.n_checked
        candidates = part.candidates(self._holding).reshape(-1)
        tags: NDArray[np.int8] = np.where(candidates, UNKNOWN, FAILS).astype(np.int8)
        numbers = np.flatnonzero(candidates)
        with closing(self._judge(part, candidates)) as judge:
            for number in numbers[np.argsort(lattice.sums[numbers], kind="stable")].tolist():
                if tags[number] == UNKNOWN:
                    search.spend()
                    tags[number] = CARRIES if judge.holds(number) else FAILS
                    search.trace.add(part.node(number), bool(tags[number] == CARRIES), CANDIDATE)
                    if tags[number] == CARRIES:
                        self._hold_above(part, tags, number)
        search.n_spared += len(tags) - (search.trace.n_checked - n_before)
        return np.asarray(tags == CARRIES).reshape(lattice.shape)

    def _hold_above(self, part: Part, tags: NDArray[np.int8], number: int) -> None:
        grid = Grid(part.lattice)
        box = grid.above(part.lattice.node(number))
        numbers = np.arange(len(tags)).reshape(grid.shape)[box]
        new = numbers[tags.reshape(grid.shape)[box] == UNKNOWN]
        tags[new] = CARRIES
        self._search.trace.extend(part.nodes(new), True, ABOVE)

    def _judge(self, part: Part, candidates: BoolArray) -> NodeEvaluator:
        search = self._search
        left_out = set(range(len(self._is_merged))) - set(part.attributes)
        if self._whole is not None and all(self._is_merged[q] for q in left_out):
            return LookupEvaluator(search, part, self._whole)
        if self._source is None:
            self._source = self._variant(search, search.profile.base)
        return CountingEvaluator(search, part, self._source, candidates)


class NodeEvaluator(Protocol):
    """Evaluator of the nodes of one part."""

    def holds(self, number: int) -> bool:
        """Return whether a node of the part meets the models that carry over."""

    def close(self) -> None:
        """Add the work to the counts of the search."""


class CountingEvaluator:
    """Evaluator that counts the classes of every requested node.

    Parameters
    ----------
    source : Basic
        Source of the frequency sets.
    candidates : ndarray of bool, shape (n_nodes,)
        Nodes of the part that may be requested.
    """

    def __init__(self, search: Search, part: Part, source: Basic, candidates: BoolArray) -> None:
        self._search = search
        self._part = part
        roots = np.flatnonzero(part.lattice.minimal(candidates)).tolist()
        self._tuples = source.open(part, [part.node(root) for root in roots])

    def holds(self, number: int) -> bool:
        tuples = self._tuples.at(self._part.node(number))
        return is_met(self._search.problem, self._search.inherited, tuples)

    def close(self) -> None:
        self._tuples.close()


class LookupEvaluator:
    """Evaluator that looks nodes up in the complete lattice, with omitted attributes hidden.

    Parameters
    ----------
    whole : ndarray of bool, shape (n_nodes,)
        Which nodes of the complete lattice meet the models that carry over.
    """

    def __init__(self, search: Search, part: Part, whole: BoolArray) -> None:
        self._lattice = search.lattice
        self._part = part
        self._whole = whole

    def holds(self, number: int) -> bool:
        return bool(self._whole[self._lattice.number(self._part.placed(number, self._lattice.maximum))])

    def close(self) -> None:
        """Nothing was rolled up."""


def is_met(problem: Problem, requirement: Requirement, tuples: FrequencySet) -> bool:
    """Return whether the classes of a frequency set meet a requirement."""
    _, _, classes, kept, _ = evaluated_classes(problem, tuples, requirement)
    return is_satisfied(problem, requirement, classes, kept)
