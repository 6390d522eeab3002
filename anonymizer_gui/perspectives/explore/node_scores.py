"""Arrays of one evaluation for lattice, list and map: colour classes, ranks, counts, expected records."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, FAILS, NOT_SCORED
from anonymizer_gui.theming import ramp_classes
from engine.cached import cached_property
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count

if TYPE_CHECKING:
    from engine.lattice import Node, Nodes
    from engine.privacy import Requirement
    from engine.project import Project
    from engine.scoring import Evaluation, LatticeProfile


BoolArray = NDArray[np.bool_]
Ends = tuple[float, float]
Details = dict[str, NDArray[np.float64]]  # other scores by name, one value per node


@dataclass(frozen=True, eq=False)
class NodeScores:
    """Scores of all nodes, one entry per index.

    While a knob turns, values of failing nodes may be unknown; `know` looks them up.

    Attributes
    ----------
    lattice : Nodes
        Nodes by index: all, or the scored ones of a lattice too large to list.
    n_all : int
        Number of nodes of the complete lattice.
    within : ndarray of bool
        Whether suppression is within the limit, in records or people.
    suppressed : ndarray of int64
        Suppressed records; for nodes whose values are unknown a lower bound above the limit.
    values : ndarray of float64
        Chosen metric; nan for nodes that are not scored or unknown.
    is_known : ndarray of bool
        Whether both are exact.
    classes : ndarray of uint8
        Colour class before filtering.
    ends : (float, float) or None
        Best and worst value on the ramp; None if no node satisfies.
    allowed : int
        Most records that a satisfying node may suppress; unknown nodes suppress more.
    look_up : callable
        Returns suppressed records and metric of some nodes.
    rank, find_minimal : callable
        Return `ranks` and `minimal`.
    at_most : int or None
        Most nodes that may satisfy while the exact ones of a turned knob are being found; `satisfies` then
        has those that satisfied before and may do so still, and those that surely do.
    """

    lattice: Nodes
    n_all: int
    satisfies: BoolArray
    within: BoolArray
    scored: BoolArray
    suppressed: NDArray[np.int64]
    values: NDArray[np.float64]
    classes: NDArray[np.uint8]
    optimum: int | None
    n_satisfying: int
    ends: Ends | None
    is_known: BoolArray
    allowed: int
    look_up: Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.float64]]]
    rank: Callable[[], NDArray[np.int64]]
    find_minimal: Callable[[], BoolArray]
    at_most: int | None = None

    def bounded_by(self, possible: BoolArray, sure: BoolArray | None = None) -> NodeScores:
        """Return the scores with all nodes failing that cannot satisfy a turned knob, and with those
        satisfying that surely do, in the colour of their last value.
        """
        satisfies = self.satisfies & possible
        lost = self.satisfies & ~possible
        classes = np.where(lost, FAILS, self.classes).astype(np.uint8)
        if sure is not None:
            gained = np.flatnonzero(sure & self.scored & ~satisfies)
            satisfies[gained] = True
            classes[gained] = self._ramp_classes(gained)
        optimum = self.optimum if self.optimum is not None and possible[self.optimum] else None
        return replace(
            self,
            satisfies=satisfies,
            within=(self.within & possible) | satisfies,
            classes=classes,
            optimum=optimum,
            n_satisfying=int(np.count_nonzero(satisfies)),
            rank=lambda: np.where(satisfies, self.ranks, 0),
            find_minimal=lambda: self.minimal & satisfies,
            at_most=int(np.count_nonzero(possible & self.scored)),
        )

    def _ramp_classes(self, nodes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the colour classes of nodes by their last values; the worst one if these are unknown."""
        if self.ends is None:
            return np.zeros(len(nodes), dtype=np.uint8)
        return ramp_classes(np.where(self.is_known[nodes], self.values[nodes], np.nan), *self.ends)

    def know(self, numbers: Iterable[int]) -> None:
        """Look up the exact values of nodes for which they are unknown."""
        unknown = [number for number in numbers if not self.is_known[number]]
        if unknown:
            nodes = np.array(unknown)
            self.suppressed[nodes], self.values[nodes] = self.look_up(nodes)
            self.is_known[nodes] = True

    @property
    def are_known(self) -> bool:
        """True if the values of all nodes are exact."""
        return bool(self.is_known.all())

    @cached_property
    def minimal(self) -> BoolArray:
        """Satisfying nodes without a satisfying predecessor, shape (n_nodes,)."""
        return self.find_minimal()

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """From 1 for the optimum among satisfying nodes; 0 for the others, shape (n_nodes,)."""
        return self.rank()

    @property
    def is_part(self) -> bool:
        """True if the lattice has nodes without an index."""
        return self.n_all > self.lattice.n_nodes

    @property
    def is_complete(self) -> bool:
        return not self.is_part and bool(self.scored.all())

    def scored_number(self, node: Node) -> int | None:
        """Return the index of a node, if it is scored."""
        number = self.lattice.find(node)
        return number if number is not None and self.scored[number] else None

    def value(self, node: Node) -> float:
        """Return the metric of a node; nan if it is not scored."""
        return self.values_of((node,))[0]

    def values_of(self, nodes: Iterable[Node]) -> list[float]:
        """Return the metric of some nodes, looked up together; nan for those not scored."""
        numbers = [self.lattice.find(node) for node in nodes]
        self.know(number for number in numbers if number is not None)
        return [float("nan") if number is None else float(self.values[number]) for number in numbers]


def more_than(text: str) -> str:
    """Return the text of a number that is only known to be larger."""
    return f"> {text}"


def prepare_scores(evaluation: Evaluation, metric: str, held: Ends | None = None) -> NodeScores:
    """Return the scores of an evaluation; `held` fixes the ends of the ramp while a knob is dragged."""
    satisfies = evaluation.satisfies
    if evaluation.is_bounded and not evaluation.is_complete_for(metric):
        values, suppressed = evaluation.metric_of_satisfying(metric), evaluation.bounded.at_least.copy()
        is_known = satisfies | ~evaluation.scored
    else:
        values, suppressed = evaluation.metric(metric), evaluation.suppressed
        is_known = np.ones(len(values), dtype=np.bool_)
    from engine.privacy.limit import most_suppressed

    optimum = evaluation.optimum(metric)
    chosen = np.flatnonzero(satisfies)
    known = values[chosen]
    known = known[np.isfinite(known)]
    ends = (float(known.min()), float(known.max())) if len(known) else None
    if held is not None and ends is not None:
        ends = held
    classes = np.full(len(values), FAILS, dtype=np.uint8)
    if ends is not None:
        classes[chosen] = ramp_classes(values[chosen], *ends)
    else:
        classes[chosen] = 0
    classes[~evaluation.scored] = NOT_SCORED
    return NodeScores(
        evaluation.lattice,
        evaluation.problem.lattice.n_nodes,
        satisfies,
        evaluation.is_within,
        evaluation.scored,
        suppressed,
        values,
        classes,
        optimum,
        evaluation.n_satisfying,
        ends,
        is_known,
        most_suppressed(evaluation.problem, evaluation.requirement),
        lambda nodes: (evaluation.suppressed_at(nodes), evaluation.metric_at(metric, nodes)),
        lambda: _ranks(evaluation, values, chosen, optimum),
        lambda: evaluation.minimal,
    )


def dimmed(classes: NDArray[np.uint8], visible: BoolArray) -> NDArray[np.uint8]:
    """Return the colour classes with filtered nodes dimmed."""
    return classes if visible.all() else np.where(visible, classes, DIMMED).astype(np.uint8)


def row_texts(rows: NDArray[np.int64], satisfies: BoolArray, first: str) -> list[str]:
    """Return the number of satisfying nodes per row; the first row includes a caption."""
    counts = np.bincount(rows)
    met = np.bincount(rows[satisfies], minlength=len(counts))
    texts = [f"{as_exact_count(m)} / {as_exact_count(n)}" for m, n in zip(met, counts, strict=True)]
    texts[-1] = first.format(n=met[-1], total=counts[-1])
    return texts


def levels_mask(levels: NDArray[np.int16], shown: dict[int, frozenset[int]]) -> BoolArray:
    """Return which nodes use only visible levels."""
    visible = np.ones(len(levels), dtype=np.bool_)
    for attribute, allowed in shown.items():
        visible &= np.isin(levels[:, attribute], list(allowed))
    return visible


def _ranks(
    evaluation: Evaluation, values: NDArray[np.float64], chosen: NDArray[np.int64], optimum: int | None
) -> NDArray[np.int64]:
    ranks = np.zeros(len(values), dtype=np.int64)
    worst_last = np.nan_to_num(values[chosen], nan=np.inf)
    order = np.argsort(worst_last, kind="stable")
    is_tied = np.zeros(len(order), dtype=np.bool_)  # with the one before or after it
    is_tied[1:] = worst_last[order[1:]] == worst_last[order[:-1]]
    is_tied[:-1] |= is_tied[1:]
    lattice, places = evaluation.lattice, np.flatnonzero(is_tied)
    tied = chosen[order[places]]
    further = lattice.ranks(tied), lattice.sums[tied], evaluation.suppressed_at(tied)
    order[places] = order[places][np.lexsort((*further, worst_last[order[places]]))]
    order = chosen[order]
    if optimum is not None:
        # Values equal up to rounding are ties, as in the choice of the optimum.
        order = np.concatenate(([optimum], order[order != optimum]))
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


EXPECTED_KEPT = "expected kept"  # name of the score among the details of nodes
_PARTS = ("table", "roles", "qi_order", "hierarchies", "fixed_node")  # of a project that the scores depend on


class ExpectedKept:
    """Scores the whole table once, and looks up each epsilon and beta in the result."""

    def __init__(self) -> None:
        self._of: Project | None = None
        self._profile: LatticeProfile | None = None
        self._scoring = threading.Lock()

    def shares(
        self, project: Project, evaluation: Evaluation, monitor: Monitor = SILENT
    ) -> NDArray[np.float64] | None:
        """Return the expected share of the records that is kept, per node.

        None if no records are drawn; nan if the lattice is too large to score completely.
        """
        from engine.lattice import Lattice

        requirement = evaluation.requirement
        if requirement.sampling is None:
            return None
        if not isinstance(evaluation.lattice, Lattice):
            return np.full(evaluation.lattice.n_nodes, np.nan)
        with self._scoring:
            return self._shares(project, requirement, evaluation, monitor)

    def _shares(
        self, project: Project, requirement: Requirement, evaluation: Evaluation, monitor: Monitor
    ) -> NDArray[np.float64]:
        from engine.project.trade_off import complete_problem, expected_shares
        from engine.scoring import LatticeProfile, score_lattice

        assert requirement.sampling is not None, "asked where records are drawn"
        if self._profile is None or self._of is None or not _is_alike(self._of, project):
            problem = complete_problem(project)
            profile = LatticeProfile(problem)
            score_lattice(problem, monitor, profile)
            self._of, self._profile = project, profile
        found = expected_shares(self._profile, requirement.sampling.beta, requirement.k or 1)
        if len(found) != evaluation.lattice.n_nodes:  # of settings that are being compiled
            return np.full(evaluation.lattice.n_nodes, np.nan)
        return found


def _is_alike(one: Project, other: Project) -> bool:
    return all(
        getattr(one, part) is getattr(other, part) or getattr(one, part) == getattr(other, part)
        for part in _PARTS
    )
