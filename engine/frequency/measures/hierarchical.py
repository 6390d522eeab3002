"""Distance of a class from the table if values of one group are close."""

from __future__ import annotations

from engine.frequency.measures.base import MeasureKind
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.distances import Pairs, hierarchical_distances


def _hierarchical(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> FloatArray:
    return hierarchical_distances(pairs, sizes, attribute.reference, attribute.tree)


MEASURE = MeasureKind(_hierarchical)
