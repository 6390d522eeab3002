"""Equivalence classes as privacy models see them, and measures of each class."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from engine.kernels.arrays import Counts, FloatArray, IntArray

DISTINCT = "distinct"
EQUAL = "equal"
ORDERED = "ordered"
HIERARCHICAL = "hierarchical"
ENTROPY = "entropy"
GRASSBERGER = "grassberger"
LARGEST_SHARE = "largest_share"
TAIL_RATIO = "tail_ratio"
BASIC_GAIN = "basic_gain"
ENHANCED_GAIN = "enhanced_gain"
DISCLOSURE = "disclosure"
POPULATION = "population"  # of no column: people of the population in the class
INFORMATION = "information"  # of no column: information loss of a record of the class, in [0, 1]
MEMBERS = "members"  # of no column: rows of the population table in the class
WEIGHTED_PEOPLE = "weighted_people"
INDIVIDUAL_RISK = "individual_risk"
WEIGHT = ""  # name of the weight of records among measured columns: it is a setting, not named by models


class Measure(NamedTuple):
    """One number per class, measured from the values of a sensitive column in it.

    Attributes
    ----------
    name : str
        Key of a function in `engine.frequency.measures`.
    parameter : int
        Parameter of the function; 0 if it has none.
    """

    name: str
    column: str
    parameter: int = 0


class EquivalenceClasses(Protocol):
    """Measures per class; arrays have shape (n_classes,), or one entry per kind of classes."""

    @property
    def sizes(self) -> Counts:
        """Different persons per class; records if each is a person."""

    def measured(self, measure: Measure) -> IntArray | FloatArray:
        """Return a measure of a sensitive column per class."""

    def default_distance(self, column: str) -> str:
        """Return the default distance of a column: `EQUAL` or `ORDERED`."""

    @property
    def sampling_fraction(self) -> float | None:
        """The share of the population that has a record; None if no population is known."""
