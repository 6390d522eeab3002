"""Ratio of the most frequent value of a class to those from a rank on."""

from __future__ import annotations

from engine.frequency.measures.base import MeasureKind
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.distances import Pairs
from engine.kernels.diversity import tail_ratios


def _tail_ratio(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> FloatArray:
    return tail_ratios(pairs, sizes, parameter)


MEASURE = MeasureKind(_tail_ratio)
