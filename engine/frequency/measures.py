"""The measures by name: functions of the (class, sensitive value) pairs of some classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from engine.frequency.classes import DISTINCT, EQUAL, ORDERED
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, IntArray, Reals
from engine.kernels.distances import Pairs, equal_distances, ordered_distances

MeasureFunction: TypeAlias = Callable[[Pairs, Counts, SensitiveAttribute, int], IntArray | Reals]


def _distinct(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> IntArray:
    return pairs.lengths


def _equal(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> Reals:
    return equal_distances(pairs, sizes, attribute.reference)


def _ordered(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> Reals:
    return ordered_distances(pairs, sizes, attribute.reference)


class MeasureKind(NamedTuple):
    """A function of pairs, and whether its lowest or its highest value over classes is the worst."""

    function: MeasureFunction
    lowest_is_worst: bool = False


MEASURES: Mapping[str, MeasureKind] = MappingProxyType(
    {
        DISTINCT: MeasureKind(_distinct, lowest_is_worst=True),
        EQUAL: MeasureKind(_equal),
        ORDERED: MeasureKind(_ordered),
    }
)
