"""Arrays of one evaluation for lattice and list: colour classes, ranks, counts per row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, FAILS, NOT_SCORED
from anonymizer_gui.theming import ramp_classes
from engine.numbers import as_exact_count

if TYPE_CHECKING:
    from engine.lattice import Node, Nodes
    from engine.scoring import Evaluation

BoolArray = NDArray[np.bool_]
Ends = tuple[float, float]
Details = dict[str, NDArray[np.float64]]  # other scores by name, one value per node


@dataclass(frozen=True, eq=False)
class NodeScores:
    """Scores of all nodes, one entry per index.

    Attributes
    ----------
    lattice : Nodes
        Nodes by index: all, or the scored ones of a lattice too large to list.
    n_all : int
        Number of nodes of the complete lattice.
    within : ndarray of bool
        Whether suppression is within the limit, in records or people.
    values : ndarray of float64
        Chosen metric; nan for nodes that are not scored.
    classes : ndarray of uint8
        Colour class before filtering.
    ranks : ndarray of int64
        From 1 for the optimum among satisfying nodes; 0 for the others.
    ends : (float, float) or None
        Best and worst value on the ramp; None if no node satisfies.
    """

    lattice: Nodes
    n_all: int
    satisfies: BoolArray
    within: BoolArray
    scored: BoolArray
    suppressed: NDArray[np.int64]
    values: NDArray[np.float64]
    classes: NDArray[np.uint8]
    ranks: NDArray[np.int64]
    optimum: int | None
    n_satisfying: int
    ends: Ends | None

    @cached_property
    def minimal(self) -> BoolArray:
        """Satisfying nodes without a satisfying predecessor, shape (n_nodes,)."""
        return self.lattice.minimal(self.satisfies)

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
        number = self.lattice.find(node)
        return float("nan") if number is None else float(self.values[number])


def prepare_scores(evaluation: Evaluation, metric: str, held: Ends | None = None) -> NodeScores:
    """Return the scores of an evaluation; `held` fixes the ends of the ramp while a knob is dragged."""
    values, satisfies = evaluation.metric(metric), evaluation.satisfies
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
        evaluation.suppressed,
        values,
        classes,
        _ranks(evaluation, values, chosen, optimum),
        optimum,
        evaluation.n_satisfying,
        ends,
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
    lattice = evaluation.lattice
    sums = lattice.sums
    worst_last = np.nan_to_num(values[chosen], nan=np.inf)
    order = chosen[
        np.lexsort((lattice.ranks(chosen), sums[chosen], evaluation.suppressed[chosen], worst_last))
    ]
    if optimum is not None:
        # Values equal up to rounding are ties, as in the choice of the optimum.
        order = np.concatenate(([optimum], order[order != optimum]))
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks
