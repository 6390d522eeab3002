"""Measures of the program, by name: of values within a class, against the table, and of survey weights."""

from __future__ import annotations

import numpy as np

from engine.errors import InputError
from engine.frequency.measures.base import MeasureKind, against_table, within
from engine.frequency.persons import Holders
from engine.frequency.problem import SensitiveAttribute, WeightAttribute
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.distances import Pairs, equal_distances, hierarchical_distances, ordered_distances
from engine.kernels.diversity import entropies, grassberger_entropies, largest_shares, tail_ratios
from engine.kernels.likeness import basic_gains, disclosures, enhanced_gains
from engine.kernels.survey import individual_risks
from engine.words import N_, _

NO_WHOLE_COUNTS = N_(
    "Grassberger's estimator needs whole numbers of records, and a person column weights records."
)
NO_WHOLE_COUNTS_HINT = N_("Use Shannon's entropy.")


def _distinct(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> IntArray:
    return pairs.lengths


def _diverse_without_any(pairs: Pairs, holders: Holders) -> IntArray:
    """Return how many values a class has at least after the records of any one person are removed."""
    return np.asarray(np.minimum(pairs.lengths, 1 + pairs.lengths - holders.alone))


def _refused(pairs: Pairs, holders: Holders) -> FloatArray:
    raise InputError(_(NO_WHOLE_COUNTS), hint=_(NO_WHOLE_COUNTS_HINT))


def _held_by_most(pairs: Pairs, holders: Holders) -> FloatArray:
    """Return the largest share of persons who hold one value at least once; one exact division."""
    return largest_shares(Pairs(pairs.values, holders.of_value, pairs.starts), holders.persons)


def _hierarchical(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> FloatArray:
    return hierarchical_distances(pairs, sizes, attribute.reference, attribute.tree)


def _tail_ratio(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> FloatArray:
    return tail_ratios(pairs, sizes, parameter)


def _people(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> FloatArray:
    assert isinstance(attribute, WeightAttribute), "measured of weights only"
    return attribute.people(pairs)


def _risks(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> FloatArray:
    """Return the risk of each class; `parameter` is 1 for the exact risk."""
    return individual_risks(sizes, _people(pairs, sizes, attribute, parameter), exact=bool(parameter))


# Of the values of a class alone: their number, their entropies in nats, the share of the most frequent one,
# and its ratio to those from a rank on.
distinct = MeasureKind(_distinct, lowest_is_worst=True, of_people=_diverse_without_any, is_whole=True)
entropy = MeasureKind(within(entropies), lowest_is_worst=True)
grassberger = MeasureKind(within(grassberger_entropies), lowest_is_worst=True, of_people=_refused)
largest_share = MeasureKind(within(largest_shares), of_people=_held_by_most)
tail_ratio = MeasureKind(_tail_ratio)
# Against the table: how much more frequent a value is, plainly and bounded more strictly for frequent values;
# the logarithm of its shares; the distance if values are equally far apart, in order, or in groups.
basic_gain = MeasureKind(against_table(basic_gains))
enhanced_gain = MeasureKind(against_table(enhanced_gains))
disclosure = MeasureKind(against_table(disclosures))
equal = MeasureKind(against_table(equal_distances))
ordered = MeasureKind(against_table(ordered_distances))
hierarchical = MeasureKind(_hierarchical)
# Of survey weights: the estimated people of a class, and the individual risk of its records.
weighted_people = MeasureKind(_people, lowest_is_worst=True)
individual_risk = MeasureKind(_risks)
