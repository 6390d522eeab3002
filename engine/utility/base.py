"""Utility metrics: the values they may read, their base class and registry."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from engine import plugins
from engine.frequency import Problem
from engine.kernels.arrays import Counts, FloatArray
from engine.params import Configurable
from engine.registry import Registry
from engine.words import N_

USUAL_METRICS = ("loss", "discernibility", "precision")  # listed before all others
LATTICE_METRICS = (
    "loss",
    "gen_iloss",
    "precision",
    "discernibility",
    "aecs",
    "c_avg",
    "non_uniform_entropy",
)
"""Metrics in tables of nodes and summaries of releases."""


class Candidates(Protocol):
    """Nodes with their classes under a requirement; all arrays have one entry (or row) per node.

    Suppressed records are those of classes that fail the requirement, whether or not the node satisfies it;
    scores count them as fully generalized.
    """

    @property
    def problem(self) -> Problem:
        """The problem the nodes belong to."""

    @property
    def levels(self) -> NDArray[np.integer[Any] | np.floating[Any]]:
        """Level vectors, shape (n_nodes, n_qi); means over kept records if levels vary by record."""

    @property
    def suppressed(self) -> Counts:
        """Suppressed records."""

    @property
    def kept_classes(self) -> Counts:
        """Classes that meet the requirement."""

    @property
    def kept_k(self) -> Counts:
        """Size of the smallest kept class; 0 if nothing is kept."""

    @property
    def kept_sizes(self) -> Counts:
        """Sum of sizes of the kept classes; different persons of each, if persons have several records."""

    @property
    def kept_squares(self) -> Counts:
        """Sum of squared numbers of records of the kept classes."""

    @property
    def required_k(self) -> int | None:
        """The class size that the requirement demands, if any."""

    def kept_leaves(self, attribute: int) -> Counts:
        """Return the sum over kept records of the leaves that the attribute's label covers."""

    def suppressed_leaves(self, attribute: int) -> Counts:
        """Return the sum over suppressed records of the leaves their label would cover if they were kept.

        If levels vary by record, a suppressed record has no label: its original value counts.
        """

    def kept_spans(self, attribute: int) -> FloatArray:
        """Return the sum over kept records of the label's numeric width (largest leaf - smallest leaf)."""

    # the values below are costly: they need the classes of a node one by one, not sums over them

    def lost_bits(self, attribute: int) -> FloatArray:
        """Return the bits that generalizing an attribute hides over all records, given its distribution.

        Suppression counts as one more step, from the labels of the suppressed records to a common one.
        """

    def suppressed_bits(self, attribute: int) -> FloatArray:
        """Return the part of `lost_bits` that suppression adds to generalization."""

    @property
    def kept_misses(self) -> Counts:
        """Kept records without the most frequent value of `problem.target` in their class."""

    @property
    def kept_combinations(self) -> FloatArray:
        """Sum over kept records of the combinations of leaves that their labels cover."""

    def kept_bits(self, factors: FloatArray) -> FloatArray:
        """Return the sum over kept records of the bits that their labels leave open.

        They are the binary logarithms of the leaves that a label covers, each attribute's times its factor.
        """

    def kept_risk(self, most: float, *, of_population: bool) -> FloatArray:
        """Return the expected re-identifications if the kept classes of at most `most` people are attacked.

        The sum of 1 / people over their records; people of the population with `of_population`, if it is
        known person by person.
        """

    @property
    def spread_bits(self) -> FloatArray:
        """Cross entropy of the release with the input, summed over records, in bits.

        -log2 of the probability of a record's combination of original values in the release, where the
        records of a class are evenly distributed over the combinations it covers.
        """


class UtilityMetric(Configurable):
    """The loss of a node under a requirement.

    Attributes
    ----------
    unit : str
        Unit of the natural value; "" if it is a share.
    meaning : str
        Both ends of the scale in plain words.
    costly : bool
        Whether it needs classes one by one, so that it may update after the other values.
    monotonic : bool
        Whether it never decreases from a node to its successor if nothing is suppressed.
    weighted : bool
        Whether attribute weights change it.
    suppressing_costs : bool
        Whether a node loses at least as much as with every class kept, at the default settings; see
        `has_floor` for others.
    needs_target : bool
        Whether it needs `Problem.target`, without which it has no value.
    kernels : str
        Module of compiled kernels that a costly metric uses for many nodes; "" if it has none.
    """

    __slots__ = ()
    unit: ClassVar[str] = ""
    meaning: ClassVar[str]
    costly: ClassVar[bool] = False
    monotonic: ClassVar[bool] = True
    weighted: ClassVar[bool] = False
    suppressing_costs: ClassVar[bool] = True
    needs_target: ClassVar[bool] = False
    kernels: ClassVar[str] = ""

    def natural(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Return the metric in its own unit per node; nan if it has no value."""
        raise NotImplementedError

    def ties(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray | None:
        """Return tie-break values for nodes of equal value, shape (n_nodes, n), the first column first.

        None if the metric breaks no ties.
        """
        return None

    @property
    def has_floor(self) -> bool:
        """Return whether, with its settings, a node loses at least as much as with every class kept."""
        return self.suppressing_costs

    def bounds(self, problem: Problem, weights: FloatArray | None = None) -> tuple[float, float]:
        """Return the least and largest possible natural value, used to normalize."""
        raise NotImplementedError

    def normalized(self, candidates: Candidates, weights: FloatArray | None = None) -> FloatArray:
        """Return the metric mapped to [0, 1] by its bounds; 0 = no loss."""
        low, high = self.bounds(candidates.problem, weights)
        natural = self.natural(candidates, weights)
        return (natural - low) / (high - low) if high > low else natural * 0.0


def shares(weights: FloatArray | None, n_attributes: int) -> FloatArray:
    """Return attribute weights that sum to one; equal if none are given or all are zero."""
    if weights is None or not weights.sum():
        return np.full(n_attributes, 1 / max(n_attributes, 1))
    return np.asarray(weights / weights.sum())


utility_metrics: Registry[UtilityMetric] = Registry(
    "engine.utility",
    N_("utility metric"),
    group=plugins.METRICS,
    base=UtilityMetric,
    methods=("natural", "bounds"),
)
