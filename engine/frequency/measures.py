"""The measures by name: functions of the (class, sensitive value) pairs of some classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from engine.errors import InputError
from engine.frequency.classes import (
    BASIC_GAIN,
    DISCLOSURE,
    DISTINCT,
    ENHANCED_GAIN,
    ENTROPY,
    EQUAL,
    GRASSBERGER,
    HIERARCHICAL,
    LARGEST_SHARE,
    MEMBERS,
    ORDERED,
    POPULATION,
    TAIL_RATIO,
)
from engine.frequency.persons import Holders
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, IntArray, Reals
from engine.kernels.distances import (
    Pairs,
    Reference,
    equal_distances,
    hierarchical_distances,
    ordered_distances,
)
from engine.kernels.diversity import entropies, grassberger_entropies, largest_shares, tail_ratios
from engine.kernels.likeness import basic_gains, disclosures, enhanced_gains

MeasureFunction: TypeAlias = Callable[[Pairs, Counts, SensitiveAttribute, int], IntArray | Reals]


def _distinct(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> IntArray:
    return pairs.lengths


def _hierarchical(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> Reals:
    return hierarchical_distances(pairs, sizes, attribute.reference, attribute.tree)


def _tail_ratio(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> Reals:
    return tail_ratios(pairs, sizes, parameter)


def _within(function: Callable[[Pairs, Counts], Reals]) -> MeasureFunction:
    """A measure of the class alone."""
    return lambda pairs, sizes, attribute, parameter: function(pairs, sizes)


def _against_table(function: Callable[[Pairs, Counts, Reference], Reals]) -> MeasureFunction:
    """A measure that compares with the whole input table."""
    return lambda pairs, sizes, attribute, parameter: function(pairs, sizes, attribute.reference)


def _diverse_without_any(pairs: Pairs, holders: Holders) -> IntArray:
    """Values that count: at least one less of them remains when one person's records are set aside."""
    return np.asarray(np.minimum(pairs.lengths, 1 + pairs.lengths - holders.alone))


def _held_by_most(pairs: Pairs, holders: Holders) -> Reals:
    """The largest share of persons who hold one value at least once; one exact division."""
    return largest_shares(Pairs(pairs.values, holders.of_value, pairs.starts), holders.persons)


def _refused(pairs: Pairs, holders: Holders) -> Reals:
    raise InputError(NO_WHOLE_COUNTS, hint=NO_WHOLE_COUNTS_HINT)


NO_WHOLE_COUNTS = (
    "Grassberger's estimator needs whole numbers of records, and with a person column records are weighed."
)
NO_WHOLE_COUNTS_HINT = "Take Shannon's entropy instead."

PeopleFunction: TypeAlias = Callable[[Pairs, Holders], IntArray | Reals]


class MeasureKind(NamedTuple):
    """What is measured of (class, value) pairs.

    Attributes
    ----------
    function : callable
        Of pairs whose counts are records; or what records weigh, where persons have several.
    lowest_is_worst : bool
        Whether the lowest value over classes is the worst, not the highest.
    of_people : callable or None
        What takes its place where persons have several records and are counted, not weighed.
    """

    function: MeasureFunction
    lowest_is_worst: bool = False
    of_people: PeopleFunction | None = None


MEASURES: Mapping[str, MeasureKind] = MappingProxyType(
    {
        DISTINCT: MeasureKind(_distinct, lowest_is_worst=True, of_people=_diverse_without_any),
        EQUAL: MeasureKind(_against_table(equal_distances)),
        ORDERED: MeasureKind(_against_table(ordered_distances)),
        HIERARCHICAL: MeasureKind(_hierarchical),
        ENTROPY: MeasureKind(_within(entropies), lowest_is_worst=True),
        GRASSBERGER: MeasureKind(_within(grassberger_entropies), lowest_is_worst=True, of_people=_refused),
        LARGEST_SHARE: MeasureKind(_within(largest_shares), of_people=_held_by_most),
        TAIL_RATIO: MeasureKind(_tail_ratio),
        BASIC_GAIN: MeasureKind(_against_table(basic_gains)),
        ENHANCED_GAIN: MeasureKind(_against_table(enhanced_gains)),
        DISCLOSURE: MeasureKind(_against_table(disclosures)),
    }
)


def lowest_is_worst(name: str) -> bool:
    """Whether the lowest value of a measure over classes is the worst, not the highest."""
    return name in (POPULATION, MEMBERS) or MEASURES[name].lowest_is_worst
