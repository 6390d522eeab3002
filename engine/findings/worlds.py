"""Worlds that an attacker takes for possible: sensitive cells dealt anew within the blocks of a release.

A block is a kept class, or all suppressed records together. The attacker knows the file, the
quasi-identifiers of everybody and the rule by which the node was chosen, but not who has which cells. A deal
is possible if the same records are suppressed in it, and the same node is chosen. Classes whose verdict is
the same in every deal are closed; what is judged are the open classes of the released node and of those that
could have been chosen instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import factorial, lgamma, prod

import numpy as np

from engine.cached import cached_property
from engine.frequency import Problem
from engine.frequency.measured import ClassRows, classes_of_rows
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.grouping import class_labels
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.limit import most_suppressed
from engine.project import Project
from engine.project.compile import objective_of
from engine.recoding import Release, make_release
from engine.scoring.evaluate import evaluate
from engine.scoring.limits import profile_for
from engine.scoring.optimum import TIE
from engine.scoring.profile import LatticeProfile
from engine.scoring.score import fetching_kernels, score_lattice
from engine.utility.by_attribute import AttributeMetric
from engine.utility.objective import Objective
from engine.words import N_, _

OPTIMUM, PATH, SIZE_ONLY, FIXED = "optimum", "path", "by_size", "fixed"  # ways in which a node is chosen
MOST_NATS = 43.0  # of a number of deals that is counted
MOST_COMPETITORS = 500  # nodes whose classes are looked at one by one
BY_HAND = N_("Not measurable: the node was picked by hand.")
COSTLY = N_("Not measurable: the metric needs the classes of every node one by one.")
PREPARING = N_("Looking for nodes that could have been chosen")


@dataclass(frozen=True, eq=False)
class Tails:
    """The sensitive cells of every record, taken together.

    Attributes
    ----------
    codes : ndarray of int64, shape (n_records,)
        Tail of every record.
    values : ndarray of int64, shape (n_tails, n_columns)
        Values of a tail, by sensitive column.
    """

    problem: Problem
    codes: IntArray
    values: IntArray

    @classmethod
    def of(cls, problem: Problem) -> Tails:
        """Return the tails of a problem with at least one sensitive column."""
        columns = [attribute.codes for attribute in problem.sensitive]
        codes, first, _unused = class_labels(columns, [own.n_values for own in problem.sensitive])
        return cls(problem, codes, np.stack([own[first] for own in columns], axis=1).astype(np.int64))

    def judge(self, requirement: Requirement, histograms: IntArray) -> BoolArray:
        """Return which classes meet models of sensitive columns.

        Parameters
        ----------
        histograms : ndarray of int, shape (n_classes, n_tails)
            Records of every tail; no class is empty.
        """
        classes, tails = np.nonzero(histograms)
        rows = ClassRows(
            classes.astype(np.int64),
            lambda j: self.values[tails, j],
            histograms[classes, tails].astype(np.int64),
        )
        records = histograms.sum(axis=1).astype(np.int64)
        met: BoolArray = requirement.fulfilled(classes_of_rows(self._alone, rows, records))
        return met

    @cached_property
    def _alone(self) -> Problem:
        return replace(self.problem, weight=None, people=None, persons=None)

    def name(self, column: int) -> str:
        """Return the name of a sensitive column, or the names of all for the number after the last."""
        names = [attribute.name for attribute in self.problem.sensitive]
        return "|".join(names) if column == len(names) else names[column]

    def text(self, column: int, value: int) -> str:
        """Return a value of such a column; of all together their values."""
        columns = self.problem.sensitive
        if column < len(columns):
            return columns[column].column.labels[value]
        return "|".join(
            own.column.labels[code] for own, code in zip(columns, self.values[value], strict=True)
        )


class NodeValues:
    """A node with different sets of failing classes as `Candidates`, one entry per set.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_records,)
        Class of every record.
    kept : ndarray of bool, shape (n_sets, n_classes)
    """

    def __init__(
        self, problem: Problem, node: Node, labels: IntArray, kept: BoolArray, required_k: int | None
    ) -> None:
        n_classes = kept.shape[1]
        self.problem, self.required_k = problem, required_k
        self._kept = kept
        self._first = np.zeros(n_classes, dtype=np.int64)
        self._first[labels[::-1]] = np.arange(len(labels))[::-1]
        self._records = np.bincount(labels, minlength=n_classes).astype(np.int64)
        self._levels = [a.hierarchy.levels[level] for a, level in zip(problem.attributes, node, strict=True)]
        self._node = node
        self.levels = np.tile(np.array(node), (len(kept), 1))
        self.suppressed = ~kept @ self._records
        self.kept_classes = kept.sum(axis=1)
        self.kept_sizes = kept @ self._records
        self.kept_squares = kept @ self._records**2
        least = np.where(kept, self._records, problem.n_records + 1).min(axis=1)
        self.kept_k = np.where(self.kept_classes > 0, least, 0)

    def kept_leaves(self, attribute: int) -> Counts:
        """Return the sum over kept records of the leaves that their label covers."""
        return np.asarray(self._kept @ self._leaves(attribute))

    def suppressed_leaves(self, attribute: int) -> Counts:
        """Return the sum over suppressed records of the leaves that their label would cover."""
        return np.asarray(~self._kept @ self._leaves(attribute))

    def kept_spans(self, attribute: int) -> FloatArray:
        """Return the sum over kept records of the numeric width of their label."""
        spans = self.problem.attributes[attribute].label_spans(self._node[attribute])
        return np.asarray(self._kept @ (spans[self._labels(attribute)] * self._records))

    def _leaves(self, attribute: int) -> Counts:
        leaves = self._levels[attribute].n_leaves[self._labels(attribute)]
        return np.asarray(leaves * self._records)

    def _labels(self, attribute: int) -> IntArray:
        own = self.problem.attributes[attribute]
        return np.asarray(self._levels[attribute].codes[own.leaves[self._first]])


@dataclass(frozen=True, eq=False)
class Worth:
    """The objective of a search and the node that it returned, as others are compared with it."""

    objective: Objective
    metric: str
    value: float
    further: FloatArray | None
    order: tuple[int, int, Node]

    @classmethod
    def of(cls, objective: Objective, metric: str, candidates: NodeValues, node: Node) -> Worth:
        """Measure the released node."""
        ties = objective.ties(metric, candidates)  # type: ignore[arg-type]  # metrics that are not costly
        value = float(objective.natural(metric, candidates)[0])  # type: ignore[arg-type]
        return cls(
            objective,
            metric,
            value,
            None if ties is None else ties[0],
            (int(candidates.suppressed[0]), sum(node), node),
        )

    def precedes(self, candidates: NodeValues, node: Node) -> BoolArray:
        """Return which candidates a search prefers to the released node."""
        values = self.objective.natural(self.metric, candidates)  # type: ignore[arg-type]
        is_less, is_tied = compared(values, self.value)
        further = self.objective.ties(self.metric, candidates)  # type: ignore[arg-type]
        if further is not None and self.further is not None:
            for own, other in zip(further.T, self.further, strict=True):
                less, tied = compared(own, float(other))
                is_less, is_tied = is_less | (is_tied & less), is_tied & tied
        suppressed, *others = self.order
        is_first = (candidates.suppressed < suppressed) | (
            (candidates.suppressed == suppressed) & ((sum(node), node) < tuple(others))
        )
        return np.asarray(is_less | (is_tied & is_first))


def compared(values: FloatArray, other: float) -> tuple[BoolArray, BoolArray]:
    """Return which values are below another one, and which are tied with it as `best_of` decides."""
    least = np.minimum(values, other)
    is_tied = np.maximum(values, other) <= least + np.abs(least) * TIE
    return (values < other) & ~is_tied, is_tied


@dataclass(frozen=True, eq=False)
class Competitor:
    """A node that would have been chosen in other deals.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
        Class of every record.
    records : ndarray of int64, shape (n_classes,)
    kept : ndarray of bool, shape (n_classes,)
        Closed classes that are kept in every deal, and all open ones.
    opened : ndarray of int64, shape (n_open,)
        The open classes.
    budget : int
        Records of open classes that may fail, so that the node is chosen if it is worth more.
    worth : Worth or None
        What it is compared with; None if it is chosen whatever its value.
    """

    problem: Problem
    node: Node
    labels: IntArray
    records: Counts
    kept: BoolArray
    opened: IntArray
    budget: int
    worth: Worth | None
    required_k: int | None

    def precedes(self, failing: BoolArray) -> BoolArray:
        """Return whether the node is chosen first if it satisfies, given failing open ones of every deal.

        Parameters
        ----------
        failing : ndarray of bool, shape (n_deals, n_open)
        """
        if self.worth is None:
            return np.ones(len(failing), dtype=np.bool_)
        return self.worth.precedes(self.values_of(failing), self.node)

    def values_of(self, failing: BoolArray) -> NodeValues:
        """Return what metrics see of the node in some deals."""
        kept = np.tile(self.kept, (len(failing), 1))
        kept[:, self.opened] = ~failing
        return NodeValues(self.problem, self.node, self.labels, kept, self.required_k)

    def wins(self, failing: BoolArray) -> BoolArray:
        """Return in which deals the search would have returned this node, or another one but the released."""
        won: BoolArray = failing @ self.records[self.opened] <= self.budget
        if won.any():
            won[won] = self.precedes(failing[won])
        return won

    @cached_property
    def factors(self) -> tuple[FloatArray, FloatArray, FloatArray, float] | None:
        """The value of the metric as a product of powers of sums over failing open classes, minus a number.

        Returns
        -------
        sums : ndarray of float64, shape (n_factors,)
            With no open class failing.
        added : ndarray of float64, shape (n_open, n_factors)
            What a failing class adds.
        powers : ndarray of float64, shape (n_factors,)
        less : float
            None instead of all if the metric is no such product.
        """
        assert self.worth is not None, "its value counts"
        n_open = len(self.opened)
        some = np.random.default_rng(0).random((8, n_open)) < 0.5
        failing = np.concatenate(
            (np.zeros((1, n_open), dtype=np.bool_), np.eye(n_open, dtype=np.bool_), some)
        )
        objective, key = self.worth.objective, self.worth.metric
        member, candidates, less = objective.member(key), self.values_of(failing), 0.0
        if isinstance(member, AttributeMetric) and member.aggregate == "geometric_mean":
            sums = 1 + member.by_attribute(candidates)  # type: ignore[arg-type]
            weights, less = objective.weights, 1.0
            powers = np.full(sums.shape[1], 1 / sums.shape[1])
            if weights is not None and weights.sum():
                powers = weights / weights.sum()
        else:
            sums = objective.natural(key, candidates)[:, None]  # type: ignore[arg-type]
            powers = np.ones(1)
        base, added = sums[0], sums[1 : n_open + 1] - sums[0]
        is_sum = np.allclose(base + some @ added, sums[n_open + 1 :], rtol=1e-9, atol=1e-12)
        return (base, added, powers, less) if is_sum else None


@dataclass(frozen=True, eq=False)
class Worlds:
    """What is dealt, and what is judged in a deal.

    Attributes
    ----------
    blocks : ndarray of int64, shape (n_records,)
        Block of every record.
    starred : int
        Block of the suppressed records; -1 if none is suppressed.
    labels : ndarray of int64, shape (n_records,)
        Class of every record at the released node.
    must_fail : ndarray of int64, shape (n_open,)
        Suppressed classes of the released node that fail only because of their sensitive cells.
    n_competitors : int
        Nodes that could have been chosen by class sizes alone.
    why_no_choice : str
        Why it is not known in which deals the node would have been chosen; empty if it is known.
    is_preceded : bool
        Whether the search returns another node in the true deal.
    is_never : bool
        Whether it returns another one in every deal.
    """

    tails: Tails
    requirement: Requirement
    blocks: IntArray
    starred: int
    labels: IntArray
    must_fail: IntArray
    competitors: tuple[Competitor, ...]
    n_competitors: int
    why_no_choice: str = ""
    is_preceded: bool = False
    is_never: bool = False

    @property
    def problem(self) -> Problem:
        """The problem of the release."""
        return self.tails.problem

    @cached_property
    def open_of(self) -> IntArray:
        """Open class of every record at each judged node, or -1; shape (n_nodes, n_records).

        The first node is the released one. Classes are numbered over all nodes.
        """
        found, start = [], 0
        judged = [(self.labels, self.must_fail), *((own.labels, own.opened) for own in self.competitors)]
        for labels, opened in judged:
            numbers = np.full(int(labels.max()) + 1, -1, dtype=np.int64)
            numbers[opened] = start + np.arange(len(opened))
            found.append(numbers[labels])
            start += len(opened)
        return np.array(found)

    @cached_property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """First open class and end of each judged node."""
        counts = [len(self.must_fail), *(len(own.opened) for own in self.competitors)]
        return tuple(pairwise(np.concatenate(([0], np.cumsum(counts))).tolist()))

    @property
    def n_open(self) -> int:
        """Number of open classes."""
        return self.ranges[-1][1]

    @cached_property
    def atoms(self) -> IntArray:
        """Number of the atom of every record: those of a block that are in the same open classes."""
        columns = [self.blocks, *(own + 1 for own in self.open_of)]
        return class_labels(columns, [int(column.max()) + 1 for column in columns])[0]

    @cached_property
    def live(self) -> BoolArray:
        """Return which blocks are mixed and cut by an open class, shape (n_blocks,)."""
        is_cut = ~homogeneous(self.blocks, self.atoms)
        return is_cut & ~homogeneous(self.blocks, self.tails.codes)

    @cached_property
    def n_worlds(self) -> int | None:
        """Number of different deals; None if there are more than 64 bits can count."""
        return self._deals(np.ones(len(self.live), dtype=np.bool_))

    @cached_property
    def n_live_worlds(self) -> int | None:
        """Number of different deals of the live blocks; None if there are more than 64 bits can count."""
        return self._deals(self.live)

    def _deals(self, wanted: BoolArray) -> int | None:
        blocks, n_tails = self.blocks, len(self.tails.values)
        keys, counts = np.unique(blocks * n_tails + self.tails.codes, return_counts=True)
        sizes = np.bincount(blocks)[wanted].tolist()
        equal = counts[wanted[keys // n_tails]].tolist()
        nats = sum(lgamma(size + 1) for size in sizes) - sum(lgamma(n + 1) for n in equal)
        if nats > MOST_NATS:
            return None
        return prod(map(factorial, sizes)) // prod(map(factorial, equal))


def homogeneous(blocks: IntArray, values: IntArray) -> BoolArray:
    """Return which blocks have a single value, shape (n_blocks,)."""
    n_blocks = int(blocks.max()) + 1
    low = np.full(n_blocks, np.iinfo(np.int64).max)
    high = np.full(n_blocks, -1)
    np.minimum.at(low, blocks, values)
    np.maximum.at(high, blocks, values)
    return np.asarray(low == high)


class PrecededError(Exception):
    """A search returns another node in every deal."""


@dataclass(frozen=True, eq=False)
class _Finder:
    """The search for what is open."""

    project: Project
    release: Release
    rule: str
    monitor: Monitor
    preceding: list[Node] = field(default_factory=list)

    @cached_property
    def problem(self) -> Problem:
        return self.release.problem

    @cached_property
    def requirement(self) -> Requirement:
        return self.release.requirement

    @cached_property
    def by_size(self) -> Requirement:
        return self.requirement.size_part

    @cached_property
    def tails(self) -> Tails:
        return Tails.of(self.problem)

    @cached_property
    def judged(self) -> IntArray:
        """Values of the columns that models look at, one number per record."""
        wanted = {name for model in self.requirement.sensitive_part.models for name in model.columns}
        own = [
            attribute
            for attribute in self.problem.sensitive
            if attribute.name in wanted or self.problem.measures_parts
        ]
        return class_labels([one.codes for one in own], [one.n_values for one in own])[0]

    @cached_property
    def blocks(self) -> tuple[IntArray, int]:
        """Block of every record, and that of the suppressed ones."""
        release = self.release
        codes = np.where(release.suppressed, 0, release.labels + 1)
        blocks = np.unique(codes, return_inverse=True)[1].astype(np.int64)
        return blocks, 0 if release.n_suppressed else -1

    def is_open(self, labels: IntArray, n_classes: int) -> BoolArray:
        """Return which classes may have other values of judged columns in other deals."""
        blocks = self.blocks[0]
        sizes = np.bincount(blocks)
        n_blocks = len(sizes)
        keys, counts = np.unique(labels * n_blocks + blocks, return_counts=True)
        cuts = (counts < sizes[keys % n_blocks]) & ~homogeneous(blocks, self.judged)[keys % n_blocks]
        found = np.zeros(n_classes, dtype=np.bool_)
        found[keys[cuts] // n_blocks] = True
        return found & self._can_be_met(keys // n_blocks, keys % n_blocks, n_classes)

    def _can_be_met(self, classes: IntArray, blocks: IntArray, n_classes: int) -> BoolArray:
        """Return which classes could have enough values, given those of their blocks."""
        can = np.ones(n_classes, dtype=np.bool_)
        names = [attribute.name for attribute in self.problem.sensitive]
        for model in self.requirement.models:
            if not isinstance(model, DistinctLDiversity) or self.problem.measures_parts:
                continue
            attribute = self.problem.sensitive[names.index(model.column)]
            n_values = attribute.n_values
            there = np.unique(self.blocks[0] * n_values + attribute.codes)
            starts = np.searchsorted(there // n_values, np.arange(int(self.blocks[0].max()) + 2))
            lengths = np.diff(starts)[blocks]
            of_class = np.repeat(classes, lengths)
            places = np.arange(len(of_class)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            values = there[np.repeat(starts[blocks], lengths) + places] % n_values
            found = np.unique(of_class * n_values + values) // n_values
            can &= np.bincount(found, minlength=n_classes) >= model.l
        return can

    def competitor(self, node: Node, worth: Worth | None) -> Competitor | None:
        """Return a node as a competitor; None if it is chosen in no deal.

        Raises
        ------
        PrecededError
            It is chosen in every deal.
        """
        by_size = make_release(self.project, self.problem, node, self.by_size)
        truth = make_release(self.project, self.problem, node, self.requirement)
        labels, records, k = truth.labels, truth.classes.records, self.requirement.k
        most = most_suppressed(self.problem, self.requirement)
        fails_large = bool((by_size.kept & ~truth.kept).any())
        satisfies = int(records[~truth.kept].sum()) <= most and not (self.rule == SIZE_ONLY and fails_large)
        opened = by_size.kept & self.is_open(labels, len(records))
        if satisfies and (
            worth is None
            or worth.precedes(NodeValues(self.problem, node, labels, truth.kept[None, :], k), node)[0]
        ):
            self.preceding.append(node)
            if not opened.any():
                raise PrecededError
        kept = truth.kept | opened
        budget = most - int(records[~kept].sum())
        if self.rule == SIZE_ONLY:
            if (by_size.kept & ~kept).any():
                return None
            budget = 0  # a class that is large enough must not fail
        if budget < 0 or not opened.any():
            return None
        found = Competitor(
            self.problem, node, labels, records, kept, np.flatnonzero(opened), budget, worth, k
        )
        at_best = np.zeros((1, len(found.opened)), dtype=np.bool_)
        has_floor = worth is not None and worth.objective.member(worth.metric).has_floor
        return None if has_floor and not found.precedes(at_best)[0] else found

    def competitors(self, rivals: Sequence[Node], worth: Worth | None, *, is_tried: bool) -> list[Competitor]:
        """Return some nodes as competitors; of a node that is not tried after others, only if it is first."""
        found: list[Competitor] = []
        for done, node in enumerate(rivals):
            self.monitor.step(done, len(rivals), _(PREPARING))
            if (own := self.competitor(node, worth)) is not None:
                found.append(own)
            if self.preceding and not is_tried:
                break
        return found

    def must_fail(self) -> IntArray:
        """Return the open suppressed classes of the released node."""
        release = self.release
        if self.rule == SIZE_ONLY or not release.n_suppressed:
            return np.zeros(0, dtype=np.int64)
        assert release.node is not None, "a node is released"
        by_size = make_release(self.project, self.problem, release.node, self.by_size)
        opened = self.is_open(release.labels, len(release.kept))
        return np.flatnonzero(by_size.kept & ~release.kept & opened)

    def worth(self) -> Worth:
        """Return what the released node is worth."""
        release = self.release
        assert release.node is not None, "a node is released"
        candidates = NodeValues(
            self.problem, release.node, release.labels, release.kept[None, :], self.requirement.k
        )
        objective = objective_of(self.project, self.problem)
        return Worth.of(objective, self.project.search.metric, candidates, release.node)

    def rivals(self, worth: Worth) -> list[Node] | None:
        """Return the nodes that could have been chosen by class sizes alone; None if they are too many."""
        problem = replace(self.problem, sensitive=())
        profile = profile_for(problem, self.by_size, monitor=self.monitor)
        if not isinstance(profile, LatticeProfile):
            return None
        with fetching_kernels(profile):
            score_lattice(problem, self.monitor, profile)
        evaluation = evaluate(profile, self.by_size, worth.objective)
        nodes = np.flatnonzero(evaluation.is_within)
        nodes = nodes[nodes != problem.lattice.number(self.release.node or ())]
        if worth.objective.member(worth.metric).has_floor:
            values = evaluation.metric_at(worth.metric, nodes)
            is_less, is_tied = compared(values, worth.value)
            nodes, is_tied = nodes[is_less | is_tied], is_tied[is_less | is_tied]
            levels = map(problem.lattice.node, nodes.tolist())
            suppressed = evaluation.suppressed_at(nodes).tolist()
            orders = [(n, sum(node), node) for n, node in zip(suppressed, levels, strict=True)]
            is_tied &= np.array([order > worth.order for order in orders], dtype=np.bool_)
            if worth.further is None:
                nodes = nodes[~is_tied]
        if len(nodes) > MOST_COMPETITORS:
            return None
        return [problem.lattice.node(number) for number in nodes.tolist()]


def worlds_of(
    project: Project,
    release: Release,
    rule: str,
    path: Sequence[Node] = (),
    monitor: Monitor = SILENT,
    *,
    is_tried: bool = False,
) -> Worlds:
    """Find the blocks of a release, the nodes that could have been chosen instead, and their open classes.

    Parameters
    ----------
    release : Release
        Release of a node under models that look at classes one by one, of records in memory.
    rule : {"optimum", "path", "by_size", "fixed"}
        How its node was chosen: as the best one; as the first of `path`; as the best one if only classes that
        are too small are suppressed; or without looking at sensitive columns.
    path : sequence of tuple of int
        Nodes that were tried before; of a best one, the only ones that it is compared with.
    is_tried : bool
        Whether the node may be another than the best one, if a search goes on until too little is given away.

    Returns
    -------
    Worlds
        `why_no_choice` is set if the node is not the best one, since it was chosen by hand then.
    """
    finder, worth, why = _Finder(project, release, rule, monitor), None, ""
    rivals: Sequence[Node] | None = path
    if rule in (OPTIMUM, SIZE_ONLY):
        if objective_of(project, release.problem).member(project.search.metric).costly:
            why = _(COSTLY)
            rivals = ()
        else:
            worth = finder.worth()
            rivals = path or finder.rivals(worth)
    if rivals is None:
        why = _("Not measured: too many nodes could have been chosen.")
    try:
        found = finder.competitors(rivals or (), worth, is_tried=is_tried)
        is_never = False
    except PrecededError:
        found, is_never = [], True
    if finder.preceding and not is_tried:
        why, found = _(BY_HAND), []
    blocks, starred = finder.blocks
    return Worlds(
        finder.tails,
        release.requirement.sensitive_part,
        blocks,
        starred,
        release.labels,
        finder.must_fail(),
        tuple(found),
        len(rivals or ()),
        why,
        bool(finder.preceding),
        is_never,
    )
