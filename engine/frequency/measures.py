"""The measures by name: functions of the (class, sensitive value) pairs of some classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

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
    ORDERED,
    POPULATION,
    TAIL_RATIO,
)
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


class MeasureKind(NamedTuple):
    """A function of pairs, and whether its lowest or its highest value over classes is the worst."""

    function: MeasureFunction
    lowest_is_worst: bool = False


MEASURES: Mapping[str, MeasureKind] = MappingProxyType(
    {
        DISTINCT: MeasureKind(_distinct, lowest_is_worst=True),
        EQUAL: MeasureKind(_against_table(equal_distances)),
        ORDERED: MeasureKind(_against_table(ordered_distances)),
        HIERARCHICAL: MeasureKind(_hierarchical),
        ENTROPY: MeasureKind(_within(entropies), lowest_is_worst=True),
        GRASSBERGER: MeasureKind(_within(grassberger_entropies), lowest_is_worst=True),
        LARGEST_SHARE: MeasureKind(_within(largest_shares)),
        TAIL_RATIO: MeasureKind(_tail_ratio),
        BASIC_GAIN: MeasureKind(_against_table(basic_gains)),
        ENHANCED_GAIN: MeasureKind(_against_table(enhanced_gains)),
        DISCLOSURE: MeasureKind(_against_table(disclosures)),
    }
)


def lowest_is_worst(name: str) -> bool:
    """Whether the lowest value of a measure over classes is the worst, not the highest."""
    return name == POPULATION or MEASURES[name].lowest_is_worst
