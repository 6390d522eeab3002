"""What a utility metric is, the figures it may read, and the registry of metrics."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.kernels.arrays import Counts, Reals
from engine.params import Configurable
from engine.registry import Registry


class Candidates(Protocol):
    """Nodes with their classes under a requirement; all arrays have one entry (or row) per node.

    Suppressed records are those of classes that miss the requirement, whether or not the node
    satisfies it; scores count them as fully generalized.
    """

    @property
    def problem(self) -> Problem:
        """The problem the nodes belong to."""

    @property
    def levels(self) -> NDArray[np.integer[Any] | np.floating[Any]]:
        """Level vectors, shape (n_nodes, n_qi); where levels differ by record, their means over kept ones."""

    @property
    def suppressed(self) -> Counts:
        """Suppressed records."""

    @property
    def kept_classes(self) -> Counts:
        """Classes that meet the requirement."""

    @property
    def kept_k(self) -> Counts:
        """Size of the smallest kept class; 0 where nothing is kept."""

    @property
    def kept_sizes(self) -> Counts:
        """Sum of sizes of the kept classes: different persons of each, where these have several records."""

    @property
    def kept_squares(self) -> Counts:
        """Sum of squared numbers of records of the kept classes."""

    @property
    def required_k(self) -> int | None:
        """The class size the requirement asks for, if it asks."""

    def kept_leaves(self, attribute: int) -> Counts:
        """Sum over kept records of the leaves that the attribute's label covers."""

    def suppressed_leaves(self, attribute: int) -> Counts:
        """Sum over suppressed records of the leaves that the attribute's label would cover, were they kept.

        Where levels differ by record a suppressed one has no label: its original value counts.
        """

    def kept_spans(self, attribute: int) -> Reals:
        """Sum over kept records of the label's numeric width (largest leaf - smallest leaf)."""

    # The figures below are costly: they need the classes of a node one by one, not sums over them.

    def lost_bits(self, attribute: int) -> Reals:
        """Bits that coarsening an attribute hides over all records, given how its values are spread.

        Suppressing counts as one more step, from the labels of the suppressed records to a common one.
        """

    def suppressed_bits(self, attribute: int) -> Reals:
        """The part of `lost_bits` that suppressing adds to generalizing."""

    @property
    def kept_misses(self) -> Counts:
        """Records of kept classes that have not their class's most frequent value of `problem.target`."""

    @property
    def kept_combinations(self) -> Reals:
        """Sum over kept records of the combinations of leaves that their labels cover."""

    @property
    def spread_bits(self) -> Reals:
        """Cross entropy of the release with the input, summed over records, bits.

        -log2 of what the release puts on a record's combination of original values, where the mass of a
        class lies evenly on the combinations it covers.
        """


class UtilityMetric(Configurable):
    """What is lost by a node under a requirement.

    Attributes
    ----------
    unit : str
        Unit of the natural value; "" if it is a share.
    meaning : str
        The two ends of the scale in plain words.
    costly : bool
        Whether it needs classes one by one, so that it may lag behind a turning knob.
    monotonic : bool
        Whether it never falls from a node to its successor when nothing is suppressed.
    weighted : bool
        Whether attribute weights change it.
    suppressing_costs : bool
        Whether a node loses at least what it loses with every class kept, at the usual settings; for
        settings of its own `has_floor` tells.
    needs_target : bool
        Whether it asks for `Problem.target`, and does not exist without.
    """

    __slots__ = ()
    unit: ClassVar[str] = ""
    meaning: ClassVar[str]
    costly: ClassVar[bool] = False
    monotonic: ClassVar[bool] = True
    weighted: ClassVar[bool] = False
    suppressing_costs: ClassVar[bool] = True
    needs_target: ClassVar[bool] = False

    def natural(self, candidates: Candidates, weights: Reals | None = None) -> Reals:
        """Return the metric in its own unit per node; nan where it does not exist."""
        raise NotImplementedError

    def ties(self, candidates: Candidates, weights: Reals | None = None) -> Reals | None:
        """Return what decides between nodes of equal value, shape (n_nodes, n), the first column first.

        None where nothing of the metric does.
        """
        return None

    @property
    def has_floor(self) -> bool:
        """Whether, as it is set, a node loses at least what it loses with every class kept."""
        return self.suppressing_costs

    def bounds(self, problem: Problem, weights: Reals | None = None) -> tuple[float, float]:
        """Return least and largest possible natural value, used to normalize."""
        raise NotImplementedError

    def normalized(self, candidates: Candidates, weights: Reals | None = None) -> Reals:
        """Return the metric mapped to [0, 1] by its bounds; 0 = nothing lost."""
        low, high = self.bounds(candidates.problem, weights)
        natural = self.natural(candidates, weights)
        return (natural - low) / (high - low) if high > low else natural * 0.0


def shares(weights: Reals | None, n_attributes: int) -> Reals:
    """Return attribute weights that sum to one; equal where none are given or all are zero."""
    if weights is None or not weights.sum():
        return np.full(n_attributes, 1 / max(n_attributes, 1))
    return np.asarray(weights / weights.sum())


utility_metrics: Registry[UtilityMetric] = Registry("engine.utility", "utility metric")
