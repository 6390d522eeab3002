"""Estimated people of the population in a class: the sum of the weights of its records."""

from __future__ import annotations

from engine.frequency.measures.base import MeasureKind
from engine.frequency.problem import SensitiveAttribute, WeightAttribute
from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.distances import Pairs


def _people(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> FloatArray:
    assert isinstance(attribute, WeightAttribute), "measured of weights only"
    return attribute.people(pairs)


MEASURE = MeasureKind(_people, lowest_is_worst=True)
